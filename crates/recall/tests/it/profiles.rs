//! Two profiles: whoever asks gets the best there is; when nobody asked, only what is surely right is hits_with.

use crate::kit::{NOW, RecallWorld, hit, ids};
use backstory_memory::{Content, Freshness, Importance, Kind, Memory};
use backstory_recall::{RankingWeights, ScoreFactor, SearchQuery, Searcher, Signal};
use backstory_store::{ImpressionKind, UseKind};
use std::cell::RefCell;
use std::collections::HashMap;

/// Law 5: silence beats noise.
#[test]
fn unasked_what_is_far_from_the_question_is_left_out() {
    let mut world = RecallWorld::new();
    let wanted = world.note("Run the database migration with the maintenance flag set");
    world.note("The database is called heron");
    let meaning = world.meaning();
    let ask = |text, weights: &RankingWeights| ids(&world.ask_with(text, weights, Some(&meaning)));
    assert_eq!(ask("how do I run the database migration", &RankingWeights::SEARCH).len(), 2);
    assert_eq!(ask("how do I run the database migration", &RankingWeights::INJECT), [wanted]);
    assert_eq!(ask("please make the button blue", &RankingWeights::INJECT), []);
}

/// What is near in meaning does not answer for a thing that nobody ever spoke of.
#[test]
fn unasked_nothing_is_said_of_a_name_nobody_ever_wrote() {
    let mut world = RecallWorld::new();
    let wanted = world.note("Containers are started with docker compose, one for each service");
    world.note("Invoices are sent on the first of each month");
    let meaning = world.meaning();
    let ask = |text, weights: &RankingWeights| ids(&world.ask_with(text, weights, Some(&meaning)));
    assert_eq!(
        ask("how are the docker containers of each service started", &RankingWeights::INJECT),
        [wanted]
    );
    let out_of_vocabulary = "how are the kubernetes containers of each service started";
    assert_eq!(ask(out_of_vocabulary, &RankingWeights::INJECT), []);
    assert_eq!(ask(out_of_vocabulary, &RankingWeights::SEARCH).first(), Some(&wanted));
    assert_eq!(
        ask("how are the dokcer containers of each service started", &RankingWeights::INJECT),
        [wanted]
    );
}

/// Whether there is an answer is for the best hit to say.
#[test]
fn unasked_what_is_nearly_as_good_as_the_best_comes_with_it() {
    let mut world = RecallWorld::new();
    let best = world.note("Deploy the harbour service with the blue script");
    let second = world.note("Deploy the harbour service on Tuesdays");
    let relevance = |id| hit(&world.ask("deploy harbour service script"), id).reasons.relevance();
    let (first, next) = (relevance(best), relevance(second));
    assert!(first > next);
    let floor = next / 2.0;
    let hits_with = |floor_of_best| {
        let weights = RankingWeights { floor, floor_of_best, ..RankingWeights::INJECT };
        ids(&world.ask_with("deploy harbour service script", &weights, None))
    };
    assert_eq!(hits_with(0.9 * next / first), [best, second]);
    assert_eq!(hits_with((1.0 + next / first) / 2.0), [best]);
}

/// A talk that led to nothing has something in common with most questions.
#[test]
fn unasked_what_matters_least_must_fit_better() {
    let mut world = RecallWorld::new();
    let text = "The harbour service is deployed with the blue script on Tuesdays";
    let draft = Content { importance: Importance::new(1), ..Content::new(Kind::Note, text, text) };
    let (least, other) = (world.write(draft, 0), world.note(text));
    let question = "deploy the harbour service";
    let relevance = hit(&world.ask(question), least).reasons.relevance();
    // A probability that so many times these odds would make the relevance.
    let floor_below = |times: f64| relevance / (relevance + times * (1.0 - relevance));
    let hits_with = |floor| {
        let weights = RankingWeights { floor, floor_of_best: 0.0, ..RankingWeights::INJECT };
        ids(&world.ask_with(question, &weights, None))
    };
    assert_eq!(ids(&world.ask(question)).len(), 2, "an explicit search returns both");
    assert_eq!(hits_with(floor_below(5.0)).len(), 2);
    assert_eq!(hits_with(floor_below(3.0)), [other]);
}

#[test]
fn what_is_no_answer_itself_speaks_for_no_other() {
    let mut world = RecallWorld::new();
    let text = "The harbour service is deployed with the blue script on Tuesdays";
    let draft = Content { importance: Importance::new(1), ..Content::new(Kind::Note, text, text) };
    let least = world.write(draft, 0);
    let weaker = world.note("The harbour service moved to another host and keeps its old name there");
    let question = "deploy the harbour service";
    let all = world.ask_with(
        question,
        &RankingWeights { floor: 0.0, floor_of_best: 0.0, ..RankingWeights::INJECT },
        None,
    );
    let relevance = |id| hit(&all, id).reasons.relevance();
    // The first would pass the floor were it of more weight; the second does not.
    let floor = relevance(least) / 1.2;
    assert!(relevance(weaker) < floor, "{} {floor}", relevance(weaker));
    let weights = RankingWeights { floor, floor_of_best: 0.0, ..RankingWeights::INJECT };
    assert!(ids(&world.ask_with(question, &weights, None)).is_empty());
}

