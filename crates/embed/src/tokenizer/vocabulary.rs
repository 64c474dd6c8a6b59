//! The vocabulary: spells a word as the longest known pieces, from left to right.
//!
//! It lies in the model file as an open-addressing hash table, an offset table and the pieces end to end, and
//! is used where it lies. All numbers are little-endian. Nothing here trusts the table: whatever bytes it
//! holds, a lookup ends and stays inside.

use super::LONGEST_WORD_CHARS;

/// Marks a slot of the hash table that holds no piece.
const EMPTY: u32 = u32::MAX;
/// What a piece inside a word begins with in the vocabulary.
const CONTINUATION: &[u8] = b"##";
/// The longest piece, in bytes: looking further ahead in a word cannot find anything.
const LONGEST_PIECE: usize = 18;

/// The pieces the model knows, each with its id.
#[derive(Debug)]
pub(crate) struct WordPieces {
    /// Ids by hash, as many as a power of two.
    slots: &'static [[u8; 4]],
    /// Where each piece begins in `text`, and one more for the end.
    offsets: &'static [[u8; 4]],
    text: &'static [u8],
}

impl WordPieces {
    pub(crate) const fn over(
        slots: &'static [[u8; 4]],
        offsets: &'static [[u8; 4]],
        text: &'static [u8],
    ) -> WordPieces {
        assert!(slots.len().is_power_of_two());
        WordPieces { slots, offsets, text }
    }

    /// Appends the ids of the pieces that make up `word`; returns `false` when there is no such spelling, and
    /// may then have appended some of it.
    pub(super) fn spell(&self, word: &str, ids: &mut Vec<u16>) -> bool {
        debug_assert!(word.chars().count() <= LONGEST_WORD_CHARS);
        let mut prefix: &[u8] = b"";
        let mut rest = word;
        while !rest.is_empty() {
            let Some((id, length)) = self.longest_piece(prefix, rest) else { return false };
            ids.push(id);
            rest = rest.get(length..).unwrap_or_default();
            prefix = CONTINUATION;
        }
        true
    }

    /// Finds the longest piece that `rest` begins with, as its id and its length in bytes.
    fn longest_piece(&self, prefix: &[u8], rest: &str) -> Option<(u16, usize)> {
        // Each prefix of `rest` is hashed by extending the hash of the one before it.
        let mut candidates = [(0, 0); LONGEST_PIECE];
        let mut count = 0;
        let mut hash = prefix.iter().fold(FNV_OFFSET, extend);
        for (slot, (at, character)) in candidates.iter_mut().zip(rest.char_indices()) {
            let end = at + character.len_utf8();
            if end > LONGEST_PIECE {
                break;
            }
            hash = rest.as_bytes().get(at..end)?.iter().fold(hash, extend);
            *slot = (hash, end);
            count += 1;
        }
        candidates.iter().take(count).rev().find_map(|(hash, end)| {
            let id = self.find(*hash, prefix, rest.as_bytes().get(..*end)?)?;
            Some((id, *end))
        })
    }

    fn find(&self, hash: u64, prefix: &[u8], piece: &[u8]) -> Option<u16> {
        let mask = self.slots.len() - 1;
        let probes = (0..self.slots.len()).map(|step| (hash as usize).wrapping_add(step) & mask);
        for probe in probes {
            let id = u32::from_le_bytes(*self.slots.get(probe)?);
            if id == EMPTY {
                return None;
            }
            if self.piece(id)?.strip_prefix(prefix) == Some(piece) {
                return u16::try_from(id).ok();
            }
        }
        None
    }

    fn piece(&self, id: u32) -> Option<&'static [u8]> {
        let offset = |at: usize| Some(u32::from_le_bytes(*self.offsets.get(at)?) as usize);
        self.text.get(offset(id as usize)?..offset(id as usize + 1)?)
    }
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

fn extend(hash: u64, byte: &u8) -> u64 {
    (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minilm::VOCABULARY;

    #[test]
    fn no_piece_is_longer_than_the_longest() {
        let longest = (0..30_522).filter_map(|id| VOCABULARY.piece(id)).map(<[u8]>::len).max();
        assert_eq!(longest, Some(LONGEST_PIECE));
    }

    #[test]
    fn every_piece_is_found_under_its_own_id() {
        for id in 0..30_522 {
            let piece = VOCABULARY.piece(id).unwrap();
            let hash = piece.iter().fold(FNV_OFFSET, extend);
            assert_eq!(VOCABULARY.find(hash, b"", piece), u16::try_from(id).ok());
        }
        assert_eq!(VOCABULARY.piece(30_522), None);
    }

    #[test]
    fn a_table_without_an_empty_slot_still_answers() {
        static FULL: [[u8; 4]; 4] = [[7, 0, 0, 0]; 4];
        static OFFSETS: [[u8; 4]; 9] = [[0; 4]; 9];
        let vocabulary = WordPieces::over(&FULL, &OFFSETS, b"");
        assert!(!vocabulary.spell("word", &mut Vec::new()));
    }
}
