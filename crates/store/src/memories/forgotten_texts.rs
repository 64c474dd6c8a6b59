//! Which texts say what is to be forgotten.
//!
//! Compares letters and digits alone, so that case, spacing, markup and the escapes of JSON do not hide a text.

use backstory_memory::{Content, ContentRecord, Details, Shingles, is_stop_word, words};
use serde_json::Value;
use std::collections::HashSet;

/// A text with fewer letters stands in too many others by chance.
const FEWEST_LETTERS: usize = 11;
/// A sentence of a body with fewer letters does, too: "all tests pass now".
const FEWEST_IN_SENTENCE: usize = 24;
/// A word with fewer letters says nothing about where it comes from.
const SHORTEST_KEYWORD: usize = 4;
/// Fields of a record that hold a word of ours or a time, nothing anybody wrote.
const WITHOUT_TEXT: [&str; 5] = ["kind", "provenance", "scope", "valid_from", "valid_to"];

/// The texts of memories that are to be forgotten, and the words a person wants gone.
#[derive(Clone, Debug, Default)]
pub(crate) struct ForgottenTexts {
    /// Whole titles, facts and sentences, letters only.
    wholes: HashSet<String>,
    /// Each text, to find a long run of it.
    shingles: Vec<Shingles>,
    keywords: HashSet<String>,
    /// What a person asked for, in lower case, with single spaces.
    phrase: Option<String>,
}

impl ForgottenTexts {
    /// Forgets what holds a phrase of a person's choice.
    pub(crate) fn with_phrase(phrase: &str) -> ForgottenTexts {
        ForgottenTexts { phrase: Some(spaced(phrase)), ..ForgottenTexts::default() }
    }

    /// Returns the phrase alone, if there is one.
    pub(crate) fn phrase(&self) -> Option<ForgottenTexts> {
        self.phrase.clone().map(|phrase| ForgottenTexts { phrase: Some(phrase), ..ForgottenTexts::default() })
    }

    /// Adds everything a memory says.
    pub(crate) fn add(&mut self, content: &Content) {
        let details = content.details.as_ref().map(Details::to_json).unwrap_or_default();
        let named: HashSet<String> = content.files.iter().flat_map(|file| words(file)).collect();
        let texts = [&content.title, &content.body].into_iter().chain(&content.facts).cloned();
        for text in texts.chain(strings_of(&details)) {
            self.add_text(&text, &named);
        }
    }

    fn add_text(&mut self, text: &str, named_in_files: &HashSet<String>) {
        let whole = letters(text);
        if whole.chars().count() >= FEWEST_LETTERS {
            self.wholes.insert(whole);
        }
        let sentences = text.split(['\n', '.', '!', '?', ';']).map(letters);
        self.wholes.extend(sentences.filter(|sentence| sentence.chars().count() >= FEWEST_IN_SENTENCE));
        let shingles = Shingles::from_text(text);
        if !shingles.is_empty() {
            self.shingles.push(shingles);
        }
        let is_meaningful = |word: &String| {
            (word.len() >= SHORTEST_KEYWORD) && !is_stop_word(word) && !named_in_files.contains(word)
        };
        self.keywords.extend(words(text).filter(is_meaningful));
    }

    /// Whether a text says what is to be forgotten: a whole title, fact or sentence of it, a long run of its letters, or the phrase.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        if self.phrase.as_ref().is_some_and(|phrase| spaced(text).contains(phrase)) {
            return true;
        }
        if self.wholes.is_empty() && self.shingles.is_empty() {
            return false;
        }
        let there = letters(text);
        self.wholes.iter().any(|whole| there.contains(whole))
            || self.shingles.iter().any(|run| repeats(run, text))
    }

    /// Whether the content of a memory says it.
    pub(crate) fn are_in_content(&self, content: &Content) -> bool {
        // Of the whole record, so that a new field that holds text cannot be left out.
        let mut record = ContentRecord::from_content(content).to_all_fields();
        record.retain(|field, _| !WITHOUT_TEXT.contains(&field.as_str()));
        let mut texts = Vec::new();
        gather(Value::Object(record), &mut texts);
        texts.iter().any(|text| self.are_in(text))
    }

    /// Whether a text shares a word with what is to be forgotten. Names of files do not count: an edit of one says nothing.
    pub(crate) fn share_a_word_with(&self, text: &str) -> bool {
        words(text).any(|word| self.keywords.contains(&word))
    }
}

fn repeats(run: &Shingles, text: &str) -> bool {
    run.has_run_of(text)
}

/// Returns the letters and digits of a text, in lower case.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns a text in lower case with single spaces.
fn spaced(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Returns the texts in a JSON document, without its keys; the document itself if it is none.
pub(crate) fn strings_of(json: &str) -> Vec<String> {
    let mut texts = Vec::new();
    match serde_json::from_str(json) {
        Ok(value) => gather(value, &mut texts),
        Err(_) => texts.push(json.to_owned()),
    }
    texts
}

fn gather(value: Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(values) => values.into_iter().for_each(|value| gather(value, texts)),
        Value::Object(fields) => fields.into_iter().for_each(|(_, value)| gather(value, texts)),
        _ => {}
    }
}
