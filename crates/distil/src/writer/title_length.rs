//! Titles that overrun their length, as those of small models do: a clause at the end goes to the body, word for word.
//!
//! Not here: what becomes of a title that has no such clause (`checks`).

use backstory_memory::{TITLE_CHARS, words};

/// What is longer is no title but a paragraph.
const MOST_CHARS: usize = 160;
/// Less says too little to stand alone.
const FEWEST_CHARS: usize = 30;
/// Fewer words behind a comma are one more item of a list.
const FEWEST_WORDS: usize = 3;
/// Where clauses end, the strongest mark first.
const MARKS: [&str; 5] = ["; ", " — ", " – ", ": ", ", "];
/// A clause that begins so says when the one before it holds, or ends a list: without it the title would say more than was said.
const LIMITS: [&str; 16] = [
    "unless", "except", "only", "if", "when", "while", "until", "without", "but", "not", "never", "and",
    "or", "nor", "because", "which",
];

/// Returns title and body, with a clause moved where the title is too long and has one.
pub(super) fn fitted(title: String, body: String) -> (String, String) {
    let length = title.chars().count();
    if length <= TITLE_CHARS || length > MOST_CHARS {
        return (title, body);
    }
    match MARKS.iter().find_map(|mark| split(&title, mark)) {
        Some((head, rest)) => {
            let end = if rest.ends_with(['.', '!', '?']) { "" } else { "." };
            let body = format!("{rest}{end} {body}").trim_end().to_owned();
            (head.to_owned(), body)
        }
        None => (title, body),
    }
}

/// Splits a title at the last mark that leaves a whole statement.
fn split<'a>(title: &'a str, mark: &str) -> Option<(&'a str, &'a str)> {
    let ends = title.rmatch_indices(mark).map(|(at, _)| at);
    ends.filter_map(|at| Some((title.get(..at)?, title.get(at + mark.len()..)?))).find(|(head, rest)| {
        let clause = rest.split([',', ';']).next().unwrap_or(rest);
        let first = words(rest).next().unwrap_or_default();
        (FEWEST_CHARS..=TITLE_CHARS).contains(&head.chars().count())
            && is_closed(head)
            // One more comma, and it is a list.
            && (mark != ", " || !rest.contains(mark))
            && words(clause).count() >= FEWEST_WORDS
            && !LIMITS.contains(&first.as_str())
    })
}

/// Whether every bracket and every quotation mark has its other end.
fn is_closed(text: &str) -> bool {
    let count = |c: char| text.matches(c).count();
    count('(') == count(')') && count('[') == count(']') && count('`') % 2 == 0 && count('"') % 2 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_that_has_no_room_goes_to_the_body_and_a_condition_stays() {
        let fits = |title: &str| fitted(title.to_owned(), "More.".to_owned());
        let keys = "Label jobs are deduplicated by the table job_keys for 24 hours";
        for (title, expected) in [
            ("Short; and whole", None),
            (
                "; keys older than that are removed by the night job",
                Some("keys older than that are removed by the night job. More."),
            ),
            (
                ": the printer spools a second time after a restart",
                Some("the printer spools a second time after a restart. More."),
            ),
            (", unless the printer was restarted by the night job", None),
            (", and only where the printer was restarted by hand", None),
            (" in every shop, in every country, and in the warehouse", None),
            (" by the worker that was started last of them all today", None),
        ] {
            let whole = if title.starts_with('S') { title.to_owned() } else { format!("{keys}{title}") };
            let expected = expected
                .map_or((whole.clone(), "More.".to_owned()), |body| (keys.to_owned(), body.to_owned()));
            assert_eq!(fits(&whole), expected, "{whole}");
        }
    }
}
