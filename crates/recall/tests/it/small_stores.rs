//! Every project begins with a handful of memories, most of them about one topic. What was asked for must come first all the same.

use crate::kit::{RecallWorld, ids};
use backstory_memory::{Content, Kind, MemoryId};
use backstory_recall::RankingWeights;
use backstory_testkit::{Corpus, SmallStore, small_stores};

fn filled(store: &SmallStore) -> (RecallWorld, Vec<MemoryId>) {
    let mut world = RecallWorld::new();
    let ids = store.memories.iter();
    let ids = ids.map(|text| world.write(Content::new(Kind::Decision, text, text), 3)).collect();
    (world, ids)
}

#[test]
fn in_a_small_store_the_right_memory_comes_first() {
    for store in small_stores() {
        let (world, decisions) = filled(&store);
        let meaning = world.meaning();
        let answered =
            store.questions.iter().filter_map(|(question, at)| Some((question, decisions[(*at)?])));
        let answered: Vec<_> = answered.collect();
        let comes_first = |question: &str, answer: MemoryId| {
            ids(&world.ask_with(question, &RankingWeights::SEARCH, Some(&meaning))).first() == Some(&answer)
        };
        let missed: Vec<&String> = answered
            .iter()
            .filter(|(question, answer)| !comes_first(question, *answer))
            .map(|(question, _)| *question)
            .collect();
        assert!(10 * missed.len() <= answered.len(), "{}, {}: missed {missed:?}", store.name, answered.len());
    }
}

#[test]
fn what_a_prompt_calls_by_its_title_is_never_left_out() {
    for store in small_stores().iter().take(2) {
        let (world, decisions) = filled(store);
        let meaning = world.meaning();
        for (title, id) in store.memories.iter().zip(&decisions) {
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
    let (world, decisions) = filled(&small_stores()[1]);
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
    let (mut world, decisions) = filled(&small_stores()[1]);
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
