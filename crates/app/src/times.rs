//! Times as people type them, with the words for one that is not a time. Everything is UTC.

use crate::error::AppError;
use backstory_memory::Timestamp;
pub use backstory_memory::{iso, parse_time};

/// Reads a time somebody typed, or says how one is written.
pub fn typed(text: &str, now: Timestamp) -> Result<Timestamp, AppError> {
    parse_time(text, now).ok_or_else(|| {
        AppError::usage(format!("`{text}` is not a time")).hint("write 2026-05-01, 36h, 7d or 2w")
    })
}
