//! What a failure memory says about its command and its fixes.
//!
//! The only place that reads it out of the memory's text: `distil` writes "`cmd` failed: …" into the body and "Fixed by …" into the
//! facts.

use backstory_memory::Memory;

/// Returns the command a failure is remembered by.
pub(crate) fn failed_command(memory: &Memory) -> Option<&str> {
    memory.content.body.strip_prefix('`')?.split_once("` failed:").map(|(command, _)| command)
}

/// Whether a fix is known.
pub(crate) fn is_fixed(memory: &Memory) -> bool {
    fixes(memory).next().is_some()
}

/// Whether a command fixed it, not an edit: it is a fault of the machine, which may come back.
pub(crate) fn is_fixed_by_command(memory: &Memory) -> bool {
    fixes(memory).any(|fix| fix.starts_with("Fixed by running "))
}

/// Returns the commands that fixed it.
pub(crate) fn fixing_commands(memory: &Memory) -> impl Iterator<Item = &str> {
    fixes(memory).flat_map(|fix| fix.split('`').skip(1).step_by(2))
}

/// Whether two command lines are the same but for white space.
pub(crate) fn is_same_command(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

fn fixes(memory: &Memory) -> impl Iterator<Item = &str> {
    memory.content.facts.iter().map(String::as_str).filter(|fact| fact.starts_with("Fixed by "))
}
