//! Arguments and results of benches: `cargo xtask bench` names a file, the benches append figures, and it prints one table.

use std::fs::OpenOptions;
use std::io::Write;

/// Returns the sizes of the command line, or the usual ones.
#[must_use]
pub fn sizes(usual: &[usize]) -> Vec<usize> {
    let wanted: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if wanted.is_empty() { usual.to_vec() } else { wanted }
}

/// Appends a figure to the file in `BACKSTORY_FIGURES`, if it is set: what was measured, with how many memories, the value.
/// `None` is not written; the table then says "not measured".
///
/// # Panics
///
/// When the file cannot be written.
pub fn record_figure(what: &str, memories: usize, value: impl Into<Option<f64>>) {
    #[expect(clippy::disallowed_methods, reason = "a bench gets its options from the environment")]
    let path = std::env::var_os("BACKSTORY_FIGURES");
    let (Some(path), Some(value)) = (path, value.into()) else { return };
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("the file of figures");
    writeln!(file, "{what}\t{memories}\t{value}").expect("a figure written");
}
