//! Every project begins with a handful of memories, most of them about one topic. What was asked for must come first all the same.

use crate::kit::{RecallWorld, ids};
use backstory_memory::{Content, Kind, MemoryId};
use backstory_recall::{RankingWeights, SemanticIndex};
use backstory_testkit::Corpus;

/// Twenty decisions of one project, ten of them about its search.
const DECISIONS: [&str; 20] = [
    "Use SQLite FTS5 for search ranking because it needs no server",
    "Search results are paged by cursor, not by offset",
    "The search box waits 150 ms after the last key before it asks",
    "Search never reads archived orders unless the filter says so",
    "Typos in a search are corrected from the vocabulary of the index",
    "The search index is rebuilt every night by the batch job",
    "Search queries are logged without the name of the customer",
    "Synonyms for search live in a table that support can edit",
    "The search endpoint answers 429 after twenty requests a second",
    "Search highlights are made on the server, so that the app stays small",
    "Change invoices only by a correcting entry, never in place",
    "Payments go through one provider per country",
    "Images are resized when they are uploaded, not when they are shown",
    "Feature flags expire after ninety days",
    "Every background job writes its progress to the jobs table",
    "The mobile app is written in Kotlin and Swift, without a shared core",
    "Logs are kept for thirty days and then deleted",
    "Deploys happen from the main branch, twice a day",
    "Passwords are hashed with Argon2id",
    "The public API is versioned by date in a header",
];

/// A question in the words of somebody who works there, and the decision it is about.
const QUESTIONS: [(&str, usize); 12] = [
    ("how does our search work? I want to change the ranking", 0),
    ("which engine ranks the search results", 0),
    ("how are search results paged", 1),
    ("does search show archived orders", 3),
    ("what happens when a search has a typo", 4),
    ("when is the search index rebuilt", 5),
    ("are customer names in the search logs", 6),
    ("where do I add a synonym for search", 7),
    ("what is the rate limit of the search endpoint", 8),
    ("can I edit an invoice", 10),
    ("how long do we keep logs", 16),
    ("how are passwords stored", 18),
];

fn filled(count: usize) -> (RecallWorld, Vec<MemoryId>) {
    let mut world = RecallWorld::new();
    let texts = DECISIONS.iter().take(count);
    let ids = texts.map(|text| world.write(Content::new(Kind::Decision, text, text), 3)).collect();
    (world, ids)
}

/// Asks every question, and returns those whose answer does not come first.
fn missed<'q>(
    world: &RecallWorld,
    questions: &[(&'q str, MemoryId)],
    meaning: &SemanticIndex,
) -> Vec<&'q str> {
    let comes_first = |question: &str, answer: MemoryId| {
        ids(&world.ask_with(question, &RankingWeights::SEARCH, Some(meaning))).first() == Some(&answer)
    };
    questions
        .iter()
        .filter(|(question, answer)| !comes_first(question, *answer))
        .map(|(question, _)| *question)
        .collect()
}

#[test]
fn in_a_small_store_the_right_memory_comes_first() {
    for count in [5, 20] {
        let (world, decisions) = filled(count);
        let answered = QUESTIONS.iter().filter_map(|(question, at)| Some((*question, *decisions.get(*at)?)));
        let questions: Vec<(&str, MemoryId)> = answered.collect();
        let missed = missed(&world, &questions, &world.meaning());
        assert!(
            10 * missed.len() <= questions.len(),
            "{count} memories, {}: missed {missed:?}",
            questions.len()
        );
    }
}

