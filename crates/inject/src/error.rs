//! Why something could not be gathered or injected.

use crate::SkippedSection;
use backstory_store::StoreError;

/// Why a part of an injection is missing. It costs its own section and no other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GatherError {
    /// It could not be read.
    #[error("{0}")]
    Unreadable(String),
    /// Its builder has a bug.
    #[error("it panicked")]
    Panicked,
}

impl From<StoreError> for GatherError {
    fn from(error: StoreError) -> GatherError {
        GatherError::Unreadable(error.to_string())
    }
}

/// Why nothing was injected, or a use was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum InjectError {
    /// The store could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Every section is empty, and at least this one because it could not be gathered.
    #[error("{0}")]
    SectionFailed(SkippedSection),
}
