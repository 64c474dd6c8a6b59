//! Imports: everything that brings memories in from outside goes through one [`Importer`](importer::Importer).
//!
//! `memories` feeds it what other programs, git and memory files hold, `files` what `export` or a person wrote. Hosts' transcripts
//! (`transcripts`) are events, not memories yet: they go through capture and distillation. `machine` runs all of it over what is found.

pub(crate) mod files;
pub(crate) mod importer;
pub(crate) mod machine;
pub(crate) mod memories;
pub(crate) mod options;
pub(crate) mod preview;
pub(crate) mod project_resolver;
pub(crate) mod session_work;
pub(crate) mod transcripts;
