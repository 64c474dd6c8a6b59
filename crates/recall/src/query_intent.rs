//! Reads what a query asks to have listed: a kind ("review all decisions"), a time ("what did we do yesterday"), what is known of a
//! topic, or where the work stands.
//!
//! "Why did we decide" asks for an answer, not for a list. Not here: which time a query names (`time_range`), files and symbols
//! (`mentions`).

mod vocabulary;

use crate::TimeRange;
use crate::terms::beginning;
use backstory_memory::{Kind, is_stop_word, words};
use vocabulary::{
    BEFORE_ABOUT, FILLING, KNOWING, LISTING, OF_LAST_WORK, OVERVIEW, SURELY_LISTING, kinds_done, kinds_named,
    kinds_of_the_record,
};

/// A longer query tells a story; a kind in it is a word of the story.
const MOST_WORDS: usize = 12;
const OVERVIEW_WORDS: usize = 3;

/// What a query asks to have listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueryIntent {
    /// Of which kinds; of all, if empty.
    pub(crate) kinds: Vec<Kind>,
    pub(crate) scope: IntentScope,
}

/// How much of it a query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntentScope {
    /// All of a kind, of a time, or of both: it names no topic.
    Whole,
    /// Those about a topic.
    Topic,
    /// Those about a topic first, then the others, which frame it.
    Overview,
    /// Whatever is known of a topic.
    Known,
    /// Where the work stands.
    LastWork,
}

impl QueryIntent {
    /// Whether the query asks for a list that is in the order of time.
    pub(crate) fn is_by_date(&self) -> bool {
        matches!(self.scope, IntentScope::Whole | IntentScope::LastWork)
    }
}

/// Returns the word of a short query by which it asks for what was decided about the others.
pub(crate) fn overview_word(text: &str) -> Option<String> {
    let said: Vec<String> = words(text).take(OVERVIEW_WORDS + 1).collect();
    let is_overview = |word: &String| OVERVIEW.contains(&word.as_str());
    let has_topic = said.iter().any(|word| !is_overview(word) && is_topic(word));
    said.iter().find(|word| is_overview(word)).filter(|_| has_topic && said.len() <= OVERVIEW_WORDS).cloned()
}

/// Returns the part of a query that names its subject: "the importer" of "what do we know about the importer".
pub(crate) fn subject_of(text: &str) -> &str {
    known_subject(text).unwrap_or(text)
}

/// Finds what a query asks to have listed; `when` is the time it names.
pub(crate) fn query_intent(text: &str, when: Option<&TimeRange>) -> Option<QueryIntent> {
    let said: Vec<String> = words(beginning(text)).take(MOST_WORDS + 1).collect();
    if said.len() > MOST_WORDS {
        return None;
    }
    if overview_word(text).is_some() {
        return Some(QueryIntent { kinds: vec![Kind::Decision], scope: IntentScope::Overview });
    }
    if asks_for_last_work(&said) {
        return Some(QueryIntent { kinds: vec![Kind::Handoff], scope: IntentScope::LastWork });
    }
    if known_subject(text).is_some() {
        return Some(QueryIntent { kinds: Vec::new(), scope: IntentScope::Known });
    }
    listed_kinds(&said).or_else(|| listed_time(&said, when?)).map(|intent| {
        let of_time: Vec<String> = when.map(|when| words(&when.said).collect()).unwrap_or_default();
        let has_topic = said.iter().any(|word| is_topic(word) && !of_time.contains(word));
        let scope = if has_topic { IntentScope::Topic } else { IntentScope::Whole };
        QueryIntent { scope, ..intent }
    })
}

/// Reads the kinds that are named in the plural beside a word that asks for a list.
fn listed_kinds(said: &[String]) -> Option<QueryIntent> {
    let says_any_of = |list: &[&str]| said.iter().any(|word| list.contains(&word.as_str()));
    let mut kinds: Vec<Kind> = Vec::new();
    if says_any_of(LISTING) {
        kinds.extend(said.iter().flat_map(|word| kinds_named(word)));
    }
    if says_any_of(SURELY_LISTING) {
        kinds.extend(said.iter().flat_map(|word| kinds_of_the_record(word)));
    }
    (!kinds.is_empty()).then_some(QueryIntent { kinds, scope: IntentScope::Whole })
}

/// Reads a question for what was done at a time. With a topic, words and meaning find it.
fn listed_time(said: &[String], when: &TimeRange) -> Option<QueryIntent> {
    let of_time: Vec<String> = words(&when.said).collect();
    let mut rest = said.iter().filter(|word| !of_time.contains(word)).peekable();
    let is_time_alone = rest.peek().is_none();
    let is_question = is_time_alone || said.iter().any(|word| LISTING.contains(&word.as_str()));
    if !is_question || rest.any(|word| is_topic(word)) {
        return None;
    }
    let kinds = said.iter().find_map(|word| kinds_done(word)).unwrap_or_default().to_vec();
    Some(QueryIntent { kinds, scope: IntentScope::Whole })
}

