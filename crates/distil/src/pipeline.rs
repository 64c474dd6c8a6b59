//! The outline of a distillation: read the session, find what is worth a memory, reconcile it with what is known, write it.
//!
//! Not here: what is found (`session_findings`), how it is compared (`reconcile`).

use crate::closed_failures::close_failures;
use crate::code_changes::{anchor_all, read_code, retire_changed};
use crate::covered_by_commits::retire_covered;
use crate::finding::Comparing;
use crate::outside_words::OutsideWords;
use crate::project_files::{FileAnswer, ProjectFiles};
use crate::promotion::promote;
use crate::reconcile::Reconciler;
use crate::rejected::Rejected;
use crate::session_findings::{SessionFindings, findings};
use crate::stored_memories::stored_form;
use crate::{ImportCache, prompt_commits, reconcile, recurrence, rejected, transcript};
use backstory_capture::Redactor;
use backstory_memory::{
    Digest, EventId, EvidenceKind, Kind, Link, MemoryId, Provenance, Redacted, RejectionReason, Relation,
    SessionId, Timestamp, Writer,
};
use backstory_store::{DistilOutcome, DistilledMemory, ReconciledMemory, Store, StoreError};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

/// Why a session is distilled now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistilTrigger {
    /// A turn ended.
    TurnEnd,
    /// Some turns of a session that is imported from its beginning: more of it comes at once.
    BatchPart,
    /// The host is about to compact its context.
    Compaction,
    /// The session ended.
    SessionEnd,
    /// Somebody asked for it, perhaps long after.
    OnDemand,
}

