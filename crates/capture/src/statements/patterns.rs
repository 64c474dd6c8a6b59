//! The small patterns the cue tables are written in: enough for a phrase with gaps, and plain to read.
//!
//! Not here: the tables (`cues`, `silence`, `corrections`, `title`), and how words are folded (`tokens`).

use super::tokens::{Token, bit};

/// The most words a `*` may stand for.
const WIDEST_GAP: usize = 14;

/// Where a pattern was found: its first token, the one after its last, and what each `*` stood for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) gaps: Vec<(usize, usize)>,
}

/// Finds a pattern in a sentence, leftmost first.
///
/// A pattern is words and marks apart by spaces: `^` the beginning, `a|b` either word, `~a` perhaps, `*` one to
/// fourteen of any, `~*` none to fourteen. `<time>` and other classes stand for a list of words.
pub(super) fn find(pattern: &str, tokens: &[Token]) -> Option<Found> {
    if !may_hold(pattern, tokens) {
        return None;
    }
    let mut elements: Vec<&str> = pattern.split(' ').collect();
    let starts = if elements.first() == Some(&"^") {
        elements.remove(0);
        0..=0
    } else {
        0..=tokens.len()
    };
    starts.into_iter().find_map(|start| {
        let mut gaps = Vec::new();
        matched_end(&elements, tokens, start, &mut gaps).map(|end| {
            gaps.reverse();
            Found { start, end, gaps }
        })
    })
}

/// Whether the first word a pattern asks for may be in the sentence. Hundreds of patterns are tried on every sentence,
/// and nearly all of them fail here.
fn may_hold(pattern: &str, tokens: &[Token]) -> bool {
    let Some(first) = pattern.split(' ').find(|element| !element.starts_with(['^', '~', '*'])) else {
        return true;
    };
    let is_class = first.starts_with('<');
    let wanted = first.split('|').fold(0, |wanted, choice| wanted | bit(choice));
    is_class || tokens.iter().any(|token| token.bit & wanted != 0)
}

/// Whether any of the patterns is found.
pub(super) fn says(patterns: &[&str], tokens: &[Token]) -> bool {
    patterns.iter().any(|pattern| find(pattern, tokens).is_some())
}

/// Where the elements, matched from token `at` on, end. Gaps are pushed innermost first.
fn matched_end(
    elements: &[&str],
    tokens: &[Token],
    at: usize,
    gaps: &mut Vec<(usize, usize)>,
) -> Option<usize> {
    let Some((element, rest)) = elements.split_first() else {
        return Some(at);
    };
    if *element == "*" {
        let last = tokens.len().min(at + WIDEST_GAP);
        return (at + 1..=last).find_map(|end| {
            let matched = matched_end(rest, tokens, end, gaps)?;
            gaps.push((at, end));
            Some(matched)
        });
    }
    if *element == "~*" {
        let last = tokens.len().min(at + WIDEST_GAP);
        return (at..=last).find_map(|end| matched_end(rest, tokens, end, gaps));
    }
    let (element, is_optional) =
        element.strip_prefix('~').map_or((*element, false), |element| (element, true));
    let here = tokens.get(at).is_some_and(|token| is_one_of(element, &token.word));
    let taken = if here { matched_end(rest, tokens, at + 1, gaps) } else { None };
    taken.or_else(|| if is_optional { matched_end(rest, tokens, at, gaps) } else { None })
}

fn is_one_of(element: &str, word: &str) -> bool {
    if let Some((_, members)) = CLASSES.iter().find(|(class, _)| *class == element) {
        return members.contains(&word);
    }
    element.split('|').any(|choice| choice == word)
}

const CLASSES: &[(&str, &[&str])] = &[
    (
        "<time>",
        &[
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
            "tomorrow",
            "tonight",
            "end",
            "eod",
            "eow",
            "month-end",
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
            "q1",
            "q2",
            "q3",
            "q4",
            "next",
        ],
    ),
    (
        "<date>",
        &[
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ],
    ),
    (
        "<group>",
        &[
            "reviewers",
            "contributors",
            "developers",
            "agents",
            "engineers",
            "maintainers",
            "authors",
            "tests",
            "commits",
            "migrations",
            "branches",
            "handlers",
            "endpoints",
            "errors",
            "components",
            "modules",
            "services",
            "functions",
            "names",
            "secrets",
            "logs",
            "prs",
            "everyone",
            "callers",
            "clients",
            "controllers",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::super::tokens::fold;
    use super::*;

    #[test]
    fn a_pattern_finds_gaps_choices_and_beginnings() {
        let tokens = fold("no, we use pnpm here, not npm");
        let gaps = |pattern| find(pattern, &tokens).map(|found| found.gaps);
        assert_eq!(gaps("we use|run * ~here , not *"), Some(vec![(4, 5), (8, 9)]));
        assert_eq!(gaps("^ we use"), None);
        assert_eq!(gaps("^ no"), Some(vec![]));
    }
}
