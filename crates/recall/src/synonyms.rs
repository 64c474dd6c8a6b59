//! Synonyms: more words to search for, from a list that users can edit.
//!
//! A line says what one word may also be called: `deploy: ci, pipeline, release`. It holds in one direction and is not followed
//! further: a synonym of a synonym is no longer what was searched for. Not here: reading the user's file (`cli`), the weight of a
//! synonym (`fusion`).

use backstory_memory::words;
use std::collections::{BTreeMap, BTreeSet};

/// The list that comes with Backstory; its head says how lines are written.
const BUILT_IN: &str = include_str!("synonyms.txt");

/// A file larger than this is not a list of synonyms.
pub const MOST_SYNONYM_BYTES: usize = 64 * 1024;
/// More words than this for one do not narrow anything down.
const MOST_FOR_A_WORD: usize = 16;
/// A query grows by at most this many words.
const MOST_ADDED: usize = 32;

/// What words may also be called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synonyms {
    lines: BTreeMap<String, SynonymLine>,
    notes: Vec<String>,
}

/// What one word may also be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SynonymLine {
    /// The other words, in the order they were written.
    pub others: Vec<String>,
    /// Whether the user's own list says so.
    pub is_own: bool,
}

/// A synonym, and the word of the query it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedSynonym {
    /// The word to look for.
    pub word: String,
    /// The word of the query.
    pub because_of: String,
}

impl Synonyms {
    /// Returns the list that comes with Backstory.
    #[must_use]
    pub fn built_in() -> Synonyms {
        let mut synonyms = Synonyms::default();
        synonyms.add(BUILT_IN, false);
        synonyms
    }

    /// Returns the built-in list with a list of the user's laid over it. Lines that cannot be parsed are skipped with a note.
    #[must_use]
    pub fn with(own: &str) -> Synonyms {
        let mut synonyms = Synonyms::built_in();
        if own.len() > MOST_SYNONYM_BYTES {
            synonyms.notes.push(format!("longer than {MOST_SYNONYM_BYTES} bytes: skipped"));
        } else {
            synonyms.add(own, true);
        }
        synonyms
    }

    /// Returns the synonyms of a query's words, those of its first words first, without words the query already has.
    #[must_use]
    pub fn expand(&self, said: &[String]) -> Vec<AddedSynonym> {
        let mut known: BTreeSet<&str> = said.iter().map(String::as_str).collect();
        let mut added = Vec::new();
        for (word, line) in said.iter().filter_map(|word| Some((word, self.line_for(word)?))) {
            for other in line.others.iter().filter(|other| known.insert(other)) {
                added.push(AddedSynonym { word: other.clone(), because_of: word.clone() });
            }
        }
        added.truncate(MOST_ADDED);
        added
    }

    /// Returns the line of a word, or of its base form: `formatting` uses the line of `format`.
    fn line_for(&self, word: &str) -> Option<&SynonymLine> {
        self.lines.get(word).or_else(|| {
            let stems = (SHORTEST_STEM..word.len()).rev().filter_map(|end| word.split_at_checked(end));
            let mut forms = stems.filter(|(stem, ending)| is_ending(stem, ending));
            forms.find_map(|(stem, _)| self.lines.get(stem))
        })
    }

    /// Returns every line, by its word.
    pub fn lines(&self) -> impl Iterator<Item = (&str, &SynonymLine)> {
        self.lines.iter().map(|(word, line)| (word.as_str(), line))
    }

    /// Returns which lines of the user's list were skipped, and why.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn add(&mut self, text: &str, is_own: bool) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            match parse(line) {
                Ok((word, others)) if others.is_empty() => drop(self.lines.remove(&word)),
                Ok((word, others)) => drop(self.lines.insert(word, SynonymLine { others, is_own })),
                Err(why) => self.notes.push(format!("line {}: {why}", number + 1)),
            }
        }
    }
}

/// Shorter beginnings are words of their own.
const SHORTEST_STEM: usize = 3;

/// Whether an ending makes another form of a word and not another word.
fn is_ending(stem: &str, ending: &str) -> bool {
    let doubled = stem.chars().next_back().and_then(|last| ending.strip_prefix(last)).unwrap_or(ending);
    let is_verbal = |ending| matches!(ending, "ed" | "er" | "ing");
    matches!(ending, "s" | "es" | "d" | "ment" | "ments") || is_verbal(ending) || is_verbal(doubled)
}

