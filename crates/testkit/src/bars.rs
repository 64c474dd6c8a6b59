//! Bars of the reliability table: how large a test runs, and the figures it tells `cargo xtask torture`.
//!
//! Nothing is judged here. What must hold is asserted by the test itself, whatever its size; how long something took is only told,
//! and judged by who runs the whole table on a machine that is quiet enough for it.

use std::fmt::Display;

/// Whether the sizes of the reliability table are wanted.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "chosen by who runs the tests")]
pub fn is_torture() -> bool {
    std::env::var_os("BACKSTORY_TORTURE").is_some()
}

/// Returns the `cargo test` size, or the size of the reliability table.
#[must_use]
pub fn size(usual: usize, torture: usize) -> usize {
    if is_torture() { torture } else { usual }
}

/// Tells what a bar was measured to be.
#[expect(clippy::print_stdout, reason = "the test harness hands it on")]
pub fn bar(id: &str, figure: impl Display) {
    println!("bar {id}: {figure}");
}
