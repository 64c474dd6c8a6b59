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
    /// Which file of the project says otherwise, in words of ours.
    pub contradicted_by: Option<String>,
}

impl From<Memory> for Candidate {
    fn from(memory: Memory) -> Candidate {
        Candidate {
            memory,
            score: 0.0,
            reasons: Vec::new(),
            other_project: None,
            changed_since: false,
            contradicted_by: None,
        }
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
    /// The messages of commits made since the handoff was written, newest first.
    pub commits_since: Vec<String>,
    /// The files those commits changed.
    pub files_since: Vec<String>,
}

/// What a session starts from, each part best first.
///
/// The parts may overlap: a memory is rendered once, in the first section that has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Orientation {
    /// What the user wants done or never done, all of it.
    pub rules: GatherResult<Vec<Candidate>>,
    /// What else the user wants in view.
    pub pinned: GatherResult<Vec<Candidate>>,
    /// Branch, dirty files, commits; `None` if the session is not in the project's folder.
    pub work_tree: Option<WorkTreeStatus>,
    /// Where the last session left off.
    pub handoff: GatherResult<Option<Candidate>>,
    /// Facts that are hard to find, and failures that may come back.
    pub traps: GatherResult<Vec<Candidate>>,
    /// What was decided.
    pub decisions: GatherResult<Vec<Candidate>>,
    /// Work done, newest first; of a session that left none, its summary.
    pub work: GatherResult<Vec<Candidate>>,
    /// Symbols lately added, changed or removed, newest first.
    pub code_changes: GatherResult<Vec<ChangedSymbol>>,
}

impl Default for Orientation {
    fn default() -> Orientation {
        Orientation {
            rules: Ok(Vec::new()),
            pinned: Ok(Vec::new()),
            work_tree: None,
            handoff: Ok(None),
            traps: Ok(Vec::new()),
            decisions: Ok(Vec::new()),
            work: Ok(Vec::new()),
            code_changes: Ok(Vec::new()),
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
            rules: Ok(parts.rules),
            pinned: Ok(parts.pinned),
            handoff: Ok(parts.handoff),
            traps: Ok(parts.traps),
            decisions: Ok(parts.decisions),
            work: Ok(parts.work),
            ..Orientation::default()
        }
    }
}

#[derive(Default)]
struct SortedParts {
    rules: Vec<Candidate>,
    pinned: Vec<Candidate>,
    handoff: Option<Candidate>,
    traps: Vec<Candidate>,
    decisions: Vec<Candidate>,
    work: Vec<Candidate>,
}

impl SortedParts {
    fn add(&mut self, it: Candidate) {
        match it.memory.content.kind {
            Kind::Rule => self.rules.push(it),
            _ if it.memory.content.pinned => self.pinned.push(it),
            // Only the newest handoff says where the work stands; earlier ones are history.
            Kind::Handoff => self.handoff = self.handoff.take().or(Some(it)),
            Kind::Decision => self.decisions.push(it),
            kind if kind.is_work() || kind.is_session_account() => self.work.push(it),
            _ => self.traps.push(it),
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
