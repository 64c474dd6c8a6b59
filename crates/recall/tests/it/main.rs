//! Recall over real stores: what is found, in which order, and why.

#![expect(clippy::unwrap_used, reason = "clippy allows this in a `#[test]`, but not in what tests share")]

mod arms;
mod embedding;
mod fuzz;
mod kit;
mod listings;
mod newer_notes;
mod profiles;
mod six_signals;
mod small_stores;
