//! Identifiers. Row ids are small integers an agent can type; a uid is global and survives export and sync.

use std::fmt;
use thiserror::Error;

macro_rules! row_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

row_id! {
    /// A memory's number in this store, never used twice: what people and agents see and type.
    MemoryId
}
row_id! {
    /// A project's number in this store.
    ProjectId
}
row_id! {
    /// A session's number in this store.
    SessionId
}
row_id! {
    /// An event's number in this store. Events are ordered by it, never by the wall clock.
    EventId
}
row_id! {
    /// An injection's number in this store.
    InjectionId
}

row_id! {
    /// The number of what a writer turned down, in this store.
    RejectionId
}

/// A memory's global name: the same in every store it travels to.
///
/// Ours are UUIDs of version 7, which sort by time. The uid of an imported memory is kept as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uid(String);

/// Why a text cannot be a uid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum UidError {
    /// The text is empty.
    #[error("a uid must not be empty")]
    Empty,
    /// The text is longer than [`Uid::MAX_BYTES`].
    #[error("a uid has at most {} bytes", Uid::MAX_BYTES)]
    TooLong,
    /// The text holds white space or control characters.
    #[error("a uid must not hold white space or control characters")]
    NotPlain,
}

impl Uid {
    /// The longest uid accepted from elsewhere.
    pub const MAX_BYTES: usize = 128;

    /// Makes a time-ordered uid from a time in milliseconds and ten random bytes.
    #[must_use]
    pub fn from_parts(ms: i64, random: [u8; 10]) -> Self {
        let [r0, r1, r2, rest @ ..] = random;
        let time = u64::try_from(ms).unwrap_or(0) & 0xffff_ffff_ffff;
        let version = 0x7000 | (u16::from_be_bytes([r0, r1]) & 0x0fff);
        let [n0, n1, n2, n3, n4, n5, n6] = rest;
        let variant = u16::from_be_bytes([0x80 | (r2 & 0x3f), n0]);
        let node = u64::from_be_bytes([0, 0, n1, n2, n3, n4, n5, n6]);
        let (high, low) = (time >> 16, time & 0xffff);
        Self(format!("{high:08x}-{low:04x}-{version:04x}-{variant:04x}-{node:012x}"))
    }

    /// Reads a uid that was made elsewhere.
    pub fn parse(text: &str) -> Result<Self, UidError> {
        if text.is_empty() {
            return Err(UidError::Empty);
        }
        if text.len() > Self::MAX_BYTES {
            return Err(UidError::TooLong);
        }
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(UidError::NotPlain);
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the uid as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_uid_is_a_version_7_uuid() {
        let uid = Uid::from_parts(0x0123_4567_89ab, [0xff; 10]);
        assert_eq!(uid.as_str(), "01234567-89ab-7fff-bfff-ffffffffffff");
    }

    #[test]
    fn a_foreign_uid_is_kept_or_refused_with_a_reason() {
        assert_eq!(Uid::parse("dec-a1b2c3d4").unwrap().as_str(), "dec-a1b2c3d4");
        assert_eq!(Uid::parse(""), Err(UidError::Empty));
        assert_eq!(Uid::parse("a b"), Err(UidError::NotPlain));
        assert_eq!(Uid::parse(&"x".repeat(129)), Err(UidError::TooLong));
    }

    proptest! {
        #[test]
        fn uids_sort_by_time(a in 0i64..1 << 47, b in 0i64..1 << 47, r: [u8; 10], s: [u8; 10]) {
            prop_assume!(a < b);
            prop_assert!(Uid::from_parts(a, r) < Uid::from_parts(b, s));
        }
    }
}
