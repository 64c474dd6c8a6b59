//! Distillation: from the events of a session to the memories worth keeping, by rules over structure, without a model.
//!
//! [`distil`] reads as an outline (`pipeline`): the transcript is cut into turns; each turn yields its work, what was found out and
//! what was stated; failures are followed across turns; summary and handoff are put together from all of it (`session_findings`);
//! each finding is compared with what is known (`reconcile`); everything is written at once. Running it again on the same events
//! changes nothing.
//!
//! Not here: reading a host's payload (`hosts`), when it runs (`cli`), and the optional model that may polish a title.

mod choice;
mod closing;
mod code_changes;
mod commits;
mod contradiction;
mod deferred;
mod discovery;
mod discussion;
mod exclusive_values;
mod failure_tracker;
mod failures;
mod finding;
mod handoff;
mod import_cache;
mod outside_words;
mod pipeline;
mod promotion;
mod prose;
mod reconcile;
mod request;
mod session_findings;
mod session_notes;
mod stated;
mod statements;
mod summary;
mod testruns;
mod transcript;
mod work;

pub use closing::{Closing, closing, title_of_commit};
pub use failure_tracker::failure_subject;
pub use failures::{
    CommandRun, FailureClass, FailureFix, FailureSignature, FailureStep, FixAttempt, OpenFailure,
    PairedFailures, pair, should_promote,
};
pub use import_cache::ImportCache;
pub use pipeline::{DistilReport, DistilTrigger, Distillation, distil, distil_batch};
pub use statements::{Correction, Polarity, Speaker, Statement, statements};
pub use testruns::{TestOutcome, TestRun, TestRunner, red_to_green};
