//! Colour: what a piece of text is, and which of a terminal's sixteen colours says so. Meaning survives without it.

use backstory_memory::{Kind, keywords, stem, words};
use std::collections::HashSet;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Something that stands out.
    Strong,
    /// Something that steps back.
    Faint,
    /// Done, sound.
    Good,
    /// Something to look at.
    Warning,
    /// Failed, damaged.
    Bad,
    /// A path or a command.
    Path,
    /// A word that was searched for.
    Match,
    /// What the user or the team holds: rules.
    Rule,
    /// What was decided or found out.
    Knowledge,
    /// Work that was done.
    Work,
    /// Where the work stands.
    Ahead,
}

impl Tone {
    /// Returns the parameters of the escape sequence.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Tone::Strong => "1",
            Tone::Faint => "2",
            Tone::Good | Tone::Work => "32",
            Tone::Warning | Tone::Ahead => "33",
            Tone::Bad => "31",
            Tone::Path => "36",
            Tone::Match => "1;33",
            Tone::Rule => "35",
            Tone::Knowledge => "34",
        }
    }

    /// Returns the tone in which the name of a kind is printed.
    pub(crate) fn of_kind(name: &str) -> Tone {
        match name.parse::<Kind>() {
            Ok(Kind::Rule) => Tone::Rule,
            Ok(Kind::Failure) => Tone::Bad,
            Ok(Kind::Decision | Kind::Fact | Kind::Discovery) => Tone::Knowledge,
            Ok(Kind::Goal | Kind::Handoff) => Tone::Ahead,
            Ok(Kind::Feature | Kind::Bugfix | Kind::Refactor | Kind::Change) => Tone::Work,
            Ok(Kind::Note | Kind::Summary) | Err(_) => Tone::Faint,
        }
    }
}

/// What ends a colour.
const RESET: &str = "\u{1b}[0m";

/// Colours a text word by word, so that it can be wrapped between any two of them.
pub(crate) fn painted(tone: Tone, text: &str) -> String {
    let words = text.split(' ').map(|word| match word {
        "" => String::new(),
        word => format!("\u{1b}[{}m{word}{RESET}", tone.code()),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Joins what stands side by side in one colour, once it is known where lines end.
pub(crate) fn joined(text: &str) -> String {
    let mut parts = text.split(RESET);
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let gap = part.len() - part.trim_start_matches(' ').len();
        let (gap, rest) = part.split_at(gap);
        let begins = whole.rfind("\u{1b}[").and_then(|at| whole.get(at..)).and_then(|from| {
            let end = from.find('m')?;
            from.get(..=end)
        });
        match begins.and_then(|begins| rest.strip_prefix(begins)) {
            Some(rest) => whole = format!("{whole}{gap}{rest}"),
            None => whole = format!("{whole}{RESET}{part}"),
        }
    }
    whole
}

/// The words of a query, as they are recognised in what was found: by their stems.
#[derive(Debug, Default)]
pub(crate) struct QueryWords(HashSet<String>);

impl QueryWords {
    /// Reads the words of a query.
    pub(crate) fn new(query: &str) -> QueryWords {
        if words(query).next().is_none() {
            return QueryWords::default();
        }
        QueryWords(keywords(query).iter().map(|word| stem(word).to_owned()).collect())
    }

    /// Splits a text into parts, each with whether it is one of the words.
    pub(crate) fn split<'a>(&self, text: &'a str) -> Vec<(bool, &'a str)> {
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let end =
                |is_word: bool| rest.find(|c: char| c.is_alphanumeric() != is_word).unwrap_or(rest.len());
            let is_word = rest.starts_with(char::is_alphanumeric);
            let (part, others) = rest.split_at(end(is_word));
            parts.push((is_word && self.0.contains(stem(&part.to_lowercase())), part));
            rest = others;
        }
        parts
    }

    /// Returns where the first of the words stands in a text, in bytes.
    pub(crate) fn first_in(&self, text: &str) -> Option<usize> {
        let mut at = 0;
        for (is_match, part) in self.split(text) {
            if is_match {
                return Some(at);
            }
            at += part.len();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_query_are_recognised_with_other_endings() {
        let query = QueryWords::new("how do we run migrations?");
        let found = |text| -> Vec<String> {
            let parts = query.split(text);
            parts.into_iter().filter(|(is_match, _)| *is_match).map(|(_, part)| part.to_owned()).collect()
        };
        assert_eq!(found("Running the migration: we ran it"), ["Running", "migration"]);
        assert_eq!(found("so how do you do"), Vec::<String>::new());
        assert_eq!(query.first_in("a — migration"), Some(6));
        assert!(QueryWords::new("").split("anything at all").iter().all(|(is_match, _)| !is_match));
    }

    #[test]
    fn words_of_one_colour_are_joined_within_a_line() {
        let text = format!(
            "{} {}\n{}",
            painted(Tone::Strong, "a b"),
            painted(Tone::Bad, "c d"),
            painted(Tone::Bad, "e")
        );
        assert_eq!(joined(&text), "\u{1b}[1ma b\u{1b}[0m \u{1b}[31mc d\u{1b}[0m\n\u{1b}[31me\u{1b}[0m");
        assert_eq!(joined("plain"), "plain");
    }

    #[test]
    fn every_kind_has_a_tone() {
        assert_eq!(Tone::of_kind("failure"), Tone::Bad);
        assert_eq!(Tone::of_kind("no kind"), Tone::Faint);
    }
}
