//! Import and export: what is already on the machine in, and what is remembered out.
//!
//! The only crate that knows what other memory programs keep and how. A *source* is a program, a history or a kind of file that memories can
//! be imported from; a *source instance* is one of them on this machine. Hosts' transcripts go through the same capture and distillation as
//! live sessions; what other programs remember, git history and memory files are memories already.
//! Not here: how a host's transcript reads (`hosts`), what may be stored (`capture`), SQL (`store`), the screen and the environment (`cli`).

mod databases;
mod memories;
mod options;
mod sources;
mod transcripts;

pub use databases::ForeignDatabases;
pub use memories::{MemoryImportReport, import_memories};
pub use options::{ImportOptions, ProjectFilter, SkipCounts};
pub use sources::{
    ImportItem, ImportSource, ImportedMemory, ImportedProject, ImportedSession, SearchPaths, SourceInstance,
    UnreadableSource,
};
pub use transcripts::{TranscriptImportReport, import_transcripts};
