//! How a command ends.

pub(crate) use backstory_app::error::{AppError as Failure, ErrorCode, SEARCH_FINDS};

/// How a command ended when it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// The answer is no: nothing found, or refused.
    No,
}
