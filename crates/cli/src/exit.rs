//! How a command ends when it does not fail.

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// The answer is no: nothing found, or refused.
    No,
}