/// Ten parts of one search service, and what is settled of each: every memory shares its part with nine others and its subject with nine.
const PARTS: [&str; 10] = [
    "indexer",
    "tokenizer",
    "ranker",
    "synonym editor",
    "result cache",
    "highlighter",
    "suggestion box",
    "query log",
    "crawler",
    "facet counter",
];
const SUBJECTS: [(&str, &str); 10] = [
    ("is written in", "which language is the search {} written in"),
    ("gives up after", "how long does the search {} wait before it gives up"),
    ("keeps its data in", "where does the search {} keep its data"),
    ("starts every", "how often does the search {} start"),
    ("is owned by", "who owns the search {}"),
    ("uses at most", "how much memory may the search {} use"),
    ("alerts on", "when does the search {} alert somebody"),
    ("is rolled out to", "where is the search {} rolled out first"),
    ("is tested with", "what is the search {} tested with"),
    ("replaced", "what did the search {} replace"),
];
const VALUES: [[&str; 3]; 10] = [
    ["Rust", "Kotlin", "Go"],
    ["two seconds", "forty milliseconds", "half a minute"],
    ["PostgreSQL", "a Redis cluster", "files on the node"],
    ["night at three", "ten minutes", "Monday"],
    ["the platform group", "Marta's team", "the shop team"],
    ["512 MB of memory", "2 GB of memory", "one percent of the node's memory"],
    ["a queue longer than a thousand", "any error in an hour", "ten failed requests"],
    ["the Lisbon region first", "internal users first", "five percent of the customers first"],
    ["recorded traffic", "a generated catalogue", "property tests"],
    ["a nightly shell script", "the vendor's plugin", "a spreadsheet"],
];

#[test]
fn among_a_hundred_memories_of_one_topic_the_right_one_comes_first() {
    let mut world = RecallWorld::new();
    let mut questions = Vec::new();
    for (of_part, part) in PARTS.iter().enumerate() {
        for (of_subject, ((says, question), values)) in SUBJECTS.iter().zip(VALUES).enumerate() {
            let text = format!("The search {part} {says} {}", values[(of_part + of_subject) % values.len()]);
            let id = world.write(Content::new(Kind::Decision, &text, &text), 3);
            // Every third: of each part, and of each subject, some.
            if (of_part + of_subject) % 3 == 0 {
                questions.push((question.replace("{}", part), id));
            }
        }
    }
    let questions: Vec<(&str, MemoryId)> =
        questions.iter().map(|(question, id)| (question.as_str(), *id)).collect();
    let missed = missed(&world, &questions, &world.meaning());
    assert!(10 * missed.len() <= questions.len(), "of {}: missed {missed:?}", questions.len());
}

#[test]
fn what_a_prompt_calls_by_its_title_is_never_left_out() {
    for count in [5, 20] {
        let (world, decisions) = filled(count);
        let meaning = world.meaning();
        for (title, id) in DECISIONS.iter().zip(&decisions) {
            let named: Vec<&str> = title.split(' ').collect();
            // Most of the title, in the middle of another sentence.
            let most = named.len().min(7).max(named.len() * 2 / 3);
            let prompt = format!("before I go on: {}, is that still so?", named[..most].join(" "));
            let found = ids(&world.ask_with(&prompt, &RankingWeights::INJECT, Some(&meaning)));
            assert!(found.contains(id), "{prompt}: {found:?}");
        }
    }
}

#[test]
fn a_topic_of_half_the_store_is_no_reason_for_silence() {
    let (world, decisions) = filled(20);
    let meaning = world.meaning();
    for prompt in [
        "which engine ranks the search results",
        "how does our search work? I want to change the ranking",
        "change the ranking of our search",
    ] {
        let found = ids(&world.ask_with(prompt, &RankingWeights::INJECT, Some(&meaning)));
        assert_eq!(found.first(), decisions.first(), "{prompt}: {found:?}");
    }
    let found = ids(&world.ask_with("search architecture", &RankingWeights::INJECT, Some(&meaning)));
    let of_search = found.iter().take(8).filter(|id| decisions[..10].contains(id)).count();
    assert!(found.len() >= 12 && of_search == 8, "the topic's own come first: {found:?}");
    let found =
        ids(&world.ask_with("what is the weather in Lisbon today", &RankingWeights::INJECT, Some(&meaning)));
    assert_eq!(found, []);
}

