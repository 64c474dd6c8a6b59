//! What a finding means beside what is known: the same again, the opposite, or new.
//!
//! Same words → seen once more. Same subject, other value, or put right by the user → the old one is replaced and kept as history.
//! The assistant does not overrule the user: what it says against a known memory stands beside it, marked. Not here: how
//! two assertions are compared (`assertion`), memories that are written already (`stored_memories`).

use super::assertion::{Agreement, Assertion};
use super::finding::{Comparing, Finding, SafeFinding, subject};
use super::import_cache::ImportCache;
use super::lasting::is_lasting;
use backstory_capture::whole_text;
use backstory_memory::{
    Content, Details, EvidenceKind, Kind, Memory, MemoryId, MemoryScope, NEAR_DUPLICATE, ProjectId,
    Provenance, Standing, StandingReason, Writer, jaccard, keywords,
};
use backstory_store::{
    DistilledMemory, Filter, MemoryOrigin, NewMemory, Scope, Session, StandingFilter, Store, StoreError,
    WordQuery,
};

/// How many of the closest by words are looked at.
const COMPARED: u32 = 12;
/// More words than this do not find anything better.
const MOST_WORDS: usize = 12;

/// Whose findings are compared, and with what.
pub(super) struct Reconciler<'a> {
    pub(super) store: &'a Store,
    pub(super) session: &'a Session,
    pub(super) writer: Writer,
    /// Memories that are about to be retired: nothing is the same as one of them, or against it.
    pub(super) replaced: &'a [MemoryId],
}

/// Makes of a finding what the store is to write; nothing where it says what was taken back.
pub(super) fn reconcile(
    reconciler: &Reconciler<'_>,
    finding: SafeFinding,
    cache: Option<&mut ImportCache>,
) -> Result<Option<DistilledMemory>, StoreError> {
    let (store, session) = (reconciler.store, reconciler.session);
    let finding = said_once_more(store, session, finding)?;
    let mut standing = match &finding.comparing {
        Comparing::Not => Reconciliation::default(),
        _ if is_unmatched(store, session.project, &finding, cache)? => Reconciliation::default(),
        _ if store.memories().with_subject(session.project, finding.subject)?.is_some() => {
            Reconciliation::default()
        }
        Comparing::Words => reconciler.beside(&finding, None)?,
        Comparing::Assertion(said) | Comparing::Choice { chosen: said, .. } => {
            reconciler.beside(&finding, Some(&Assertion::read(said)))?
        }
    };
    match &finding.content.details {
        Some(Details::Handoff(_)) => standing.replaces = older_handoffs(store, session.project, &finding)?,
        // The session knows more of its work than the history that was imported before.
        Some(Details::WorkDone(work)) if !work.commits.is_empty() => {
            let known = store.memories().with_subject(session.project, finding.subject)?;
            if known.is_none_or(|known| known.content.details != finding.content.details) {
                for hash in &work.commits {
                    standing.replaces.extend(store.memories().imported_commit(session.project, hash)?);
                }
            }
        }
        _ => {}
    }
    if standing.is_taken_back {
        return Ok(None);
    }
    let is_lasting_rule = reconciler.writer == Writer::Rules
        && finding.content.kind == Kind::Rule
        && finding.content.body.lines().next().is_some_and(is_lasting);
    let origin = MemoryOrigin {
        session: Some(session.id),
        events: finding.events,
        // What puts another rule right is one itself.
        evidence: match finding.evidence {
            EvidenceKind::Hint if is_lasting_rule || !standing.replaces.is_empty() => EvidenceKind::Words,
            evidence => evidence,
        },
        writer: Some(reconciler.writer),
        ..MemoryOrigin::default()
    };
    let memory = NewMemory {
        uid: None,
        project: session.project,
        origin,
        content: finding.content,
        created_at: finding.at,
    };
    Ok(Some(DistilledMemory {
        subject: finding.subject,
        memory,
        on_repeat: finding.again,
        same_as: standing.same_as,
        replaces: standing.replaces,
        contradicts: standing.contradicts,
    }))
}

