//! Signals beside relevance: age, use, kind, provenance and the like. Each is a factor near 1 and is shown by name.

use crate::RankingWeights;
use backstory_memory::{Freshness, Kind, Memory, MemoryScope, ProjectId, Provenance, Timestamp};
use backstory_store::Impressions;

/// A property of a memory that counts beside its relevance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signal {
    /// How long ago it was written.
    Recency,
    /// How often it was used.
    Used,
    /// How much it matters.
    Importance,
    /// How lately it was used.
    RecentUse,
    /// That it is of the asking project.
    SameProject,
    /// What kind it is.
    Kind,
    /// Who said it.
    Provenance,
    /// How sure we are.
    Confidence,
    /// Whether its code is what it was.
    Freshness,
    /// That it was shown and not used.
    Unused,
}

impl Signal {
    /// Returns the signal's name, as people read it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Signal::Recency => "recency",
            Signal::Used => "used",
            Signal::Importance => "importance",
            Signal::RecentUse => "recent use",
            Signal::SameProject => "same project",
            Signal::Kind => "kind",
            Signal::Provenance => "provenance",
            Signal::Confidence => "confidence",
            Signal::Freshness => "freshness",
            Signal::Unused => "shown, not used",
        }
    }
}

/// What signals depend on beside the memory itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignalInput {
    /// When the search runs.
    pub(crate) at: Timestamp,
    /// From which project, if several are searched.
    pub(crate) from: Option<ProjectId>,
    /// How often the memory was shown.
    pub(crate) shown: Impressions,
}

/// Returns the factor of every signal that is not neutral, strength included.
pub(crate) fn signals(memory: &Memory, input: SignalInput, weights: &RankingWeights) -> Vec<(Signal, f64)> {
    let content = &memory.content;
    let age = input.at.days_since(memory.created_at);
    let lasting = if content.kind.traits().is_durable { weights.durable } else { 1.0 };
    let recency = 1.0 / (1.0 + age / (weights.recency_days * lasting).max(f64::MIN_POSITIVE));
    let uses = f64::from(memory.times_used) + weights.shown * f64::from(input.shown.total);
    let used = 1.0 + (1.0 + uses).log10() * weights.used;
    let importance = 1.0 + f64::from(content.importance.get()) / 5.0 * weights.importance;
    let since_use = memory.last_used_at.map(|used_at| input.at.days_since(used_at));
    let recent_use =
        since_use.map_or(1.0, |days| 1.0 + weights.recent_use * (-days / weights.recency_days).exp());
    let is_own = input.from.is_none_or(|from| memory.project == from || content.scope == MemoryScope::User);
    // A rule that is followed leaves no trace: it is not judged by use.
    let shown = if content.kind == Kind::Rule { 0 } else { input.shown.since_used };
    let unused = 1.0 / (1.0 + f64::from(shown) / SHOWN_HALF);
    let all = [
        (Signal::Recency, recency.powf(weights.recency)),
        (Signal::Used, used),
        (Signal::Importance, importance),
        (Signal::RecentUse, recent_use),
        (Signal::SameProject, if input.from.is_some() && is_own { weights.same_project } else { 1.0 }),
        (Signal::Kind, content.kind.weight().powf(weights.kind)),
        (Signal::Provenance, provenance_weight(&content.provenance).powf(weights.provenance)),
        (Signal::Confidence, (0.5 + 0.5 * content.confidence.get()).powf(weights.confidence)),
        (Signal::Unused, unused.powf(weights.unused)),
    ];
    let with_strength = all.into_iter().map(|(signal, factor)| (signal, factor.powf(weights.signals)));
    with_strength.filter(|(_, factor)| (factor - 1.0).abs() > 1e-9).collect()
}

/// Returns the factor for the state of a memory's code; nothing where it is what it was.
pub(crate) fn freshness(state: Freshness, weights: &RankingWeights) -> Option<f64> {
    let weight: f64 = match state {
        Freshness::Fresh => return None,
        Freshness::Changed => 0.8,
        Freshness::Gone => 0.4,
    };
    Some(weight.powf(weights.freshness * weights.signals))
}

/// Impressions this often without use, a memory counts half.
const SHOWN_HALF: f64 = 10.0;

fn provenance_weight(provenance: &Provenance) -> f64 {
    match provenance {
        Provenance::User => 1.0,
        Provenance::Assistant | Provenance::Tool => 0.95,
        Provenance::Import | Provenance::Team(_) => 0.9,
        Provenance::Web | Provenance::Repository => 0.6,
    }
}