/// Returns what stands behind "what do we know about".
fn known_subject(text: &str) -> Option<&str> {
    let text = beginning(text);
    let at = text.to_ascii_lowercase().find(" about ")?;
    let (before, subject) = (text.get(..at)?, text.get(at + " about ".len()..)?);
    let before: Vec<String> = words(before).take(MOST_WORDS).collect();
    let is_question = before.iter().all(|word| BEFORE_ABOUT.contains(&word.as_str()))
        && before.iter().any(|word| KNOWING.contains(&word.as_str()));
    let is_short = words(subject).nth(MOST_WORDS / 2).is_none();
    (is_question && is_short && words(subject).any(|word| is_topic(&word))).then_some(subject)
}

/// Whether a query asks where the work was left, and nothing else.
fn asks_for_last_work(said: &[String]) -> bool {
    OF_LAST_WORK.iter().any(|(asking, rest)| {
        let asking: Vec<&str> = asking.split(' ').collect();
        let begins = said.windows(asking.len()).any(|window| window.iter().eq(asking.iter()));
        begins && said.iter().all(|word| asking.contains(&word.as_str()) || rest.contains(&word.as_str()))
    })
}

/// Whether a word says what the query is about, beside a kind and a time.
fn is_topic(word: &str) -> bool {
    word.chars().count() > 1
        && kinds_named(word).is_empty()
        && kinds_of_the_record(word).is_empty()
        && kinds_done(word).is_none()
        && !LISTING.contains(&word)
        && !FILLING.contains(&word)
        && !is_stop_word(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_range_in;
    use backstory_memory::Timestamp;

    const NOW: Timestamp = Timestamp(1_790_000_000_000);

    fn read(query: &str) -> Option<(IntentScope, Vec<Kind>)> {
        let when = time_range_in(query, NOW, 0);
        query_intent(query, when.as_ref()).map(|intent| (intent.scope, intent.kinds))
    }

    #[test]
    fn a_plural_beside_a_listing_word_asks_for_a_kind() {
        for (query, scope, kind) in [
            ("review all decisions", IntentScope::Whole, Kind::Decision),
            ("known gotchas of the importer", IntentScope::Topic, Kind::Fact),
            ("What are our rules?", IntentScope::Whole, Kind::Rule),
            ("what are the conventions here", IntentScope::Whole, Kind::Rule),
            ("list all features", IntentScope::Whole, Kind::Feature),
            ("all known discoveries", IntentScope::Whole, Kind::Discovery),
            ("search architecture", IntentScope::Overview, Kind::Decision),
        ] {
            assert_eq!(read(query), Some((scope, vec![kind])), "{query}");
        }
    }

    #[test]
    fn a_time_without_a_topic_asks_for_what_was_done_then() {
        for (query, kinds) in [
            ("what did we do yesterday", vec![]),
            ("What happened this week?", vec![]),
            ("yesterday", vec![]),
            ("what did we decide this week", vec![Kind::Decision]),
            ("all decisions from today", vec![Kind::Decision]),
            ("what did we fix last week?", vec![Kind::Bugfix]),
        ] {
            assert_eq!(read(query), Some((IntentScope::Whole, kinds)), "{query}");
        }
        assert_eq!(read("what did we decide about the parser last week"), None);
        assert_eq!(read("we did this yesterday"), None);
    }

    #[test]
    fn what_is_known_of_a_topic_is_question_in_many_words() {
        for query in [
            "what do we know about the importer",
            "What do you know about retries?",
            "tell me everything about the importer",
            "do we know anything about leap seconds",
        ] {
            assert_eq!(read(query), Some((IntentScope::Known, vec![])), "{query}");
        }
        assert_eq!(subject_of("What do we know about the importer"), "the importer");
        for query in ["what about the importer", "what do we know about it", "how do I know about new mail"] {
            assert_eq!(read(query), None, "{query}");
        }
    }

    #[test]
    fn where_the_work_stands_is_question_and_nothing_else() {
        for query in
            ["where were we", "Where did we leave off last time?", "what's next", "what was I working on"]
        {
            assert_eq!(read(query).map(|it| it.0), Some(IntentScope::LastWork), "{query}");
        }
        for query in ["where were the invoices", "where did we put the token", "what is next of kin"] {
            assert_eq!(read(query), None, "{query}");
        }
    }

    #[test]
    fn a_question_for_one_answer_asks_for_no_list() {
        for query in [
            "why did we decide on SQLite",
            "fix the failures of the last run",
            "review the changes",
            "architecture",
            "draw the architecture of it",
            "",
        ] {
            assert_eq!(read(query), None, "{query}");
        }
    }
}
