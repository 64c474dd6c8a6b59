//! Phrases that the screen, the log and errors share.

use backstory_memory::clean;

/// Makes a text fit for one line of a screen: a name or a title may hold anything.
#[must_use]
pub fn one_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Why events are lost.
pub const NOWHERE: &str = "neither the database nor the spool could be written";

/// Says how many memories.
#[must_use]
pub fn memories(count: u64) -> String {
    if count == 1 { "1 memory".to_owned() } else { format!("{count} memories") }
}

/// Says how many of something that takes an `s` in the plural.
#[must_use]
pub fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
