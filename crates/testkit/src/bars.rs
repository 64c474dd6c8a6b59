//! Bars of the reliability table: the size a test runs at, and the figures it reports to `cargo xtask torture`.
//!
//! Nothing is judged here. The test itself asserts what must hold, at any size. Times are only printed; `cargo xtask torture` judges them,
//! on a machine that is quiet enough.

use std::fmt::Display;

/// Whether tests run at the sizes of the reliability table.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the caller of the tests chooses")]
pub fn is_torture() -> bool {
    std::env::var_os("BACKSTORY_TORTURE").is_some()
}

/// Returns the `cargo test` size, or the size of the reliability table.
#[must_use]
pub fn size(usual: usize, torture: usize) -> usize {
    if is_torture() { torture } else { usual }
}

/// Reports the measured figure of a bar.
#[expect(clippy::print_stdout, reason = "the test harness forwards it")]
pub fn bar(id: &str, figure: impl Display) {
    println!("bar {id}: {figure}");
}

/// Reports that all of `tried` attacks of a row of the table of attacks failed. The test has asserted it.
pub fn held(id: &str, row: u8, tried: usize, what: &str) {
    held_of(id, row, (tried, tried), what);
}

/// Reports how many attacks of a row failed, of those that were tried. A test that may not hold all calls it before it asserts.
pub fn held_of(id: &str, row: u8, (held, tried): (usize, usize), what: &str) {
    bar(id, format_args!("row {row}: {held} of {tried} {what}"));
}
