//! A memory in a sentence or three: its title, and what its body adds to that.
//!
//! Whole sentences, none that only repeats the title; a sentence that extends the title replaces it. The request is left out, because
//! the answer implies it; next steps are left out, because the handoff knows them better.

use crate::encode::{encode, shorten};
use backstory_memory::{Details, Kind, Memory, NEAR_DUPLICATE, TITLE_CHARS, first_chars, words};
use std::collections::BTreeSet;

/// How many lines of a body are read, and how far each.
const MOST_LINES: usize = 8;
pub(crate) const LINE_CHARS: usize = 240;
/// A title is made of one of the first sentences, if of any.
const FIRST_SENTENCES: usize = 3;
/// A sentence cut shorter than this cannot be understood.
const SHORTEST_CUT: usize = 40;

/// Returns a memory's title as one safe line.
pub(crate) fn title(memory: &Memory) -> String {
    let title = encode(&memory.content.title, TITLE_CHARS);
    if title.is_empty() { "(without a title)".to_owned() } else { title }
}

/// Returns a memory in at most `most_chars` characters.
#[must_use]
pub fn snippet(memory: &Memory, most_chars: usize) -> String {
    let title = TitleWords::of_memory(memory);
    let mut rest = sentences(memory);
    let mut first: Vec<String> = rest.by_ref().take(FIRST_SENTENCES).collect();
    // The sentence the title was made of replaces it, and is not repeated.
    let whole = first.iter().position(|sentence| title.is_held_by(sentence) == TitleMatch::AndMore);
    let whole = whole.map(|at| first.remove(at));
    let mut is_first = whole.is_none();
    let mut out = whole.map_or_else(|| title.text.clone(), |sentence| shorten(&sentence, most_chars));
    let next_steps = next_steps(memory);
    for sentence in first.into_iter().chain(rest) {
        let is_next_step = match &next_steps {
            Some(line) => line.contains(&sentence),
            // Text in an agent's or another program's own words.
            None => sentence.starts_with("Next step"),
        };
        if is_next_step || title.is_repeated_by(&sentence) {
            continue;
        }
        let end = if out.ends_with(['.', '!', '?', '…', '。', ':']) { " " } else { ". " };
        let allowance = most_chars.saturating_sub(out.chars().count() + end.len());
        let fits = first_chars(&sentence, allowance).len() == sentence.len();
        if !fits && (!is_first || allowance < SHORTEST_CUT) {
            break;
        }
        out = format!("{out}{end}{}", shorten(&sentence, allowance));
        is_first = false;
    }
    out
}

/// The sentence a title was cut from, where it has at most `most_chars` characters.
pub(crate) fn uncut(memory: &Memory, most_chars: usize) -> Option<String> {
    let title = Some(TitleWords::of_memory(memory)).filter(|title| title.is_cut)?;
    let mut first = sentences(memory).take(FIRST_SENTENCES);
    let whole = first.find(|sentence| title.is_held_by(sentence) == TitleMatch::AndMore)?;
    (first_chars(&whole, most_chars).len() == whole.len()).then_some(whole)
}

/// A title, to be looked for in sentences.
struct TitleWords {
    text: String,
    words: Vec<String>,
    is_cut: bool,
}

/// Whether a sentence holds a title.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TitleMatch {
    Not,
    /// After a few opening words, and ends with it.
    AtItsEnd,
    /// At its beginning or after a few opening words, and goes on.
    AndMore,
}

impl TitleWords {
    fn of_memory(memory: &Memory) -> TitleWords {
        let text = title(memory);
        let stem = text.trim_end_matches('…');
        let (words, is_cut) = (words(stem).collect(), stem.len() < text.len());
        TitleWords { text, words, is_cut }
    }

