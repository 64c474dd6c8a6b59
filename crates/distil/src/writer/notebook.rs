//! What becomes of an answer: notes that passed are compared with what is known and written, the rules' notes of the session give way,
//! known memories are superseded, closed and confirmed; what was turned down is kept with its reason. All of it or nothing.
//!
//! Not here: whether a note holds (`checks`), how it is compared (`reconcile`).

use super::account::SessionAccount;
use super::checks::{CheckContext, CheckedNote, NoteFault, check, cited_turns, kind_of};
use super::model_answer::{AnswerChange, AnswerNote, ModelAnswer};
use super::session_record::SessionRecord;
use super::{
    AnswerOutcome, DemotedNote, KeptNote, REPLACED_KINDS, RejectedNote, WriterContext, WriterReport,
    gives_way,
};
use crate::finding::{Comparing, Finding, evidence, subject, with_provenance};
use crate::outside_words::OutsideWords;
use crate::project_files::ProjectFiles;
use crate::reconcile::{Reconciler, reconcile};
use crate::sentences::sentences;
use crate::summary::{evidence_of, of_session};
use crate::transcript::{TranscriptEntry, Turn};
use backstory_capture::prepare;
use backstory_memory::{
    Content, EvidenceKind, Kind, Memory, MemoryId, Provenance, RejectionReason, Standing, StandingReason,
    Timestamp, Writer, keywords,
};
use backstory_store::{
    DistilOutcome, DistilledMemory, MemoryOrigin, NewMemory, NewRejection, OnRepeat, Session, Store,
    StoreError,
};

/// An answer may add so many notes, and so many that rest on the agent's words alone.
const MOST_NOTES: usize = 8;
const MOST_CLAIMS: usize = 2;

/// A session whose answer is taken.
pub(super) struct Notebook<'a> {
    pub(super) session: &'a Session,
    pub(super) entries: &'a [TranscriptEntry],
    pub(super) turns: &'a [Turn<'a>],
    pub(super) record: &'a SessionRecord,
    pub(super) how: &'a WriterContext<'a>,
}

/// What is to be written, and what it is.
struct NotebookItem {
    memory: DistilledMemory,
    sort: ItemSort,
}

enum ItemSort {
    /// One of the notes, by its place in the answer.
    Note(usize),
    /// The summary or the handoff.
    Account,
    /// A known memory that holds again.
    Confirmed(MemoryId),
}

/// A note that passed, with its place in the answer.
struct PassedNote {
    at: usize,
    note: CheckedNote,
}

/// Whether a note in the user's words holds most words of what a memory says.
fn is_said_anew(memory: &Memory, passed: &[PassedNote]) -> bool {
    let said = keywords(&memory.content.title);
    passed.iter().map(|passed| &passed.note.content).filter(|note| note.provenance == Provenance::User).any(
        |note| {
            let noted = keywords(&format!("{} {}", note.title, note.body));
            said.iter().filter(|word| noted.contains(word)).count() * 2 > said.len()
        },
    )
}

