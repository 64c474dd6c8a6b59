//! Of two hits on one subject the newer comes first, and the older says so.
//!
//! Both fit the query equally well; only their dates tell which one holds. Where the store says that one supersedes or contradicts
//! the other, how well they fit does not matter. Not here: superseded memories that the filter leaves out.

use crate::{Hit, Searcher, SemanticIndex};
use backstory_memory::{Memory, MemoryId, MemoryScope, Relation, Standing, WordSet, keywords, stem};
use backstory_store::{Filter, Scope, StoreError};
use std::collections::{HashMap, HashSet};

/// From this cosine on two memories are about one subject.
const SAME_MEANING: f32 = 0.8;
/// Or from this share of common words on: to the model `15` and `16` are far apart, in otherwise equal sentences.
const SAME_WORDS: f64 = 0.5;
/// Or from this cosine on, if half of what the shorter one says is in the other:
/// "expire after thirty minutes", "after two hours".
const RELATED_MEANING: f32 = 0.6;
/// Fewer words in common are a coincidence.
const FEWEST_COMMON: usize = 2;
/// The odds of the newer one must be at least this share of the older one's: probabilities near one hide how far apart two are.
const NEARLY_AS_WELL: f64 = 0.2;
/// The share of the query's words in the older one that a newer one may lack.
const LOST: f64 = 0.15;
/// How many of the best hits are compared with each other, and of how many the links are read.
const COMPARED: usize = 20;
const LINKED: usize = 64;

/// Puts the newer of two hits on one subject before the older, and notes on the older which it is older than.
pub(crate) fn put_newer_first(
    hits: &mut Vec<Hit>,
    searcher: &Searcher<'_>,
    filter: &Filter,
) -> Result<(), StoreError> {
    let mut newer_of = alike_and_newer(hits, searcher.index, filter.scope);
    searcher.in_time(|| {
        newer_of.extend(linked_and_newer(hits, searcher, filter)?);
        Ok(())
    })?;
    if newer_of.is_empty() {
        return Ok(());
    }
    for hit in hits.iter_mut() {
        hit.reasons.older_than = newer_of.get(&hit.memory.id).copied();
    }
    reorder(hits, &newer_of);
    Ok(())
}

/// Returns, for each hit that another replaces or contradicts, that other one.
fn linked_and_newer(
    hits: &[Hit],
    searcher: &Searcher<'_>,
    filter: &Filter,
) -> Result<HashMap<MemoryId, MemoryId>, StoreError> {
    let ids: Vec<MemoryId> = hits.iter().take(LINKED).map(|hit| hit.memory.id).collect();
    let hit = |id: MemoryId| hits.iter().take(LINKED).find(|hit| hit.memory.id == id);
    let mut newer_of = HashMap::new();
    for link in searcher.store.search().linked(&ids, filter)? {
        let Some((from, to)) = hit(link.from).zip(hit(link.to)) else { continue };
        let (newer, older) = match link.relation {
            Relation::Supersedes => (from, to),
            Relation::Contradicts if written(from) > written(to) => (from, to),
            Relation::Contradicts => (to, from),
            Relation::DerivedFrom | Relation::Relates => continue,
        };
        if newer.memory.standing == Standing::Confirmed {
            newer_of.insert(older.memory.id, newer.memory.id);
        }
    }
    Ok(newer_of)
}

