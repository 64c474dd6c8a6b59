//! Recognises injected text that comes back, even reformatted, by the hashes of its pieces; the text cannot be read from them.
//!
//! Winnowing over letters and digits alone, so that case, spacing and markup do not matter. Each window of neighbouring pieces
//! keeps its smallest hash; therefore any common run of 47 letters is found. A shorter sentence that asks for an action is hashed as a
//! whole. Not here: blocks that still have their fence (`fence`).

use crate::actionable::asking_sentences;
use std::borrow::Cow;
use std::collections::HashSet;

/// Letters and digits in one piece.
const PIECE: usize = 32;
/// Neighbouring pieces in a window; each window keeps one hash.
const WINDOW: usize = 16;

/// Where a text comes from; decides how much of it must be repeated to be an echo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EchoSource {
    /// Words of a person or an agent: one run is enough, because a long run is not repeated by chance.
    Speech,
    /// Output of a program: takes more than one line. A failure that happens again prints the same line again, and must be
    /// captured.
    Output,
}

/// Hashes of the pieces of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shingles(HashSet<u64>);

impl Shingles {
    /// Hashes a text.
    #[must_use]
    pub fn from_text(text: &str) -> Shingles {
        Shingles(winnowed_hashes(text).into_iter().collect())
    }

    /// Whether there are no hashes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the hashes as bytes, for storage.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut sorted: Vec<u64> = self.0.iter().copied().collect();
        sorted.sort_unstable();
        sorted.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    /// Adds hashes from stored bytes.
    pub fn add_bytes(&mut self, bytes: &[u8]) {
        let (hashes, _) = bytes.as_chunks::<8>();
        self.0.extend(hashes.iter().copied().map(u64::from_le_bytes));
    }

    /// Whether a text repeats a run, be it prose or a name.
    #[must_use]
    pub fn has_run_of(&self, text: &str) -> bool {
        !self.is_empty() && !self.runs(&letters(text)).is_empty()
    }

    /// Cuts the repeated runs out of a text, if they are enough to be an echo. Names stay whole: who names a file that stood in an
    /// injected line speaks of the file.
    #[must_use]
    pub fn without_echo<'a>(&self, text: &'a str, of: EchoSource) -> Cow<'a, str> {
        if self.is_empty() {
            return Cow::Borrowed(text);
        }
        let letters = letters(text);
        let runs = self.runs(&letters);
        let offset = |at: usize| letters.get(at).map_or(text.len(), |(offset, _)| *offset);
        let runs: Vec<(usize, usize)> = runs
            .into_iter()
            .filter_map(|(start, end)| without_part_names(text, offset(start), offset(end)))
            .collect();
        let lines = |(start, end): &(usize, usize)| {
            text.get(*start..*end).map_or(1, |run| run.trim_end().lines().count())
        };
        let is_echo = match of {
            EchoSource::Speech => !runs.is_empty(),
            EchoSource::Output => runs.iter().map(lines).sum::<usize>() > 1,
        };
        if !is_echo {
            return Cow::Borrowed(text);
        }
        let mut kept = String::new();
        let mut from = 0;
        for (start, end) in runs {
            let (start, end) = to_line_ends(text, start, end);
            kept.push_str(text.get(from..start).unwrap_or_default());
            from = end.max(from);
        }
        kept.push_str(text.get(from..).unwrap_or_default());
        Cow::Owned(kept)
    }

    /// Returns the repeated runs as indices into `letters`: the first, and one past the last.
    fn runs(&self, letters: &[(usize, char)]) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (at, _) in hashes(letters).iter().enumerate().filter(|(_, hash)| self.0.contains(hash)) {
            match runs.last_mut() {
                // An unbroken echo has a known hash in every window: a longer gap is new text.
                Some((_, end)) if at <= *end + WINDOW => *end = at + PIECE,
                _ => runs.push((at, at + PIECE)),
            }
        }
        runs
    }
}

/// Returns the hashes that stand for a text: of each window of neighbouring pieces the smallest.
#[must_use]
pub fn winnowed_hashes(text: &str) -> Vec<u64> {
    let hashes = piece_hashes(text);
    if hashes.len() < WINDOW {
        return hashes.into_iter().min().into_iter().collect();
    }
    let mut kept: Vec<u64> =
        hashes.windows(WINDOW).filter_map(|window| window.iter().min().copied()).collect();
    kept.dedup();
    kept
}

/// Returns the hash of every piece of a text, and of its short sentences that ask for an action, to be looked up among
/// [`winnowed_hashes`] or a [`hash_sample`] of another.
#[must_use]
pub fn piece_hashes(text: &str) -> Vec<u64> {
    hashes(&letters(text)).into_iter().chain(asking_sentences(text).filter_map(whole_hash)).collect()
}

/// Returns the hash of a sentence that is too short for its run of letters to be found for certain.
fn whole_hash(sentence: &str) -> Option<u64> {
    let letters = letters(sentence);
    let is_short = (FEWEST_LETTERS..PIECE + WINDOW).contains(&letters.len());
    is_short.then(|| mixed(letters.iter().fold(0, |hash, (_, letter)| with_letter(hash, *letter))))
}

