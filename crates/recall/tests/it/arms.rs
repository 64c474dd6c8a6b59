//! What each arm finds, and that no arm is needed for another to answer.

use crate::kit::{NOW, RecallWorld, hit, ids, project};
use backstory_memory::{Content, Kind, Link, Redacted, Relation};
use backstory_recall::{
    Boost, RankingWeights, SearchQuery, SearchStrategy, Searcher, SemanticIndex, VectorCache,
};
use backstory_store::{Anchor, Filter, MemoryOrigin, NewMemory, Scope};
use std::time::Instant;

#[test]
fn identifiers_meet_however_they_are_written() {
    let mut world = RecallWorld::new();
    let all = ["runMigration", "run_migration", "run migration", "RunMigrationTest"];
    let written = all.map(|name| world.note(&format!("{name} holds the lock until it is done")));
    world.note("the harbour floods at spring tide");
    for query in all {
        let found = ids(&world.ask(query));
        assert!(written.iter().all(|id| found.contains(id)), "{query}: {found:?}");
    }
}

#[test]
fn plural_typo_and_unspaced_scripts_are_found() {
    let mut world = RecallWorld::new();
    let migrations = world.note("migrations are run inside one transaction");
    let chinese = world.note("数据库迁移必须在一个事务里完成");
    world.note("the harbour floods at spring tide");
    for (query, wanted) in [
        ("migration", migrations),
        ("transactions of a migration", migrations),
        ("run migartions transaction", migrations),
        ("migartion", migrations),
        ("迁移", chinese),
        ("事务", chinese),
    ] {
        assert_eq!(ids(&world.ask(query)).first(), Some(&wanted), "{query}");
    }
    let answer = world.ask("migartions");
    assert_eq!(answer.read_as.first().map(|read| read.word.as_str()), Some("migartions"));
}

#[test]
fn meaning_finds_what_shares_no_word() {
    let mut world = RecallWorld::new();
    let wanted = world.note("The car would not start because the battery was flat");
    world.note("Invoices are sent on the first of each month");
    world.note("The office is closed in August");
    let meaning = world.meaning();
    let query = "why did the automobile fail to turn on";
    assert_eq!(ids(&world.ask(query)), []);
    let answer = world.ask_with(query, &RankingWeights::SEARCH, Some(&meaning));
    assert_eq!((ids(&answer).first(), answer.strategy), (Some(&wanted), SearchStrategy::WordsAndMeaning));
    assert!(answer.hits[0].reasons.meaning.unwrap() > 0.3);
}

/// The model reads English; of other scripts it would find everything alike.
#[test]
fn other_scripts_are_found_by_their_words() {
    let mut world = RecallWorld::new();
    let chinese = world.note("数据库迁移必须在一个事务里完成");
    world.note("每个月的第一天发送发票");
    let meaning = world.meaning();
    let answer = world.ask_with("数据库迁移", &RankingWeights::SEARCH, Some(&meaning));
    assert_eq!((ids(&answer), answer.strategy), (vec![chinese], SearchStrategy::Words));
}

/// Never an empty or merely recent answer because vectors are missing.
#[test]
fn without_vectors_words_answer_the_same_question() {
    let mut world = RecallWorld::new();
    let wanted = world.note("the harbour floods at spring tide");
    world.note("newer and about something else");
    let answer = world.ask("when does the harbour flood");
    assert_eq!((ids(&answer), answer.strategy), (vec![wanted], SearchStrategy::Words));
}

#[test]
fn what_was_written_after_the_vectors_is_found_by_its_words() {
    let mut world = RecallWorld::new();
    world.note("the harbour floods at spring tide");
    let meaning = world.meaning();
    let late = world.note("the lighthouse keeper sleeps at noon");
    let answer = world.ask_with("lighthouse keeper", &RankingWeights::SEARCH, Some(&meaning));
    assert_eq!(ids(&answer).first(), Some(&late));
}

/// What lacks a vector must not lead for what it lacks.
#[test]
fn what_was_written_after_the_vectors_does_not_outrank_what_is_near() {
    let mut world = RecallWorld::new();
    let near = world.note("The lighthouse keeper sleeps at noon");
    let meaning = world.meaning();
    let late = world.note("At noon the lighthouse sleeps, says a keeper of bees who never saw it");
    let answer = world.ask_with(
        "when does the lighthouse keeper sleep, at noon",
        &RankingWeights::SEARCH,
        Some(&meaning),
    );
    assert_eq!(ids(&answer), [near, late]);
}

/// Law 8: the vectors of all projects lie in one file.
/// Law 1: what was found until then is the answer.
#[test]
fn an_arm_without_time_finds_nothing_and_the_others_answer() {
    let mut world = RecallWorld::new();
    let id = world.note("The lighthouse keeper repairs the lamp at night");
    let meaning = world.meaning();
    let query = |meaning| {
        let searcher =
            Searcher::new(&world.store, &RankingWeights::SEARCH).with_meaning(meaning).until(Instant::now());
        let answer = searcher.search(&SearchQuery::new("lighthouse keeper", NOW), &world.within()).unwrap();
        answer.hits.iter().map(|hit| (hit.memory.id, hit.reasons.words)).collect::<Vec<_>>()
    };
    assert_eq!((query(None), query(Some(&meaning))), (vec![], vec![(id, 0.0)]));
}

