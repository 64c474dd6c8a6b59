//! Whatever is asked, the engine answers: no panic, no SQL or FTS error.

use crate::kit::{NOW, RecallWorld};
use backstory_recall::{RankingWeights, SearchQuery, Searcher, SemanticIndex, Synonyms};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

const QUESTIONS: u32 = 10_000;

/// Anything a person, an agent or a paste may put in: words that are there, FTS syntax, any Unicode, much of it.
fn any_question() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z]{1,12}",
        2 => prop::sample::select(vec![
            "harbour", "migration", "\"", "*", "NEAR(", "AND", "OR NOT", "title:", "^", "-", "(", ")", "{a b}:", "\0", "'",
            "%_", "yesterday", "in May", "since", "src/db/open.rs", "Store::open", "数据库", "\u{202e}", "👩‍👩‍👧", "\u{e000}project1",
        ]).prop_map(str::to_owned),
        2 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.join(" "))
}

#[test]
fn ten_thousand_odd_questions_are_answered() {
    let mut world = RecallWorld::new();
    for text in [
        "the harbour floods",
        "migrations run in one transaction",
        "数据库迁移",
        "Store::open takes the lock",
    ] {
        world.note(text);
    }
    let (meaning, synonyms) = (world.meaning(), Synonyms::built_in());
    let ask = |question: &str, meaning: Option<&SemanticIndex>| {
        let searcher = Searcher::new(&world.store, &RankingWeights::SEARCH)
            .with_meaning(meaning)
            .with_synonyms(&synonyms);
        searcher.search(&SearchQuery::new(question, NOW), &world.within()).map(drop)
    };
    let mut runner = TestRunner::new(Config { cases: QUESTIONS, ..Config::default() });
    runner
        .run(&any_question(), |question| {
            // Reading a question by meaning takes milliseconds: one in a hundred is asked so.
            prop_assert!(ask(&question, (question.len() % 100 == 20).then_some(&meaning)).is_ok());
            Ok(())
        })
        .unwrap();
    let long = "harbour \"NEAR( ".repeat(8_000);
    assert!(ask(&long, Some(&meaning)).is_ok());
}
