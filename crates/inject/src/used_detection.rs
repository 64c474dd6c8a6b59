//! Detects whether the agent used what was injected: did what it says, cited it, or edited its file, which only touches it. Only use
//! reinforces.
//!
//! Not here: fetching by id, which the commands record themselves.

use crate::InjectError;
use crate::failure_details::{failed_command, fixing_commands, is_same_command};
use crate::occasion::{is_done_by, tasks};
use backstory_memory::{Activity, ExitStatus, Kind, Memory, MemoryId, SessionId, Timestamp};
use backstory_store::{Store, UseKind};
use std::collections::HashSet;

/// What an agent did that may show the use of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentAction {
    /// It edited a file.
    Edited {
        /// The file, as the host names it.
        file: String,
    },
    /// It ran a command that succeeded.
    CommandSucceeded {
        /// The command line.
        command: String,
    },
    /// It ended its turn with a message.
    Messaged {
        /// The message.
        message: String,
    },
}

impl AgentAction {
    /// Returns the action of an activity, if it may show use.
    #[must_use]
    pub fn from_activity(activity: &Activity) -> Option<AgentAction> {
        Some(match activity {
            Activity::Edited { file, .. } => AgentAction::Edited { file: file.clone() },
            Activity::Ran { command, status: ExitStatus::Success, .. } => {
                AgentAction::CommandSucceeded { command: command.clone() }
            }
            Activity::TurnEnded { message } => AgentAction::Messaged { message: message.clone() },
            _ => return None,
        })
    }

    /// Records which of the memories injected into a session this action used, and confirms what the session fetched and now acts on.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or written.
    pub fn record_use(
        &self,
        store: &mut Store,
        session: SessionId,
        at: Timestamp,
    ) -> Result<(), InjectError> {
        let unused = store.injections().unused_in_session(session)?;
        let used = self.used_of(store, &unused)?;
        store.injections_mut().mark_used_in_session(session, &used, self.use_kind(), at)?;
        // An agent that repeats what it read proves nothing; what it did with it does.
        if let AgentAction::Messaged { .. } = self {
            return Ok(());
        }
        let fetched = store.injections().fetched_in_session(session)?;
        let acted_on = self.used_of(store, &fetched)?;
        Ok(store.injections_mut().confirm_fetched(session, &acted_on, at)?)
    }

    /// Returns those of the memories that this action used.
    fn used_of(&self, store: &Store, ids: &[MemoryId]) -> Result<Vec<MemoryId>, InjectError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let memories = store.memories().get_many(ids)?;
        Ok(memories.iter().filter(|memory| self.uses(memory)).map(|memory| memory.id).collect())
    }

    const fn use_kind(&self) -> UseKind {
        match self {
            AgentAction::Edited { .. } => UseKind::FileEdited,
            AgentAction::CommandSucceeded { .. } => UseKind::FixApplied,
            AgentAction::Messaged { .. } => UseKind::Cited,
        }
    }

    fn uses(&self, memory: &Memory) -> bool {
        match self {
            // The host names a file by its absolute path, a memory by its path in the project.
            AgentAction::Edited { file } => memory.content.files.iter().any(|known| {
                file.strip_suffix(known.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            }),
            AgentAction::CommandSucceeded { command } => {
                let content = &memory.content;
                match content.kind {
                    Kind::Failure => applies_fix(command, memory),
                    Kind::Rule | Kind::Decision => {
                        tasks(command).iter().any(|task| is_done_by(&content.title, task))
                    }
                    _ => false,
                }
            }
            AgentAction::Messaged { message } => cites(message, memory),
        }
    }
}

/// Whether a command is the fix of a failure, or the failed command that now succeeds.
fn applies_fix(command: &str, memory: &Memory) -> bool {
    let succeeds_now = failed_command(memory).is_some_and(|failed| is_same_command(failed, command));
    succeeds_now || fixing_commands(memory).any(|fix| is_same_command(fix, command))
}

/// Whether a message cites a memory: by its number, or by nearly all the long words of its title.
fn cites(message: &str, memory: &Memory) -> bool {
    let number = format!("#{}", memory.id);
    let mut behind = message.match_indices(&number).map(|(at, _)| message.get(at + number.len()..));
    if behind.any(|rest| !rest.unwrap_or_default().starts_with(|c: char| c.is_ascii_digit())) {
        return true;
    }
    let title = long_words(&memory.content.title);
    let message = long_words(message);
    let shared = title.intersection(&message).count();
    title.len() >= FEWEST_WORDS && shared * 4 >= title.len() * 3
}

/// Fewer words do not distinguish a memory.
const FEWEST_WORDS: usize = 4;

/// Returns the words that are long enough to be about something.
fn long_words(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.chars().count() > 3).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_do_not_prove_use() {
        let words = |text: &str| long_words(text).len();
        assert_eq!((words("a of the it"), words("We use SQLite FTS5 for `run_migration`")), (0, 3));
    }
}
