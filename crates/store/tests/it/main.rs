//! The store's proof: real SQLite in directories of their own, real processes, real signals.
//!
//! The sizes fit `cargo test`; `BACKSTORY_TORTURE=1` selects the full ones of the reliability table.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::print_stderr)]

mod anchors;
mod browsing;
mod checking;
mod child_process;
mod code_map;
mod events;
mod forgetting;
mod importing;
mod injections;
mod killing;
mod kit;
#[cfg(unix)]
mod limits;
mod losing;
mod maintaining;
mod opening;
#[cfg(unix)]
mod privacy;
mod projects;
mod racing;
mod rejecting;
mod related;
mod remembering;
mod repairing;
mod revising;
mod searching;
mod sharing_store;
mod spelling;
mod spooling;
mod standings;
mod sync;
mod sync_conflicts;
mod test_store;
mod transfer;
mod vectors;
mod writer_work;
