//! Tests of the crate from outside, in one binary.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic and tells what it skips")]

mod cases;
mod distil;
mod distil_batch;
mod distil_causes;
mod distil_choice;
mod distil_compaction;
mod distil_handoff;
mod distil_kept_true;
mod distil_reconcile;
mod distil_recurrence;
mod distil_rejected;
mod distil_sessions;
mod distil_titles;
mod distil_traps;
mod distil_turned;
mod distil_user_rules;
mod pairs;
mod recording;
mod signatures;
mod testruns;
mod writer;
mod writer_checks;
