//! Distillation: from the events of a session to the memories worth keeping, by rules over structure, without a model.
//!
//! [`distil`] reads as an outline: the story is cut into turns; each turn tells of its work, of what was found out and of what was
//! stated; failures are followed across turns; summary and handoff are put together from all of it; what is known already is settled;
//! everything is written at once. Running it again on the same events changes nothing.
//!
//! Not here: reading a host's payload (`hosts`), when it runs (`cli`), and the optional model that may polish a title.

mod asked;
mod chosen;
mod closing;
mod commits;
mod discovered;
mod failing;
mod failures;
mod familiar;
mod finding;
mod handoff;
mod later;
mod prose;
mod rivals;
mod settle;
mod stated;
mod statements;
mod story;
mod summary;
mod talked;
mod testruns;
mod told;
mod values;
mod work;

use backstory_capture::{Place, Redactor, anchor, edited_files, follow_renames, git, prepare, track};
use backstory_memory::{
    Category, ChangedSymbol, Content, Digest, EventId, Kind, Link, Memory, MemoryId, Provenance, Relation,
    SessionId, Timestamp,
};
use backstory_store::{Again, Distilled, FileReading, Outcome, Session, Store, StoreError};
pub use closing::{Closing, closing, title_of_commit};
pub use failing::failure_subject;
use failing::{Failing, Mending};
pub use failures::{Attempt, Class, Failures, Fix, OpenFailure, Ran, Signature, Step, pair, should_promote};
pub use familiar::Familiar;
use finding::{Comparing, Finding, distilled, subject, subject_of_turn};
use handoff::WorkTree;
pub use statements::{Correction, Polarity, Speaker, Statement, statements};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};
use story::{Entry, Turn};
pub use testruns::{Runner, TestOutcome, TestRun, red_to_green};
use told::Told;

/// Why a session is distilled now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// A turn ended.
    TurnEnd,
    /// Some turns of a session that is told from its beginning: more of it comes at once.
    Partway,
    /// The host is about to compact its context.
    Compaction,
    /// The session ended.
    SessionEnd,
    /// Somebody asked for it, perhaps long after.
    Asked,
}

/// What distillation works with.
pub struct Distillation<'a> {
    /// Why now.
    pub occasion: Occasion,
    /// Where the project lies; nothing where its folder is not to be looked at.
    pub root: Option<&'a Path>,
    /// Takes out secrets, once more: what is put together may show what its parts did not.
    pub redactor: &'a Redactor,
    /// What time it is.
    pub now: Timestamp,
    /// When to stop looking closely: what was found by then is written. Nobody waits where there is none.
    pub until: Option<Instant>,
}

impl Distillation<'_> {
    /// Whether there is no time left to look closely.
    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DistilReport {
    /// Memories that are new.
    pub written: Vec<MemoryId>,
    /// Memories that are surer or say more now.
    pub updated: Vec<MemoryId>,
}

/// More events than this are not read at once: what came before has been distilled before.
const MOST_EVENTS: u32 = 1_000;
/// More changed symbols than this are not told.
const MOST_CHANGES: u32 = 500;

/// Makes memories of what happened in a session.
pub fn distil(store: &mut Store, id: SessionId, how: &Distillation<'_>) -> Result<DistilReport, StoreError> {
    distil_knowing(store, id, how, None)
}

/// Makes memories of what happened in a session, as [`distil`] does, for who distils many: `familiar` goes from one to the next.
///
/// Only what is distilled may be written to this store in the meantime, except by others.
pub fn distil_among_many(
    store: &mut Store,
    id: SessionId,
    how: &Distillation<'_>,
    familiar: &mut Familiar,
) -> Result<DistilReport, StoreError> {
    familiar.look_again(store)?;
    distil_knowing(store, id, how, Some(familiar))
}

