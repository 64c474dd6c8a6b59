//! Decides whether a memory says what a gold note says: by words with their rarity, by our own embedding model, and by kind.
//!
//! The weights were fitted on 89 pairs checked by hand; `hand_checked.rs` measures the error on 60 others.

use backstory_embed::{Encoder, MiniLm, Vector};
use backstory_memory::{first_chars, is_stop_word, stem, words};
use std::collections::{BTreeSet, HashMap};

/// Knows how rare words are, and reads meaning.
pub(crate) struct Matcher {
    encoder: MiniLm,
    rarity: HashMap<String, f64>,
    unseen: f64,
}

/// A text, ready to be compared.
pub(crate) struct MatchText {
    title_words: BTreeSet<String>,
    all_words: BTreeSet<String>,
    title_vector: Option<Vector>,
    vector: Option<Vector>,
    /// The words of every sentence of the body.
    sentences: Vec<BTreeSet<String>>,
}

/// How alike a note and a memory are, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Likeness {
    /// Meaning of both titles.
    titles: f64,
    /// Meaning of both texts.
    texts: f64,
    /// Share of the note's words that the memory has, rare ones counting more.
    covered: f64,
    /// The sentence of the memory's body that has most words in common with the note.
    sentence: f64,
}

/// What became of a gold note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Recalled {
    Missed,
    /// A sentence inside a memory about something else.
    Buried,
    /// A memory of its own.
    Kept,
}

/// A body is read as far as the model reads.
const READ_CHARS: usize = 700;
const FEWEST_WORDS: usize = 4;
/// From here on a memory of a fitting kind says what the note says; one of another kind must be more alike.
const SAME: f64 = 3.9;
const SAME_OF_OTHER_KIND: f64 = 6.0;
/// From here on a sentence of a body says what the note says.
const SAME_SENTENCE: f64 = 0.5;
/// From here on two short texts, such as steps, are about the same.
const SAME_STEP: f64 = 0.5;
const SAME_MEANING: f64 = 0.55;

impl Matcher {
    /// Learns the rarity of words from texts like those it will compare.
    pub(crate) fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Matcher {
        let mut documents = 0.0;
        let mut counts: HashMap<String, f64> = HashMap::new();
        for text in texts {
            documents += 1.0;
            for word in word_set(text) {
                *counts.entry(word).or_default() += 1.0;
            }
        }
        let rarity = |count: f64| ((documents + 1.0) / (count + 0.5)).ln();
        Matcher {
            encoder: MiniLm::load(),
            rarity: counts.into_iter().map(|(word, count)| (word, rarity(count))).collect(),
            unseen: rarity(1.0),
        }
    }

    /// Prepares a note or a memory.
    pub(crate) fn prepare(&self, title: &str, body: &str) -> MatchText {
        let whole = format!("{title}\n{body}");
        MatchText {
            title_words: word_set(title),
            all_words: word_set(&whole),
            title_vector: self.encoder.encode_query(title),
            vector: self.encoder.encode_query(first_chars(&whole, READ_CHARS)),
            sentences: sentences(body).into_iter().map(word_set).collect(),
        }
    }

    /// Compares a note with a memory.
    pub(crate) fn compare(&self, note: &MatchText, memory: &MatchText) -> Likeness {
        let sentence = |words: &BTreeSet<String>| {
            f64::midpoint(self.covered(&note.title_words, words), self.covered(words, &note.all_words))
        };
        Likeness {
            titles: cosine(note.title_vector.as_ref(), memory.title_vector.as_ref()),
            texts: cosine(note.vector.as_ref(), memory.vector.as_ref()),
            covered: self.covered(&note.all_words, &memory.all_words),
            sentence: memory.sentences.iter().map(sentence).fold(0.0, f64::max),
        }
    }

    /// Whether one of many texts is about the same as a short one: a step, a question.
    pub(crate) fn is_among(&self, short: &MatchText, texts: &[MatchText]) -> bool {
        let alike = |text: &MatchText| {
            let words = self.covered(&short.all_words, &text.all_words);
            f64::midpoint(cosine(short.vector.as_ref(), text.vector.as_ref()), words)
        };
        texts.iter().any(|text| alike(text) >= SAME_STEP)
    }

    /// Whether two texts are about the same in meaning, however much one of them says.
    pub(crate) fn is_near(&self, one: &MatchText, other: &MatchText) -> bool {
        cosine(one.vector.as_ref(), other.vector.as_ref()) >= SAME_MEANING
    }

    /// Returns the share of words that the other text has too, weighed by rarity.
    fn covered(&self, words: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
        let weight = |word: &String| self.rarity.get(word).copied().unwrap_or(self.unseen);
        let all: f64 = words.iter().map(weight).sum();
        let shared: f64 = words.intersection(other).map(weight).sum();
        if all > 0.0 { shared / all } else { 0.0 }
    }
}