#[test]
fn a_question_for_a_kind_lists_that_kind() {
    let (mut world, decisions) = filled(20);
    world.note("Reviewing takes a day, so all pull requests are kept small");
    let found = ids(&world.ask_with("review all decisions", &RankingWeights::INJECT, None));
    assert!(found.len() >= 12 && found.iter().take(12).all(|id| decisions.contains(id)), "{found:?}");
}

/// Two versions of a decision, the older first: in other words, with another value, or with the reason for the change.
const AMENDED: [(&str, &str, &str); 12] = [
    (
        "Sessions expire after thirty minutes",
        "Sessions expire after two hours, because support calls take long",
        "when do sessions expire",
    ),
    ("The queue is RabbitMQ", "The queue is NATS instead of RabbitMQ", "which queue do we use"),
    (
        "Uploads are limited to 10 MB",
        "Uploads are limited to 50 MB since the new storage",
        "how large may uploads be",
    ),
    (
        "Invoices are numbered per customer",
        "Invoices are numbered per year, as the auditors asked",
        "how are invoices numbered",
    ),
    ("Retries back off linearly", "Retries back off exponentially with jitter", "how do retries back off"),
    (
        "Images are stored as PNG",
        "Images are stored as WebP, PNG only for downloads",
        "which format are images stored in",
    ),
    (
        "The staging cluster is in Frankfurt",
        "The staging cluster moved to Stockholm",
        "where is the staging cluster",
    ),
    (
        "Releases are tagged by the build server",
        "Releases are tagged by hand after the smoke test",
        "who tags releases",
    ),
    (
        "Prices are rounded to whole cents per line",
        "Prices are rounded once, on the total, not per line",
        "where are prices rounded",
    ),
    (
        "Audit events are kept for one year",
        "Audit events are kept for seven years, amended for the new law",
        "how long are audit events kept",
    ),
    (
        "The importer skips rows without a SKU",
        "The importer stops at rows without a SKU",
        "what does the importer do with rows without a SKU",
    ),
    (
        "Access tokens are opaque strings",
        "Access tokens are signed JWTs, superseding opaque strings",
        "what are access tokens",
    ),
];

#[test]
fn of_an_amended_pair_the_newer_comes_first() {
    let mut world = RecallWorld::new();
    let decided = |text: &str| Content::new(Kind::Decision, text, text);
    let pairs: Vec<(MemoryId, MemoryId)> = AMENDED
        .iter()
        .map(|(old, new, _)| (world.write(decided(old), 60), world.write(decided(new), 2)))
        .collect();
    let meaning = world.meaning();
    let is_right = |((old, new), (_, _, question)): &(&(MemoryId, MemoryId), &(&str, &str, &str))| {
        let found = ids(&world.ask_with(question, &RankingWeights::SEARCH, Some(&meaning)));
        let place = |wanted| found.iter().position(|id| *id == wanted);
        place(*new).is_some_and(|new| place(*old).is_none_or(|old| new < old))
    };
    let wrong: Vec<&str> =
        pairs.iter().zip(&AMENDED).filter(|pair| !is_right(pair)).map(|(_, amended)| amended.2).collect();
    assert!(wrong.len() <= 2, "the older one comes first: {wrong:?}");
}

/// Nothing in such a store is about nothing else, so little stands out. A prompt in the words of some of its memories is answered all the
/// same, with a vector for each memory and without.
#[test]
fn among_hundreds_of_memories_a_prompt_in_their_words_is_answered() {
    let mut world = RecallWorld::new();
    let mut corpus = Corpus::new(1);
    for _ in 0..300 {
        let made = corpus.memory();
        world.write(Content::new(made.kind.parse().unwrap(), &made.title, &made.body), 3);
    }
    let prompt = "why does the scheduler lose stale rows";
    assert!(!world.ask_with(prompt, &RankingWeights::INJECT, None).hits.is_empty());
    let meaning = world.meaning();
    assert!(!world.ask_with(prompt, &RankingWeights::INJECT, Some(&meaning)).hits.is_empty());
}
