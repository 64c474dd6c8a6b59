//! Blocks as agents read them, and the laws they keep.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "clippy allows this in a `#[test]`, but not in what tests share"
)]

mod budgets;
mod goldens;
mod hostile;
mod law_properties;
mod month;