/// Returns, for each of the best hits that a newer one on the same subject amends, the newest.
fn alike_and_newer(hits: &[Hit], index: Option<&SemanticIndex>, scope: Scope) -> HashMap<MemoryId, MemoryId> {
    let compared = hits.len().min(COMPARED);
    let ids: Vec<MemoryId> = hits.iter().take(compared).map(|hit| hit.memory.id).collect();
    let vectors = index.map(|index| index.first_vectors(scope, &ids)).unwrap_or_default();
    let words: HashMap<MemoryId, WordSet> =
        hits.iter().take(compared).map(|hit| (hit.memory.id, words_of(hit))).collect();
    let same = |one_hit: &Hit, other_hit: &Hit| {
        let (one, other) = (one_hit.memory.id, other_hit.memory.id);
        let near = vectors.get(&one).zip(vectors.get(&other)).map(|(one, other)| one.cosine(other));
        let alike = words.get(&one).zip(words.get(&other)).map(|(one, other)| one.jaccard(other));
        near.is_some_and(|near| near >= SAME_MEANING)
            || alike.is_some_and(|alike| alike >= SAME_WORDS)
            || near.is_some_and(|near| near >= RELATED_MEANING) && share_subject(one_hit, other_hit)
    };
    let mut newer_of: HashMap<MemoryId, MemoryId> = HashMap::new();
    for older in hits.iter().take(compared).filter(|hit| holds_until_amended(hit)) {
        let others = hits.iter().take(compared);
        let newest = others
            .filter(|other| {
                written(other) > written(older) && other.memory.content.kind == older.memory.content.kind
            })
            .filter(|other| may_amend(&other.memory, &older.memory))
            .filter(|other| other.reasons.odds() >= NEARLY_AS_WELL * older.reasons.odds())
            .filter(|other| answers_as_much(other, older))
            .filter(|other| same(older, other))
            .max_by_key(|other| written(other));
        if let Some(newest) = newest {
            newer_of.insert(older.memory.id, newest.memory.id);
        }
    }
    newer_of
}

/// Whether the newer one holds what the older one holds of the query. "The parser is written in Go" amends nothing where the lexer is
/// asked for, however alike the sentences are.
fn answers_as_much(newer: &Hit, older: &Hit) -> bool {
    newer.reasons.features.passage() >= (1.0 - LOST) * older.reasons.features.passage()
}

/// Whether a memory says what holds until something newer is said, and not what was said or done one day: the next day's talk is on the
/// same subject and amends nothing.
fn holds_until_amended(hit: &Hit) -> bool {
    hit.memory.content.kind.traits().is_durable
}

/// Whether half of the words of the shorter title stand in the other.
fn share_subject(one: &Hit, other: &Hit) -> bool {
    let subject = |hit: &Hit| -> HashSet<String> {
        keywords(&hit.memory.content.title).iter().map(|word| stem(word).to_owned()).collect()
    };
    let (one, other) = (subject(one), subject(other));
    let shared_words = one.intersection(&other).count();
    shared_words >= FEWEST_COMMON && 2 * shared_words >= one.len().min(other.len())
}

/// Whether one memory holds where the other does: a newer memory of another project amends nothing, nor does a superseded one.
fn may_amend(newer: &Memory, older: &Memory) -> bool {
    let holds_there = newer.project == older.project || newer.content.scope == MemoryScope::User;
    holds_there && newer.standing == Standing::Confirmed
}

/// Moves each newer hit to just before the first hit it amends.
fn reorder(hits: &mut Vec<Hit>, newer_of: &HashMap<MemoryId, MemoryId>) {
    // Each moves once: links of two programs may say that each of two replaces the other.
    let mut moved: HashSet<MemoryId> = HashSet::new();
    let mut at = 0;
    while let Some(hit) = hits.get(at) {
        let newer = newer_of.get(&hit.memory.id).filter(|newer| !moved.contains(newer));
        let later = newer.and_then(|newer| hits.iter().skip(at + 1).position(|hit| hit.memory.id == *newer));
        if let Some(later) = later {
            let newer = hits.remove(at + 1 + later);
            moved.insert(newer.memory.id);
            hits.insert(at, newer);
        } else {
            // Advance only now: the hit moved here may itself be older than another.
            at += 1;
        }
    }
}

fn written(hit: &Hit) -> (backstory_memory::Timestamp, MemoryId) {
    (hit.memory.created_at, hit.memory.id)
}

fn words_of(hit: &Hit) -> WordSet {
    WordSet::from_text(&format!("{}\n{}", hit.memory.content.title, hit.memory.content.body))
}
