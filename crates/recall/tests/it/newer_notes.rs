//! Two memories of one subject: the newer first. Time in questions.

use crate::kit::{DAY, NOW, RecallWorld, hit, ids, project};
use backstory_memory::{Content, Kind, Link, Redacted, Relation};
use backstory_recall::{RankingWeights, ScoreFactor, SearchQuery, Searcher};
use backstory_store::{Filter, MemoryOrigin, NewMemory, Scope, StandingFilter};

fn decided(text: &str) -> Content {
    Content::new(Kind::Decision, text, text)
}

#[test]
fn the_newer_of_two_on_one_subject_comes_first_and_the_older_says_so() {
    let mut world = RecallWorld::new();
    // The older one fits the question's words better.
    let old = world.write(decided("The staging database server is called heron, the staging server"), 200);
    let new = world.write(decided("The staging database server is called egret"), 3);
    let meaning = world.meaning();
    for meaning in [None, Some(&meaning)] {
        let answer = world.ask_with("what is the staging server called", &RankingWeights::SEARCH, meaning);
        assert_eq!(ids(&answer), [new, old]);
        assert_eq!(hit(&answer, old).reasons.older_than, Some(new));
        assert_eq!(hit(&answer, new).reasons.older_than, None);
    }
}

#[test]
fn a_new_version_in_the_same_words_is_an_amendment() {
    let mut world = RecallWorld::new();
    let old = world.write(decided("We use PostgreSQL 15 for the orders service because of partitioning"), 90);
    let new =
        world.write(decided("We use PostgreSQL 16 for the orders service because of logical replication"), 2);
    let meaning = world.meaning();
    let answer = world.ask_with(
        "which PostgreSQL does the orders service use",
        &RankingWeights::SEARCH,
        Some(&meaning),
    );
    assert_eq!(ids(&answer), [new, old]);
    assert_eq!(hit(&answer, old).reasons.older_than, Some(new));
}

#[test]
fn what_merely_shares_a_word_is_not_amended() {
    let mut world = RecallWorld::new();
    let old = world.write(decided("The staging server is called heron"), 200);
    world.write(decided("Server logs are kept for thirty days on the staging disk"), 3);
    let answer = world.ask("what is the staging server called");
    assert_eq!((ids(&answer)[0], answer.hits[0].reasons.older_than), (old, None));
}

/// What another project decided later says nothing about this one (law 8), also where both are looked at.
#[test]
fn another_projects_newer_word_amends_nothing() {
    let mut world = RecallWorld::new();
    let here = world.project;
    let old = world.write(decided("The staging database server is called heron, the staging server"), 200);
    world.project = project(&mut world.store, "another");
    let new = world.write(decided("The staging database server is called egret"), 3);
    let filter = Filter::within(Scope::Everywhere);
    let question =
        SearchQuery { from: Some(here), ..SearchQuery::new("what is the staging server called", NOW) };
    let answer = Searcher::new(&world.store, &RankingWeights::SEARCH).search(&question, &filter).unwrap();
    assert_eq!(ids(&answer), [old, new]);
    assert_eq!(hit(&answer, old).reasons.older_than, None);
}

/// Each of three amends the one before it; the first and the last have little in common.
#[test]
fn the_newest_of_a_chain_comes_first() {
    let mut world = RecallWorld::new();
    let first = world.write(decided("staging server heron alpha bravo charlie delta"), 200);
    let second = world.write(decided("staging server heron charlie delta echo foxtrot"), 100);
    let third = world.write(decided("staging server echo foxtrot golf hotel heron"), 3);
    let answer = world.ask("staging server heron");
    assert_eq!(hit(&answer, first).reasons.older_than, Some(second));
    assert_eq!(hit(&answer, second).reasons.older_than, Some(third));
    assert_eq!(ids(&answer), [third, second, first]);
}