/// What distillation works with.
pub struct Distillation<'a> {
    /// Why now.
    pub trigger: DistilTrigger,
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
    pub(super) fn is_late(&self) -> bool {
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
/// More changed symbols than this are not named.
const MOST_CHANGES: u32 = 500;

/// Makes memories of what happened in a session.
pub fn distil(store: &mut Store, id: SessionId, how: &Distillation<'_>) -> Result<DistilReport, StoreError> {
    distil_session(store, id, how, None)
}

/// Makes memories of what happened in a session, as [`distil`] does, for who distils many: `cache` goes from one to the next.
///
/// Only what is distilled may be written to this store in the meantime, except by others.
pub fn distil_batch(
    store: &mut Store,
    id: SessionId,
    how: &Distillation<'_>,
    cache: &mut ImportCache,
) -> Result<DistilReport, StoreError> {
    cache.invalidate_if_changed(store)?;
    distil_session(store, id, how, Some(cache))
}

fn distil_session(
    store: &mut Store,
    id: SessionId,
    how: &Distillation<'_>,
    mut cache: Option<&mut ImportCache>,
) -> Result<DistilReport, StoreError> {
    let Some(session) = store.sessions().get(id)? else { return Ok(DistilReport::default()) };
    let events = store.events().latest(id, MOST_EVENTS)?;
    let Some(last) = events.last() else { return Ok(DistilReport::default()) };
    let entries = transcript::entries(&events);
    let turns = transcript::turns(&entries);
    let readings = read_code(store, &session, &turns, how)?;
    let code = store.code().changes(session.project, Some(id), MOST_CHANGES)?;
    let SessionFindings { findings, mut rejected, title } = findings(store, &session, &turns, &code, how)?;

    let relations: Vec<(Digest, Digest)> = findings
        .iter()
        .flat_map(|finding| finding.relates_to.iter().map(|other| (finding.subject, *other)))
        .collect();
    let mut report = DistilReport::default();
    let mut reconciled = Vec::new();
    let mut compared: HashMap<Digest, Redacted<String>> = HashMap::new();
    let outside = OutsideWords::of_session(store, &session, &entries)?;
    let imported: HashSet<EventId> =
        entries.iter().filter(|entry| entry.provenance == Provenance::Import).map(|entry| entry.id).collect();
    // A transcript that a repository carries has prompts, too, and nobody typed them here.
    let highest = entries.iter().map(|entry| entry.provenance.clone()).max();
    let project_files = ProjectFiles::new(how.root);
    for mut finding in findings {
        if let Some(highest) = &highest {
            finding.content.provenance = finding.content.provenance.min(highest.clone());
        }
        // What came from an import, if only in part, is believed no more than an import.
        let comes_from_import = match finding.events.as_slice() {
            [] => !imported.is_empty(),
            events => events.iter().any(|event| imported.contains(event)),
        };
        if comes_from_import {
            finding.content.provenance = finding.content.provenance.min(Provenance::Import);
        }
        // An account of the whole session loses what it repeats of strangers, and keeps the rest.
        if finding.content.kind.is_session_account() {
            finding.content = outside.without_repeated(finding.content);
        } else {
            if finding.evidence == EvidenceKind::Structure {
                finding.content.body = outside.own_lines(&finding.content);
            }
            let provenance = outside.provenance_of(&finding.content, finding.events.first().copied());
            finding = finding.with_provenance(provenance);
        }
        let stated = finding.content.kind.traits().is_stated.then_some(finding.content.title.as_str());
        if !how.is_late()
            && let Some(said) = finding.comparing.sentence().or(stated)
        {
            match project_files.answer(said) {
                FileAnswer::Says(file) => {
                    let known = Rejected::from_finding(&finding, RejectionReason::InProjectFile);
                    rejected.push(known.said_in(file));
                    continue;
                }
                // Of a rule that is said when it is shown: the file may be mended until then.
                FileAnswer::Contradicts(remark) if finding.content.kind != Kind::Rule => {
                    finding.content.facts.push(remark);
                }
                FileAnswer::Contradicts(_) | FileAnswer::Silent => {}
            }
        }
        if how.is_late() {
            // Better a memory that is there twice than none.
            finding.comparing = Comparing::Not;
        }
        let unkept = Rejected::from_finding(&finding, RejectionReason::TakenBack);
        let finding = finding.redacted(how.redactor);
        // What is compared by its subject alone, such as a trap, is not compared by the numbers in it later, either.
        if !how.is_late() {
            compared.insert(finding.subject, stored_form(finding.comparing.sentence(), how.redactor));
        }
        let reconciler = Reconciler { store, session: &session, writer: Writer::Rules, replaced: &[] };
        let distilled = reconcile::reconcile(&reconciler, finding, cache.as_deref_mut())?;
        match distilled.as_ref().map(|distilled| distilled.same_as) {
            None => rejected.push(unkept),
            Some(Some(known)) => rejected.push(unkept.known_as(known)),
            Some(None) => {}
        }
        reconciled.extend(distilled);
    }
    let title = title.map(|title| how.redactor.scrub(&title));
    if let Some(title) = title.filter(|title| session.title.as_ref() != Some(&**title)) {
        store.sessions_mut().set_title(id, &title)?;
    }
    let outcomes = store.memories_mut().write_distilled(id, last.id, &reconciled)?;
    let kept = report.note(&reconciled, &outcomes);
    keep_assertions(store, &kept, compared, how.now)?;
    let links = relations.iter().filter_map(|(from, to)| Some((*kept.get(from)?, *kept.get(to)?)));
    for (from, to) in links {
        store.memories_mut().link(Link { from, relation: Relation::Relates, to })?;
    }
    let written: Vec<_> = reconciled.iter().zip(outcomes.iter().copied()).collect();
    promote(store, &session, &written, how.redactor, &mut report)?;
    // What was turned down is worth less than the time of the host.
    if !how.is_late() {
        rejected::retain_new(&mut rejected, &session);
        recurrence::propose(store, &session, &mut rejected, how.redactor, &mut report)?;
        rejected::record(store, &session, &rejected, how.redactor)?;
    }
    if let Some(cache) = cache {
        report.written.iter().chain(&report.updated).try_for_each(|id| cache.add_written(store, *id))?;
    }
    let written = written.into_iter().filter_map(|(item, outcome)| match outcome {
        DistilOutcome::Written(id) | DistilOutcome::Updated(id) => Some((id, &*item.memory.content)),
        DistilOutcome::Unchanged(_) | DistilOutcome::Forgotten => None,
    });
    anchor_all(store, &session, &written.collect::<Vec<_>>(), &readings, how)?;
    let closed = close_failures(store, &session, &turns, how)?;
    report.updated.extend(closed.into_iter().chain(retire_changed(store, &session, &turns, how)?));
    report.updated.extend(retire_covered(store, &session, &turns, how)?);
    report.updated.extend(prompt_commits::retire_refuted(store, &session, &turns, how.now)?);
    Ok(report)
}

/// Keeps what new memories assert, as they were compared: nobody has to compare them again.
fn keep_assertions(
    store: &mut Store,
    kept: &HashMap<Digest, MemoryId>,
    mut compared: HashMap<Digest, Redacted<String>>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut read = Vec::new();
    for (subject, id) in kept {
        let is_stated =
            store.memories().get(*id)?.is_some_and(|memory| memory.content.kind.traits().is_stated);
        if is_stated
            && let Some(assertion) = compared.remove(subject)
            && store.memories().assertion(*id)?.is_none()
        {
            read.push(ReconciledMemory::compared(*id, assertion));
        }
    }
    if read.is_empty() { Ok(()) } else { store.memories_mut().write_reconciled(&read, now) }
}

impl DistilReport {
    /// Notes what became of each; returns which memory holds which subject.
    pub(super) fn note(
        &mut self,
        reconciled: &[DistilledMemory],
        outcomes: &[DistilOutcome],
    ) -> HashMap<Digest, MemoryId> {
        for outcome in outcomes {
            match outcome {
                DistilOutcome::Written(id) => self.written.push(*id),
                DistilOutcome::Updated(id) => self.updated.push(*id),
                DistilOutcome::Unchanged(_) | DistilOutcome::Forgotten => {}
            }
        }
        reconciled
            .iter()
            .zip(outcomes)
            .filter_map(|(item, outcome)| Some((item.subject, outcome.memory()?)))
            .collect()
    }
}

/// How long git may take to say how things lie.
pub(super) const GIT_PATIENCE: Duration = Duration::from_millis(300);
