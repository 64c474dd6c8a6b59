//! Digests: one hash for checksums, idempotency keys and fingerprints.

use crate::{Content, Details};
use std::fmt;

/// 128 bits of BLAKE3: enough to tell things apart and to notice a flipped bit, not a signature.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 16]);

/// Digests a list of fields, so that moving bytes from one field to the next changes the result.
#[must_use]
pub fn digest<'a>(fields: impl IntoIterator<Item = &'a [u8]>) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for field in fields {
        hasher.update(&(field.len() as u64).to_le_bytes());
        hasher.update(field);
    }
    let mut bytes = [0; 16];
    hasher.finalize_xof().fill(&mut bytes);
    Digest(bytes)
}

impl Digest {
    /// Reads a digest from its 16 bytes.
    #[must_use]
    pub fn from_slice(bytes: &[u8]) -> Option<Digest> {
        bytes.try_into().ok().map(Digest)
    }

    /// Reads a digest from its 32 hexadecimal digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Digest> {
        let number = u128::from_str_radix(text, 16).ok().filter(|_| text.len() == 32)?;
        Some(Digest(number.to_be_bytes()))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// The checksum of a memory's content. SQLite does not notice bit rot; this does (R12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum(pub Digest);

impl Checksum {
    /// Computes the checksum of a memory's content.
    #[must_use]
    pub fn of_content(content: &Content) -> Checksum {
        // Every field is named: who adds one decides here whether its damage is to be noticed.
        #[rustfmt::skip]
        let Content {
            kind, title, body, facts, concepts, files, details,
            category: _, importance: _, confidence: _, provenance: _, scope: _, pinned: _, valid_from: _, valid_to: _,
        } = content;
        let lists = [facts, concepts, files];
        // Each list is preceded by its length, so that an item cannot move from one list to the next unnoticed.
        let counts = lists.map(|list| (list.len() as u64).to_le_bytes());
        let head = [kind.as_str(), title.as_str(), body.as_str()];
        let fields = head.into_iter().map(str::as_bytes);
        let items = lists.into_iter().zip(&counts).flat_map(|(list, count)| {
            std::iter::once(count.as_slice()).chain(list.iter().map(String::as_bytes))
        });
        let details = details.as_ref().map(Details::to_json);
        Checksum(digest(fields.chain(items).chain(details.as_ref().map(String::as_bytes))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn moving_bytes_between_fields_changes_the_digest() {
        assert_ne!(digest([b"ab".as_slice(), b"c"]), digest([b"a".as_slice(), b"bc"]));
        assert_ne!(digest([b"".as_slice()]), digest([]));
    }

    #[test]
    fn a_digest_is_read_back_from_its_text() {
        let whole = digest([b"x".as_slice()]);
        assert_eq!(Digest::from_hex(&whole.to_string()), Some(whole));
        assert_eq!(Digest::from_hex("+1"), None);
    }

    #[test]
    fn moving_an_item_between_lists_changes_the_checksum() {
        let draft = Content { facts: vec!["x".into()], ..Content::new(Kind::Note, "t", "b") };
        let moved = Content { concepts: vec!["x".into()], ..Content::new(Kind::Note, "t", "b") };
        assert_ne!(Checksum::of_content(&draft), Checksum::of_content(&moved));
    }
}
