//! How rare a word is: what the store counts, mixed with what is known of technical English.
//!
//! In a project of twenty memories about search, "search" stands in every second one and "want" in none. Its own counts would say that
//! "want" tells more. So a small store borrows the rarities of a background table, and a large one trusts its own.
//!
//! `scripts/background-words` makes the table; its header says from what. Words that it lacks are rare.

use backstory_memory::stem;
use std::sync::LazyLock;

/// The table: a header that ends with an empty line, sorted hashes, then a rarity each.
const TABLE: &[u8] = include_bytes!("../assets/background-words.bin");
const END_OF_HEADER: &[u8] = b"\n\n";
/// Bytes of a word: a hash and a rarity.
const HASH_BYTES: usize = 4;
const STEPS_PER_NAT: f64 = 16.0;
/// The rarity of a word that the table lacks.
const UNKNOWN: f64 = 9.0;
/// From so many memories on, a store's own counts weigh as much as the table.
const TRUSTED_AT: f64 = 400.0;

/// Returns the rarity of a word in nats, at least a little: no word that was typed counts nothing.
pub(crate) fn rarity(word: &str, holders: u32, memories: u32) -> f64 {
    let (held, all) = (f64::from(holders), f64::from(memories));
    let own = (1.0 + (all - held.min(all) + 0.5) / (held + 0.5)).ln();
    let trust = all / (all + TRUSTED_AT);
    (trust * own + (1.0 - trust) * background(word)).max(LEAST)
}

const LEAST: f64 = 0.1;

/// Returns the rarity of a word in general.
fn background(word: &str) -> f64 {
    let hash = fnv(stem(word));
    let table = *WORDS;
    let count = table.len() / (HASH_BYTES + 1);
    let (hashes, rarities) = table.split_at(count * HASH_BYTES);
    let hash_at = |at: usize| {
        hashes
            .get(at * HASH_BYTES..)
            .and_then(<[u8]>::first_chunk)
            .map_or(u32::MAX, |it| u32::from_le_bytes(*it))
    };
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = usize::midpoint(low, high);
        if hash_at(middle) < hash { low = middle + 1 } else { high = middle }
    }
    let found = Some(low).filter(|at| *at < count && hash_at(*at) == hash);
    let rarity = found.and_then(|at| rarities.get(at)).map(|rarity| f64::from(*rarity) / STEPS_PER_NAT);
    rarity.unwrap_or(UNKNOWN)
}

/// The table without its header, which is looked for once.
static WORDS: LazyLock<&'static [u8]> = LazyLock::new(table);

/// Returns the table without its header.
fn table() -> &'static [u8] {
    let end = TABLE.windows(END_OF_HEADER.len()).position(|bytes| bytes == END_OF_HEADER);
    let body = end.and_then(|end| TABLE.get(end..)).unwrap_or_default();
    let padding = body.iter().take_while(|byte| **byte == b'\n').count().min(END_OF_HEADER.len());
    body.get(padding..).unwrap_or_default()
}

fn fnv(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_small_store_a_topic_word_weighs_more_than_a_common_verb() {
        assert!(rarity("search", 10, 20) > rarity("use", 1, 20));
        assert!(rarity("ranking", 4, 20) > rarity("want", 0, 20));
    }

    #[test]
    fn a_large_store_knows_better_than_the_table() {
        assert!(rarity("search", 60_000, 100_000) < rarity("want", 40, 100_000));
    }

    #[test]
    fn a_word_has_one_rarity_in_all_its_forms() {
        assert_eq!(background("changes"), background("change"));
        assert!(background("change") < background("xylophone"));
    }
}
