//! Why a request is not answered: a status, a code that stays the same, and words that say what to do.

use serde_json::{Value, json};

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// A code other programs may rely on.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The memory that stands in the way.
    pub existing_id: Option<i64>,
}

impl ApiError {
    /// Makes a refusal.
    #[must_use]
    pub fn new(status: u16, code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { status, code, message: message.into(), hint: None, existing_id: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> ApiError {
        ApiError { hint: Some(hint.into()), ..self }
    }

    /// Returns it as JSON.
    pub(crate) fn json(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message, "hint": self.hint });
        if let (Some(id), Some(error)) = (self.existing_id, error.as_object_mut()) {
            error.insert("existing_id".to_owned(), id.into());
        }
        json!({ "error": error })
    }
}
