//! What a failure memory knows about its command and its fixes. A failure somebody wrote by hand knows neither.

use backstory_memory::{Details, FailureDetails, Memory};

/// Returns the command a failure is remembered by.
pub(crate) fn failed_command(memory: &Memory) -> Option<&str> {
    failure(memory).map(|failure| failure.command.as_str())
}

fn is_fixed(memory: &Memory) -> bool {
    failure(memory).is_some_and(|failure| failure.fix.is_some())
}

/// Whether a command fixed it, not an edit: it is a fault of the machine, which may come back.
pub(crate) fn is_fixed_by_command(memory: &Memory) -> bool {
    let fix = failure(memory).and_then(|failure| failure.fix.as_ref());
    fix.is_some_and(|fix| fix.steps.files.is_empty() && !fix.steps.commands.is_empty())
}

/// Whether a failure may recur. One fixed by an edit stays fixed, unless it was seen again.
pub(crate) fn may_recur(memory: &Memory) -> bool {
    !is_fixed(memory) || is_fixed_by_command(memory) || memory.times_seen > 1
}

/// Returns the commands that fixed it.
pub(crate) fn fixing_commands(memory: &Memory) -> impl Iterator<Item = &str> {
    let fix = failure(memory).and_then(|failure| failure.fix.as_ref());
    fix.into_iter().flat_map(|fix| &fix.steps.commands).map(String::as_str)
}

/// Whether two command lines are the same but for white space.
pub(crate) fn is_same_command(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

fn failure(memory: &Memory) -> Option<&FailureDetails> {
    memory.content.details.as_ref().and_then(Details::failure)
}
