//! The use cases of Backstory, as every door calls them: settings, the store, the project that is meant, errors with stable codes.
//!
//! A door (`cli`, `mcp`, `server`) parses what it is asked, calls a function here, and renders what comes back. Nothing here prints,
//! reads standard input or knows clap; the environment comes in as a value.

pub mod app;
pub mod config;
pub mod connection;
pub mod doctor;
pub mod engine;
pub mod env_vars;
pub mod error;
pub mod explain;
pub mod forget;
pub mod hook;
pub mod injection;
pub mod json;
pub mod log;
pub mod polish;
pub mod remember;
pub mod search;
pub mod self_capture_guard;
pub mod sessions;
pub mod settings;
pub mod show;
pub mod status;
pub mod synonyms;
pub mod timeline;
pub mod times;
pub mod transcript;
pub mod vectors;
pub mod why;

pub use app::{App, ProjectSelector};
pub use config::Config;
pub use env_vars::Environment;
pub use error::{AppError, ErrorCode};
