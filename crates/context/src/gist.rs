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
#[must_use]
pub fn gist(memory: &Memory, most_chars: usize) -> String {
    let title = title(memory);
    let stem = title.trim_end_matches('…');
    let mut out = title.clone();
    let mut is_first = true;
    for line in telling_lines(memory) {
        let mut rest = line.as_str();
        while !rest.is_empty() {
            let (sentence, behind) = rest.split_at_checked(sentence_end(rest)).unwrap_or((rest, ""));
            rest = behind.trim_start();
            if is_first && stem.len() < title.len() && sentence.starts_with(stem) {
                // A title that was cut is told by the sentence it was cut from.
                out = shorten(sentence, most_chars);
            } else if !sentence.starts_with("Next step") && !repeats(&title, sentence) {
                let end = if out.ends_with(['.', '!', '?', '…', '。', ':']) { " " } else { ". " };
                let room = most_chars.saturating_sub(out.chars().count() + end.len());
                let fits = first_chars(sentence, room).len() == sentence.len();
                if !fits && (!is_first || room < SHORTEST_CUT) {
                    return out;
                }
                out = format!("{out}{end}{}", shorten(sentence, room));
            } else {
                continue;
            }
            is_first = false;
        }
    }
    out
}

/// Whether a sentence says the title again. One of another length cannot: it is not looked at.
fn repeats(title: &str, sentence: &str) -> bool {
    let is_comparable = sentence.len() <= 2 * title.len() && title.len() <= 2 * sentence.len();
    is_comparable && likeness(title, sentence) >= NEAR_DUPLICATE
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