#[test]
fn law_8_meaning_never_reaches_into_another_project() {
    let mut world = RecallWorld::new();
    world.note("the battery of the car was flat");
    let meaning = world.meaning();
    let stranger = project(&mut world.store, "stranger");
    let filter = Filter::within(Scope::Project(stranger));
    let searcher = Searcher::new(&world.store, &RankingWeights::SEARCH).with_meaning(Some(&meaning));
    let answer = searcher.search(&SearchQuery::new("car battery", crate::kit::NOW), &filter).unwrap();
    assert_eq!(ids(&answer), []);
}

#[test]
fn a_named_file_lifts_what_speaks_of_it() {
    let mut world = RecallWorld::new();
    let text = "opening takes the lock first";
    let other = world.note(&format!("{text} elsewhere"));
    let about = world.note(text);
    let anchor = Anchor { path: "src/db/open.rs".into(), symbol: None, hash: None };
    world.store.code_mut().replace_anchors(about, &Redacted::vouch(vec![anchor])).unwrap();
    let answer = world.ask("which lock does src/db/open.rs take first");
    assert_eq!(ids(&answer).first(), Some(&about));
    assert!(hit(&answer, about).reasons.boosts.iter().any(|(lift, _)| *lift == Boost::Named));
    assert!(hit(&answer, other).reasons.boosts.is_empty());
}

#[test]
fn a_link_brings_the_other_end() {
    let mut world = RecallWorld::new();
    let failure = world.write(Content::new(Kind::Failure, "page_count: 2 != 3", "page_count: 2 != 3"), 0);
    let fix = world.write(Content::new(Kind::Bugfix, "Round up", "Division rounds up now"), 0);
    world.store.memories_mut().link(Link { from: fix, relation: Relation::Relates, to: failure }).unwrap();
    let answer = world.ask("page_count fails");
    assert_eq!(ids(&answer), [failure, fix]);
    assert!(matches!(hit(&answer, fix).reasons.boosts[..], [(Boost::LinkedTo(id), _)] if id == failure));
}

#[test]
fn a_short_turn_is_found_by_what_stands_beside_it() {
    let mut world = RecallWorld::new();
    let session = world
        .store
        .sessions_mut()
        .find_or_create(world.project, "test", &Redacted::vouch("s".into()), crate::kit::NOW)
        .unwrap();
    let mut say = |text: &str| {
        let origin = MemoryOrigin { session: Some(session), ..MemoryOrigin::default() };
        let content = Content::new(Kind::Note, text, text);
        let new = NewMemory {
            uid: None,
            project: world.project,
            origin,
            content: Redacted::vouch(content),
            created_at: crate::kit::NOW,
        };
        world.store.memories_mut().remember(&new).unwrap()
    };
    let query = say("Which port does the staging server listen on");
    let answered = say("It is port 8443");
    say("Thanks, that works");
    let elsewhere = world.note("A port is also a wine");
    let answer = world.ask("staging server port");
    assert_eq!(ids(&answer)[..2], [query, answered]);
    assert!(ids(&answer).contains(&elsewhere));
}

#[test]
fn a_question_read_ahead_is_answered_as_if_it_were_not() {
    let mut world = RecallWorld::new();
    world.note("The harbour floods at spring tide");
    world.note("Invoices are paged by key");
    let (plain, mut ahead) = (world.meaning(), world.meaning());
    ahead.encode_ahead("when does water come over the quay");
    for question in ["when does water come over the quay", "how are bills listed", ""] {
        let [one, other] =
            [&plain, &ahead].map(|meaning| world.ask_with(question, &RankingWeights::SEARCH, Some(meaning)));
        assert_eq!(one, other, "{question}");
    }
}

#[test]
fn kept_vectors_are_those_on_the_disk() {
    let mut world = RecallWorld::new();
    let (kept, question) = (VectorCache::default(), "the ship leaves the harbour");
    let found = |world: &mut RecallWorld, text: &str| {
        let id = world.note(text);
        let meaning = SemanticIndex::open(&world.make_vectors(), &kept).unwrap();
        let answer = world.ask_with(question, &RankingWeights::SEARCH, Some(&meaning));
        (id, answer.hits.iter().find(|hit| hit.memory.id == id).and_then(|hit| hit.reasons.meaning))
    };
    for text in ["A vessel sails from port", "Boats go out to sea at dawn", "The ferry departs from the quay"]
    {
        let (id, cosine) = found(&mut world, text);
        assert!(cosine.is_some(), "{id}: what was written since has no vector");
    }
}
