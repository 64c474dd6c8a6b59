//! The one table of weights: what counts how much, for each profile.
//!
//! The defaults stand here and, with a word on each, in the configuration. The formulas of the systems Backstory replaces are rows of the
//! same table: `SIX_SIGNALS` is lore's ranking, number for number.

use serde::Deserialize;

/// What counts how much.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// The share of meaning in relevance, 0 to 1; the rest is words. Without vectors words are all of it.
    pub meaning: f64,
    /// The BM25 that is worth half of what words can be worth; 0 takes BM25 as it is.
    pub saturation: f64,
    /// How near a memory must be, as a cosine, that none of the words stand in.
    pub nearness: f64,
    /// What a synonym is worth beside a word that was said.
    pub synonyms: f64,
    /// How far it lifts a memory that the question names its file or symbol.
    pub named: f64,
    /// How far a short memory is lifted by what stands beside it in its session.
    pub neighbours: f64,
    /// What is left of a memory that lies outside the time the question names.
    pub outside_time: f64,
    /// How strongly the signals below count, all together: 1 as they are, 0 not at all.
    pub signals: f64,
    /// How strongly it counts how recent a memory is.
    pub recency: f64,
    /// After how many days a memory is half as recent.
    pub recency_days: f64,
    /// How many times slower kinds that last grow old: decisions, patterns, learnings, goals.
    pub durable: f64,
    /// What ten times as much use adds.
    pub used: f64,
    /// How much being shown counts as use: 0 not at all, 1 like use itself, as lore has it.
    pub shown: f64,
    /// What the highest importance adds.
    pub importance: f64,
    /// What it adds to have been used just now.
    pub recent_use: f64,
    /// What a memory of the asking project is multiplied by.
    pub same_project: f64,
    /// How strongly the kind counts.
    pub kind: f64,
    /// How strongly it counts who said it.
    pub provenance: f64,
    /// How strongly it counts how sure we are.
    pub confidence: f64,
    /// How strongly it counts that the code it speaks of has changed or is gone.
    pub freshness: f64,
    /// How fast a memory fades that is shown again and again and never used.
    pub unused: f64,
    /// What is taken off the best answer, before the floor, where a question names only what no memory ever did.
    pub unheard: f64,
    /// Where the best is less relevant than this, there is no answer.
    pub floor: f64,
    /// Less than this share of the best answer's relevance is not an answer.
    pub floor_of_best: f64,
}

impl Weights {
    /// Someone asked: relevance rules, and the signals only tell equals apart.
    pub const SEARCH: Weights = Weights {
        meaning: 0.5,
        saturation: 8.0,
        nearness: 0.15,
        synonyms: 0.4,
        named: 0.2,
        neighbours: 0.3,
        outside_time: 0.6,
        signals: 0.02,
        recency: 1.0,
        recency_days: 30.0,
        durable: 6.0,
        used: 0.15,
        shown: 0.0,
        importance: 0.2,
        recent_use: 0.1,
        same_project: 1.5,
        kind: 0.0,
        provenance: 0.0,
        confidence: 0.0,
        freshness: 1.0,
        unused: 0.0,
        unheard: 0.0,
        floor: 0.0,
        floor_of_best: 0.0,
    };

    /// Nobody asked: what is given must be right, and of what is about as right, what is recent, durable and sure comes first.
    pub const INJECT: Weights = Weights {
        signals: 1.0,
        // In full, either alone would put a half-right answer of last month before the right one of last year.
        recency: 0.15,
        kind: 0.25,
        provenance: 1.0,
        confidence: 1.0,
        unused: 1.0,
        unheard: 0.6,
        floor: 0.35,
        floor_of_best: 0.75,
        ..Weights::SEARCH
    };

    /// The six signals of lore, and nothing else: BM25 as it is, recency, use, importance, recent use, same project.
    pub const SIX_SIGNALS: Weights = Weights {
        meaning: 0.0,
        saturation: 0.0,
        synonyms: 0.0,
        named: 0.0,
        neighbours: 0.0,
        outside_time: 1.0,
        signals: 1.0,
        durable: 1.0,
        freshness: 0.0,
        ..Weights::SEARCH
    };
}
