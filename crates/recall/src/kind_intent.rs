//! Reads which kind of memory a query asks for: "review all decisions", "known gotchas of the importer".
//!
//! Only a kind in the plural beside a word that asks for a list counts. "Why did we decide" asks for an answer, not for a list.

use backstory_memory::{Kind, is_stop_word, words};

/// A longer query tells a story; a kind in it is a word of the story.
const MOST_WORDS: usize = 12;
/// Words that ask for more than one answer.
const LISTING: [&str; 20] = [
    "all",
    "any",
    "every",
    "list",
    "show",
    "review",
    "known",
    "which",
    "what",
    "our",
    "my",
    "recall",
    "give",
    "summarize",
    "summarise",
    "made",
    "are",
    "were",
    "past",
    "previous",
];
/// Words that say nothing about the topic.
const FILLING: [&str; 9] = ["have", "been", "far", "project", "there", "now", "taken", "tell", "see"];

/// Words that ask for what was decided about a topic, in a query of a few words: "search architecture".
const OVERVIEW: [&str; 2] = ["architecture", "design"];
const OVERVIEW_WORDS: usize = 3;

/// Kinds a query asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KindIntent {
    pub(crate) kinds: Vec<Kind>,
    pub(crate) scope: KindScope,
}

/// How many memories of a kind a query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KindScope {
    /// All of them: it names no topic.
    Whole,
    /// Those about a topic.
    Topic,
    /// Those about a topic first, then the others, which frame it.
    Overview,
}

/// Returns the word of a short query by which it asks for what was decided about the others.
pub(crate) fn overview_word(text: &str) -> Option<String> {
    let said: Vec<String> = words(text).take(OVERVIEW_WORDS + 1).collect();
    let is_overview = |word: &String| OVERVIEW.contains(&word.as_str());
    let has_topic = said.iter().any(|word| !is_overview(word) && is_topic(word));
    said.iter().find(|word| is_overview(word)).filter(|_| has_topic && said.len() <= OVERVIEW_WORDS).cloned()
}

/// Finds the kinds that a query asks to have listed.
pub(crate) fn listed_kinds(text: &str) -> Option<KindIntent> {
    let said: Vec<String> = words(text).take(MOST_WORDS + 1).collect();
    let kinds: Vec<Kind> = said.iter().flat_map(|word| kinds_of(word)).copied().collect();
    let is_listing = said.iter().any(|word| LISTING.contains(&word.as_str()));
    if overview_word(text).is_some() {
        return Some(KindIntent { kinds: vec![Kind::Decision], scope: KindScope::Overview });
    }
    if kinds.is_empty() || !is_listing || said.len() > MOST_WORDS {
        return None;
    }
    let has_topic = said.iter().any(|word| is_topic(word));
    Some(KindIntent { kinds, scope: if has_topic { KindScope::Topic } else { KindScope::Whole } })
}

/// Whether a word says what the query is about, beside the kind.
fn is_topic(word: &str) -> bool {
    kinds_of(word).is_empty() && !LISTING.contains(&word) && !FILLING.contains(&word) && !is_stop_word(word)
}

fn kinds_of(word: &str) -> &'static [Kind] {
    match word {
        "decisions" => &[Kind::Decision],
        "gotchas" | "traps" | "pitfalls" | "facts" | "learnings" => &[Kind::Fact],
        "rules" | "preferences" | "conventions" | "constraints" => &[Kind::Rule],
        "failures" => &[Kind::Failure],
        "goals" => &[Kind::Goal],
        "bugfixes" => &[Kind::Bugfix],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plural_beside_a_listing_word_asks_for_a_kind() {
        for (query, scope) in [
            ("review all decisions", KindScope::Whole),
            ("known gotchas of the importer", KindScope::Topic),
            ("What are our rules?", KindScope::Whole),
            ("search architecture", KindScope::Overview),
        ] {
            assert_eq!(listed_kinds(query).map(|intent| intent.scope), Some(scope), "{query}");
        }
    }

    #[test]
    fn a_question_for_one_answer_asks_for_no_kind() {
        for query in [
            "why did we decide on SQLite",
            "fix the failures of the last run",
            "architecture",
            "draw the architecture of it",
            "",
        ] {
            assert_eq!(listed_kinds(query), None, "{query}");
        }
    }
}