/// Whether it is known without asking that nothing has to do with a finding.
fn is_unmatched(
    store: &Store,
    project: ProjectId,
    finding: &SafeFinding,
    cache: Option<&mut ImportCache>,
) -> Result<bool, StoreError> {
    cache.map_or(Ok(false), |cache| cache.is_unmatched(store, project, finding))
}

/// What the user says again after it was taken back is a statement of its own: it holds from now on.
fn said_once_more(store: &Store, session: &Session, finding: SafeFinding) -> Result<SafeFinding, StoreError> {
    let is_user = finding.content.provenance == Provenance::User
        && matches!(finding.comparing, Comparing::Assertion(_))
        || finding.comparing.is_choice();
    let Some(incident) = finding.events.first().filter(|_| is_user) else { return Ok(finding) };
    let known = store.memories().with_subject(session.project, finding.subject)?;
    let Some(known) = known.filter(|known| !known.standing.is_live()) else { return Ok(finding) };
    if store.memories().evidence(known.id)?.contains(incident) {
        return Ok(finding);
    }
    let subject = subject("again", &[&finding.subject.0, &incident.0.to_le_bytes()]);
    Ok(Finding { subject, ..finding })
}

/// How a finding stands to what is known.
#[derive(Default)]
struct Reconciliation {
    same_as: Option<MemoryId>,
    replaces: Vec<MemoryId>,
    contradicts: Vec<MemoryId>,
    is_taken_back: bool,
}

impl Reconciler<'_> {
    fn beside(&self, finding: &SafeFinding, said: Option<&Assertion>) -> Result<Reconciliation, StoreError> {
        let mut standing = Reconciliation::default();
        let stated = || Kind::with(|kind| kind.is_stated);
        let (kinds, sentence) = match &finding.comparing {
            Comparing::Assertion(sentence) => (stated(), sentence.clone()),
            Comparing::Choice { chosen, left } => (stated(), format!("{chosen} {}", left.join(" "))),
            Comparing::Words | Comparing::Not => (vec![finding.content.kind], String::new()),
        };
        let within = Filter::within(Scope::Project(self.session.project));
        let filter = Filter { standing: StandingFilter::Any, kinds, ..within };
        for known in closest(self.store, &filter, &finding.content, &sentence)? {
            // What was written anew was not taken back, and says nothing any more.
            if self.replaced.contains(&known.id) || known.standing_reason == StandingReason::Rewritten {
                continue;
            }
            self.compare(&known, finding, said, &mut standing)?;
        }
        // Whoever puts something right says more than the same again.
        if !standing.replaces.is_empty() {
            standing.same_as = None;
        }
        Ok(standing)
    }

    fn compare(
        &self,
        known: &Memory,
        finding: &SafeFinding,
        said: Option<&Assertion>,
        standing: &mut Reconciliation,
    ) -> Result<(), StoreError> {
        let says_user = finding.content.provenance == Provenance::User || finding.comparing.is_choice();
        let has_last_word =
            has_last_word(&finding.content, finding.evidence, known) && !self.is_out_of_reach(known)?;
        match (related(self.store, known, finding, said)?, known.standing.is_live()) {
            (Agreement::Unrelated, _) | (Agreement::Opposite, false) => {}
            // What was replaced or retired stays so, unless the user says it again. Code that changed may have changed back.
            (Agreement::Same, false) => {
                standing.is_taken_back |= !says_user && known.standing_reason != StandingReason::Changed;
            }
            // What anybody else said first and the user says now is the user's from now on.
            (Agreement::Same, true)
                if says_user && has_last_word && known.content.provenance != Provenance::User =>
            {
                standing.replaces.push(known.id);
            }
            (Agreement::Same, true) => standing.same_as = standing.same_as.or(Some(known.id)),
            (Agreement::Opposite, true) if has_last_word => standing.replaces.push(known.id),
            (Agreement::Opposite, true) => standing.contradicts.push(known.id),
        }
        Ok(())
    }

    /// Whether a person wrote a memory, revised, judged or pinned it: no model takes its place.
    fn is_out_of_reach(&self, known: &Memory) -> Result<bool, StoreError> {
        Ok(self.writer == Writer::Model && self.store.memories().is_taken_over(known.id)?)
    }
}

