//! The record of one block of text that was injected: what, when, why, and at what cost (law 9).
//!
//! Not here: how the block is built (`inject`).

use crate::{MemoryId, ProjectId, SessionId, Shingles, Timestamp, Tokens};
use std::str::FromStr;

/// When a block is injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// A session begins: orientation.
    SessionStart,
    /// The user asks: memories relevant to the question.
    Prompt,
    /// A risky tool call is about to run.
    Tool,
    /// The host compacts its context.
    Compaction,
}

impl Moment {
    const ALL: [Moment; 4] = [Moment::SessionStart, Moment::Prompt, Moment::Tool, Moment::Compaction];

    /// Returns the moment's name, as it is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Moment::SessionStart => "session_start",
            Moment::Prompt => "prompt",
            Moment::Tool => "tool",
            Moment::Compaction => "compaction",
        }
    }
}

impl FromStr for Moment {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Moment::ALL.into_iter().find(|moment| moment.as_str() == text).ok_or(())
    }
}

/// One block as it was injected.
#[derive(Clone, Debug, PartialEq)]
pub struct Injection {
    /// Its project.
    pub project: ProjectId,
    /// The session it went to, if known.
    pub session: Option<SessionId>,
    /// When in the session.
    pub moment: Moment,
    /// When on the clock.
    pub at: Timestamp,
    /// What it cost.
    pub tokens: Tokens,
    /// Its budget.
    pub budget: Tokens,
    /// Its size in bytes of UTF-8.
    pub bytes: u32,
    /// How long it took to build, in microseconds.
    pub build_us: u32,
    /// The sections that are in it.
    pub sections: Vec<String>,
    /// The sections that were left out.
    pub sections_skipped: Vec<String>,
    /// The injected text.
    pub text: String,
    /// Hashes of the text, which are kept longer than the text.
    pub shingles: Shingles,
    /// The memories that are in it.
    pub memories: Vec<Injected>,
}

/// One memory in a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Injected {
    /// Which memory.
    pub memory: MemoryId,
    /// The section it is in.
    pub section: String,
    /// Its place, from 1.
    pub rank: u32,
    /// Its score.
    pub score: f64,
    /// What its line cost.
    pub tokens: Tokens,
    /// Why it is there.
    pub reasons: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_is_read_back_from_its_name() {
        for moment in Moment::ALL {
            assert_eq!(moment.as_str().parse(), Ok(moment));
        }
    }
}
