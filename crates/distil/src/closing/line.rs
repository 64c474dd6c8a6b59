//! Words as one plain line: no Markdown, no emoji, no more than it may hold.
//!
//! Not here: which words are kept (`sayings`).

use crate::prose::{plain, titled};
use backstory_memory::{TITLE_CHARS, is_emoji, title_from};

/// The most characters of a next step, a question or a thing learned.
pub(super) const MOST_LINE_CHARS: usize = 200;
/// The most characters of an answer.
pub(super) const MOST_ANSWER_CHARS: usize = 320;

/// Where a long sentence may end and still mean what it meant, the best places first: a cut at "and" would keep half of
/// what stands after a semicolon.
const CLAUSE_ENDS: [&[&str]; 2] =
    [&["; ", " – ", " — "], &[": ", ", ", " and ", " so ", " because ", " which ", " ("]];
/// A title cut shorter than this says too little.
const FEWEST_TITLE_CHARS: usize = 25;

/// Makes a title of what was said.
pub(super) fn title(said: &str) -> String {
    let said = without_end(&line(said, usize::MAX)).to_owned();
    if said.chars().count() <= TITLE_CHARS {
        return said;
    }
    let head = CLAUSE_ENDS.iter().find_map(|ends| longest_head(&said, ends));
    head.map_or_else(|| title_from(&said), |head| without_end(head).to_owned())
}

/// The longest head of a sentence that fits a title and stops at one of these ends.
fn longest_head<'a>(said: &'a str, ends: &[&str]) -> Option<&'a str> {
    let ends = ends.iter().flat_map(|end| said.match_indices(end)).map(|(at, _)| at);
    ends.filter_map(|at| said.get(..at))
        .filter(|head| (FEWEST_TITLE_CHARS..=TITLE_CHARS).contains(&head.chars().count()))
        .filter(|head| head.matches('(').count() == head.matches(')').count())
        .max_by_key(|head| head.len())
}

/// Makes one plain line of what was said, without the mark that ends a sentence.
pub(super) fn item(said: &str) -> String {
    without_end(&line(said, MOST_LINE_CHARS)).to_owned()
}

/// Makes one plain line of what was said, of at most so many characters.
pub(super) fn line(said: &str, most_chars: usize) -> String {
    let plain: String = plain(said).chars().filter(|c| !is_decoration(*c)).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let line = words.join(" ");
    let line = line.trim_start_matches(|c: char| !is_opening(c));
    let line = titled(said, line);
    match line.char_indices().nth(most_chars) {
        Some((end, _)) => {
            let head = line.get(..end).unwrap_or_default();
            let head = head.rsplit_once(' ').map_or(head, |(head, _)| head);
            format!("{}…", without_end(head))
        }
        None => line,
    }
}

fn is_opening(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '(' | '"' | '“' | '@' | '/' | '.' | '$' | '-')
}

fn without_end(line: &str) -> &str {
    line.trim_end_matches(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '.' | '!' | ':' | ',' | ';' | '-' | '–' | '—' | '*' | '_' | '#' | '`' | '>' | '|' | '('
            )
    })
}

/// An emoji, or what joins and varies them.
fn is_decoration(c: char) -> bool {
    is_emoji(c) || matches!(c, '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}
