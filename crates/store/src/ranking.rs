//! Ranking by words, fast whatever the question.
//!
//! BM25 over every memory that holds any word is exact, and slow where a word stands in a third of a large store. Words that many
//! memories hold say little: they are left out while telling ones find enough, and looked for together when they do not. In a
//! small store, and for rare words in a large one, the result is plain BM25.
//!
//! **Performance.** How many memories hold a word is counted up to a bound, and BM25 is asked of a bounded number of memories.

use crate::words::{fit, in_place};
use crate::{Reach, WordQuery};
use backstory_memory::{MemoryId, ProjectId};
use rusqlite::Connection;
use std::collections::HashMap;

/// A memory the word index found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordHit {
    /// Which memory.
    pub memory: MemoryId,
    /// How well its words fit; higher is better.
    pub bm25: f64,
}

/// Up to this many memories hold the telling words of a question, all together.
const MOST_TELLING: i64 = 2_000;
/// Of what holds only common words, the newest this many are looked at.
const MOST_COMMON_MATCHES: i64 = 1_000;
/// Where telling words found this many, common words alone would not reach the top.
const ENOUGH: usize = 64;
/// More common words than this are not worth their intersection.
const MOST_COMMON: usize = 4;
/// A project of at most this many memories, and at most this share of the store, is searched by itself.
const MOST_COUNTED: i64 = 5_000;
const SMALL_SHARE: i64 = 4;

/// Ranks what holds any of the words, best first. Of those outside the reach some may be in it still: the caller looks at the rows.
pub(crate) fn rank(db: &Connection, query: &WordQuery, reach: Reach) -> rusqlite::Result<Vec<WordHit>> {
    let newest: Option<i64> = db.query_row("SELECT max(id) FROM memories", [], |row| row.get(0))?;
    let memories = newest.unwrap_or(0);
    let place = match reach {
        Reach::Project(id) if is_small(db, id, memories)? => Some(in_place(id)),
        Reach::Project(_) | Reach::Everywhere => None,
    };
    let index = Index { db, memories, place };
    let (telling, common) = index.weigh(query)?;
    let mut scores = HashMap::new();
    if !telling.is_empty() {
        scores = index.score(&telling.join(" OR "), i64::MAX)?;
    }
    if scores.len() < ENOUGH {
        index.add_matches_of_common(&common, &mut scores)?;
    }
    let mut hits: Vec<WordHit> =
        scores.into_iter().map(|(id, bm25)| WordHit { memory: MemoryId(id), bm25 }).collect();
    sort(&mut hits);
    Ok(hits)
}

/// Puts the best first, of equals the newer one: the only use of time here.
pub(crate) fn sort(hits: &mut [WordHit]) {
    hits.sort_by(|one, other| other.bm25.total_cmp(&one.bm25).then(other.memory.cmp(&one.memory)));
}

/// The word index, within a place where that pays.
struct Index<'db> {
    db: &'db Connection,
    /// About how many memories there are.
    memories: i64,
    place: Option<String>,
}

impl Index<'_> {
    /// Tells the telling words from the common ones.
    fn weigh<'q>(&self, query: &'q WordQuery) -> rusqlite::Result<(Vec<&'q str>, Vec<&'q str>)> {
        if self.memories <= MOST_TELLING {
            return Ok((query.terms().collect(), Vec::new()));
        }
        let mut counted = Vec::new();
        for term in query.terms() {
            counted.push((self.count(term)?, term));
        }
        counted.sort_unstable();
        let (mut telling, mut common, mut total) = (Vec::new(), Vec::new(), 0);
        for (holders, term) in counted.into_iter().filter(|(holders, _)| *holders > 0) {
            total += holders;
            if total <= MOST_TELLING {
                telling.push(term);
            } else if common.len() < MOST_COMMON {
                common.push(term);
            }
        }
        Ok((telling, common))
    }

    /// Counts the memories that hold a word, up to a bound.
    fn count(&self, term: &str) -> rusqlite::Result<i64> {
        self.db
            .prepare_cached(
                "SELECT count(*) FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH ?1 LIMIT ?2)",
            )?
            .query_row((self.within(term), MOST_TELLING + 1), |row| row.get(0))
    }

    /// Scores the newest memories an expression matches, up to `most`.
    fn score(&self, expression: &str, most: i64) -> rusqlite::Result<HashMap<i64, f64>> {
        self.db
            .prepare_cached(concat!(
                "SELECT rowid, ",
                fit!(),
                " FROM memory_words WHERE memory_words MATCH ?1 ORDER BY rowid DESC LIMIT ?2"
            ))?
            .query_map((self.within(expression), most), |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
    }

    /// Adds what holds all of the common words, or, while that is nothing, all but the most common of them.
    fn add_matches_of_common(&self, common: &[&str], scores: &mut HashMap<i64, f64>) -> rusqlite::Result<()> {
        // The rarest stand first. One common word beside telling ones would only bring back what it is common in.
        let fewest = if scores.is_empty() { 1 } else { 2 };
        for kept in (fewest..=common.len()).rev() {
            let words: Vec<&str> = common.iter().take(kept).copied().collect();
            let found = self.score(&words.join(" AND "), MOST_COMMON_MATCHES)?;
            if !found.is_empty() {
                for (id, score) in found {
                    scores.entry(id).or_insert(score);
                }
                break;
            }
        }
        Ok(())
    }

    /// Narrows an expression to the place.
    fn within(&self, expression: &str) -> String {
        match &self.place {
            Some(place) => format!("{place} AND ({expression})"),
            None => expression.to_owned(),
        }
    }
}

fn is_small(db: &Connection, project: ProjectId, memories: i64) -> rusqlite::Result<bool> {
    // Counting further would cost more than it saves.
    let bound = (memories / SMALL_SHARE).min(MOST_COUNTED);
    let sql = "SELECT count(*) FROM (SELECT 1 FROM memories WHERE project_id = ?1 LIMIT ?2)";
    let counted: i64 = db.prepare_cached(sql)?.query_row([project.0, bound + 1], |row| row.get(0))?;
    Ok(counted <= bound)
}
