//! The ranking formula of lore comes out of the table of weights, number for number.

use crate::kit::{DAY, NOW, RecallWorld, project};
use backstory_memory::{Content, Importance, Kind, MemoryId, Redacted, Timestamp};
use backstory_recall::{RankingWeights, SearchQuery, Searcher};
use backstory_store::{Filter, ImpressionKind, MemoryOrigin, NewMemory, Scope, UseKind, WordQuery};

/// One memory of the fixed set: what it says, how old it is, how often and when it was used, how much it matters, whose it is.
struct SignalCase {
    text: &'static str,
    days_old: f64,
    uses: u32,
    days_since_use: Option<f64>,
    importance: i64,
    is_own: bool,
}

const SET: [SignalCase; 6] = [
    SignalCase {
        text: "cache invalidation is done by key prefix",
        days_old: 0.0,
        uses: 0,
        days_since_use: None,
        importance: 3,
        is_own: true,
    },
    SignalCase {
        text: "the cache is warmed at start",
        days_old: 45.0,
        uses: 9,
        days_since_use: Some(2.0),
        importance: 5,
        is_own: true,
    },
    SignalCase {
        text: "cache cache cache everywhere",
        days_old: 400.0,
        uses: 1,
        days_since_use: Some(300.0),
        importance: 1,
        is_own: false,
    },
    SignalCase {
        text: "invalidation must be broadcast to every cache",
        days_old: 7.5,
        uses: 99,
        days_since_use: Some(0.0),
        importance: 4,
        is_own: false,
    },
    SignalCase {
        text: "the login page has no cache headers",
        days_old: 30.0,
        uses: 0,
        days_since_use: None,
        importance: 2,
        is_own: true,
    },
    SignalCase {
        text: "unrelated words about something else",
        days_old: 1.0,
        uses: 5,
        days_since_use: Some(1.0),
        importance: 5,
        is_own: true,
    },
];

/// The formula as it stands in lore's shell script; SQLite's LOG is base 10.
fn lore(bm25: f64, made: &SignalCase) -> f64 {
    let recency = 1.0 / (1.0 + made.days_old / 30.0);
    let frequency = 1.0 + f64::from(made.uses).ln_1p() / std::f64::consts::LN_10 * 0.15;
    let importance = 1.0 + made.importance as f64 / 5.0 * 0.2;
    let last_access = made.days_since_use.map_or(1.0, |days| 1.0 + 0.1 * (-days / 30.0_f64).exp());
    let project = if made.is_own { 1.5 } else { 1.0 };
    bm25 * recency * frequency * importance * last_access * project
}

fn days_before_now(days: f64) -> Timestamp {
    NOW.plus_ms(-(days * DAY as f64) as i64)
}

#[test]
fn the_six_signals_of_lore_come_out_of_the_table() {
    let mut world = RecallWorld::new();
    let other = project(&mut world.store, "other");
    let mut made: Vec<(MemoryId, &SignalCase)> = Vec::new();
    for memory in &SET {
        let mut content = Content::new(Kind::Decision, memory.text, memory.text);
        content.importance = Importance::new(memory.importance);
        let project = if memory.is_own { world.project } else { other };
        let created_at = days_before_now(memory.days_old);
        let new = NewMemory {
            uid: None,
            project,
            origin: MemoryOrigin::default(),
            content: Redacted::vouch(content),
            created_at,
        };
        let id = world.store.memories_mut().remember(&new).unwrap();
        for _ in 0..memory.uses {
            let at = days_before_now(memory.days_since_use.unwrap());
            world.store.injections_mut().mark_used(&[id], UseKind::Fetched, at).unwrap();
        }
        made.push((id, memory));
    }
    let everywhere = Filter::within(Scope::Everywhere);
    let mut words = WordQuery::default();
    words.word("cache");
    words.word("invalidation");
    words.word("broadcast");
    let bm25 = world.store.search().exact(&words, &everywhere).unwrap();

    let question =
        SearchQuery { from: Some(world.project), ..SearchQuery::new("cache invalidation broadcast", NOW) };
    let answer =
        Searcher::new(&world.store, &RankingWeights::SIX_SIGNALS).search(&question, &everywhere).unwrap();

    let mut expected: Vec<(MemoryId, f64)> = bm25
        .iter()
        .map(|hit| (hit.memory, lore(hit.bm25, made.iter().find(|(id, _)| *id == hit.memory).unwrap().1)))
        .collect();
    expected.sort_by(|one, other| other.1.total_cmp(&one.1));
    assert_eq!(expected.len(), 5, "all but the unrelated one");
    let found: Vec<MemoryId> = answer.hits.iter().map(|hit| hit.memory.id).collect();
    assert_eq!(found, expected.iter().map(|(id, _)| *id).collect::<Vec<_>>());
    for (hit, (_, score)) in answer.hits.iter().zip(&expected) {
        assert!((hit.score - score).abs() < 1e-9, "{}: {} is not {score}", hit.memory.id, hit.score);
    }
}

/// Being shown reinforces nothing; use does.
#[test]
fn being_shown_does_not_reinforce_and_use_does() {
    let mut world = RecallWorld::new();
    let shown = world.note("the harbour floods at spring tide");
    let before = world.ask_with("harbour", &RankingWeights::SIX_SIGNALS, None).hits[0].score;
    for _ in 0..50 {
        world.store.injections_mut().record_impressions(&[shown], ImpressionKind::Injected, NOW).unwrap();
    }
    assert_eq!(world.ask_with("harbour", &RankingWeights::SIX_SIGNALS, None).hits[0].score, before);
    world.store.injections_mut().mark_used(&[shown], UseKind::Cited, NOW).unwrap();
    assert!(world.ask_with("harbour", &RankingWeights::SIX_SIGNALS, None).hits[0].score > before);
}
