//! Compares candidates in full: reads them and what stands beside them, and weighs every feature into one relevance.
//!
//! The arms find candidates cheaply and roughly. Here the best few are read, so that their best passage, their title, who said them and
//! their neighbours in the session count as well. A short turn ("yes, on the 7th of May") is understood by the one before it.

use crate::Searcher;
use crate::fusion::Pool;
use crate::relevance::{BestFound, FeatureWeights, Features};
use crate::word_evidence::{SoughtWords, WordEvidence};
use backstory_memory::{Memory, MemoryId, Provenance};
use backstory_store::{Filter, SessionNeighbours, StoreError};
use std::collections::{HashMap, HashSet};

/// What stands beside this many of the best candidates is read as well, and may be a hit itself.
const LOOKED_BESIDE: usize = 24;
/// A text of more words has more than one vector: so many words to the first, and so many to each further one.
const FIRST_CHUNK: usize = 180;
const CHUNK_STEP: usize = 90;
/// A text of more words is not what one person said at once.
const LONGEST_REMARK: usize = 100;
/// The BM25 that counts as half.
const HALF_BM25: f64 = 8.0;
/// The cosine to expect of a memory without a vector: from no words in common to all of them.
const USUAL_MEANING: f64 = 0.2;
const MEANING_OF_WORDS: f64 = 0.35;

/// Gives every candidate that was read its relevance. Reads what stands beside the best, and adds it.
pub(crate) fn appraise(
    pool: &mut Pool,
    searcher: &Searcher<'_>,
    filter: &Filter,
    memories: &mut Vec<Memory>,
) -> Result<(), StoreError> {
    let with_session = memories.iter().take(LOOKED_BESIDE).filter(|memory| memory.session.is_some());
    let with_session: Vec<MemoryId> = with_session.map(|memory| memory.id).collect();
    let mut pairs = Vec::new();
    if !with_session.is_empty() {
        searcher.in_time(|| {
            pairs = searcher.store.search().session_neighbours(&with_session, filter)?;
            Ok(())
        })?;
    }
    add_neighbours(pool, searcher, filter, memories, &pairs)?;
    let read: HashMap<MemoryId, WordEvidence> =
        memories.iter().map(|memory| (memory.id, evidence(&pool.sought, memory))).collect();
    let beside = beside(&pairs);
    let found = memories.iter().map(|memory| {
        let neighbours = beside.get(&memory.id).map_or(&[][..], Vec::as_slice);
        features(pool, memory, neighbours, &read)
    });
    let found: Vec<Features> = found.collect();
    // A note of the least importance shares words with most queries: it is no evidence that another answers this one.
    let mut important: Vec<Features> = Vec::new();
    let pairs = memories.iter().zip(&found).filter(|(memory, _)| memory.content.importance.get() > 1);
    important.extend(pairs.map(|(_, features)| *features));
    let best =
        BestFound::among(if important.is_empty() { &found } else { &important }, &FeatureWeights::FITTED);
    for (memory, features) in memories.iter().zip(found) {
        if let Some(reasons) = pool.candidates.get_mut(&memory.id) {
            reasons.fused = best.probability(&features, &FeatureWeights::FITTED);
            reasons.features = features;
        }
    }
    pass_on_along_links(pool);
    Ok(())
}

/// Reads what stands beside the best candidates and is not yet among them.
fn add_neighbours(
    pool: &mut Pool,
    searcher: &Searcher<'_>,
    filter: &Filter,
    memories: &mut Vec<Memory>,
    pairs: &[SessionNeighbours],
) -> Result<(), StoreError> {
    let mut known: HashSet<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    let around = pairs.iter().flat_map(|pair| [pair.before, pair.after]).flatten();
    let new: Vec<MemoryId> = around.filter(|id| known.insert(*id)).collect();
    if new.is_empty() {
        return Ok(());
    }
    for id in &new {
        pool.candidates.entry(*id).or_default();
    }
    if let (Some(index), Some(query)) = (searcher.index, &pool.query_vector) {
        for (id, cosine) in index.cosines(query, filter.scope, &new) {
            pool.candidates.entry(id).or_default().meaning = Some(cosine);
        }
    }
    memories.extend(searcher.store.memories().get_many(&new)?);
    Ok(())
}

