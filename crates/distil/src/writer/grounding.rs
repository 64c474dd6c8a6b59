//! What a note may not invent: names, paths, numbers, options and quoted strings must stand in the turns it cites, its quote word for
//! word.
//!
//! Not here: what follows from a word that does not (`checks`).

use super::session_record::{Passage, RecordLine, RecordTurn, Voice};
use backstory_memory::{is_stop_word, stem, words};
use std::collections::HashSet;

/// A text in which words are looked for.
pub(crate) struct Haystack {
    /// Folded, for paths and identifiers.
    text: String,
    /// Its words, for numbers and names: `5` does not stand in `15`.
    words: HashSet<String>,
    /// Its words in a row, for quotes.
    row: String,
}

impl Haystack {
    pub(crate) fn new(text: &str) -> Haystack {
        let row: Vec<String> = words(text).collect();
        let joined = format!(" {} ", row.join(" "));
        let mut all: HashSet<String> = row.into_iter().chain(words(&without_separators(text))).collect();
        // "24h" says 24, too.
        let numbers: Vec<String> = all.iter().map(|word| leading_number(word).to_owned()).collect();
        all.extend(numbers.into_iter().filter(|number| !number.is_empty()));
        Haystack { text: folded(text), row: joined, words: all }
    }

    /// Whether it holds a name, a path or a number.
    pub(crate) fn holds(&self, name: &str) -> bool {
        let name = folded(name);
        let name = name.trim();
        let is_word = |text: &str| text.chars().all(char::is_alphanumeric);
        if is_word(name) {
            let number = leading_number(name);
            let spelled = number.parse::<usize>().ok().and_then(|number| SPELLED_NUMBERS.get(number));
            return self.words.contains(name)
                || !number.is_empty()
                    && (self.words.contains(number) || spelled.is_some_and(|it| self.words.contains(*it)));
        }
        if self.text.contains(name) {
            return true;
        }
        let parts: Vec<&str> = name
            .split(|c: char| c.is_whitespace() || "/,|:→=()[]".contains(c))
            .filter(|part| part.len() > 1)
            .collect();
        parts.len() > 1
            && parts
                .iter()
                .all(|part| if is_word(part) { self.words.contains(*part) } else { self.text.contains(part) })
    }

    /// Whether it holds some words in a row. Where the words were shortened, every part must stand in it.
    pub(crate) fn quotes(&self, quote: &str) -> bool {
        let quote = quote.replace("[…]", "…").replace("...", "…");
        let parts: Vec<String> = quote.split('…').map(row).filter(|part| !part.is_empty()).collect();
        let stands = |part: &String| {
            // Scripts without blanks have no words to compare.
            let is_unspaced = !part.is_ascii() && part.chars().count() > 5;
            self.row.contains(&format!(" {part} ")) || is_unspaced && self.row.contains(part.as_str())
        };
        !parts.is_empty() && parts.iter().all(stands)
    }

    /// How many of some words it holds, in whatever form.
    pub(crate) fn shared_words(&self, text: &str) -> usize {
        let stems: HashSet<&str> = self.words.iter().map(|word| stem(word)).collect();
        let mut shared: Vec<String> =
            words(text).filter(|word| says_something(word)).map(|word| stem(&word).to_owned()).collect();
        shared.sort_unstable();
        shared.dedup();
        shared.iter().filter(|word| stems.contains(word.as_str())).count()
    }

    /// Whether it is mostly written in another script, so that a note in English shares few words with it.
    pub(super) fn is_of_other_script(&self) -> bool {
        let letters = self.text.chars().filter(|c| c.is_alphabetic());
        let (latin, other) = letters.fold((0_usize, 0_usize), |(latin, other), c| {
            if c.is_ascii() || ('\u{c0}'..='\u{24f}').contains(&c) {
                (latin + 1, other)
            } else {
                (latin, other + 1)
            }
        });
        other > 20 && other * 3 > latin
    }
}

const SPELLED_NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// The digits a word begins with.
fn leading_number(word: &str) -> &str {
    let end = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    word.get(..end).unwrap_or_default()
}

/// "6,000" as "6000".
fn without_separators(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_inside =
            out.ends_with(|c: char| c.is_ascii_digit()) && rest.peek().is_some_and(char::is_ascii_digit);
        if c != ',' || !is_inside {
            out.push(c);
        }
    }
    out
}

