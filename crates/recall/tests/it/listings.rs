//! What a query asks to have listed: a kind, a time, all that is known of a topic, where the work stands.

use crate::kit::{NOW, RecallWorld, hit, ids, project};
use backstory_memory::{Content, Kind, MemoryId, Redacted};
use backstory_recall::{Boost, RankingWeights};
use backstory_store::{MemoryOrigin, NewMemory};
use backstory_testkit::Corpus;

fn written(world: &mut RecallWorld, kind: Kind, text: &str, days_ago: i64) -> MemoryId {
    world.write(Content::new(kind, text, text), days_ago)
}

/// Two memories of yesterday, one of today, one of last month.
fn week() -> (RecallWorld, [MemoryId; 4]) {
    let mut world = RecallWorld::new();
    let old = written(&mut world, Kind::Decision, "The crane moves only by daylight", 30);
    let today = written(&mut world, Kind::Decision, "Tickets are sold without names", 0);
    let built = written(&mut world, Kind::Feature, "The ferry list has a filter for bicycles", 1);
    let decided = written(&mut world, Kind::Decision, "Timetables are kept in local time", 1);
    (world, [old, today, built, decided])
}

#[test]
fn a_list_of_a_kind_is_in_the_order_of_time() {
    let mut world = RecallWorld::new();
    let days = [4, 40, 1, 9, 25];
    let texts = [
        "Decisions of the board are not recorded here",
        "Use the small crane for containers",
        "Bicycles travel free of charge",
        "Every ferry has two engines",
        "All doors are painted red",
    ];
    let kept: Vec<MemoryId> =
        texts.iter().zip(days).map(|(text, days)| written(&mut world, Kind::Decision, text, days)).collect();
    let meaning = world.meaning();
    let newest_first = [kept[2], kept[0], kept[3], kept[4], kept[1]];
    for weights in [RankingWeights::SEARCH, RankingWeights::INJECT] {
        let answer = world.ask_with("review all decisions", &weights, Some(&meaning));
        assert_eq!(ids(&answer), newest_first);
    }
}

/// Law 8: what other projects hold makes no list of this one shorter.
#[test]
fn law_8_another_project_leaves_an_overview_as_long_as_it_was() {
    let mut world = RecallWorld::new();
    for subject in ["index", "ranking", "snippet", "filter", "paging", "cache", "logging", "typo"] {
        written(&mut world, Kind::Decision, &format!("The search {subject} has an owner"), 3);
        written(&mut world, Kind::Decision, &format!("Ferries of the {subject} line leave at noon"), 3);
    }
    let count = |world: &RecallWorld| {
        ids(&world.ask_with("search architecture", &RankingWeights::INJECT, Some(&world.meaning()))).len()
    };
    let alone = count(&world);
    let here = world.project;
    world.project = project(&mut world.store, "another");
    let mut corpus = Corpus::new(1);
    for _ in 0..300 {
        let made = corpus.memory();
        world.write(Content::new(made.kind.parse().unwrap(), &made.title, &made.body), 3);
    }
    world.project = here;
    assert!(alone >= 12, "{alone}");
    assert_eq!(count(&world), alone);
}

#[test]
fn a_time_without_a_topic_lists_what_was_done_then() {
    let (world, [_, today, built, decided]) = week();
    let meaning = world.meaning();
    for weights in [RankingWeights::SEARCH, RankingWeights::INJECT] {
        let listed = |question: &str| {
            let answer = world.ask_with(question, &weights, Some(&meaning));
            let listed = answer.hits.iter().take_while(|hit| hit.reasons.is_listed());
            listed.map(|hit| hit.memory.id).collect::<Vec<_>>()
        };
        assert_eq!(listed("what did we do yesterday"), [decided, built]);
        assert_eq!(listed("what happened yesterday?"), [decided, built]);
        assert_eq!(listed("what did we decide yesterday"), [decided]);
        assert_eq!(listed("all decisions from today"), [today]);
        assert_eq!(listed("what did we decide in the last 3 days"), [today, decided]);
    }
}

#[test]
fn a_time_in_which_nothing_was_done_lists_nothing() {
    let (world, _) = week();
    let answer = world.ask_with(
        "what did we do the day before yesterday",
        &RankingWeights::INJECT,
        Some(&world.meaning()),
    );
    assert_eq!(ids(&answer), []);
}

#[test]
fn all_that_is_known_of_a_topic_is_listed_unasked_too() {
    let mut world = RecallWorld::new();
    let known: Vec<MemoryId> = (0..10)
        .map(|at| {
            let kind = [Kind::Decision, Kind::Fact, Kind::Feature][at % 3];
            written(&mut world, kind, &format!("Rule {at} of the search says how row {at} is read"), 3)
        })
        .collect();
    for at in 0..12 {
        written(&mut world, Kind::Decision, &format!("Ferry {at} leaves from pier {at} at noon"), 3);
    }
    let meaning = world.meaning();
    for question in ["what do we know about search", "tell me everything you know about the search"] {
        let answer = world.ask_with(question, &RankingWeights::INJECT, Some(&meaning));
        let mut found = ids(&answer);
        found.sort_unstable();
        assert_eq!(found, known, "{question}");
    }
    let unknown = world.ask_with("what do we know about volcanoes", &RankingWeights::INJECT, Some(&meaning));
    assert_eq!(ids(&unknown), []);
}

#[test]
fn the_conventions_here_are_the_rules() {
    let mut world = RecallWorld::new();
    let rule = written(&mut world, Kind::Rule, "Write times with their zone", 8);
    written(&mut world, Kind::Fact, "The harbour floods at spring tide", 1);
    let answer =
        world.ask_with("what are the conventions here", &RankingWeights::INJECT, Some(&world.meaning()));
    assert_eq!(ids(&answer), [rule]);
}

#[test]
fn where_the_work_stands_is_said_by_the_newest_handoff() {
    let mut world = RecallWorld::new();
    written(&mut world, Kind::Handoff, "The filter for bicycles is half done", 6);
    let newest = written(&mut world, Kind::Handoff, "The timetable page still lacks its zone", 1);
    written(&mut world, Kind::Note, "We were where the logs are, and they were empty", 0);
    let answer = world.ask_with("where were we", &RankingWeights::SEARCH, Some(&world.meaning()));
    assert_eq!(ids(&answer).first(), Some(&newest));
    assert!(hit(&answer, newest).reasons.boosts.iter().any(|(boost, _)| *boost == Boost::Listed));
}

/// A summary and its commits are one piece of work: the second says little that the first does not.
#[test]
fn no_piece_of_work_comes_twice_before_another_comes_once() {
    let mut world = RecallWorld::new();
    let session = world.store.sessions_mut().find_or_create(
        world.project,
        "claude-code",
        &Redacted::vouch("one".to_owned()),
        NOW,
    );
    let session = session.unwrap();
    let mut of_session = |kind, text: &str| {
        let origin = MemoryOrigin { session: Some(session), ..MemoryOrigin::default() };
        let content = Redacted::vouch(Content::new(kind, text, text));
        let memory = NewMemory { uid: None, project: world.project, origin, content, created_at: NOW };
        world.store.memories_mut().remember(&memory).unwrap()
    };
    let built = of_session(Kind::Feature, "The ferry list has a filter for bicycles");
    let summary = of_session(Kind::Summary, "Added the filter for bicycles to the ferry list");
    let other = world.note("A ferry without room for bicycles is grey in the list");
    let found = ids(&world.ask("filter for bicycles in the ferry list"));
    let place = |id| found.iter().position(|it| *it == id).unwrap();
    assert!(place(other) < place(built).max(place(summary)), "{found:?}");
}