impl Likeness {
    /// Says what a memory of this kind makes of a note of this class.
    pub(crate) fn verdict(&self, class: &str, kind: &str) -> Recalled {
        let fits = kind_fits(class, kind);
        let is_same = self.is_same(fits);
        // A rule of the user that is only seen in the work it led to is buried there.
        let may_keep = (fits || !is_user_class(class)) && !["summary", "handoff"].contains(&kind);
        if is_same && may_keep {
            Recalled::Kept
        } else if is_same || self.sentence >= SAME_SENTENCE {
            Recalled::Buried
        } else {
            Recalled::Missed
        }
    }

    /// Whether both say the same, whatever kind the memory is.
    pub(crate) fn serves(&self) -> bool {
        self.is_same(true)
    }

    /// How alike both are, their kinds apart.
    pub(crate) fn score(&self) -> f64 {
        4.1 * self.titles + 2.6 * self.texts + 3.0 * self.covered
    }

    fn is_same(&self, fits: bool) -> bool {
        self.score() >= if fits { SAME } else { SAME_OF_OTHER_KIND }
    }
}

/// Whether a note is a rule of the user, which only a memory that is no work keeps.
pub(crate) fn is_user_class(class: &str) -> bool {
    ["constraint", "preference", "correction"].contains(&class)
}

/// Whether a memory of this kind can be a note of this class, and not only touch it.
fn kind_fits(class: &str, kind: &str) -> bool {
    let is_work = is_work(kind);
    let is_knowledge =
        ["rule", "decision", "fact", "note", "goal", "pattern", "learning", "gotcha"].contains(&kind);
    match class {
        "work" => is_work,
        "decision" => is_knowledge || is_work,
        "failure" => ["failure", "bugfix", "fact", "learning", "gotcha"].contains(&kind),
        "gotcha" | "fact" => is_knowledge || ["failure", "discovery"].contains(&kind),
        _ => is_knowledge,
    }
}

/// Whether a kind is of work done.
pub(crate) fn is_work(kind: &str) -> bool {
    ["feature", "bugfix", "refactor", "change"].contains(&kind)
}

fn cosine(one: Option<&Vector>, other: Option<&Vector>) -> f64 {
    one.zip(other).map_or(0.0, |(one, other)| f64::from(one.cosine(other)).max(0.0))
}

/// Returns the stems of the words that carry meaning.
pub(crate) fn word_set(text: &str) -> BTreeSet<String> {
    words(text).filter(|word| !is_stop_word(word)).map(|word| stem(&word).to_owned()).collect()
}

/// Returns the sentences of a body: its lines, split at full stops and semicolons.
fn sentences(body: &str) -> Vec<&str> {
    let parts = body.lines().flat_map(|line| line.split_inclusive(". ")).flat_map(|part| part.split("; "));
    parts.map(str::trim).filter(|part| words(part).nth(FEWEST_WORDS - 1).is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: (&str, &str) = (
        "Fixtures are generated, never edited by hand",
        "The user wants golden files written by `make goldens` only; hand edits are thrown away.",
    );

    fn verdict(class: &str, kind: &str, title: &str, body: &str) -> Recalled {
        let matcher = Matcher::new([NOTE.1, body, "The build runs on two machines"].into_iter());
        let likeness = matcher.compare(&matcher.prepare(NOTE.0, NOTE.1), &matcher.prepare(title, body));
        likeness.verdict(class, kind)
    }

    #[test]
    fn a_memory_in_other_words_keeps_a_note() {
        let title = "Golden fixtures come from make goldens, not from hand edits";
        let body = "Fixtures are generated by `make goldens`; never edit them by hand.";
        assert_eq!(verdict("constraint", "rule", title, body), Recalled::Kept);
        // The same words as work, or in a summary, are no rule of the user.
        assert_eq!(verdict("constraint", "change", title, body), Recalled::Buried);
        assert_eq!(verdict("constraint", "summary", title, body), Recalled::Buried);
    }

    #[test]
    fn a_sentence_in_a_memory_about_something_else_buries_a_note() {
        let body = "The parser accepts tabs now.\nThe command line has a new flag for colours, and the manual lists it.\n\
            Fixtures are generated, never edited by hand.\nThe release waits for a signature of both owners.";
        assert_eq!(verdict("gotcha", "feature", "Parser accepts tabs", body), Recalled::Buried);
        let other = "The nightly backup goes to the second disk.";
        assert_eq!(verdict("gotcha", "fact", "Backups go to the second disk", other), Recalled::Missed);
    }
}
