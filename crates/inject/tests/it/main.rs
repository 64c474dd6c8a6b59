//! What agents are given, read as they read it; and the laws it keeps.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "clippy allows this in a `#[test]`, but not in what tests share"
)]

mod budgets;
mod goldens;
mod hostile;
mod month;
