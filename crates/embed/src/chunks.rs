//! Cuts a long text into overlapping chunks the model can read whole.
//!
//! The measured rule is 110 words with a step of 90. Words that make many tokens (code, other scripts) shrink
//! a chunk until it fits, with the same share of overlap, so that no part of a text is silently left out.

use crate::tokenizer::TokenIds;
use std::ops::Range;

const CHUNK_WORDS: usize = 110;
const OVERLAP_WORDS: usize = 20;

/// Returns the ranges of `tokens.ids` to encode, each of at most `limit` ids: one when the text fits.
///
/// Every unit must fit into `limit`, which the tokenizer sees to.
pub(crate) fn chunks(tokens: &TokenIds, limit: usize) -> Vec<Range<usize>> {
    let total = tokens.ids.len();
    if total == 0 {
        return Vec::new();
    }
    if total <= limit {
        return std::iter::once(0..total).collect();
    }
    let position = |unit: usize| tokens.units.get(unit).copied().unwrap_or(total);
    let mut found = Vec::new();
    let mut first = 0;
    loop {
        let start = position(first);
        let mut end = (first + CHUNK_WORDS).min(tokens.units.len());
        while end > first + 1 && position(end) - start > limit {
            end -= 1;
        }
        found.push(start..position(end).min(start + limit));
        if end == tokens.units.len() {
            return found;
        }
        let overlap = (end - first) * OVERLAP_WORDS / CHUNK_WORDS;
        first = end - overlap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text_of(unit_lengths: &[usize]) -> TokenIds {
        let mut tokens = TokenIds::default();
        for length in unit_lengths {
            tokens.units.push(tokens.ids.len());
            tokens.ids.extend(std::iter::repeat_n(7, *length));
        }
        tokens
    }

    #[test]
    fn a_text_that_fits_is_one_chunk() {
        assert_eq!(chunks(&text_of(&[2; 127]), 254), Vec::from_iter(std::iter::once(0..254)));
        assert_eq!(chunks(&text_of(&[]), 254), []);
    }

    #[test]
    fn a_long_text_is_cut_at_110_words_with_a_step_of_90() {
        assert_eq!(chunks(&text_of(&[1; 300]), 254), [0..110, 90..200, 180..290, 270..300]);
    }

    #[test]
    fn a_chunk_of_heavy_words_shrinks_until_it_fits() {
        assert_eq!(chunks(&text_of(&[100; 5]), 254), [0..200, 200..400, 400..500]);
    }

    proptest! {
        #[test]
        fn chunks_cover_the_text_and_never_exceed_the_limit(lengths in prop::collection::vec(1..132_usize, 0..400)) {
            let tokens = text_of(&lengths);
            let found = chunks(&tokens, 254);
            prop_assert!(found.iter().all(|chunk| !chunk.is_empty() && chunk.len() <= 254));
            prop_assert_eq!(found.first().map_or(0, |chunk| chunk.start), 0);
            prop_assert_eq!(found.last().map_or(0, |chunk| chunk.end), tokens.ids.len());
            prop_assert!(found.windows(2).all(|pair| pair[0].start < pair[1].start && pair[1].start <= pair[0].end));
        }
    }
}
