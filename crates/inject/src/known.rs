//! What a block is built from: what is known at each moment, best first.
//!
//! Each part is known or not: one that could not be read goes in as the reason, and takes nothing else with it.
//! Who fills these in leaves out what the session was already given (law 5); memories that are not in force are left out here.

use backstory_memory::{ChangedSymbol, Kind, Memory, SessionId, Standing, Timestamp};

/// What could be read, or why it could not.
pub type Known<T> = Result<T, String>;

/// One memory that may be told, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Relevant {
    /// The memory.
    pub memory: Memory,
    /// How much it bears on the moment; only carried along.
    pub score: f64,
    /// Why it is here; only carried along (law 9).
    pub reasons: Vec<String>,
    /// The project's name, where it is not the one the session is in.
    pub other_project: Option<String>,
    /// Whether the code it speaks of changed since.
    pub changed_since: bool,
}

impl From<Memory> for Relevant {
    fn from(memory: Memory) -> Relevant {
        Relevant { memory, score: 0.0, reasons: Vec::new(), other_project: None, changed_since: false }
    }
}

impl Relevant {
    /// Whether the memory holds now: not replaced, not before its time, not after it.
    pub(crate) fn is_in_force(&self, now: Timestamp) -> bool {
        let content = &self.memory.content;
        let has_begun = content.valid_from.is_none_or(|from| from <= now);
        let has_ended = content.valid_to.is_some_and(|to| to <= now);
        self.memory.standing == Standing::Confirmed && has_begun && !has_ended
    }
}

/// How things lie in the project's folder now: at session start this is the question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkTree {
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// Files with changes nobody committed.
    pub dirty: Vec<String>,
    /// What is still to be done, where it is known from elsewhere than the handoff.
    pub next_steps: Vec<String>,
}

/// What a session is oriented by, each part newest or most durable first.
///
/// The parts may overlap: a memory is told once, where it comes first.
#[derive(Clone, Debug, PartialEq)]
pub struct Orientation {
    /// What the user wants in view.
    pub pinned: Known<Vec<Relevant>>,
    /// Branch, dirty files, next steps.
    pub standing: WorkTree,
    /// Where the last session left off.
    pub handoff: Known<Option<Relevant>>,
    /// What the last session did.
    pub last_summary: Known<Option<Relevant>>,
    /// Summaries of the sessions before, newest first; ten are enough.
    pub sessions: Known<Vec<Relevant>>,
    /// Symbols lately made, changed or removed, newest first.
    pub code_changes: Known<Vec<ChangedSymbol>>,
    /// Learnings, patterns, decisions, failures: the surest first, nothing below a confidence of 0.5.
    pub knowledge: Known<Vec<Relevant>>,
    /// Work done, newest first.
    pub work: Known<Vec<Relevant>>,
}

impl Default for Orientation {
    fn default() -> Orientation {
        Orientation {
            pinned: Ok(Vec::new()),
            standing: WorkTree::default(),
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
    pub fn of(memories: Vec<Memory>) -> Orientation {
        let mut parts = Parts::default();
        for memory in memories {
            parts.take(memory.into());
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
struct Parts {
    pinned: Vec<Relevant>,
    handoff: Option<Relevant>,
    last_summary: Option<Relevant>,
    sessions: Vec<Relevant>,
    knowledge: Vec<Relevant>,
    work: Vec<Relevant>,
}

impl Parts {
    fn take(&mut self, it: Relevant) {
        if it.memory.content.pinned {
            return self.pinned.push(it);
        }
        match it.memory.content.kind {
            // Only the last handoff says where things stand; those before it are history.
            Kind::Handoff => self.handoff = self.handoff.take().or(Some(it)),
            Kind::Summary if self.last_summary.is_none() => self.last_summary = Some(it),
            Kind::Summary => self.sessions.push(it),
            Kind::Feature | Kind::Bugfix | Kind::Refactor | Kind::Change | Kind::Discovery => {
                self.work.push(it);
            }
            _ => self.knowledge.push(it),
        }
    }
}

/// How a session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Anew.
    Startup,
    /// Where it was left: the agent still has what it was given, so only what changed is told.
    Resume {
        /// When the session was last seen.
        since: Timestamp,
        /// The session, whose own doings the agent remembers itself.
        session: Option<SessionId>,
    },
    /// Anew, in a host that goes on running.
    Clear,
    /// After the host compacted its context: everything is told again.
    Compact,
    /// As a copy of another session.
    Fork,
}

impl Source {
    /// Whether a memory is news to the session.
    pub(crate) fn is_news(self, memory: &Memory) -> bool {
        match self {
            Source::Resume { since, session } => {
                memory.updated_at > since && (session.is_none() || memory.session != session)
            }
            _ => true,
        }
    }

    /// Whether a change of the code is news to the session.
    pub(crate) fn is_news_of_code(self, changed: &ChangedSymbol) -> bool {
        match self {
            Source::Resume { since, session } => {
                changed.at > since && (session.is_none() || changed.session != session)
            }
            _ => true,
        }
    }
}

/// A session begins: orientation.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionStart {
    /// What is known.
    pub known: Orientation,
    /// How it begins.
    pub source: Source,
}

/// The user asks: what bears on the question, best first, without what the session already has.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// What was recalled.
    pub hits: Known<Vec<Relevant>>,
}

/// A tool is about to run: failures with their fix, gotchas of the file; the three best are told.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// What was recalled.
    pub hits: Known<Vec<Relevant>>,
}

/// The host compacts its context: what should survive.
#[derive(Clone, Debug, PartialEq)]
pub struct Compaction {
    /// What is known.
    pub known: Orientation,
}