#[test]
fn what_is_shown_and_never_used_fades_when_unasked() {
    let mut world = RecallWorld::new();
    let ignored = world.note("Deploy with the blue script, the one for Tuesdays");
    let fresh = world.note("The blue button of the admin page starts a deploy");
    for _ in 0..30 {
        world.store.injections_mut().record_impressions(&[ignored], ImpressionKind::Injected, NOW).unwrap();
    }
    let weights = RankingWeights { floor: 0.0, ..RankingWeights::INJECT };
    let answer = world.ask_with("deploy blue script", &weights, None);
    assert_eq!(ids(&answer), [fresh, ignored]);
    let faded = ScoreFactor::Signal(Signal::Unused);
    assert!(hit(&answer, ignored).reasons.factors.iter().any(|(factor, by)| *factor == faded && *by < 0.3));
    world.store.injections_mut().mark_used(&[ignored], UseKind::Fetched, NOW).unwrap();
    assert_eq!(ids(&world.ask_with("deploy blue script", &weights, None)), [ignored, fresh]);
}

#[test]
fn what_speaks_of_code_that_is_gone_counts_less() {
    let mut world = RecallWorld::new();
    let gone = world.note("Parsing is done in the lexer module, nowhere else");
    let there = world.note("The lexer reads bytes and keeps no state between lines");
    let weights = RankingWeights { floor: 0.0, floor_of_best: 0.0, ..RankingWeights::INJECT };
    let state = |memories: &[&Memory]| {
        assert_eq!(memories.len(), 2, "one look for all");
        HashMap::from([(gone, Freshness::Gone)])
    };
    let ask = |searcher: Searcher<'_>| {
        let answer =
            searcher.search(&SearchQuery::new("lexer parsing module", NOW), &world.within()).unwrap();
        ids(&answer)
    };
    assert_eq!(ask(Searcher::new(&world.store, &weights)), [gone, there]);
    assert_eq!(ask(Searcher::new(&world.store, &weights).with_freshness(&state)), [there, gone]);
}

#[test]
fn code_is_looked_at_only_for_what_is_an_answer() {
    let mut world = RecallWorld::new();
    let answer = world.note("The lexer keeps no state between lines, so that it can begin anywhere");
    world.note("Releases are cut on Fridays, and the state of the queue is looked at before");
    let looked_at = RefCell::new(Vec::new());
    let look = |memories: &[&Memory]| {
        looked_at.borrow_mut().extend(memories.iter().map(|memory| memory.id));
        HashMap::new()
    };
    let searcher = Searcher::new(&world.store, &RankingWeights::INJECT).with_freshness(&look);
    let ask = |text| searcher.search(&SearchQuery::new(text, NOW), &world.within()).unwrap();
    assert_eq!(ids(&ask("does the lexer keep state between lines")), [answer]);
    assert_eq!(*looked_at.borrow(), [answer]);
    assert_eq!(ids(&ask("how is the weather on Fridays in Lisbon")), []);
    assert_eq!(*looked_at.borrow(), [answer]);
}

#[test]
fn the_score_is_the_product_of_what_is_shown() {
    let mut world = RecallWorld::new();
    world.write(Content::new(Kind::Decision, "Use WAL mode", "It is faster with many readers"), 40);
    for weights in [
        RankingWeights::SEARCH,
        RankingWeights { floor: 0.0, ..RankingWeights::INJECT },
        RankingWeights::SIX_SIGNALS,
    ] {
        let answer = world.ask_with("wal mode", &weights, None);
        let hit = &answer.hits[0];
        let lifted = hit.reasons.fused + hit.reasons.boosts.iter().map(|(_, added)| added).sum::<f64>();
        let product = hit.reasons.factors.iter().fold(lifted, |score, (_, factor)| score * factor);
        assert!(hit.score > 0.0 && (hit.score - product).abs() < 1e-12);
    }
}

#[test]
fn a_memory_that_is_no_hit_is_explained_all_the_same() {
    let mut world = RecallWorld::new();
    let far = world.note("The harbour floods at spring tide");
    world.note("Deploy with the blue script");
    let searcher = Searcher::new(&world.store, &RankingWeights::SEARCH);
    let question = SearchQuery::new("deploy script", NOW);
    let explained = searcher.explain(&question, &world.within(), far).unwrap().unwrap();
    assert_eq!(explained.rank, None);
    assert!(explained.hit.score < 0.3, "{}", explained.hit.score);
}