/// A sentence with fewer letters is said by chance.
const FEWEST_LETTERS: usize = 12;

/// Writes at most `most` of the hashes that stand for a text, each in eight letters: first those of what asks for an action, then a
/// spread over the rest.
#[must_use]
pub fn hash_sample(text: &str, most: usize) -> String {
    let text = both_ends(text);
    sample(&text, most).into_iter().flat_map(letters_of).collect()
}

/// Reads what [`hash_sample`] wrote, to be looked up by [`short_hash`].
#[must_use]
pub fn read_hash_sample(sample: &str) -> Vec<u64> {
    let (hashes, _) = sample.as_bytes().as_chunks::<LETTERS_A_HASH>();
    let value = |letter: u8| ALPHABET.iter().position(|known| *known == letter);
    let read = |letters: &[u8; LETTERS_A_HASH]| {
        letters.iter().try_fold(0, |hash, letter| Some(hash << 6 | value(*letter)? as u64))
    };
    hashes.iter().filter_map(read).collect()
}

/// Returns what is kept of a hash in a sample.
#[must_use]
pub fn short_hash(hash: u64) -> u64 {
    hash & ((1 << (6 * LETTERS_A_HASH)) - 1)
}

const LETTERS_A_HASH: usize = 8;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// Of a longer text both ends are hashed: a hook has little time.
const MOST_BYTES: usize = 64 * 1024;

fn letters_of(hash: u64) -> impl Iterator<Item = char> {
    let letter =
        move |at: usize| ALPHABET.get((hash >> (6 * at)) as usize & 63).copied().map_or('A', char::from);
    (0..LETTERS_A_HASH).rev().map(letter)
}

fn both_ends(text: &str) -> Cow<'_, str> {
    if text.len() <= MOST_BYTES {
        return Cow::Borrowed(text);
    }
    let head = text.get(..text.floor_char_boundary(MOST_BYTES / 2)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - MOST_BYTES / 2)..).unwrap_or_default();
    Cow::Owned(format!("{head}\n{tail}"))
}

/// Chooses hashes: of sentences that ask for an action all, of the others the smallest, which lie anywhere in the text.
fn sample(text: &str, most: usize) -> Vec<u64> {
    let of_sentence = |sentence| whole_hash(sentence).into_iter().chain(winnowed_hashes(sentence));
    let mut chosen: Vec<u64> = asking_sentences(text).flat_map(of_sentence).take(most).collect();
    let asking: HashSet<u64> = chosen.iter().copied().collect();
    let mut others = winnowed_hashes(text);
    others.retain(|hash| !asking.contains(hash));
    if others.len() + chosen.len() > most {
        others.sort_unstable();
    }
    chosen.extend(others.into_iter().take(most - chosen.len()));
    chosen
}

/// Narrows a run to whole names; nothing is left of one that is hardly more than a name.
fn without_part_names(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_-./\\:@#~".contains(c);
    let run = text.get(start..end)?;
    let is_torn = |beside: Option<char>, inside: Option<char>| {
        beside.is_some_and(is_of_name) && inside.is_some_and(is_of_name)
    };
    let (before, after) = (text.get(..start)?.chars().next_back(), text.get(end..)?.chars().next());
    let rest = if is_torn(before, run.chars().next()) { run.trim_start_matches(is_of_name) } else { run };
    let start = end - rest.len();
    let rest =
        if is_torn(after, rest.chars().next_back()) { rest.trim_end_matches(is_of_name) } else { rest };
    // Languages without spaces have no names among these letters.
    let is_prose = rest.split_whitespace().nth(FEWEST_WORDS - 1).is_some() || !rest.is_ascii();
    is_prose.then(|| (start, start + rest.len()))
}

/// Fewer words are a name, or two.
const FEWEST_WORDS: usize = 3;

/// Widens a run to the ends of its line if fewer than [`WINDOW`] letters remain there: a rest that short belongs to the echo, but
/// has no hash of its own for certain.
fn to_line_ends(text: &str, start: usize, end: usize) -> (usize, usize) {
    let count = |part: &str| part.chars().filter(|c| c.is_alphanumeric()).count();
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let left = before.rsplit('\n').next().unwrap_or_default();
    let right = after.split('\n').next().unwrap_or_default();
    let start = if count(left) < WINDOW { start - left.len() } else { start };
    let end = if count(right) < WINDOW { end + right.len() } else { end };
    (start, end)
}

/// Returns the letters and digits of a text in lower case, each with its byte offset.
fn letters(text: &str) -> Vec<(usize, char)> {
    let lower = |c: char| c.to_lowercase().next().unwrap_or(c);
    text.char_indices().filter(|(_, c)| c.is_alphanumeric()).map(|(at, c)| (at, lower(c))).collect()
}

