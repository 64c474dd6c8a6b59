//! Distillation: from the events of a session to the memories worth keeping, by rules over structure, without a model.
//!
//! [`distil`] reads as an outline (`pipeline`): the transcript is cut into turns; pieces of work, failures, the user's rules and
//! decisions are found in them, and the session is read as a whole for its summary and handoff (`session_findings`); each finding is
//! compared with what is known (`reconcile`); everything is written at once. Running it again on the same events changes nothing.
//!
//! Not here: reading a host's payload (`hosts`), when it runs (`app`), and calling the optional model that writes notes (`provider`).

mod agent_note_checks;
mod agent_notes;
mod answers;
mod assertion;
mod backed_steps;
mod causes;
mod choice;
mod claims;
mod closed_failures;
mod code_changes;
mod commit_title;
mod commits;
mod compaction;
mod covered_by_commits;
mod failure_tracker;
mod failures;
mod finding;
mod handoff;
mod import_cache;
mod lasting;
mod left_to_user;
mod numbered_answers;
mod outside_words;
mod phrases;
mod pipeline;
mod plain;
mod plans;
mod project_files;
mod promotion;
mod prompt_commits;
mod reconcile;
mod recurrence;
mod rejected;
mod remote;
mod request;
mod rule_sentence;
mod rule_title;
mod sentences;
mod session_findings;
mod session_notes;
mod session_title;
mod stored_memories;
mod summary;
mod tasks;
mod testruns;
mod titles;
mod transcript;
mod traps;
mod user_rules;
mod work;
pub mod writer;

pub use agent_note_checks::{NoteDoubt, note_doubt};
pub use agent_notes::{AgentNote, agents_handoff, attribute, handoffs_of_agent, has_unrecorded};
pub use code_changes::says_how_code_is;
pub use commit_title::title_of_commit;
pub use failure_tracker::failure_subject;
pub use failures::{
    CommandRun, CommandTask, FailureClass, FailureFix, FailureSignature, FailureStep, FixAttempt,
    OpenFailure, PairedFailures, pair, should_promote,
};
pub use import_cache::ImportCache;
pub use phrases::is_word_of_reply;
pub use pipeline::{DistilReport, DistilTrigger, Distillation, distil, distil_batch};
pub use project_files::ProjectFiles;
pub use sentences::sentences;
pub use stored_memories::reconcile_stored;
pub use testruns::{TestOutcome, TestRun, TestRunner, red_to_green};
