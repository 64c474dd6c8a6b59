//! A host event in, a redacted event out: normalise, redact, find the project, read git and the code map.
//!
//! Not here: a host's own JSON (`hosts`), memories (`distil`), SQL (`store`), the environment and the screen (`cli`).

mod codemap;
pub mod git;
mod keep;
mod observe;
mod private;
mod project;
mod redact;

// The code map speaks in these; whoever reads it should not have to look elsewhere.
pub use backstory_memory::{Change, CodeChange, Symbol, SymbolKind};
pub use codemap::{
    EditedFile, Language, MOST_SOURCE_BYTES, MOST_SYMBOLS, Patience, Place, Unreadable, anchor, changes,
    edited_files, follow_renames, freshness, freshness_of_anchors, symbols, track,
};
pub use keep::{MOST_BODY_BYTES, most_similar, prepare, whole_text};
pub use observe::{Observation, Surroundings, body_of, observe};
pub use project::{safe_project_ref, sight};
pub use redact::{Finding, Redacted, Redaction, Redactor, RedactorOptions};