fn folded(text: &str) -> String {
    let plain: String =
        text.to_lowercase().chars().map(|c| if "`*\"'“”’‘".contains(c) { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn row(text: &str) -> String {
    words(text).collect::<Vec<_>>().join(" ")
}

fn says_something(word: &str) -> bool {
    word.chars().count() > 3 && !is_stop_word(word)
}

/// Where a quote stands.
pub(super) struct QuotePlace<'a> {
    pub(super) voice: Voice,
    pub(super) line: &'a RecordLine,
    pub(super) passage: &'a Passage,
}

/// Finds a quote in the cited turns, in the most believed voice that says it.
///
/// One or two words stand anywhere: they count only where they are all that was said.
pub(super) fn place_of<'a>(quote: &str, cited: &[&'a RecordTurn]) -> Option<QuotePlace<'a>> {
    const FEWEST_WORDS: usize = 3;
    const FEWEST_CHARS: usize = 12;
    let quoted = row(quote);
    let is_short = words(quote).count() < FEWEST_WORDS && quoted.chars().count() < FEWEST_CHARS;
    let says = |passage: &Passage| match is_short {
        true => row(&passage.text) == quoted,
        false => Haystack::new(&passage.text).quotes(quote),
    };
    let passages = cited
        .iter()
        .flat_map(|turn| turn.lines())
        .flat_map(|line| line.passages.iter().map(move |it| (line, it)));
    let said = passages.filter(|(_, passage)| !quoted.is_empty() && says(passage));
    said.map(|(line, passage)| QuotePlace { voice: passage.voice, line, passage })
        .max_by_key(|place| place.voice)
}

/// A word of a note that must not be invented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HardWord {
    pub(crate) text: String,
    /// Whether it can only be a name or a number; another may be a word at the head of a clause.
    pub(crate) is_strong: bool,
}

/// Returns the names, paths, numbers, options and quoted strings of a text.
pub(crate) fn hard_words(text: &str) -> Vec<HardWord> {
    let mut found: Vec<HardWord> = Vec::new();
    let mut add = |text: &str, is_strong: bool| {
        if !found.iter().any(|known| known.text == text) {
            found.push(HardWord { text: text.to_owned(), is_strong });
        }
    };
    let text = without_separators(&text.replace(['“', '”'], "\""));
    for (at, part) in text.split('"').enumerate() {
        if at % 2 == 1 && (3..=80).contains(&part.chars().count()) {
            add(part.trim(), true);
            continue;
        }
        let mut begins_sentence = true;
        for token in part.split(|c: char| c.is_whitespace() || ",;()`".contains(c)) {
            let word = token.trim_matches(|c: char| ".:!?'…[]{}<>=→–—*".contains(c));
            if word.chars().count() > 1 || word.chars().all(|c| c.is_ascii_digit()) && !word.is_empty() {
                match () {
                    () if is_name(word) => add(word, true),
                    () if !begins_sentence && is_capitalised(word) => add(word, false),
                    () => {}
                }
            }
            if !token.is_empty() {
                begins_sentence = token.ends_with(['.', '!', '?', ':']);
            }
        }
    }
    found
}

/// Whether a word can only be a number, a path, an option or an identifier.
fn is_name(word: &str) -> bool {
    let has_inner_capital =
        word.chars().zip(word.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    let is_shouted = word.chars().count() > 2 && word.chars().all(char::is_uppercase);
    let inner_dot = word
        .trim_end_matches('.')
        .chars()
        .zip(word.chars().skip(1))
        .any(|(one, next)| one == '.' && next.is_alphanumeric());
    word.chars().any(|c| c.is_ascii_digit())
        || word.contains(['_', '\\', '@'])
        || word.contains('/') && word.len() > 3
        || word.contains("::")
        || word.starts_with('-') && word.len() > 1
        || inner_dot
        || has_inner_capital
        || is_shouted
}

fn is_capitalised(word: &str) -> bool {
    word.chars().count() > 2
        && word.chars().next().is_some_and(char::is_uppercase)
        && word.chars().skip(1).all(char::is_alphabetic)
        && !is_stop_word(&word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_hard_and_words_are_not() {
        let hard: Vec<String> =
            hard_words("Labels are deduplicated by job_keys in Postgres for 24 h. Use `enqueueOnce` with --once, not \"retry later\"")
                .into_iter()
                .map(|word| word.text)
                .collect();
        assert_eq!(hard, ["job_keys", "Postgres", "24", "enqueueOnce", "--once", "retry later"]);
        assert!(hard_words("The worker sleeps. Then it wakes").is_empty());
    }

    #[test]
    fn a_number_does_not_stand_in_another() {
        let hay = Haystack::new("it retries 15 times, see src/queue.rs and `job_keys`");
        for (name, expected) in [
            ("5", false),
            ("15", true),
            ("queue.rs", true),
            ("src/queue.rs", true),
            ("job_key", true),
            ("worker.rs", false),
        ] {
            assert_eq!(hay.holds(name), expected, "{name}");
        }
        assert!(
            hay.quotes("retries 15 times")
                && hay.quotes("it retries … see src")
                && !hay.quotes("retries 16 times")
        );
    }
}
