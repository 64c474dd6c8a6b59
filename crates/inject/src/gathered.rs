//! What a block is built from: the memories and facts of each moment, best first.
//!
//! Each part is gathered or not: one that could not be read carries the reason, and affects no other. The caller leaves out what the
//! session already has (law 5); memories that do not hold now are left out here.

use crate::GatherError;
use backstory_memory::{ChangedSymbol, Kind, Memory, SessionId, Standing, Timestamp};

/// A part, or why it could not be read.
pub type GatherResult<T> = Result<T, GatherError>;

/// One memory that may be injected, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The memory.
    pub memory: Memory,
    /// How much it bears on the moment; only passed through.
    pub score: f64,
    /// Why it is here; only passed through (law 9).
    pub reasons: Vec<String>,
    /// The project's name, if it is not the session's.
    pub other_project: Option<String>,
    /// Whether the code it speaks of changed since.
    pub changed_since: bool,
}

impl From<Memory> for Candidate {
    fn from(memory: Memory) -> Candidate {
        Candidate { memory, score: 0.0, reasons: Vec::new(), other_project: None, changed_since: false }
    }
}

impl Candidate {
    /// Whether the memory holds now: confirmed, begun, not expired.
    pub(crate) fn is_in_force(&self, now: Timestamp) -> bool {
        let content = &self.memory.content;
        let has_begun = content.valid_from.is_none_or(|from| from <= now);
        let has_ended = content.valid_to.is_some_and(|to| to <= now);
        self.memory.standing == Standing::Confirmed && has_begun && !has_ended
    }
}

/// The state of the project's folder now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkTreeStatus {
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// Files with uncommitted changes.
    pub dirty: Vec<String>,
    /// What is still to be done, as far as the handoff does not say it.
    pub next_steps: Vec<String>,
}

/// What a session starts from, each part newest or most durable first.
///
/// The parts may overlap: a memory is rendered once, in the first section that has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Orientation {
    /// What the user wants in view.
    pub pinned: GatherResult<Vec<Candidate>>,
    /// Branch, dirty files, next steps.
    pub work_tree: WorkTreeStatus,
    /// Where the last session left off.
    pub handoff: GatherResult<Option<Candidate>>,
    /// What the last session did.
    pub last_summary: GatherResult<Option<Candidate>>,
    /// Summaries of the sessions before, newest first; ten are enough.
    pub sessions: GatherResult<Vec<Candidate>>,
    /// Symbols lately added, changed or removed, newest first.
    pub code_changes: GatherResult<Vec<ChangedSymbol>>,
    /// Facts, rules, decisions, failures: the most confident first, nothing below a confidence of 0.5.
    pub knowledge: GatherResult<Vec<Candidate>>,
    /// Work done, newest first.
    pub work: GatherResult<Vec<Candidate>>,
}

impl Default for Orientation {
    fn default() -> Orientation {
        Orientation {
            pinned: Ok(Vec::new()),
            work_tree: WorkTreeStatus::default(),
            handoff: Ok(None),
            last_summary: Ok(None),
            sessions: Ok(Vec::new()),
            code_changes: Ok(Vec::new()),
            knowledge: Ok(Vec::new()),
            work: Ok(Vec::new()),
        }
    }
}

impl Orientation {
    /// Sorts a project's memories, newest first, into the parts they belong to.
    #[must_use]
    pub fn from_memories(memories: Vec<Memory>) -> Orientation {
        let mut parts = SortedParts::default();
        for memory in memories {
            parts.add(memory.into());
        }
        Orientation {
            pinned: Ok(parts.pinned),
            handoff: Ok(parts.handoff),
            last_summary: Ok(parts.last_summary),
            sessions: Ok(parts.sessions),
            knowledge: Ok(parts.knowledge),
            work: Ok(parts.work),
            ..Orientation::default()
        }
    }
}

#[derive(Default)]
struct SortedParts {
    pinned: Vec<Candidate>,
    handoff: Option<Candidate>,
    last_summary: Option<Candidate>,
    sessions: Vec<Candidate>,
    knowledge: Vec<Candidate>,
    work: Vec<Candidate>,
}

impl SortedParts {
    fn add(&mut self, it: Candidate) {
        if it.memory.content.pinned {
            return self.pinned.push(it);
        }
        match it.memory.content.kind {
            // Only the newest handoff says where the work stands; earlier ones are history.
            Kind::Handoff => self.handoff = self.handoff.take().or(Some(it)),
            Kind::Summary if self.last_summary.is_none() => self.last_summary = Some(it),
            Kind::Summary => self.sessions.push(it),
            kind if kind.is_work() => self.work.push(it),
            _ => self.knowledge.push(it),
        }
    }
}

/// Where a resumed session was left. Its agent still has what was injected before, so only what changed since is injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResumePoint {
    /// When the session was last seen.
    pub since: Timestamp,
    /// The session, whose own work the agent remembers itself.
    pub session: Option<SessionId>,
}

impl ResumePoint {
    /// Whether a memory was written since, by another session.
    pub(crate) fn is_before(self, memory: &Memory) -> bool {
        memory.updated_at > self.since && (self.session.is_none() || memory.session != self.session)
    }

    /// Whether a symbol changed since, in another session.
    pub(crate) fn is_before_change(self, changed: &ChangedSymbol) -> bool {
        changed.at > self.since && (self.session.is_none() || changed.session != self.session)
    }
}
