//! A host event in, a redacted event out: normalise, redact, find the project, read git and the code map.
//!
//! Not here: a host's own JSON (`hosts`), memories (`distil`), SQL (`store`), the environment and the screen (`cli`).

mod codemap;
pub mod git;
mod instruction_files;
mod normalise;
mod prepare;
mod private;
mod project;
mod redact;

// The code map speaks in these; whoever reads it should not have to look elsewhere.
pub use backstory_memory::{CodeChange, Symbol, SymbolChange, SymbolKind};
pub use codemap::{
    CodeMapError, EditedFile, FreshnessLimit, Language, MOST_SOURCE_BYTES, MOST_SYMBOLS, TrackingContext,
    anchor, anchor_named, changes, edited_files, follow_renames, freshness, freshness_of_anchors, symbols,
    track,
};
pub use instruction_files::{instruction_files, readme};
pub use normalise::{CaptureContext, RawEvent, body_of, normalise};
pub use prepare::{MOST_BODY_BYTES, most_similar, prepare, prepare_attachments, prepare_batch, whole_text};
pub use project::{identify_project, proven_project_ref, safe_project_ref, unlocated_project_ref};
pub use redact::{Redaction, Redactor, RedactorOptions, SecretMatch};
