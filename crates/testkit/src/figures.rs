//! How a bench begins, and what it measured, for whoever gathers it: `cargo xtask bench` names a file and makes one table of it.

use std::fs::OpenOptions;
use std::io::Write;

/// Returns the sizes that were asked for on the command line, or the usual ones.
#[must_use]
pub fn sizes(usual: &[usize]) -> Vec<usize> {
    let asked: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if asked.is_empty() { usual.to_vec() } else { asked }
}

/// Notes a figure, where somebody gathers them: a line of what was measured, with how many memories, and how much it was.
/// What was not measured is not noted, and the table says so.
///
/// # Panics
///
/// When the file cannot be written.
pub fn note_figure(what: &str, memories: usize, value: impl Into<Option<f64>>) {
    #[expect(clippy::disallowed_methods, reason = "a bench has no other way to be told")]
    let path = std::env::var_os("BACKSTORY_FIGURES");
    let (Some(path), Some(value)) = (path, value.into()) else { return };
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("the file of figures");
    writeln!(file, "{what}\t{memories}\t{value}").expect("a figure noted");
}