/// Parses a line: a word and its synonyms.
fn parse(line: &str) -> Result<(String, Vec<String>), &'static str> {
    let (word, others) = line.split_once(':').ok_or("there is no `:` in it")?;
    let word = single(word).ok_or("one word stands before the `:`")?;
    let mut named: Vec<String> = Vec::new();
    for other in others.split(',').filter(|other| !other.trim().is_empty()) {
        let other = single(other).ok_or("one word stands between two commas")?;
        if other != word && !named.contains(&other) {
            named.push(other);
        }
    }
    named.truncate(MOST_FOR_A_WORD);
    Ok((word, named))
}

/// Returns the one word of a text, split as queries are split.
fn single(text: &str) -> Option<String> {
    let mut words = words(text);
    words.next().filter(|_| words.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(synonyms: &Synonyms, said: &[&str]) -> Vec<String> {
        let said: Vec<String> = said.iter().map(|word| (*word).to_owned()).collect();
        synonyms
            .expand(&said)
            .iter()
            .map(|added| format!("{} for {}", added.word, added.because_of))
            .collect()
    }

    #[test]
    fn inflected_words_use_the_line_of_their_base_form() {
        let synonyms = Synonyms::with("format: style\ndeploy: release\nbug: defect\n");
        for word in ["formatting", "formatted", "formats", "deployment", "deploys", "deploying", "bugs"] {
            assert_eq!(added(&synonyms, &[word]).len(), 1, "{word}");
        }
        for word in ["information", "forma", "bugle", "reformat", "builders"] {
            assert_eq!(
                added(&Synonyms::with("form: paper\nbug: defect\nformat: style\nbuild:\n"), &[word]),
                [""; 0],
                "{word}"
            );
        }
    }

    #[test]
    fn the_built_in_list_is_sound() {
        let synonyms = Synonyms::built_in();
        assert_eq!(synonyms.notes(), [""; 0]);
        assert!(synonyms.lines().count() >= 40);
        assert!(synonyms.lines().all(|(_, line)| !line.others.is_empty() && !line.is_own));
        let written = BUILT_IN.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        assert_eq!(written.count(), synonyms.lines().count(), "a word has two lines");
    }

    #[test]
    fn a_word_also_looks_for_its_others_and_not_the_other_way_round() {
        let synonyms = Synonyms::with("shipit: deploy, release\nbrew: ci");
        assert_eq!(added(&synonyms, &["shipit", "x"]), ["deploy for shipit", "release for shipit"]);
        assert_eq!(added(&synonyms, &["x", "jwt"]), [""; 0]);
        // What was said is not added, nor is anything added twice.
        assert_eq!(added(&synonyms, &["shipit", "release", "brew"]), ["deploy for shipit", "ci for brew"]);
    }

    #[test]
    fn the_users_list_adds_replaces_and_removes() {
        let synonyms = Synonyms::with(
            "\u{feff}# mine\n Deploy : Rollout ,rollout,, deploy # only that\nauth:\n\nhello: world\r\n",
        );
        assert_eq!(added(&synonyms, &["deploy"]), ["rollout for deploy"]);
        assert_eq!(added(&synonyms, &["auth"]), [""; 0]);
        assert_eq!(added(&synonyms, &["hello"]), ["world for hello"]);
        assert_eq!(added(&synonyms, &["k8s"]).first().unwrap(), "kubernetes for k8s");
        let own: Vec<&str> = synonyms.lines().filter(|(_, line)| line.is_own).map(|(word, _)| word).collect();
        assert_eq!(own, ["deploy", "hello"]);
    }

    #[test]
    fn a_line_that_cannot_be_parsed_is_skipped_with_a_note() {
        let synonyms = Synonyms::with("no colon\ntwo words: x\n: x\na: b c, d\nfine: good");
        assert_eq!(
            synonyms.notes(),
            [
                "line 1: there is no `:` in it",
                "line 2: one word stands before the `:`",
                "line 3: one word stands before the `:`",
                "line 4: one word stands between two commas",
            ]
        );
        assert_eq!(added(&synonyms, &["fine"]), ["good for fine"]);
        let long = Synonyms::with(&"a: b\n".repeat(20_000));
        assert_eq!(long.notes(), ["longer than 65536 bytes: skipped"]);
        assert_eq!(long.lines, Synonyms::built_in().lines);
    }

    #[test]
    fn a_query_grows_within_bounds() {
        let many: Vec<String> = (0..100).map(|n| format!("other{n}")).collect();
        let list: String = (0..10)
            .map(|n| format!("word{n}: {}\n", many.join(", ").replace("other", &format!("o{n}x"))))
            .collect();
        let synonyms = Synonyms::with(&list);
        assert_eq!(added(&synonyms, &["word1"]).len(), 16);
        let all: Vec<String> = (0..10).map(|n| format!("word{n}")).collect();
        assert_eq!(synonyms.expand(&all).len(), 32);
    }
}
