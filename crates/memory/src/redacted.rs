//! Values whose texts went through redaction: nothing else may reach a disk (law 7).
//!
//! Not here: finding secrets (`capture`).

use std::fmt;
use std::ops::Deref;

/// A value without secrets and without what the user marked private.
///
/// The store takes texts of users, agents and hosts only like this, so a path that forgets to redact does not compile:
///
/// ```compile_fail,E0308
/// use backstory_memory::{Content, Kind, Redacted};
/// fn keep(_: &Redacted<Content>) {}
/// keep(&Content::new(Kind::Note, "the key is", "not redacted"));
/// ```
///
/// It can be read like the value itself, and cannot be changed: what is changed has to be redacted again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Redacted<T>(T);

impl<T> Redacted<T> {
    /// Vouches that a value was redacted.
    ///
    /// Reserved for `capture`, which redacts, and for `store`, which reads back what it took; a test of `xtask` looks for other callers.
    #[must_use]
    pub fn vouch(value: T) -> Redacted<T> {
        Redacted(value)
    }

    /// Returns the value. It counts as unredacted again.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl Redacted<String> {
    /// Returns the first characters: a part of a redacted text is redacted.
    #[must_use]
    pub fn first_chars(&self, most: usize) -> Redacted<String> {
        Redacted(self.0.chars().take(most).collect())
    }
}

impl<T> Deref for Redacted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: fmt::Display> fmt::Display for Redacted<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