/// Whether something newer takes the place of what is known and says otherwise. Words alone take no place of what is in force, nobody but
/// the user takes that of what the user said or confirmed, and what holds in one project leaves what holds everywhere.
pub(super) fn has_last_word(newer: &Content, evidence: EvidenceKind, known: &Memory) -> bool {
    let is_proven = evidence == EvidenceKind::Structure || known.standing != Standing::Confirmed;
    let is_above = newer.provenance >= known.content.provenance && is_proven && !known.is_users_own();
    let reaches = newer.scope == MemoryScope::User || known.content.scope == MemoryScope::Project;
    reaches && (newer.provenance == Provenance::User || is_above)
}

/// Returns the memories of a project that are closest to a text by their words, those of `sentence` first.
pub(super) fn closest(
    store: &Store,
    filter: &Filter,
    content: &Content,
    sentence: &str,
) -> Result<Vec<Memory>, StoreError> {
    let mut query = WordQuery::default();
    let text = whole_text(content);
    let first_words = keywords(&text).into_iter().take(MOST_WORDS);
    keywords(sentence).into_iter().chain(first_words).for_each(|word| query.word(&word));
    let filter = Filter { limit: COMPARED, ..filter.clone() };
    let ids: Vec<MemoryId> = store.search().exact(&query, &filter)?.iter().map(|hit| hit.memory).collect();
    Ok(store.memories().get_many(&ids)?.into_iter().filter(is_one_thing).collect())
}

/// Whether a memory says one thing. What was talked through says many: one that is put right does not take the others back.
pub(super) fn is_one_thing(memory: &Memory) -> bool {
    memory.content.kind != Kind::Note || memory.content.provenance != Provenance::Assistant
}

/// What a memory asserts: as it was read when it was compared, else by its title.
pub(super) fn assertion_of(store: &Store, memory: &Memory) -> Result<Assertion, StoreError> {
    let stored = store.memories().assertion(memory.id)?;
    let read = || Assertion::read(&memory.content.title);
    Ok(stored.as_deref().and_then(Assertion::from_json).unwrap_or_else(read))
}

fn related(
    store: &Store,
    known: &Memory,
    finding: &SafeFinding,
    said: Option<&Assertion>,
) -> Result<Agreement, StoreError> {
    if let Comparing::Choice { chosen, left } = &finding.comparing
        && let Some(agreement) = chosen_before(&known.content.title, chosen, left)
    {
        return Ok(agreement);
    }
    let alike = jaccard(&whole_text(&known.content), &whole_text(&finding.content));
    Ok(match said {
        Some(said) => said.compared_with(&assertion_of(store, known)?, alike),
        None if alike >= NEAR_DUPLICATE => Agreement::Same,
        None => Agreement::Unrelated,
    })
}

/// How a choice stands to what may be one of its options: the same was chosen before, or what was not chosen now.
fn chosen_before(known: &str, chosen: &str, left: &[String]) -> Option<Agreement> {
    let is_left = |option: &String| option == known || jaccard(option, known) >= NEAR_DUPLICATE;
    match known == chosen {
        true => Some(Agreement::Same),
        false => left.iter().any(is_left).then_some(Agreement::Opposite),
    }
}

/// Only the newest account of where the work stands on a branch is true. One that leaves nothing open says no more than its work does,
/// and goes with any newer one: its branch may be merged.
fn older_handoffs(
    store: &Store,
    project: ProjectId,
    finding: &SafeFinding,
) -> Result<Vec<MemoryId>, StoreError> {
    let filter =
        Filter { kinds: vec![Kind::Handoff], limit: COMPARED, ..Filter::within(Scope::Project(project)) };
    let branch = |content: &backstory_memory::Content| match &content.details {
        Some(Details::Handoff(handoff)) => handoff.branch.clone(),
        _ => None,
    };
    let here = branch(&finding.content);
    let known = store.memories().get_many(&store.search().list(&filter)?)?;
    let is_done = |known: &Memory| match &known.content.details {
        Some(Details::Handoff(handoff)) => !handoff.has_open_work(),
        _ => false,
    };
    let is_older =
        |known: &Memory| known.created_at <= finding.at && (branch(&known.content) == here || is_done(known));
    Ok(known.into_iter().filter(is_older).map(|known| known.id).collect())
}
