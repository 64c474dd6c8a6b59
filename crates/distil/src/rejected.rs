//! What the rules considered and made no memory of, with the reason: noted where it is decided, so that nothing is read twice.
//!
//! Not here: the reasons (`memory`), how long they are kept (`store`).

use crate::finding::{Comparing, Finding};
use crate::transcript::TranscriptEntry;
use backstory_capture::Redactor;
use backstory_memory::{EventId, Kind, MemoryId, RejectionReason, Timestamp, Writer};
use backstory_store::{NewRejection, Session, Store, StoreError};

/// More than this of one session says no more.
const MOST_NOTED: usize = 100;

/// Something the rules made no memory of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rejected {
    /// What it would have become.
    kind: Kind,
    pub(super) text: String,
    reason: RejectionReason,
    pub(super) event: Option<EventId>,
    pub(super) at: Timestamp,
    /// What says it already: a memory by its number, or a file of the project.
    known_in: Option<String>,
    /// Whether it may say how to work, so that saying it again and again makes a rule of it.
    pub(super) steers: bool,
}

impl Rejected {
    pub(super) fn new(entry: &TranscriptEntry, kind: Kind, text: &str, reason: RejectionReason) -> Rejected {
        let text = text.trim().to_owned();
        Rejected { kind, text, reason, event: Some(entry.id), at: entry.at, known_in: None, steers: false }
    }

    /// A finding that turned out to say what is known, or was taken back: by the sentence it came from, where there is one.
    pub(super) fn from_finding(finding: &Finding, reason: RejectionReason) -> Rejected {
        let text = match &finding.comparing {
            Comparing::Assertion(sentence) => sentence,
            Comparing::Choice { .. } | Comparing::Words | Comparing::Not => &finding.content.title,
        };
        Rejected {
            kind: finding.content.kind,
            text: text.clone(),
            reason,
            event: finding.events.first().copied(),
            at: finding.at,
            known_in: None,
            steers: false,
        }
    }

    /// Names the memory that says it already.
    pub(super) fn known_as(self, known: MemoryId) -> Rejected {
        Rejected { known_in: Some(format!("#{known}")), reason: RejectionReason::AlreadyKnown, ..self }
    }

    /// Names the file of the project that says it already.
    pub(super) fn said_in(self, file: String) -> Rejected {
        Rejected { known_in: Some(file), ..self }
    }
}

/// Drops what an earlier run decided.
pub(super) fn retain_new(rejected: &mut Vec<Rejected>, session: &Session) {
    rejected.retain(|one| !one.text.is_empty() && one.event.is_none_or(|event| event > session.distilled_to));
}

/// Notes what a session's rules turned down.
pub(super) fn record(
    store: &mut Store,
    session: &Session,
    rejected: &[Rejected],
    redactor: &Redactor,
) -> Result<(), StoreError> {
    let noted: Vec<NewRejection> = rejected
        .iter()
        .take(MOST_NOTED)
        .map(|one| NewRejection {
            project: session.project,
            session: Some(session.id),
            event: one.event,
            at: one.at,
            writer: Writer::Rules,
            kind: one.kind,
            text: redactor.scrub(&one.text),
            reason: one.reason,
            detail: one.known_in.as_deref().map(|known| redactor.scrub(known)),
        })
        .collect();
    store.rejections_mut().record(&noted)
}
