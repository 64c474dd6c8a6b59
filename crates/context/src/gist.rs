//! A memory in a sentence or three: its title, and what its body adds to that.
//!
//! Whole sentences, none that only says the title again; one that says more than the title stands for it. What was asked is left out, for the answer tells it; so is what was to be
//! done next, for the handoff knows it better.

use crate::encode::{encode, shorten};
use backstory_memory::{Kind, Memory, NEAR_DUPLICATE, TITLE_CHARS, first_chars, likeness, words};

/// How many lines of a body are read, and how far each.
const MOST_LINES: usize = 8;
pub(crate) const LINE_CHARS: usize = 240;
/// Of a sentence cut shorter than this, nothing is understood.
const SHORTEST_CUT: usize = 40;

/// Returns a memory's title as one safe line.
pub(crate) fn title(memory: &Memory) -> String {
    let title = encode(&memory.content.title, TITLE_CHARS);
    if title.is_empty() { "(without a title)".to_owned() } else { title }
}

/// Tells a memory in at most `most_chars` characters.
#[must_use]
pub fn gist(memory: &Memory, most_chars: usize) -> String {
    let title = title(memory);
    let sentences = sentences(memory);
    // What the title was made of tells it whole, and is not said a second time.
    let whole = sentences.iter().position(|sentence| holds(sentence, &title) == Holds::AndMore);
    let mut out = whole
        .and_then(|at| sentences.get(at))
        .map_or_else(|| title.clone(), |sentence| shorten(sentence, most_chars));
    let mut is_first = whole.is_none();
    for (at, sentence) in sentences.iter().enumerate() {
        if whole == Some(at) || sentence.starts_with("Next step") || repeats(&title, sentence) {
            continue;
        }
        let end = if out.ends_with(['.', '!', '?', '…', '。', ':']) { " " } else { ". " };
        let room = most_chars.saturating_sub(out.chars().count() + end.len());
        let fits = first_chars(sentence, room).len() == sentence.len();
        if !fits && (!is_first || room < SHORTEST_CUT) {
            break;
        }
        out = format!("{out}{end}{}", shorten(sentence, room));
        is_first = false;
    }
    out
}

/// The sentence a title was cut from, where it has at most `most_chars` characters.
pub(crate) fn uncut(memory: &Memory, most_chars: usize) -> Option<String> {
    let title = Some(title(memory)).filter(|title| title.ends_with('…'))?;
    let whole = sentences(memory).into_iter().find(|sentence| holds(sentence, &title) == Holds::AndMore)?;
    (first_chars(&whole, most_chars).len() == whole.len()).then_some(whole)
}

/// Whether a sentence holds a title.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Not,
    /// After a few opening words, and ends with it.
    AtItsEnd,
    /// At its beginning or after a few opening words, and goes on.
    AndMore,
}

/// Looks for a title in a sentence, word by word: a title is made without markup, with a capital, and without words that only
/// open. Those are never more than the title has itself.
fn holds(sentence: &str, title: &str) -> Holds {
    let stem = title.trim_end_matches('…');
    let titled: Vec<String> = words(stem).collect();
    let said: Vec<String> = words(sentence).collect();
    let Some((last, before)) = titled.split_last() else { return Holds::Not };
    let is_cut = stem.len() < title.len();
    // Where no space is, a cut may go through a word.
    let is_last = |word: &String| word == last || (is_cut && word.starts_with(last.as_str()));
    let run = said
        .windows(titled.len())
        .take(titled.len() + 1)
        .position(|run| run.starts_with(before) && run.last().is_some_and(is_last));
    match run {
        None => Holds::Not,
        Some(at) if at + titled.len() < said.len() || is_cut => Holds::AndMore,
        Some(_) => Holds::AtItsEnd,
    }
}

/// Whether a sentence says the title again. One of another length cannot: it is not looked at.
fn repeats(title: &str, sentence: &str) -> bool {
    if holds(sentence, title) == Holds::AtItsEnd {
        return true;
    }
    let is_comparable = sentence.len() <= 2 * title.len() && title.len() <= 2 * sentence.len();
    is_comparable && likeness(title, sentence) >= NEAR_DUPLICATE
}

/// The sentences of a body that may tell something.
fn sentences(memory: &Memory) -> Vec<String> {
    let mut sentences = Vec::new();
    for line in telling_lines(memory) {
        let mut rest = line.as_str();
        while !rest.is_empty() {
            let (sentence, behind) = rest.split_at_checked(sentence_end(rest)).unwrap_or((rest, ""));
            sentences.push(sentence.to_owned());
            rest = behind.trim_start();
        }
    }
    sentences
}

/// The lines of a body that may tell something, or of a failure what is known of its fix.
fn telling_lines(memory: &Memory) -> Box<dyn Iterator<Item = String> + '_> {
    match memory.content.kind {
        Kind::Failure => Box::new(memory.content.facts.iter().take(3).map(|fact| encode(fact, LINE_CHARS))),
        _ => {
            let lines = lines(memory).filter(|line| !line.starts_with("Asked: "));
            Box::new(lines.map(|line| encode(line, LINE_CHARS * 2)))
        }
    }
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

/// The first lines of a body that say something.
pub(crate) fn lines(memory: &Memory) -> impl Iterator<Item = &str> {
    let body = first_chars(&memory.content.body, MOST_LINES * LINE_CHARS * 2);
    body.lines().map(str::trim).filter(|line| !line.is_empty()).take(MOST_LINES)
}
