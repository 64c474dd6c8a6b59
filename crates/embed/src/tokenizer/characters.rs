//! What becomes of one character before words are looked up: dropped, blank, a word of its own, or part of one.
//!
//! Follows BERT's uncased rules: control characters vanish, accents are stripped after canonical
//! decomposition, letters are lowered, punctuation and ideographs stand alone. The tables hold what ASCII and
//! arithmetic do not answer.

use super::tables::{DROPPED, FOLDED, IDEOGRAPHS, PUNCTUATION};

/// One character as the tokenizer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Character {
    /// Separates words and is no token itself.
    Blank,
    /// A word of its own: punctuation or an ideograph.
    Alone(char),
    /// Part of a word, already folded and lowered.
    InWord(char),
}

/// Passes on what `character` becomes: nothing, one character, or the several it decomposes into.
#[inline]
pub(super) fn classify(character: char, mut emit: impl FnMut(Character)) {
    if character.is_ascii() {
        if let Some(class) = classify_ascii(character) {
            emit(class);
        }
    } else {
        classify_beyond_ascii(character, &mut emit);
    }
}

fn classify_ascii(character: char) -> Option<Character> {
    match character {
        ' ' | '\t' | '\n' | '\r' => Some(Character::Blank),
        _ if character.is_ascii_control() => None,
        _ if character.is_ascii_punctuation() => Some(Character::Alone(character)),
        _ => Some(Character::InWord(character.to_ascii_lowercase())),
    }
}

fn classify_beyond_ascii(character: char, emit: &mut impl FnMut(Character)) {
    // The order is the reference's: U+0085 is both a control character and a blank, and counts as control.
    if in_ranges(DROPPED, character) {
        return;
    }
    if character.is_whitespace() {
        return emit(Character::Blank);
    }
    let stands_alone = in_ranges(IDEOGRAPHS, character);
    fold(character, |part| {
        if stands_alone || part.is_ascii_punctuation() || in_ranges(PUNCTUATION, part) {
            emit(Character::Alone(part));
        } else {
            emit(Character::InWord(part));
        }
    });
}

/// Decomposes, strips accents and lowers the case.
fn fold(character: char, mut emit: impl FnMut(char)) {
    if let Some(parts) = hangul_parts(character) {
        return parts.into_iter().flatten().for_each(emit);
    }
    match FOLDED.binary_search_by_key(&character, |(from, _)| *from) {
        Ok(found) => FOLDED.get(found).iter().flat_map(|(_, to)| to.chars()).for_each(emit),
        Err(_) => character.to_lowercase().for_each(&mut emit),
    }
}

/// Takes a Hangul syllable apart by the arithmetic of the Unicode standard, section 3.12.
fn hangul_parts(character: char) -> Option<[Option<char>; 3]> {
    const FIRST: u32 = 0xAC00;
    const LEADS: u32 = 0x1100;
    const VOWELS: u32 = 0x1161;
    const TAILS: u32 = 0x11A7;
    let index = u32::from(character).checked_sub(FIRST).filter(|index| *index < 19 * 21 * 28)?;
    let tail = index % 28;
    Some([
        char::from_u32(LEADS + index / (21 * 28)),
        char::from_u32(VOWELS + index / 28 % 21),
        if tail == 0 { None } else { char::from_u32(TAILS + tail) },
    ])
}

fn in_ranges(ranges: &[(char, char)], character: char) -> bool {
    let after = ranges.partition_point(|(first, _)| *first <= character);
    after.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|(_, last)| character <= *last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_do_not_overlap() {
        for ranges in [DROPPED, IDEOGRAPHS, PUNCTUATION] {
            assert!(ranges.iter().all(|(first, last)| first <= last));
            assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
        assert!(FOLDED.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn a_hangul_syllable_becomes_its_letters() {
        assert_eq!(hangul_parts('한'), Some([Some('ᄒ'), Some('ᅡ'), Some('ᆫ')]));
        assert_eq!(hangul_parts('가'), Some([Some('ᄀ'), Some('ᅡ'), None]));
        assert_eq!(hangul_parts('힣').map(|parts| parts[2]), Some(Some('\u{11C2}')));
        assert_eq!(hangul_parts('a'), None);
    }
}