    /// Looks for it word by word: a title is made without markup, with a capital, and without words that only open. Those are never
    /// more than it has itself.
    fn is_held_by(&self, sentence: &str) -> TitleMatch {
        let Some((last, before)) = self.words.split_last() else { return TitleMatch::Not };
        let mut rest = words(sentence);
        let mut said: Vec<String> = rest.by_ref().take(self.words.len() + 1).collect();
        // Most sentences have nothing to do with it, which is seen here.
        if !said.iter().any(|word| Some(word) == self.words.first()) {
            return TitleMatch::Not;
        }
        said.extend(rest);
        // Where no space is, a cut may go through a word.
        let is_last = |word: &String| word == last || (self.is_cut && word.starts_with(last.as_str()));
        let run = said
            .windows(self.words.len())
            .take(self.words.len() + 1)
            .position(|run| run.starts_with(before) && run.last().is_some_and(is_last));
        match run {
            None => TitleMatch::Not,
            Some(at) if at + self.words.len() < said.len() || self.is_cut => TitleMatch::AndMore,
            Some(_) => TitleMatch::AtItsEnd,
        }
    }

    /// Whether a sentence only repeats the title. One of very different length cannot.
    fn is_repeated_by(&self, sentence: &str) -> bool {
        let is_comparable = sentence.len() <= 2 * self.text.len() && self.text.len() <= 2 * sentence.len();
        is_comparable
            && (self.is_held_by(sentence) == TitleMatch::AtItsEnd || self.is_near_duplicate_of(sentence))
    }

    /// Whether a sentence has nearly the same words. Most have too many others, which is seen before all are read.
    fn is_near_duplicate_of(&self, sentence: &str) -> bool {
        let (mut shared, mut others) = (Vec::new(), Vec::new());
        for word in words(sentence) {
            let alike = if self.words.contains(&word) { &mut shared } else { &mut others };
            if !alike.contains(&word) {
                alike.push(word);
            }
            if share(self.words.len(), self.words.len() + others.len()) < NEAR_DUPLICATE {
                return false;
            }
        }
        let distinct = self.words.iter().collect::<BTreeSet<_>>().len();
        share(shared.len(), distinct + others.len()) >= NEAR_DUPLICATE
    }
}

/// Returns the share of a part in a whole; nothing has none.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The informative sentences of a body.
fn sentences(memory: &Memory) -> impl Iterator<Item = String> {
    informative_lines(memory).flat_map(|line| {
        let mut rest = line.as_str();
        let mut sentences = Vec::new();
        while !rest.is_empty() {
            let (sentence, behind) = rest.split_at_checked(sentence_end(rest)).unwrap_or((rest, ""));
            sentences.push(sentence.to_owned());
            rest = behind.trim_start();
        }
        sentences
    })
}

/// The informative lines of a body, or the facts of a failure: what fixed it, not its output.
fn informative_lines(memory: &Memory) -> Box<dyn Iterator<Item = String> + '_> {
    let has_facts = !memory.content.facts.is_empty();
    let is_trap = has_facts && matches!(memory.content.details, Some(Details::Failure(_)));
    match memory.content.kind {
        kind if is_trap || kind == Kind::Failure => {
            Box::new(memory.content.facts.iter().take(3).map(|fact| encode(fact, LINE_CHARS)))
        }
        _ => {
            let lines = lines(memory).filter(|line| !is_background(memory, line));
            Box::new(lines.map(|line| encode(line, LINE_CHARS * 2)))
        }
    }
}

/// Whether a line of a body only says what was asked for or read.
fn is_background(memory: &Memory, line: &str) -> bool {
    memory.content.details.as_ref().is_some_and(|details| details.is_background(line))
}

/// The line of a body with the next steps, encoded as its sentences are; `None` if the details list none.
fn next_steps(memory: &Memory) -> Option<String> {
    let line = memory.content.details.as_ref()?.next_steps_line()?;
    Some(encode(&line, LINE_CHARS * 2))
}

/// Where the first sentence of a text ends.
fn sentence_end(text: &str) -> usize {
    let ends = |(at, c): &(usize, char)| match c {
        '。' | '！' | '？' => true,
        '.' | '!' | '?' => text.get(at + 1..).is_some_and(|behind| behind.starts_with(' ')),
        _ => false,
    };
    text.char_indices().find(ends).map_or(text.len(), |(at, c)| at + c.len_utf8())
}

/// The first non-empty lines of a body.
pub(crate) fn lines(memory: &Memory) -> impl Iterator<Item = &str> {
    let body = first_chars(&memory.content.body, MOST_LINES * LINE_CHARS * 2);
    body.lines().map(str::trim).filter(|line| !line.is_empty()).take(MOST_LINES)
}
