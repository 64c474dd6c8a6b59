//! The use cases of Backstory as typed requests: settings, the store, the selected project, errors with stable codes.
//!
//! A front end (`cli`, `mcp`, `server`) parses its input, calls a function here, and renders the answer. Nothing here prints,
//! reads standard input or knows clap; the environment comes in as a value.

pub mod about;
pub mod app;
pub mod background_writer;
pub mod browse;
pub mod caller;
pub mod config;
pub mod connection;
pub mod demo;
pub mod diff;
pub mod distillation;
pub mod doctor;
pub mod engine;
pub mod env_vars;
pub mod error;
pub mod evaluation;
pub mod explain;
pub mod export;
pub mod forget;
pub mod handoff;
pub mod hook;
pub mod hook_health;
pub mod import;
pub mod injection;
pub mod json;
pub mod log;
pub mod merge;
pub mod missing;
pub mod overview;
pub mod program;
pub mod program_update;
pub mod progress;
pub mod project_links;
pub mod projects;
pub mod redaction;
pub mod relations;
pub mod remember;
pub mod review;
pub mod rules;
pub mod search;
pub mod self_capture_guard;
pub mod session_turns;
pub mod sessions;
pub mod settings;
pub mod show;

pub mod status;
pub mod synonyms;
pub mod teams;
pub mod timeline;
pub mod times;
pub mod transcript;
pub mod undo;
pub mod upkeep;
pub mod users_file;
pub mod vectors;
pub mod why;
pub mod words;
pub mod writer_files;

pub use app::{App, ProjectSelector};
pub use config::Config;
pub use env_vars::Environment;
pub use error::{AppError, ErrorCode};
