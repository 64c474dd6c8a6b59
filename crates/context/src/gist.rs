//! A memory in a sentence or three: its title, and what its body adds to that.
//!
//! Whole sentences, none that only says the title again. What was asked is left out, for the answer tells it; so is what was to be
//! done next, for the handoff knows it better.

use crate::encode::{encode, shorten};
use backstory_memory::{Kind, Memory, NEAR_DUPLICATE, TITLE_CHARS, first_chars, likeness};

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
pub(crate) fn gist(memory: &Memory, most_chars: usize) -> String {
    let title = title(memory);
    let said = sentences(memory);
    let stem = title.trim_end_matches('…');
    // A title that was cut is told by the sentence it was cut from.
    let is_cut = stem.len() < title.len() && said.first().is_some_and(|first| first.starts_with(stem));
    let mut out = if is_cut { String::new() } else { title.clone() };
    let news = said.iter().filter(|sentence| is_cut || likeness(&title, sentence) < NEAR_DUPLICATE);
    for sentence in news {
        let end = if out.is_empty() || out.ends_with(['.', '!', '?', '…', '。', ':']) { "" } else { "." };
        let gap = if out.is_empty() { "" } else { " " };
        let room = most_chars.saturating_sub(out.chars().count() + end.len() + gap.len());
        let fits = first_chars(sentence, room).len() == sentence.len();
        let is_first = out.is_empty() || out == title;
        if fits || (is_first && room >= SHORTEST_CUT) {
            out = format!("{out}{end}{gap}{}", shorten(sentence, room));
        }
        if !fits {
            break;
        }
    }
    if out.is_empty() { title } else { out }
}

/// The sentences of a body, or of a failure what is known of its fix.
fn sentences(memory: &Memory) -> Vec<String> {
    if memory.content.kind == Kind::Failure {
        return memory.content.facts.iter().take(3).map(|fact| encode(fact, LINE_CHARS)).collect();
    }
    let mut found = Vec::new();
    for line in lines(memory).filter(|line| !line.starts_with("Asked: ")) {
        let line = encode(line, LINE_CHARS * 2);
        let mut rest = line.as_str();
        while !rest.is_empty() {
            let (sentence, behind) = rest.split_at_checked(sentence_end(rest)).unwrap_or((rest, ""));
            rest = behind.trim_start();
            if !sentence.starts_with("Next step") {
                found.push(sentence.to_owned());
            }
        }
    }
    found
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
