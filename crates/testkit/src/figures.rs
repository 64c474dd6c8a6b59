//! What benches measured, for whoever gathers it: `cargo xtask bench` names a file and makes one table of it.

use std::fs::OpenOptions;
use std::io::Write;

/// Notes a figure, where somebody gathers them: a line of what was measured, with how many memories, and how much it was.
///
/// # Panics
///
/// When the file cannot be written.
pub fn note_figure(what: &str, memories: usize, value: f64) {
    #[expect(clippy::disallowed_methods, reason = "a bench has no other way to be told")]
    let path = std::env::var_os("BACKSTORY_FIGURES");
    let Some(path) = path else { return };
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("the file of figures");
    writeln!(file, "{what}\t{memories}\t{value}").expect("a figure noted");
}