/// Returns BM25 as a number from 0 to 1.
pub(crate) fn levelled(bm25: f64) -> f64 {
    bm25 / (bm25 + HALF_BM25)
}

/// Returns the cosine that is to be expected of a memory without a vector, by the share of the words that it holds.
pub(crate) fn expected_meaning(words: f64) -> f64 {
    USUAL_MEANING + MEANING_OF_WORDS * words
}

fn evidence(sought: &SoughtWords, memory: &Memory) -> WordEvidence {
    let content = &memory.content;
    if content.facts.is_empty() && content.concepts.is_empty() && content.files.is_empty() {
        return sought.evidence(&content.title, &content.body);
    }
    let lists = [&content.facts, &content.concepts, &content.files];
    let lists = lists.into_iter().flatten().map(String::as_str);
    let body = std::iter::once(content.body.as_str()).chain(lists).collect::<Vec<_>>().join("\n");
    sought.evidence(&content.title, &body)
}

/// Returns what stands beside each memory, seen from both sides.
fn beside(pairs: &[SessionNeighbours]) -> HashMap<MemoryId, Vec<MemoryId>> {
    let mut beside: HashMap<MemoryId, Vec<MemoryId>> = HashMap::new();
    for pair in pairs {
        for other in [pair.before, pair.after].into_iter().flatten() {
            for (one, other) in [(pair.memory, other), (other, pair.memory)] {
                let known = beside.entry(one).or_default();
                if !known.contains(&other) {
                    known.push(other);
                }
            }
        }
    }
    beside
}

fn features(
    pool: &Pool,
    memory: &Memory,
    neighbours: &[MemoryId],
    read: &HashMap<MemoryId, WordEvidence>,
) -> Features {
    let reasons = pool.candidates.get(&memory.id);
    let words = reasons.map_or(0.0, |reasons| reasons.words);
    let own = read.get(&memory.id).copied().unwrap_or_default();
    // A memory without a vector is as near as its words suggest: it must neither lead nor vanish for what it lacks.
    let meaning = reasons.and_then(|reasons| reasons.meaning);
    let meaning = meaning.unwrap_or_else(|| expected_meaning(own.passage)).max(0.0);
    let chunks = 1 + own.length.saturating_sub(FIRST_CHUNK).div_ceil(CHUNK_STEP);
    let held_beside = neighbours.iter().filter_map(|id| read.get(id)).fold(0, |held, it| held | it.held);
    let meaning_beside = neighbours.iter().filter_map(|id| pool.candidates.get(id)?.meaning);
    // Who speaks, and whether they only ask, is known of what one person said, not of a whole talk.
    let is_remark = own.length <= LONGEST_REMARK;
    let names_speaker = is_remark && pool.sought.names_speaker_of(&memory.content.body);
    let asks = is_remark && memory.content.body.trim_end().ends_with('?');
    Features([
        levelled(words),
        own.whole,
        own.passage,
        own.sentence,
        own.title,
        meaning,
        (chunks as f64).log2() / 5.0,
        pool.sought.share_of(held_beside & !own.held),
        meaning_beside.fold(0.0, f64::max),
        f64::from(memory.content.provenance == Provenance::User),
        f64::from(names_speaker),
        f64::from(asks),
        levelled(pool.sought.rarity_found(words)),
        pool.out_of_vocabulary,
    ])
}

/// Raises what is linked to a relevant memory: a failure brings its fix.
fn pass_on_along_links(pool: &mut Pool) {
    let relevance: HashMap<MemoryId, f64> =
        pool.candidates.iter().map(|(id, reasons)| (*id, reasons.fused)).collect();
    for reasons in pool.candidates.values_mut() {
        let own = reasons.fused;
        for (boost, added) in &mut reasons.boosts {
            if let Some((near, share)) = boost.carries() {
                *added = share * relevance.get(&near).copied().unwrap_or_default() - own;
            }
        }
        reasons.boosts.retain(|(_, added)| *added > 0.0);
    }
}
