//! The tokenizer against the reference, and against whatever a stranger may write.

use super::*;
use crate::minilm::VOCABULARY;
use crate::reference_data;
use proptest::prelude::*;

const VOCABULARY_SIZE: u16 = 30_522;

fn ids(text: &str) -> Vec<u16> {
    tokenize(&VOCABULARY, text, usize::MAX).ids
}

#[test]
fn texts_become_the_ids_of_the_reference() {
    let (texts, expected) = (reference_data::texts(), reference_data::tokens());
    assert!(texts.len() >= 200 && texts.len() == expected.len());
    for (text, expected) in texts.iter().zip(&expected) {
        let ids: Vec<u16> = ids(text).into_iter().take(254).collect();
        assert_eq!([&[OPENING], ids.as_slice(), &[CLOSING]].concat(), *expected, "{text:?}");
    }
}

#[test]
fn every_character_is_treated_as_the_reference_treats_it() {
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for character in (0..0x2_0000).filter_map(char::from_u32) {
        for id in ids(&format!("a{character}b {character}")).into_iter().chain([u16::MAX]) {
            digest = (digest ^ u64::from(id)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    // Printed by `tools/make_reference.py`.
    assert_eq!(digest, 0x8b97_102a_0729_b1af);
}

#[test]
fn control_tokens_inside_a_text_are_ordinary_text() {
    assert_eq!(ids("[SEP]"), ids("[ sep ]"));
    assert!(!ids("[CLS] [SEP] [MASK] [PAD]").iter().any(|id| [0, 101, 102, 103].contains(id)));
}

#[test]
fn a_word_of_a_hundred_characters_is_spelled_and_a_longer_one_is_unknown() {
    assert!(ids(&"a".repeat(100)).len() > 1);
    assert_eq!(ids(&"a".repeat(101)), [UNKNOWN]);
    assert_eq!(ids(&"é".repeat(100)), ids(&"e".repeat(100)));
    assert_eq!(ids(&"a".repeat(1_000_000)), [UNKNOWN]);
}

#[test]
fn blank_texts_have_no_tokens() {
    for text in ["", " ", "\n\t\r ", "\u{0}\u{200b}\u{301}", "\u{3000}"] {
        assert_eq!(tokenize(&VOCABULARY, text, usize::MAX), TokenIds::default(), "{text:?}");
    }
}

#[test]
fn reading_stops_soon_after_the_limit() {
    let tokens = tokenize(&VOCABULARY, &"word ".repeat(10_000), 254);
    assert!((254..=260).contains(&tokens.ids.len()));
}

#[test]
fn a_run_without_blanks_can_be_cut_all_the_same() {
    let tokens = tokenize(&VOCABULARY, &"漢字".repeat(500), usize::MAX);
    assert!(
        tokens.units.windows(2).all(|pair| pair[1] - pair[0] <= LONGEST_UNIT_TOKENS + LONGEST_WORD_CHARS)
    );
    assert!(tokens.units.len() > 20);
}

proptest! {
    #[test]
    fn any_text_becomes_ids_of_the_vocabulary(text in any::<String>()) {
        let tokens = tokenize(&VOCABULARY, &text, usize::MAX);
        prop_assert!(tokens.ids.iter().all(|id| *id < VOCABULARY_SIZE));
        prop_assert!(tokens.ids.len() <= 4 * text.len());
        prop_assert!(tokens.units.is_sorted_by(|a, b| a < b));
        prop_assert_eq!(tokens.units.first().copied(), (!tokens.ids.is_empty()).then_some(0));
    }

    #[test]
    fn words_are_tokenized_one_by_one(left in "[ -~é漢한]{0,40}", right in "[ -~é漢한]{0,40}") {
        prop_assert_eq!(ids(&format!("{left} {right}")), [ids(&left), ids(&right)].concat());
    }

    #[test]
    fn case_and_accents_make_no_difference(text in "[a-zàéîõüç ]{0,60}") {
        prop_assert_eq!(ids(&text.to_uppercase()), ids(&text));
    }
}