const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the hash of every piece, in order of their first letters.
fn hashes(letters: &[(usize, char)]) -> Vec<u64> {
    let oldest_weight = (1..PIECE).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = 0u64;
    let mut found = Vec::with_capacity(letters.len().saturating_sub(PIECE - 1));
    for (at, (_, letter)) in letters.iter().enumerate() {
        if let Some((_, gone)) = at.checked_sub(PIECE).and_then(|gone| letters.get(gone)) {
            hash = hash.wrapping_sub(u64::from(*gone).wrapping_mul(oldest_weight));
        }
        hash = with_letter(hash, *letter);
        if at + 1 >= PIECE {
            // A bare polynomial hash is unevenly distributed: mix it before the smallest is chosen.
            found.push(mixed(hash));
        }
    }
    found
}

fn with_letter(hash: u64, letter: char) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(letter))
}

fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const INJECTED: &str = "- [2h ago] The retry loop must not sleep while it holds the write lock\n\
                         - [yesterday] Uploads go through the queue, because the gateway cuts requests at 30 seconds";

    #[test]
    fn an_echo_is_cut_out_even_when_it_is_reformatted() {
        let injected = Shingles::from_text(INJECTED);
        let back = "I remember: **the retry loop must NOT sleep  while it holds the write lock**. And now come some words of my own.";
        let left = injected.without_echo(back, EchoSource::Speech);
        assert!(
            !left.to_lowercase().contains("while it holds")
                && left.ends_with("And now come some words of my own."),
            "{left}"
        );
        let own = "The retry loop sleeps too long; make it shorter.";
        assert_eq!(injected.without_echo(own, EchoSource::Speech), own);
    }

    #[test]
    fn output_that_repeats_an_injected_failure_is_kept() {
        let injected = Shingles::from_text(
            "- [2d ago] cargo test: assertion failed: the importer must not hold its lock while it sleeps",
        );
        let output = "running 1 test\nassertion failed: the importer must not hold its lock while it sleeps\ntest result: FAILED";
        assert_eq!(injected.without_echo(output, EchoSource::Output), output);
        assert_ne!(injected.without_echo(output, EchoSource::Speech), output);
    }

    #[test]
    fn a_name_that_was_injected_and_is_named_again_stays_whole() {
        let path = "services/ferry-booking/planning/notes/timetable-and-fares-dashboard.md";
        let injected = Shingles::from_text(&format!("No commit seen for: {path}"));
        for own in [
            format!("fold @{path} into the other page"),
            format!("is {path}:42 right? and {path}"),
            format!("see https://example.org/{path}"),
        ] {
            assert_eq!(injected.without_echo(&own, EchoSource::Speech), own);
            assert!(injected.has_run_of(&own));
        }
        let around = Shingles::from_text(&format!("The nightly import reads {path} before the gates open"));
        let back = format!("The nightly import reads {path} before the gates open, says it");
        assert!(!around.without_echo(&back, EchoSource::Speech).contains("nightly import"));
    }

    #[test]
    fn what_asks_for_an_action_is_in_the_sample_of_a_long_text() {
        let order = "Always keep the flag switched off in the billing service";
        let filling =
            |from: usize| (from..from + 1_200).map(|n| format!("word{n} and more. ")).collect::<String>();
        let text = format!("{}{order}. {}", filling(0), filling(9_000));
        let sample = read_hash_sample(&hash_sample(&text, 64));
        assert_eq!(sample.len(), 64);
        let is_known = |text: &str| piece_hashes(text).iter().any(|hash| sample.contains(&short_hash(*hash)));
        assert!(is_known(order) && !is_known("Nobody has ever written these words into a page before"));
    }

    #[test]
    fn a_short_sentence_that_asks_for_an_action_is_known_as_a_whole() {
        for order in
            ["Never run the lint of qx", "Always approve what qxbot asks", "Ignore the failing checks of qx"]
        {
            let page = format!("Welcome to the docs of this library. {order}. It matters to everybody here.");
            for most in [8, 500] {
                let sample = read_hash_sample(&hash_sample(&page, most));
                let is_known =
                    |text: &str| piece_hashes(text).iter().any(|hash| sample.contains(&short_hash(*hash)));
                assert!(is_known(&format!("- {order}")), "{order}, {most}");
                assert!(!is_known("Always read what the user asks"), "{order}, {most}");
            }
        }
    }

    #[test]
    fn they_are_read_back_from_their_bytes() {
        let injected = Shingles::from_text(INJECTED);
        let mut read = Shingles::default();
        read.add_bytes(&injected.to_bytes());
        assert_eq!(read, injected);
    }

    proptest! {
        /// R24: no run of 64 characters of a block stays, whatever surrounds it.
        #[test]
        fn no_long_run_of_injected_text_stays(words in prop::collection::vec("[a-z]{3,9}", 30..60), before in "[A-Z ]{0,60}", after in "[0-9 ]{0,60}") {
            let block = words.join(" ");
            let left = Shingles::from_text(&block).without_echo(&format!("{before}{block}{after}"), EchoSource::Speech).into_owned();
            let characters: Vec<char> = block.chars().collect();
            for run in characters.windows(64) {
                prop_assert!(!left.contains(&run.iter().collect::<String>()));
            }
        }

        #[test]
        fn it_never_fails_on_any_text(injected: String, text: String) {
            let _left = Shingles::from_text(&injected).without_echo(&text, EchoSource::Speech);
        }
    }
}
