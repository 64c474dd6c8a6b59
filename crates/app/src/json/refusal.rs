//! An error in JSON.

use serde::Serialize;

/// The answer of a command that failed.
#[derive(Debug, Serialize)]
pub struct RefusalShape {
    pub ok: bool,
    pub code: &'static str,
    pub error: String,
    pub hints: Vec<String>,
    pub existing_id: Option<i64>,
}