fn distil_knowing(
    store: &mut Store,
    id: SessionId,
    how: &Distillation<'_>,
    mut familiar: Option<&mut Familiar>,
) -> Result<DistilReport, StoreError> {
    let Some(session) = store.session(id)? else { return Ok(DistilReport::default()) };
    let events = store.latest_events(id, MOST_EVENTS)?;
    let Some(last) = events.last() else { return Ok(DistilReport::default()) };
    let entries = story::entries(&events);
    let turns = story::turns(&entries);
    let readings = read_code(store, &session, &turns, how)?;
    let code = store.code_changes(session.project, Some(id), MOST_CHANGES)?;
    let findings = findings(store, &session, &turns, &code, how)?;

    let relations: Vec<(Digest, Digest)> = findings
        .iter()
        .flat_map(|finding| finding.relates_to.iter().map(|other| (finding.subject, *other)))
        .collect();
    let mut report = DistilReport::default();
    let mut settled = Vec::new();
    let imported: HashSet<EventId> =
        entries.iter().filter(|entry| entry.provenance == Provenance::Import).map(|entry| entry.id).collect();
    for finding in findings {
        let mut content = prepare(finding.content, how.redactor);
        // What came from an import, if only in part, is believed no more than an import.
        let comes_from_import = match finding.events.as_slice() {
            [] => !imported.is_empty(),
            events => events.iter().any(|event| imported.contains(event)),
        };
        if comes_from_import {
            content.provenance = content.provenance.min(Provenance::Import);
        }
        let finding = Finding { content, ..finding };
        // Better a memory that is there twice than none.
        let finding = if how.is_late() { Finding { comparing: Comparing::Not, ..finding } } else { finding };
        settled.extend(settle::settle(store, &session, finding, familiar.as_deref_mut())?);
    }
    let outcomes = store.keep_distilled(id, last.id, &settled)?;
    let kept = report.note(&settled, &outcomes);
    let links = relations.iter().filter_map(|(from, to)| Some((*kept.get(from)?, *kept.get(to)?)));
    for (from, to) in links {
        store.link(Link { from, relation: Relation::Relates, to })?;
    }
    promote(store, &session, &settled, &outcomes, &mut report)?;
    if let Some(familiar) = familiar {
        report.written.iter().chain(&report.updated).try_for_each(|id| familiar.learn(store, *id))?;
    }
    let written = settled.iter().zip(&outcomes).filter_map(|(item, outcome)| match outcome {
        Outcome::Written(id) | Outcome::Updated(id) => Some((*id, &item.memory.content)),
        Outcome::Unchanged(_) | Outcome::Forgotten => None,
    });
    anchor_all(store, &session, &written.collect::<Vec<_>>(), &readings, how)?;
    Ok(report)
}

impl DistilReport {
    /// Notes what became of each; returns which memory holds which subject.
    fn note(&mut self, settled: &[Distilled], outcomes: &[Outcome]) -> HashMap<Digest, MemoryId> {
        for outcome in outcomes {
            match outcome {
                Outcome::Written(id) => self.written.push(*id),
                Outcome::Updated(id) => self.updated.push(*id),
                Outcome::Unchanged(_) | Outcome::Forgotten => {}
            }
        }
        settled
            .iter()
            .zip(outcomes)
            .filter_map(|(item, outcome)| Some((item.subject, outcome.memory()?)))
            .collect()
    }
}

