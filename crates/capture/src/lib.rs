//! Events in, memories out: what a session tells, made safe to keep and worth recalling.
//!
//! Not here: a host's own words (`hosts`), SQL (`store`), the environment and the screen (`cli`).

mod closing;
mod codemap;
mod distil;
mod failures;
pub mod git;
mod keep;
mod observe;
mod private;
mod project;
mod prose;
mod redact;
mod statements;
mod testruns;
mod vectors;

// The code map speaks in these; whoever reads it should not have to look elsewhere.
pub use backstory_memory::{Change, CodeChange, Symbol, SymbolKind};
pub use closing::{Closing, closing, title_of_commit};
pub use codemap::{
    EditedFile, Language, MOST_SOURCE_BYTES, MOST_SYMBOLS, Patience, Place, Unreadable, anchor, changes,
    edited_files, follow_renames, freshness, freshness_of_anchors, symbols, track,
};
pub use distil::{
    DistilReport, Distillation, Familiar, Occasion, distil, distil_among_many, failure_subject,
};
pub use failures::{Attempt, Class, Failures, Fix, OpenFailure, Ran, Signature, Step, pair, should_promote};
pub use keep::{MOST_BODY_BYTES, most_alike, prepare};
pub use observe::{Observation, Surroundings, body_of, observe};
pub use project::{safe_project_ref, sight};
pub use redact::{Finding, Redacted, Redaction, Redactor, RedactorOptions};
pub use statements::{Correction, Polarity, Speaker, Statement, statements};
pub use testruns::{Outcome, Runner, TestRun, red_to_green};
pub use vectors::{
    EmbedError, Embedded, Embedding, begin_anew, embed_waiting, look_for_missing_vectors, take_out_vectors,
};
