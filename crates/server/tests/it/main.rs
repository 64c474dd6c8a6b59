//! The worker as others meet it: over its socket and over loopback, with answers that are made up.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "clippy allows this in a `#[test]`, but not in what tests share"
)]

mod access;
mod described;
mod life;
mod listening;
mod support;
