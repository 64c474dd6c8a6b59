//! Tests of the crate from outside, in one binary.

#![expect(
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test may panic and tells what it skips"
)]

mod closing;
mod closing_cases;
mod closing_held_out;
mod distil;
mod distil_batch;
mod distil_choice;
mod distil_discussion;
mod distil_reconcile;
mod distil_sessions;
mod distil_turned;
mod failure_tracking;
mod pairs;
mod recording;
mod sessions_held_out;
mod sessions_seen;
mod signatures;
mod statements;
mod statements_assertions;
mod statements_cases;
mod statements_lasting;
mod statements_plain;
mod statements_quality;
mod statements_unseen;
mod testruns;
