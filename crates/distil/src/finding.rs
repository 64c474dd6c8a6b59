//! Something worth a memory, before it is compared with what is known.

use super::transcript::{TranscriptEntry, Turn};
use backstory_capture::{Redactor, prepare};
use backstory_memory::{
    Confidence, Content, Digest, EventId, EvidenceKind, Kind, Provenance, Redacted, Timestamp, digest,
};
use backstory_store::OnRepeat;

/// Something worth a memory.
#[derive(Clone, Debug)]
pub(super) struct Finding<C = Content> {
    /// What it is about.
    pub(super) subject: Digest,
    /// What it says.
    pub(super) content: C,
    /// What it came from, the incident first.
    pub(super) events: Vec<EventId>,
    /// What speaks for it beside its words.
    pub(super) evidence: EvidenceKind,
    /// When it was found.
    pub(super) at: Timestamp,
    /// What it means to meet it again.
    pub(super) again: OnRepeat,
    /// Whether known memories may say the same in other words, or the opposite.
    pub(super) comparing: Comparing,
    /// Other findings it has to do with.
    pub(super) relates_to: Vec<Digest>,
}

/// A finding that may be stored.
pub(super) type SafeFinding = Finding<Redacted<Content>>;

/// Gives content the provenance its words turned out to have. Only the user makes rules: from anybody else it is a fact.
pub(super) fn with_provenance(content: Content, provenance: Provenance) -> Content {
    let is_fact = content.kind == Kind::Rule && provenance != Provenance::User;
    let kind = if is_fact { Kind::Fact } else { content.kind };
    Content { kind, provenance, ..content }
}

impl Finding {
    /// Gives it the provenance its words turned out to have.
    pub(super) fn with_provenance(self, provenance: Provenance) -> Finding {
        Finding { content: with_provenance(self.content, provenance), ..self }
    }

    /// Takes out secrets, once more: what is put together may show what its parts did not.
    pub(super) fn redacted(self, redactor: &Redactor) -> SafeFinding {
        let Finding { subject, content, events, evidence, at, again, comparing, relates_to } = self;
        let content = prepare(content, redactor);
        Finding { subject, content, events, evidence, at, again, comparing, relates_to }
    }
}

/// How a finding is compared with what is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Comparing {
    /// By its subject alone.
    Not,
    /// By what it says.
    Words,
    /// By what one sentence asserts: it may put another value in the place of a known one.
    Assertion(String),
    /// As a choice of the user: it takes the place of what was chosen before from the same options.
    Choice {
        /// What was chosen, as the title of its memory.
        chosen: String,
        /// What was not, as titles.
        left: Vec<String>,
    },
}

impl Comparing {
    /// The sentence that is compared, if one is.
    pub(super) fn sentence(&self) -> Option<&str> {
        match self {
            Comparing::Assertion(said) | Comparing::Choice { chosen: said, .. } => Some(said),
            Comparing::Not | Comparing::Words => None,
        }
    }

    /// Whether the user says it, whoever's words it is in.
    pub(super) fn is_choice(&self) -> bool {
        matches!(self, Comparing::Choice { .. })
    }
}

/// A memory nobody wrote by hand. What terminals print and people do not see has no place in its title.
pub(super) fn distilled(kind: Kind, title: &str, body: &str, provenance: Provenance) -> Content {
    let title: String = title.chars().filter(|c| !c.is_control()).collect();
    Content { confidence: Confidence::DISTILLED, provenance, ..Content::new(kind, title.trim(), body) }
}

/// Returns a stable digest of a category and its key parts.
pub(super) fn subject(sort: &str, parts: &[&[u8]]) -> Digest {
    digest(std::iter::once(sort.as_bytes()).chain(parts.iter().copied()))
}

/// The subject of something there is one of in a turn.
pub(super) fn subject_of_turn(sort: &str, turn: &Turn<'_>) -> Digest {
    let key = turn.first().map(|entry| entry.key.0.0).unwrap_or_default();
    subject(sort, &[&key])
}

/// The events of a turn a memory should point at: what was asked, what was done, what was said in the end.
pub(super) fn evidence<'a>(entries: impl IntoIterator<Item = &'a TranscriptEntry>) -> Vec<EventId> {
    let mut ids: Vec<EventId> = Vec::new();
    for entry in entries {
        if !ids.contains(&entry.id) && ids.len() < MOST_EVIDENCE {
            ids.push(entry.id);
        }
    }
    ids
}

/// More events than this are no better proof.
const MOST_EVIDENCE: usize = 48;
