//! Whether what was given was used: its file edited, its fix applied, its words taken up. Only use reinforces.
//!
//! Not here: fetching by id, which the commands note themselves.

use super::risks::{failed_command, words};
use crate::failure::Failure;
use backstory_memory::{Activity, ExitStatus, Kind, Memory, SessionId, Timestamp};
use backstory_store::{Store, UseKind};
use std::collections::HashSet;

/// What an agent did that may show the use of something it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Edited {
        file: String,
    },
    /// A command ran and succeeded.
    Passed {
        command: String,
    },
    Said {
        message: String,
    },
}

impl Deed {
    /// Returns what a activity may show.
    pub(crate) fn of(activity: &Activity) -> Option<Deed> {
        Some(match activity {
            Activity::Edited { file, .. } => Deed::Edited { file: file.clone() },
            Activity::Ran { command, status: ExitStatus::Success, .. } => {
                Deed::Passed { command: command.clone() }
            }
            Activity::TurnEnded { message } => Deed::Said { message: message.clone() },
            _ => return None,
        })
    }

    /// Notes what a session used of what it was given.
    pub(crate) fn note(&self, store: &mut Store, session: SessionId, at: Timestamp) -> Result<(), Failure> {
        let unused = store.unused_in_session(session)?;
        if unused.is_empty() {
            return Ok(());
        }
        let memories = store.memories(&unused)?;
        let used: Vec<_> =
            memories.iter().filter(|memory| self.shows_use_of(memory)).map(|memory| memory.id).collect();
        Ok(store.mark_used_in_session(session, &used, self.how(), at)?)
    }

    const fn how(&self) -> UseKind {
        match self {
            Deed::Edited { .. } => UseKind::FileEdited,
            Deed::Passed { .. } => UseKind::FixApplied,
            Deed::Said { .. } => UseKind::Cited,
        }
    }

    fn shows_use_of(&self, memory: &Memory) -> bool {
        match self {
            // The host names a file by its whole path, a memory from the project's root.
            Deed::Edited { file } => memory.content.files.iter().any(|known| {
                file.strip_suffix(known.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            }),
            Deed::Passed { command } => memory.content.kind == Kind::Failure && applies_fix(command, memory),
            Deed::Said { message } => cites(message, memory),
        }
    }
}

/// Whether a command is what fixed a failure, or what failed and now passes.
fn applies_fix(command: &str, memory: &Memory) -> bool {
    let passes = failed_command(memory).is_some_and(|failed| words(failed) == words(command));
    let fixes = memory.content.facts.iter().filter(|fact| fact.starts_with("Fixed by "));
    let mut fixing = fixes.flat_map(|fact| fact.split('`').skip(1).step_by(2));
    passes || fixing.any(|fix| words(fix) == words(command))
}

/// Whether a message takes a memory up: by its number, or by nearly all the words that tell it from others.
fn cites(message: &str, memory: &Memory) -> bool {
    let number = format!("#{}", memory.id);
    let mut behind = message.match_indices(&number).map(|(at, _)| message.get(at + number.len()..));
    if behind.any(|rest| !rest.unwrap_or_default().starts_with(|c: char| c.is_ascii_digit())) {
        return true;
    }
    let title = keywords(&memory.content.title);
    let said = keywords(message);
    let common = title.intersection(&said).count();
    title.len() >= FEWEST_WORDS && common * 4 >= title.len() * 3
}

/// Fewer words tell a memory from no other.
const FEWEST_WORDS: usize = 4;

/// Returns the words that are long enough to be about something.
fn keywords(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.chars().count() > 3).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_are_about_nothing() {
        let words = |text: &str| keywords(text).len();
        assert_eq!((words("a of the it"), words("We use SQLite FTS5 for `run_migration`")), (0, 3));
    }
}