/// Brings the code map up to date with what was edited since the last run.
fn read_code(
    store: &mut Store,
    session: &Session,
    turns: &[Turn<'_>],
    how: &Distillation<'_>,
) -> Result<Vec<FileReading>, StoreError> {
    // Long after, the files hold what others did to them since.
    let Some(root) = how.root.filter(|_| how.occasion != Occasion::Asked) else { return Ok(Vec::new()) };
    // Of a turn that goes on, all: somebody may have asked for a distillation in its middle, which does not look at files.
    let fresh = turns.iter().filter(|turn| is_fresh(turn, session)).flat_map(|turn| turn.entries);
    let edited = edited_files(fresh.map(Entry::activity));
    let place = Place { project: session.project, root, redactor: how.redactor, until: how.until };
    track(store, place, session.id, &edited, how.now)
}

/// Anchors what was written in the code it speaks of, and follows files that have another name now.
fn anchor_all(
    store: &mut Store,
    session: &Session,
    written: &[(MemoryId, &Content)],
    readings: &[FileReading],
    how: &Distillation<'_>,
) -> Result<(), StoreError> {
    let Some(root) = how.root.filter(|_| how.occasion != Occasion::Asked) else { return Ok(()) };
    let holds_in_code = |content: &Content| {
        !matches!(content.kind, Kind::Summary | Kind::Handoff) && !content.files.is_empty()
    };
    for (id, content) in written.iter().filter(|(_, content)| holds_in_code(content)) {
        let of_memory = readings.iter().filter(|reading| content.files.contains(&reading.path));
        anchor(store, *id, root, &content.files, &of_memory.cloned().collect::<Vec<_>>())?;
    }
    if how.occasion == Occasion::SessionEnd {
        follow_renames(store, session.project, root, how.redactor, GIT_PATIENCE)?;
    }
    Ok(())
}

/// How long git may take to say how things lie.
const GIT_PATIENCE: Duration = Duration::from_millis(300);

/// Finds everything worth a memory.
fn findings(
    store: &Store,
    session: &Session,
    turns: &[Turn<'_>],
    code: &[ChangedSymbol],
    how: &Distillation<'_>,
) -> Result<Vec<Finding>, StoreError> {
    let failing = Failing::of(turns);
    let recent = turns.len().saturating_sub(RECENT_TURNS);
    let read = |(at, turn): (usize, &Turn<'_>)| match turn.closing() {
        Some((_, message)) if at >= recent => closing(message),
        _ => Closing::default(),
    };
    let closings: Vec<Closing> = turns.iter().enumerate().map(read).collect();
    let mut findings: Vec<Finding> = Vec::new();
    let mut mended_by: HashMap<usize, Mending> = HashMap::new();
    for (at, (turn, closing)) in turns.iter().zip(&closings).enumerate() {
        let known = as_known(store, session, turn)?;
        let found = || {
            work::Work::of(at, turn, closing, &failing, code)
                .and_then(|work| work.finding())
                // What was found out while a failure was mended is told with the failure.
                .or_else(|| match failing.mends(at) {
                    true => None,
                    false => discovered::discovery(turn, closing),
                })
        };
        // What is over is told as it was then; what goes on is looked at again, and may have less to say now than it had.
        let done = if is_fresh(turn, session) { found().or(known) } else { known.or_else(found) };
        let did_work = done.as_ref().is_some_and(|done| done.content.kind != Kind::Discovery);
        let mending = match done.as_ref().filter(|_| did_work) {
            Some(done) => Some(Mending { work: Some(done.subject), told: done.content.title.clone() }),
            None => closing.claim.clone().map(|told| Mending { work: None, told }),
        };
        mended_by.extend(mending.map(|mending| (at, mending)));
        let is_to_be_read = is_fresh(turn, session) || how.occasion == Occasion::Asked;
        let stated = if is_to_be_read { stated::stated(turn, done.as_ref()) } else { Vec::new() };
        let talked = if is_to_be_read && done.is_none() { talked::talk(turn, &stated) } else { None };
        let before = at.checked_sub(1).and_then(|before| turns.get(before)).filter(|_| is_to_be_read);
        let chosen = before.and_then(|before| chosen::choice(before, turn));
        findings.extend(done.into_iter().chain(stated).chain(talked).chain(chosen));
    }
    findings.extend(failing.findings(turns, &mended_by));
    let stated_before = stated_before(store, session, &findings)?;
    let told = Told { findings: &findings, stated_before: &stated_before, closings: &closings, turns };
    let summary = match how.occasion {
        Occasion::Partway => None,
        _ => summary::summary(session, turns, &told),
    };
    let handoff = match how.occasion {
        Occasion::TurnEnd | Occasion::Partway => None,
        // The folder has moved on since: better the handoff that was made then.
        Occasion::Asked
            if store.memory_about(session.project, summary::of_session("handoff", session))?.is_some() =>
        {
            None
        }
        _ => handoff::handoff(session, turns, &told, failing.still_red(), &work_tree(how)),
    };
    findings.extend(summary.into_iter().chain(handoff));
    Ok(findings)
}

/// Of how many turns closing messages are read and failures followed. What came before has been distilled before.
const RECENT_TURNS: usize = 24;

/// Whether something of a turn has not been distilled yet.
fn is_fresh(turn: &Turn<'_>, session: &Session) -> bool {
    turn.last().is_some_and(|last| last.id > session.distilled_to)
}

/// Returns what earlier runs found stated in this session, also what has been put right since: a summary tells what happened.
fn stated_before(store: &Store, session: &Session, now: &[Finding]) -> Result<Vec<Memory>, StoreError> {
    let is_stated = |memory: &Memory| {
        let kind = memory.content.kind;
        matches!(kind, Kind::Decision | Kind::Learning | Kind::Pattern | Kind::Goal)
    };
    let is_same = |one: &Content, other: &Content| one.kind == other.kind && one.title == other.title;
    let said_now = |memory: &Memory| now.iter().any(|finding| is_same(&finding.content, &memory.content));
    let known = store.memories(&store.memories_of_session(session.id)?)?;
    Ok(known.into_iter().filter(|memory| is_stated(memory) && !said_now(memory)).collect())
}

/// Returns what an earlier run made of a turn: it knew the code as it was then.
fn as_known(store: &Store, session: &Session, turn: &Turn<'_>) -> Result<Option<Finding>, StoreError> {
    for sort in ["work", "discovery"] {
        let subject = subject_of_turn(sort, turn);
        if let Some(memory) = store.memory_about(session.project, subject)? {
            return Ok(Some(unchanged(subject, memory)));
        }
    }
    Ok(None)
}

fn unchanged(subject: Digest, memory: Memory) -> Finding {
    Finding {
        subject,
        at: memory.created_at,
        content: memory.content,
        events: Vec::new(),
        again: Again::Counts,
        comparing: Comparing::Not,
        relates_to: Vec::new(),
    }
}

/// Looks how things lie in the project's folder; not long after, when it says nothing of the session any more.
fn work_tree(how: &Distillation<'_>) -> WorkTree {
    match how.root.filter(|_| how.occasion != Occasion::Asked) {
        Some(root) => WorkTree { branch: git::branch(root), dirty: git::dirty_files(root, GIT_PATIENCE) },
        None => WorkTree::default(),
    }
}

/// A failure met three times becomes a pattern to avoid, with its fix.
fn promote(
    store: &mut Store,
    session: &Session,
    settled: &[Distilled],
    outcomes: &[Outcome],
    report: &mut DistilReport,
) -> Result<(), StoreError> {
    for (item, outcome) in settled.iter().zip(outcomes) {
        let Some(id) = outcome.memory().filter(|_| item.memory.content.kind == Kind::Failure) else {
            continue;
        };
        let Some(failure) = store.memory(id)?.filter(|failure| should_promote(failure.times_seen)) else {
            continue;
        };
        let pattern = pattern(item, &failure);
        let outcomes =
            store.keep_distilled(session.id, session.distilled_to, std::slice::from_ref(&pattern))?;
        if let Some(pattern) = report.note(std::slice::from_ref(&pattern), &outcomes).into_values().next() {
            store.link(Link { from: pattern, relation: Relation::DerivedFrom, to: id })?;
        }
    }
    Ok(())
}

fn pattern(item: &Distilled, failure: &Memory) -> Distilled {
    let known = &failure.content;
    let body = format!("Met {} times. {}", failure.times_seen, known.body);
    let mut content = distilled(Kind::Pattern, &known.title, &body, known.provenance.clone());
    content.category = Some(Category("anti-pattern".to_owned()));
    content.facts.clone_from(&known.facts);
    content.files.clone_from(&known.files);
    let mut memory = item.memory.clone();
    memory.content = content;
    Distilled {
        subject: subject("pattern", &[&item.subject.0]),
        memory,
        again: Again::Replaces,
        same_as: None,
        replaces: Vec::new(),
        contradicts: Vec::new(),
    }
}
