//! The store's proof: real SQLite in directories of their own, real processes, real signals.
//!
//! The sizes fit `cargo test`; `BACKSTORY_TORTURE=1` selects the full ones of the reliability table.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::print_stderr)]

mod anchoring;
mod checking;
mod coding;
mod events;
mod forgetting;
mod importing;
mod injections;
mod inspecting;
mod killing;
mod kit;
mod limits;
mod maintaining;
mod opening;
mod polishing;
mod privacy;
mod projects;
mod racing;
mod related;
mod remembering;
mod repairing;
mod revising;
mod searching;
mod spelling;
mod spooling;
mod sync;
mod sync_conflicts;
mod transfer;
mod vectors;
