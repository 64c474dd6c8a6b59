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
mod distil_among_many;
mod distil_chosen;
mod distil_sessions;
mod distil_settling;
mod distil_talk;
mod distil_turned;
mod failing;
mod pairs;
mod sessions_held_out;
mod sessions_seen;
mod signatures;
mod statements;
mod statements_cases;
mod statements_lasting;
mod statements_plain;
mod statements_quality;
mod statements_told;
mod statements_unseen;
mod story;
mod testruns;