#[test]
fn a_superseded_memory_is_left_out_and_names_its_replacement_on_request() {
    let mut world = RecallWorld::new();
    let old = world.write(decided("Invoices are sent by post"), 20);
    let content = decided("Invoices are sent by mail");
    let (project, origin) = (world.project, MemoryOrigin::default());
    let new = NewMemory { uid: None, project, origin, content: Redacted::vouch(content), created_at: NOW };
    let new = world.store.memories_mut().supersede(old, &new).unwrap();
    assert_eq!(ids(&world.ask("how are invoices sent")), [new]);
    let filter = Filter { standing: StandingFilter::Any, ..world.within() };
    let searcher = Searcher::new(&world.store, &RankingWeights::SEARCH);
    let answer = searcher.search(&SearchQuery::new("how are invoices sent by post", NOW), &filter).unwrap();
    assert_eq!(ids(&answer), [new, old]);
    assert_eq!(hit(&answer, old).memory.standing, backstory_memory::Standing::Superseded(new));
    assert!(hit(&answer, old).reasons.factors.iter().any(|(factor, _)| *factor == ScoreFactor::Superseded));
}

/// The next day's talk is on the same subject and amends nothing.
#[test]
fn of_two_notes_on_one_subject_the_better_comes_first() {
    let mut world = RecallWorld::new();
    let mut note =
        |text: &str, days| world.write(Content::new(Kind::Note, text, &format!("{text} today")), days);
    let better = note("We talked about ferry timetable gaps crews fares bicycles lights and the new pier", 9);
    let newer = note("We talked about ferry timetable gaps crews fares bicycles lights and the old pier", 2);
    let answer = world.ask("ferry timetable gaps crews fares bicycles lights pier new");
    assert_eq!(ids(&answer), [better, newer]);
    assert_eq!(hit(&answer, better).reasons.older_than, None);
}

/// The two have little in common but the link, and the older one fits the question better.
#[test]
fn what_a_link_contradicts_never_comes_before_what_contradicts_it() {
    let mut world = RecallWorld::new();
    let old = world.write(decided("Uploads may be large: ten megabytes for an upload is fine"), 60);
    let new = world.write(decided("Amended in May: fifty, and images count"), 2);
    let other = world.write(decided("Uploads are scanned for viruses"), 30);
    let question = "how large may an upload be, in May";
    let before = ids(&world.ask(question));
    assert!(before.iter().position(|id| *id == old) < before.iter().position(|id| *id == new), "{before:?}");
    world.store.memories_mut().link(Link { from: new, relation: Relation::Contradicts, to: old }).unwrap();
    for weights in [RankingWeights::SEARCH, RankingWeights { floor: 0.0, ..RankingWeights::INJECT }] {
        let answer = world.ask_with(question, &weights, None);
        let place = |id| ids(&answer).iter().position(|it| *it == id);
        assert!(place(new).is_some() && place(new) < place(old), "{:?} {other}", ids(&answer));
        assert_eq!(hit(&answer, old).reasons.older_than, Some(new));
    }
}

#[test]
fn a_time_in_the_question_puts_what_lies_in_it_first() {
    let mut world = RecallWorld::new();
    let text = "We talked about the release plan";
    let long_ago = world.write(Content::new(Kind::Note, text, &format!("{text}, the plan")), 90);
    let lately = world.write(Content::new(Kind::Note, "Release", "About the release"), 1);
    let query = |text: &str| world.ask(text);
    assert_eq!(ids(&query("release plan"))[0], long_ago);
    let answer = query("what did we say yesterday about the release plan");
    assert_eq!(ids(&answer)[0], lately);
    assert_eq!(answer.when.unwrap().said, "yesterday");
}

/// In a search, recency only decides between equal hits.
#[test]
fn age_does_not_bury_what_fits() {
    let mut world = RecallWorld::new();
    let old = world.write(Content::new(Kind::Note, "The harbour floods at spring tide", "Every spring"), 700);
    world.write(Content::new(Kind::Note, "The harbour café has new chairs", "Blue ones"), 0);
    assert_eq!(ids(&world.ask("does the harbour flood at spring tide"))[0], old);
    let equal = [700, 10, 300]
        .map(|days| world.write(Content::new(Kind::Note, "Tea", &format!("tea {}", days / 700)), days));
    assert_eq!(ids(&world.ask("tea"))[0], equal[1]);
    assert_eq!(DAY, 86_400_000);
}