impl Notebook<'_> {
    /// Takes an answer, or says why it cannot be taken.
    pub(super) fn take(&self, store: &mut Store, answer: &ModelAnswer) -> Result<WriterReport, StoreError> {
        let mut report = WriterReport::default();
        let passed = self.passed(store, answer, &mut report)?;
        // Who is wrong in every note may still know where the work stands; what the rules know stays beside it.
        let nothing_holds = passed.is_empty() && !answer.notes.is_empty();
        if nothing_holds {
            report.outcome = AnswerOutcome::NothingHolds;
        }
        let replaced = if nothing_holds { Vec::new() } else { self.replaced(store, &passed)? };
        let mut items = self.note_items(store, answer, &passed, &replaced, &mut report)?;
        items.extend(self.account_items(store, answer, &passed)?);
        let closed = match nothing_holds {
            true => Vec::new(),
            false => self.apply_changes(store, answer, (&mut items, &passed), &mut report)?,
        };
        self.write(store, items, &mut report)?;
        store.memories_mut().retire_rewritten(&replaced, self.how.now)?;
        store.memories_mut().retire(&closed, StandingReason::Over, self.how.now)?;
        (report.replaced, report.closed) = (replaced, closed);
        if let Some(last) = self.entries.iter().map(|entry| entry.id).max() {
            store.sessions_mut().mark_written(self.session.id, last)?;
        }
        self.note_rejections(store, answer, &report)?;
        Ok(report)
    }

    /// What the rules made of this session and nobody has taken over, as far as the model could know of it.
    fn replaced(&self, store: &Store, passed: &[PassedNote]) -> Result<Vec<MemoryId>, StoreError> {
        let known_to = self.entries.last().map_or(Timestamp(i64::MAX), |entry| entry.at);
        let made = store.memories().replaceable(self.session.id, &REPLACED_KINDS)?;
        let made = store.memories().get_many(&made)?.into_iter();
        let made = made.filter(|memory| memory.created_at <= known_to && gives_way(&memory.content));
        // What is in force by the user's own words stays, unless a note says it anew in their words: a model leaves out what it likes.
        let is_in_force = |memory: &Memory| {
            memory.content.provenance == Provenance::User && memory.standing == Standing::Confirmed
        };
        Ok(made
            .filter(|memory| !is_in_force(memory) || is_said_anew(memory, passed))
            .map(|memory| memory.id)
            .collect())
    }

    /// The notes that hold, as far as they are believed: whatever they do to known memories is decided by that.
    fn passed(
        &self,
        store: &Store,
        answer: &ModelAnswer,
        report: &mut WriterReport,
    ) -> Result<Vec<PassedNote>, StoreError> {
        let own = store.projects().own_addresses(self.session.project)?;
        let project_files = ProjectFiles::new(self.how.root).with_readme();
        let context = CheckContext { record: self.record, own: &own, project_files: &project_files };
        let outside = OutsideWords::of_session(store, self.session, self.entries)?;
        let mut passed: Vec<PassedNote> = Vec::new();
        for (at, note) in answer.notes.iter().enumerate() {
            let claims = passed.iter().filter(|passed| passed.note.is_claim).count();
            match check(note, &context) {
                Ok(_) if passed.len() >= MOST_NOTES => {
                    report.reject(note, RejectionReason::OverLimit.into());
                }
                Ok(checked) if checked.is_claim && claims >= MOST_CLAIMS => {
                    report.reject(note, RejectionReason::OverLimit.into());
                }
                Ok(checked) => passed.push(PassedNote { at, note: self.lowered(checked, &outside) }),
                Err(fault) => report.reject(note, fault),
            }
        }
        Ok(passed)
    }

    fn note_items(
        &self,
        store: &Store,
        answer: &ModelAnswer,
        passed: &[PassedNote],
        replaced: &[MemoryId],
        report: &mut WriterReport,
    ) -> Result<Vec<NotebookItem>, StoreError> {
        let reconciler = Reconciler { store, session: self.session, writer: Writer::Model, replaced };
        let mut items = Vec::new();
        for PassedNote { at, note } in passed {
            let finding = self.finding(note).redacted(self.how.redactor);
            let reconciled = reconcile(&reconciler, finding, None)?;
            let answered = answer.notes.get(*at);
            match (reconciled, answered) {
                (Some(mut memory), _) => {
                    // What is known in other words keeps its words.
                    if memory.same_as.is_some() {
                        memory.on_repeat = OnRepeat::Reinforce;
                    }
                    items.push(NotebookItem { memory, sort: ItemSort::Note(*at) });
                }
                (None, Some(answered)) => report.reject(answered, RejectionReason::TakenBack.into()),
                (None, None) => {}
            }
            if let (Some(reason), Some(answered)) = (note.demoted, answered) {
                report.demoted.push(DemotedNote { title: answered.title.clone(), reason });
            }
        }
        Ok(items)
    }

    /// Takes from a note what others said: a sentence that repeats a page or a file goes, a title that does has its provenance.
    fn lowered(&self, mut note: CheckedNote, outside: &OutsideWords) -> CheckedNote {
        note.content.body = sentences(&note.content.body).join("\n");
        note.content.body = outside.own_lines(&note.content).replace('\n', " ");
        let provenance = outside.provenance_of(&note.content, note.events.first().copied());
        note.content = with_provenance(note.content, self.believed(provenance));
        note
    }

    fn finding(&self, note: &CheckedNote) -> Finding {
        let content = note.content.clone();
        let title = content.title.to_lowercase();
        let key: Vec<String> = backstory_memory::words(&title).collect();
        let comparing = match content.kind {
            Kind::Failure => Comparing::Words,
            _ => Comparing::Assertion(content.title.clone()),
        };
        Finding {
            subject: subject(
                "note",
                &[
                    self.session.host.as_bytes(),
                    self.session.host_session.as_bytes(),
                    key.join(" ").as_bytes(),
                ],
            ),
            content,
            events: note.events.clone(),
            evidence: note.evidence,
            at: note.events.first().and_then(|event| self.time_of(*event)).unwrap_or(self.record.to),
            again: OnRepeat::Replace,
            comparing,
            relates_to: Vec::new(),
        }
    }

    /// Nothing of a session is believed more than the best of its events: those of an import are an import's.
    fn believed(&self, provenance: Provenance) -> Provenance {
        let highest = self.entries.iter().map(|entry| entry.provenance.clone()).max();
        highest.map_or(provenance.clone(), |highest| highest.min(provenance))
    }

    fn time_of(&self, event: backstory_memory::EventId) -> Option<Timestamp> {
        self.entries.iter().find(|entry| entry.id == event).map(|entry| entry.at)
    }

    /// Summary and handoff, unless a person has taken over the one that is there.
    fn account_items(
        &self,
        store: &Store,
        answer: &ModelAnswer,
        passed: &[PassedNote],
    ) -> Result<Vec<NotebookItem>, StoreError> {
        let notes: Vec<CheckedNote> = passed.iter().map(|passed| passed.note.clone()).collect();
        let parts = (answer.summary.as_ref(), answer.handoff.as_ref());
        let account = SessionAccount::check(self.record, parts, &notes);
        let outside = OutsideWords::of_session(store, self.session, self.entries)?;
        let reconciler = Reconciler { store, session: self.session, writer: Writer::Model, replaced: &[] };
        let mut items = Vec::new();
        for content in account.summary.into_iter().chain(account.handoff) {
            let subject = of_session(content.kind.as_str(), self.session);
            let known = store.memories().with_subject(self.session.project, subject)?;
            if let Some(known) = known
                && store.memories().is_taken_over(known.id)?
            {
                continue;
            }
            let mut content: Content = outside.without_repeated(content);
            content.provenance = self.believed(content.provenance);
            let spoken = self.turns.iter().filter_map(|turn| turn.closing().map(|(entry, _)| entry));
            let finding = Finding {
                subject,
                content,
                events: evidence(spoken),
                evidence: evidence_of(self.turns),
                at: self.record.to,
                again: OnRepeat::Replace,
                comparing: Comparing::Not,
                relates_to: Vec::new(),
            };
            let memory = reconcile(&reconciler, finding.redacted(self.how.redactor), None)?;
            items.extend(memory.map(|memory| NotebookItem { memory, sort: ItemSort::Account }));
        }
        Ok(items)
    }

    /// Adds what an answer does to known memories; returns those it closes.
    fn apply_changes(
        &self,
        store: &Store,
        answer: &ModelAnswer,
        (items, passed): (&mut Vec<NotebookItem>, &[PassedNote]),
        report: &mut WriterReport,
    ) -> Result<Vec<MemoryId>, StoreError> {
        let mut closed = Vec::new();
        for change in &answer.changes {
            let outcome = match self.target(store, change)? {
                Ok(Some(known)) => self.apply(change, &known, (items, passed)),
                // What no longer holds needs no change: the answer may have been taken before.
                Ok(None) => Ok(None),
                Err(fault) => Err(fault),
            };
            match outcome {
                Ok(id) => closed.extend(id),
                Err(fault) => report.rejected.push(RejectedNote {
                    kind: Kind::Note,
                    title: format!("{} {}: {}", change.operation, change.name, change.reason),
                    reason: fault.reason,
                    detail: fault.detail,
                }),
            }
        }
        Ok(closed)
    }

    /// The memory a change is about, if it still holds.
    fn target(
        &self,
        store: &Store,
        change: &AnswerChange,
    ) -> Result<Result<Option<Memory>, NoteFault>, StoreError> {
        let Some(id) = self.record.known(&change.name) else {
            return Ok(Err(RejectionReason::NoEvidence.into()));
        };
        if let Err(fault) = cited_turns(&change.turns, self.record) {
            return Ok(Err(fault));
        }
        let known = store.memories().get(id)?.filter(|known| known.standing.is_live());
        // A person's own memory is out of reach, whatever is said of it.
        let is_persons = store.memories().is_taken_over(id)? && change.operation != "confirm";
        Ok(match known {
            Some(_) if is_persons => Err(RejectionReason::NotTheUsers.into()),
            known => Ok(known),
        })
    }

    fn apply(
        &self,
        change: &AnswerChange,
        known: &Memory,
        (items, passed): (&mut Vec<NotebookItem>, &[PassedNote]),
    ) -> Result<Option<MemoryId>, NoteFault> {
        match change.operation.as_str() {
            // A model has read what it confirms in our own request: it is no witness that puts a proposal in force.
            "confirm" if known.standing == Standing::Proposed => Err(RejectionReason::NotTheUsers.into()),
            "confirm" => {
                items.push(self.confirmation(change, known));
                Ok(None)
            }
            // What the user said is over when the user says so: another note of theirs supersedes it.
            "close" if known.is_users_own() => Err(RejectionReason::NotTheUsers.into()),
            "close" => Ok(Some(known.id)),
            "supersede" => {
                let by = change.by.and_then(|by| passed.iter().find(|passed| passed.at == by));
                let by = by.ok_or(RejectionReason::NoEvidence)?;
                let provenance = &by.note.content.provenance;
                let is_proven = by.note.demoted.is_none()
                    && (*provenance == Provenance::User || by.note.evidence == EvidenceKind::Structure);
                if *provenance < known.content.provenance || !is_proven {
                    return Err(RejectionReason::NotTheUsers.into());
                }
                let item =
                    items.iter_mut().find(|item| matches!(item.sort, ItemSort::Note(at) if at == by.at));
                if let Some(item) =
                    item.filter(|item| item.memory.same_as.is_none_or(|same| same == known.id))
                {
                    item.memory.same_as = None;
                    item.memory.on_repeat = OnRepeat::Replace;
                    item.memory.replaces.push(known.id);
                }
                Ok(None)
            }
            _ => Err(RejectionReason::Malformed.into()),
        }
    }

    /// A known memory that was seen to hold in this session.
    fn confirmation(&self, change: &AnswerChange, known: &Memory) -> NotebookItem {
        let turns = change.turns.iter().filter_map(|turn| self.record.turns.get(turn.checked_sub(1)?));
        let events = turns.filter_map(|turn| turn.user.first().and_then(|line| line.event)).collect();
        let origin = MemoryOrigin { session: Some(self.session.id), events, ..MemoryOrigin::default() };
        let memory = DistilledMemory {
            subject: subject(
                "confirmed note",
                &[&known.id.0.to_le_bytes(), &self.session.id.0.to_le_bytes()],
            ),
            memory: NewMemory {
                uid: None,
                project: self.session.project,
                origin,
                content: prepare(known.content.clone(), self.how.redactor),
                created_at: self.record.to,
            },
            on_repeat: OnRepeat::Reinforce,
            same_as: Some(known.id),
            replaces: Vec::new(),
            contradicts: Vec::new(),
        };
        NotebookItem { memory, sort: ItemSort::Confirmed(known.id) }
    }

    fn write(
        &self,
        store: &mut Store,
        items: Vec<NotebookItem>,
        report: &mut WriterReport,
    ) -> Result<(), StoreError> {
        let (memories, sorts): (Vec<DistilledMemory>, Vec<ItemSort>) =
            items.into_iter().map(|item| (item.memory, item.sort)).unzip();
        let outcomes =
            store.memories_mut().write_distilled(self.session.id, self.session.distilled_to, &memories)?;
        for ((memory, sort), outcome) in memories.iter().zip(sorts).zip(outcomes) {
            let content = &memory.memory.content;
            match (sort, outcome) {
                (ItemSort::Confirmed(id), DistilOutcome::Updated(_)) => report.confirmed.push(id),
                (ItemSort::Confirmed(_), _) => {}
                // What was forgotten on purpose leaves no trace, not even as turned down.
                (_, DistilOutcome::Forgotten) => {}
                (ItemSort::Note(_), DistilOutcome::Updated(id) | DistilOutcome::Unchanged(id))
                    if memory.same_as.is_some() =>
                {
                    report.rejected.push(RejectedNote {
                        kind: content.kind,
                        title: content.title.clone(),
                        reason: RejectionReason::AlreadyKnown,
                        detail: Some(format!("#{id}")),
                    });
                }
                (
                    ItemSort::Note(_) | ItemSort::Account,
                    DistilOutcome::Written(id) | DistilOutcome::Updated(id) | DistilOutcome::Unchanged(id),
                ) => report.kept.push(KeptNote {
                    memory: id,
                    kind: content.kind,
                    title: content.title.clone(),
                }),
            }
        }
        Ok(())
    }

    /// Keeps what was turned down or only proposed, with its reason.
    fn note_rejections(
        &self,
        store: &mut Store,
        answer: &ModelAnswer,
        report: &WriterReport,
    ) -> Result<(), StoreError> {
        let scrub = |text: &str| self.how.redactor.scrub(text);
        let new = |kind: Kind, title: &str, (reason, detail): (RejectionReason, Option<&str>)| NewRejection {
            project: self.session.project,
            session: Some(self.session.id),
            event: None,
            at: self.record.to,
            writer: Writer::Model,
            kind,
            text: scrub(title),
            reason,
            detail: detail.map(scrub),
        };
        let kind = |title: &str| {
            let note = answer.notes.iter().find(|note| note.title == title);
            note.and_then(|note| kind_of(&note.kind)).unwrap_or(Kind::Note)
        };
        let turned_down =
            report.rejected.iter().map(|it| new(it.kind, &it.title, (it.reason, it.detail.as_deref())));
        let demoted = report.demoted.iter().map(|it| new(kind(&it.title), &it.title, (it.reason, None)));
        let all: Vec<NewRejection> = turned_down.chain(demoted).filter(|it| !it.text.is_empty()).collect();
        store.rejections_mut().record(&all)
    }
}

impl WriterReport {
    fn reject(&mut self, note: &AnswerNote, fault: NoteFault) {
        self.rejected.push(RejectedNote {
            kind: kind_of(&note.kind).unwrap_or(Kind::Note),
            title: note.title.clone(),
            reason: fault.reason,
            detail: fault.detail,
        });
    }
}
