//! Why a part of an injection could not be gathered.

/// Why a part is missing. It costs its own section and no other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GatherError {
    /// It could not be read.
    #[error("{0}")]
    Unreadable(String),
    /// Its builder has a bug.
    #[error("it panicked")]
    Panicked,
}

impl GatherError {
    /// Keeps the reason of another error.
    pub fn from_error(error: &impl std::error::Error) -> GatherError {
        GatherError::Unreadable(error.to_string())
    }
}
