//! The small patterns the phrase tables are written in: enough for a phrase with gaps, and plain to read.
//!
//! A table is written as text and read once, the first time it is asked: hundreds of patterns are tried on every
//! sentence, in a process that lives for one turn. Not here: the tables themselves, and how words are folded (`tokens`).

use super::tokens::{Token, bit};
use backstory_memory::{MONTHS, WEEKDAYS};
use std::sync::OnceLock;

/// The most words a `*` may stand for.
const WIDEST_GAP: usize = 14;

/// A table of patterns that mean the same.
///
/// A pattern is words and marks apart by spaces: `^` the beginning, `a|b` either word, `~a` perhaps, `*` one to
/// fourteen of any, `~*` none to fourteen, `$` the end but for its full stop. `<time>` and other classes stand for a list of words.
pub(crate) struct Patterns {
    written: &'static [&'static str],
    read: OnceLock<Vec<PhrasePattern>>,
}

/// Where a pattern was found: its first token, the one after its last, and what each `*` stood for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PatternMatch {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) gaps: Vec<(usize, usize)>,
}

impl Patterns {
    pub(crate) const fn new(written: &'static [&'static str]) -> Self {
        Patterns { written, read: OnceLock::new() }
    }

    /// Whether any of the patterns is in the sentence.
    pub(crate) fn are_in(&self, tokens: &[Token]) -> bool {
        self.all_in(tokens).next().is_some()
    }

    /// Finds the first pattern of the table that is in the sentence, at its leftmost place.
    pub(crate) fn find(&self, tokens: &[Token]) -> Option<PatternMatch> {
        self.all_in(tokens).next()
    }

    /// Finds each pattern of the table that is in the sentence, at its leftmost place.
    pub(crate) fn all_in(&self, tokens: &[Token]) -> impl Iterator<Item = PatternMatch> {
        let held = tokens.iter().fold(0, |held, token| held | token.bit);
        let patterns = self
            .read
            .get_or_init(|| self.written.iter().map(|written| PhrasePattern::read(written)).collect());
        patterns
            .iter()
            .filter(move |pattern| pattern.may_hold(held))
            .filter_map(|pattern| pattern.find(tokens))
    }
}

struct PhrasePattern {
    is_opening: bool,
    elements: Vec<Element>,
}

enum Element {
    One(Choice),
    Perhaps(Choice),
    End,
    /// Any words, at least so many.
    Gap {
        fewest: usize,
    },
}

/// Words of which one is meant.
struct Choice {
    words: Vec<&'static str>,
    bits: u128,
}

impl PhrasePattern {
    fn read(written: &'static str) -> Self {
        let elements = written.split(' ').filter(|element| *element != "^").map(|element| match element {
            "$" => Element::End,
            "*" => Element::Gap { fewest: 1 },
            "~*" => Element::Gap { fewest: 0 },
            _ => element.strip_prefix('~').map_or_else(
                || Element::One(Choice::read(element)),
                |element| Element::Perhaps(Choice::read(element)),
            ),
        });
        PhrasePattern { is_opening: written.starts_with('^'), elements: elements.collect() }
    }

    /// Whether each word the pattern asks for may be in the sentence that holds these bits. Nearly all patterns fail here.
    fn may_hold(&self, held: u128) -> bool {
        self.elements
            .iter()
            .all(|element| !matches!(element, Element::One(choice) if choice.bits & held == 0))
    }

    fn find(&self, tokens: &[Token]) -> Option<PatternMatch> {
        let last_start = if self.is_opening { 0 } else { tokens.len() };
        (0..=last_start).find_map(|start| {
            let mut gaps = Vec::new();
            matched_end(&self.elements, tokens, start, &mut gaps).map(|end| {
                gaps.reverse();
                PatternMatch { start, end, gaps }
            })
        })
    }
}

impl Choice {
    fn read(written: &'static str) -> Self {
        let class = CLASSES.iter().find(|(class, _)| *class == written);
        let words = class.map_or_else(|| written.split('|').collect(), |(_, lists)| lists.concat());
        let bits = words.iter().fold(0, |bits, word| bits | bit(word));
        Choice { words, bits }
    }

    fn is(&self, token: &Token) -> bool {
        self.bits & token.bit != 0 && self.words.contains(&token.word.as_str())
    }
}

/// Where the elements, matched from token `at` on, end. Gaps are pushed innermost first.
fn matched_end(
    elements: &[Element],
    tokens: &[Token],
    at: usize,
    gaps: &mut Vec<(usize, usize)>,
) -> Option<usize> {
    let Some((element, rest)) = elements.split_first() else {
        return Some(at);
    };
    let taken = |choice: &Choice, gaps: &mut _| {
        tokens.get(at).filter(|token| choice.is(token)).and_then(|_| matched_end(rest, tokens, at + 1, gaps))
    };
    match element {
        Element::One(choice) => taken(choice, gaps),
        Element::End => tokens.get(at..)?.iter().all(|token| token.word == ".").then_some(tokens.len()),
        Element::Perhaps(choice) => taken(choice, gaps).or_else(|| matched_end(rest, tokens, at, gaps)),
        Element::Gap { fewest } => (at + fewest..=tokens.len().min(at + WIDEST_GAP)).find_map(|end| {
            let matched = matched_end(rest, tokens, end, gaps)?;
            // What `~*` stood for is not asked for.
            if *fewest > 0 {
                gaps.push((at, end));
            }
            Some(matched)
        }),
    }
}

/// Each class and the lists of its words.
const CLASSES: &[(&str, &[&[&str]])] = &[
    (
        "<time>",
        &[
            &WEEKDAYS,
            &MONTHS,
            &["tomorrow", "tonight", "end", "eod", "eow", "month-end", "q1", "q2", "q3", "q4", "next"],
        ],
    ),
    ("<date>", &[&WEEKDAYS, &MONTHS]),
    (
        "<group>",
        &[&[
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
        ]],
    ),
];

#[cfg(test)]
mod tests {
    use super::super::tokens::fold;
    use super::*;

    #[test]
    fn a_pattern_finds_gaps_choices_and_beginnings() {
        let tokens = fold("no, we use pnpm here, not npm");
        let gaps = |pattern: &'static str| PhrasePattern::read(pattern).find(&tokens).map(|found| found.gaps);
        assert_eq!(gaps("we use|run * ~here , not *"), Some(vec![(4, 5), (8, 9)]));
        assert_eq!(gaps("^ we use"), None);
        assert_eq!(gaps("^ no"), Some(vec![]));
        assert_eq!(gaps("npm $"), Some(vec![]));
        assert_eq!(gaps("pnpm $"), None);
    }
}
