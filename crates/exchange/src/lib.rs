//! Import and export: what is already on the machine in, and what is remembered out.
//!
//! The only crate that knows what other memory programs keep and how. A *source* is a program, a history or a kind of file that memories can
//! be imported from; a *source instance* is one of them on this machine. A [`MemoryRecord`] is the one shape of a memory in files. Hosts'
//! transcripts go through the same capture and distillation as live sessions; everything else is memories already.
//! Not here: how a host's transcript reads (`hosts`), what may be stored (`capture`), SQL (`store`), the screen and the environment (`cli`).

mod chat_export;
mod databases;
mod error;
mod export;
mod import;
mod imported;
mod jsonl;
mod markdown;
mod record;
mod sources;
mod yaml;

pub use chat_export::{ChatService, read_chat_export};
pub use databases::ForeignDatabases;
pub use error::{ExchangeError, RecordError};
pub use export::ExportSelection;
pub use export::jsonl_file::{export_jsonl, export_jsonl_file};
pub use export::markdown_folder::{MarkdownExportOptions, MarkdownExportReport, export_markdown};
pub use import::files::{BadEntry, FileImportReport, ImportFile, import_file};
pub use import::machine::{
    ImportRequest, ImportSelection, ImportedIntoProject, KindCounts, MachineImport, MachineImportReport,
    SourceReport,
};
pub use import::memories::{MemoryImportReport, import_memories};
pub use import::options::{
    DefaultProject, FileImportOptions, FileTrust, ImportOptions, ProjectFilter, SkipCounts,
};
pub use import::preview::{PreviewUnit, SourcePreview, preview_import};
pub use import::project_resolver::located_project_ref;
pub use import::transcripts::{CarriedTranscript, TranscriptImportReport, import_transcripts};
pub use imported::{ImportItem, ImportedMemory, ImportedProject, ImportedSession};
pub use record::{MemoryRecord, OneOrMany};
pub use sources::{ImportSource, SearchPaths, SourceInstance, UnreadableSource};
