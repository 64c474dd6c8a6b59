//! Ranks memories by words, fast for every query.
//!
//! BM25 over every memory that holds any of the words is exact, but slow if a word occurs in a third of a large store. Therefore
//! common words find no memories of their own as long as rare words find enough: they only raise what the rare words found. If rare
//! words find too little, memories that hold the common words together are added. In a small store, and for rare words in a large
//! one, the result is plain BM25. In a very young store it is BM25 as if there were a few more memories. A word that no memory
//! holds is replaced by the nearest known words, which count less.
//!
//! **Performance.** The holders of a word are counted up to a bound and estimated beyond. BM25 is computed for a bounded number of
//! memories, and only for words whose holders can be counted in time: FTS5 counts every holder of every word it weighs.

use crate::db::open::TxError;
use crate::search::spelling::{Spelling, SpellingCorrection, Vocabulary};
use crate::search::words::{QueryTerm, fit, in_scope, quoted};
use crate::{Scope, WordQuery};
use backstory_memory::{MemoryId, ProjectId};
use rusqlite::{Connection, OptionalExtension};
use std::collections::{HashMap, HashSet};

/// A memory found by its words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordHit {
    /// Which memory.
    pub memory: MemoryId,
    /// How well its words match; higher is better.
    pub bm25: f64,
}

/// What the word index returns for a query.
pub(crate) struct RankedWords {
    /// Best first. Some may be out of scope: the caller checks the rows.
    pub(crate) hits: Vec<WordHit>,
    /// The known words that replaced unknown ones.
    pub(crate) corrections: Vec<SpellingCorrection>,
    /// The unknown words that are near to no known word.
    pub(crate) unknown_words: Vec<String>,
    /// About how many memories hold each known word.
    pub(crate) holders: Vec<(String, u32)>,
    /// Of how many memories.
    pub(crate) memories: u32,
    /// What an average memory would score that held every known word once.
    pub(crate) attainable: f64,
}

/// With fewer memories than this, BM25 cannot tell which words are rare.
const GROWN: i64 = 20;
/// A store of at most this many memories is small: everything is ranked.
const SMALL: i64 = 2_000;
/// The rare words of a query have at most this many holders, all together.
const MOST_RARE: i64 = 600;
/// Of the memories that hold only common words, the newest this many are ranked.
const MOST_FREQUENT_MATCHES: i64 = 128;
/// How far back those are looked for: for words that rarely occur together, FTS5 would read the whole index.
const FREQUENT_SPAN: i64 = 100_000;
/// A span of at most this many memories is searched completely.
const NEAR_SPAN: i64 = 20_000;
/// If rare words find this many memories, common words alone would not reach the top.
const ENOUGH: usize = 64;
/// At most this many common words are intersected; more are not worth the cost.
const MOST_FREQUENT: usize = 4;
/// At most this many common words raise what rare words found, and only words of at least this weight.
const MOST_RAISING: usize = 2;
const LEAST_RAISING: f64 = 0.5;
/// BM25 may count at most this many holders of its words.
const MOST_WEIGHED: i64 = 40_000;
/// More unknown words than this are not typos: they belong to another language or another project.
const MOST_MISSPELT: usize = 3;
/// The share of its score that a word gets if it is only near to the queried one.
const NEAR_SHARE: f64 = 0.5;
/// Factor for a word in the title, where BM25 is not computed.
const IN_TITLE: f64 = 1.7;
/// A project with at most this many memories, and at most one in `SMALL_SHARE` of the store, is searched by itself.
const MOST_COUNTED: i64 = 5_000;
const SMALL_SHARE: i64 = 4;

/// Ranks the memories that hold any of the words.
pub(crate) fn rank(
    db: &Connection,
    query: &WordQuery,
    scope: Scope,
    spelling: Spelling,
) -> Result<RankedWords, TxError> {
    let index = WordIndex::new(db, scope)?;
    let ResolvedQuery { words, near, corrections, unknown_words, holders } = index.seek(query, spelling)?;
    let memories = as_count(index.in_scope);
    let attainable = words.iter().map(|word| index.weight(word)).sum();
    let mut scores = index.rank(words)?;
    if !near.is_empty() {
        for (id, score) in index.rank(near)? {
            *scores.entry(id).or_default() += NEAR_SHARE * score;
        }
    }
    let mut hits: Vec<WordHit> =
        scores.into_iter().map(|(id, bm25)| WordHit { memory: MemoryId(id), bm25 }).collect();
    sort(&mut hits);
    Ok(RankedWords { hits, corrections, unknown_words, holders, memories, attainable })
}

/// Sorts the best first, and among equals the newer first: the only use of time here.
pub(crate) fn sort(hits: &mut [WordHit]) {
    hits.sort_unstable_by(|one, other| other.bm25.total_cmp(&one.bm25).then(other.memory.cmp(&one.memory)));
}

/// The word index, narrowed to one project where that pays.
struct WordIndex<'db> {
    db: &'db Connection,
    /// About how many memories there are, and how many of them in scope.
    memories: i64,
    in_scope: i64,
    /// The scope, if it pays to search the project alone.
    narrowed_to: Option<String>,
    /// The expression that every memory in scope matches.
    scope: Option<String>,
}

/// A query whose words have been looked up.
struct ResolvedQuery {
    words: Vec<IndexedWord>,
    near: Vec<IndexedWord>,
    corrections: Vec<SpellingCorrection>,
    unknown_words: Vec<String>,
    holders: Vec<(String, u32)>,
}

/// A word that a memory in scope holds.
struct IndexedWord {
    expression: String,
    /// About how many memories hold it, and how many of them in scope.
    holders: i64,
    in_scope: i64,
}

/// The memories that match an expression.
#[derive(Clone, Copy)]
struct IndexMatch<'e> {
    expression: &'e str,
    /// Only memories with at least this id.
    oldest: i64,
    /// Only the newest this many.
    newest: Option<i64>,
}

impl<'e> IndexMatch<'e> {
    fn all(expression: &'e str) -> IndexMatch<'e> {
        IndexMatch { expression, oldest: 0, newest: None }
    }

    /// Returns the order in which FTS5 walks. Forwards is much faster: backwards, every page is first read to its end.
    fn order(&self) -> &'static str {
        if self.newest.is_some() { "DESC" } else { "ASC" }
    }
}

type Scores = HashMap<i64, f64>;

impl<'db> WordIndex<'db> {
    fn new(db: &'db Connection, scope: Scope) -> rusqlite::Result<WordIndex<'db>> {
        let newest: Option<i64> =
            db.prepare_cached("SELECT max(id) FROM memories")?.query_row([], |row| row.get(0))?;
        // The highest id stands for the number of memories: counting them would read the whole table. Forgotten ones make it too
        // high by a little.
        let memories = newest.unwrap_or(0);
        let mut index = WordIndex { db, memories, in_scope: memories, narrowed_to: None, scope: None };
        if let Scope::Project(project) = scope {
            index.scope = Some(in_scope(project));
            if let Some(counted) = index.count_if_small(project)? {
                index.in_scope = counted;
                index.narrowed_to.clone_from(&index.scope);
            }
        }
        Ok(index)
    }

    fn count_if_small(&self, project: ProjectId) -> rusqlite::Result<Option<i64>> {
        // Counting further would cost more than it saves.
        let bound = (self.memories / SMALL_SHARE).min(MOST_COUNTED);
        let sql = "SELECT count(*) FROM (SELECT 1 FROM memories WHERE project_id = ?1 LIMIT ?2)";
        let counted: i64 =
            self.db.prepare_cached(sql)?.query_row([project.0, bound + 1], |row| row.get(0))?;
        Ok((counted <= bound).then_some(counted))
    }

    fn is_small(&self) -> bool {
        self.memories <= SMALL
    }

    /// Looks up the words of a query, and what may have been intended by unknown ones.
    fn seek(&self, query: &WordQuery, spelling: Spelling) -> Result<ResolvedQuery, TxError> {
        let mut sought = ResolvedQuery {
            words: Vec::new(),
            near: Vec::new(),
            corrections: Vec::new(),
            unknown_words: Vec::new(),
            holders: Vec::new(),
        };
        let (mut unknown, mut known) = (Vec::new(), HashSet::new());
        let (beginnings, whole): (Vec<&QueryTerm>, Vec<&QueryTerm>) =
            query.terms().partition(|term| term.is_beginning);
        for term in whole {
            match self.known(&term.expression())? {
                Some(word) => {
                    known.insert(&term.text);
                    sought.holders.push((term.text.clone(), as_count(word.in_scope)));
                    sought.words.push(word);
                }
                None => unknown.push(term),
            }
        }
        // A term that is a word by itself needs no completion in a large store, where FTS5 would read every word that begins with
        // it.
        for term in beginnings.into_iter().filter(|term| self.is_small() || !known.contains(&term.text)) {
            let completed = self.complete(term, &mut sought)?;
            unknown.retain(|other| !(completed && other.text == term.text));
        }
        if spelling == Spelling::Forgiving {
            for term in unknown.iter().take(MOST_MISSPELT) {
                self.guess(term, &mut sought)?;
            }
        }
        unknown.retain(|term| !sought.corrections.iter().any(|read| read.word == term.text));
        sought.unknown_words = unknown.into_iter().map(|term| term.text.clone()).collect();
        Ok(sought)
    }

    /// Adds the words that begin with a term. Returns whether there are any.
    fn complete(&self, term: &QueryTerm, sought: &mut ResolvedQuery) -> Result<bool, TxError> {
        if self.is_small() {
            let known = self.known(&term.expression())?;
            let is_known = known.is_some();
            sought.words.extend(known);
            return Ok(is_known);
        }
        let before = sought.near.len();
        for word in Vocabulary::new(self.db)?.completions(&term.text)? {
            sought.near.extend(self.known(&quoted(&word))?);
        }
        Ok(sought.near.len() > before)
    }

    /// Adds the known words nearest to a term that no memory holds.
    fn guess(&self, term: &QueryTerm, sought: &mut ResolvedQuery) -> Result<(), TxError> {
        let vocabulary = Vocabulary::new(self.db)?;
        for known in vocabulary.corrections(&term.text)? {
            let expression = quoted(&known);
            if let Some(written) = self.as_written_in_scope(&vocabulary, known)? {
                sought.near.extend(self.known(&expression)?);
                sought.corrections.push(SpellingCorrection { word: term.text.clone(), corrected: written });
            }
        }
        Ok(())
    }

    /// Returns a known word as a memory in scope spells it; none if no memory in scope holds it. The words of another project must
    /// not leak, nor its spelling of them (law 8).
    fn as_written_in_scope(
        &self,
        vocabulary: &Vocabulary<'_>,
        known: String,
    ) -> Result<Option<String>, TxError> {
        let Some(scope) = &self.scope else { return Ok(Some(known)) };
        let holder = self
            .db
            .prepare_cached("SELECT rowid FROM memory_words WHERE memory_words MATCH ?1 LIMIT 1")?
            .query_row([format!("{scope} AND {}", quoted(&known))], |row| row.get(0).map(MemoryId))
            .optional()?;
        holder.map_or(Ok(None), |holder| vocabulary.written_in(holder, &known))
    }

    /// Counts the holders of a word up to a bound, and estimates beyond it. None if no memory in scope holds the word.
    fn known(&self, expression: &str) -> rusqlite::Result<Option<IndexedWord>> {
        let in_scope = self.count(&self.within(expression), self.in_scope)?;
        if in_scope == 0 {
            return Ok(None);
        }
        let holders =
            if self.narrowed_to.is_some() { self.count(expression, self.memories)? } else { in_scope };
        Ok(Some(IndexedWord { expression: expression.to_owned(), holders, in_scope }))
    }

    fn count(&self, expression: &str, of: i64) -> rusqlite::Result<i64> {
        let bound = MOST_RARE + 1;
        let sql = "SELECT count(*), max(rowid) FROM
            (SELECT rowid FROM memory_words WHERE memory_words MATCH ?1 ORDER BY rowid LIMIT ?2)";
        let (counted, reached): (i64, Option<i64>) = self
            .db
            .prepare_cached(sql)?
            .query_row((expression, bound), |row| Ok((row.get(0)?, row.get(1)?)))?;
        // Ids rise with time and FTS5 walks them in order: the counted holders lie below `reached`, and the rest of the ids are
        // taken to be as dense.
        let share = reached.unwrap_or(0) as f64 / self.memories.max(1) as f64;
        let estimate = (counted as f64 / share.max(1e-9)) as i64;
        Ok(if counted < bound { counted } else { estimate.clamp(counted, of.max(counted)) })
    }

    /// Scores the memories that hold any of the words.
    fn rank(&self, mut words: Vec<IndexedWord>) -> rusqlite::Result<Scores> {
        if words.is_empty() {
            return Ok(Scores::new());
        }
        if self.memories < GROWN {
            return self.as_if_grown(&words);
        }
        if self.is_small() {
            return self.bm25(&IndexMatch::all(&joined(&words, " OR ")));
        }
        // Rarest first, and rare words are taken until their holders together reach the bound.
        words.sort_by_key(|word| word.in_scope);
        let mut total = 0;
        let rare = words.iter().take_while(|word| {
            total += word.in_scope;
            total <= MOST_RARE
        });
        let mut frequent = words.split_off(rare.count());
        frequent.truncate(MOST_FREQUENT);
        let mut scores = Scores::new();
        if !words.is_empty() {
            scores = self.score_any_of(&words)?;
            self.raise(&mut scores, &words, &frequent)?;
        }
        if scores.len() < ENOUGH {
            self.add_matches_of(&frequent, &mut scores)?;
        }
        Ok(scores)
    }

    /// Scores as if there were [`GROWN`] memories. With two or three, BM25 cannot tell which words are rare, and every score is
    /// nearly zero.
    fn as_if_grown(&self, words: &[IndexedWord]) -> rusqlite::Result<Scores> {
        let rarity = |memories: i64, holders: i64| {
            let (memories, holders) = (memories as f64, holders as f64);
            // The formula of FTS5, with its least value.
            ((memories - holders + 0.5) / (holders + 0.5)).ln().max(1e-6)
        };
        let indexed = "SELECT count(*) FROM memory_words_docsize";
        let indexed: i64 = self.db.prepare_cached(indexed)?.query_row([], |row| row.get(0))?;
        let mut scores = Scores::new();
        for word in words {
            let holders = "SELECT count(*) FROM memory_words WHERE memory_words MATCH ?1";
            let holders: i64 =
                self.db.prepare_cached(holders)?.query_row([&word.expression], |row| row.get(0))?;
            let grown = rarity(GROWN, holders) / rarity(indexed, holders);
            for (id, score) in self.bm25(&IndexMatch::all(&word.expression))? {
                *scores.entry(id).or_default() += grown * score;
            }
        }
        Ok(scores)
    }

    /// Raises memories that rare words found, if they also hold common ones.
    fn raise(
        &self,
        scores: &mut Scores,
        rare: &[IndexedWord],
        frequent: &[IndexedWord],
    ) -> rusqlite::Result<()> {
        let rare = joined(rare, " OR ");
        let raising = frequent.iter().filter(|word| self.weight(word) >= LEAST_RAISING);
        for word in raising.take(MOST_RAISING) {
            let expression = format!("({rare}) AND {}", word.expression);
            self.add(scores, &IndexMatch::all(&expression), self.weight(word))?;
        }
        Ok(())
    }

    /// Adds memories that hold all of the common words. If there are none, tries again without the most common one.
    fn add_matches_of(&self, frequent: &[IndexedWord], scores: &mut Scores) -> rusqlite::Result<()> {
        // The rarest come first. If rare words found something, a single common word would only add noise.
        let fewest = if scores.is_empty() { 1 } else { 2 };
        for kept in (fewest..=frequent.len()).rev() {
            let found = self.score_all_of(frequent.get(..kept).unwrap_or_default())?;
            if !found.is_empty() {
                for (id, score) in found {
                    scores.entry(id).or_insert(score);
                }
                break;
            }
        }
        Ok(())
    }

    /// Scores memories that hold any of some rare words; by BM25 if that is cheap enough.
    fn score_any_of(&self, words: &[IndexedWord]) -> rusqlite::Result<Scores> {
        if can_weigh(words) {
            return self.bm25(&IndexMatch::all(&joined(words, " OR ")));
        }
        let mut scores = Scores::new();
        for word in words {
            let (weight, title) = (self.weight(word), in_title(word));
            self.add(&mut scores, &IndexMatch::all(&word.expression), weight)?;
            self.add(&mut scores, &IndexMatch::all(&title), (IN_TITLE - 1.0) * weight)?;
        }
        Ok(scores)
    }

    /// Scores the newest memories that hold all of some common words; by BM25 if that is cheap enough.
    fn score_all_of(&self, words: &[IndexedWord]) -> rusqlite::Result<Scores> {
        let oldest = self.memories - FREQUENT_SPAN;
        let all =
            IndexMatch { expression: &joined(words, " AND "), oldest, newest: Some(MOST_FREQUENT_MATCHES) };
        if can_weigh(words) {
            return self.bm25(&all);
        }
        let mut scores = Scores::new();
        self.add(&mut scores, &all, words.iter().map(|word| self.weight(word)).sum())?;
        let oldest = scores.keys().min().copied().unwrap_or(i64::MAX);
        for word in words {
            let titled = self.titled(word, oldest)?;
            let raised = scores.iter_mut().filter(|(id, _)| titled.contains(id));
            raised.for_each(|(_, score)| *score += (IN_TITLE - 1.0) * self.weight(word));
        }
        Ok(scores)
    }

    /// Returns the newest memories, from `oldest` on, that hold a word in their title.
    fn titled(&self, word: &IndexedWord, oldest: i64) -> rusqlite::Result<HashSet<i64>> {
        // Backwards, FTS5 walks past `oldest` until it meets a title that holds the word, and there may be none.
        let newest = (self.memories - oldest > NEAR_SPAN).then_some(MOST_RARE);
        let mut titled = self.matching(&IndexMatch { expression: &in_title(word), oldest, newest })?;
        titled.sort_unstable_by(|one, other| other.cmp(one));
        Ok(titled.into_iter().take(MOST_RARE as usize).collect())
    }

    /// Adds the same weight to every match.
    fn add(&self, scores: &mut Scores, matching: &IndexMatch<'_>, weight: f64) -> rusqlite::Result<()> {
        for id in self.matching(matching)? {
            *scores.entry(id).or_default() += weight;
        }
        Ok(())
    }

    fn matching(&self, matching: &IndexMatch<'_>) -> rusqlite::Result<Vec<i64>> {
        let order = matching.order();
        let sql = format!(
            "SELECT rowid FROM memory_words WHERE memory_words MATCH ?1 AND rowid >= ?2 ORDER BY rowid {order} LIMIT ?3"
        );
        let mut statement = self.db.prepare_cached(&sql)?;
        statement.query_map(self.bound(matching), |row| row.get(0))?.collect()
    }

    fn bound(&self, matching: &IndexMatch<'_>) -> (String, i64, i64) {
        (self.within(matching.expression), matching.oldest, matching.newest.unwrap_or(i64::MAX))
    }

    /// Computes BM25 for every match.
    fn bm25(&self, matching: &IndexMatch<'_>) -> rusqlite::Result<Scores> {
        let (fit, order) = (fit!(), matching.order());
        let sql = format!(
            "SELECT rowid, {fit} FROM memory_words WHERE memory_words MATCH ?1 AND rowid >= ?2 ORDER BY rowid {order} LIMIT ?3"
        );
        let mut statement = self.db.prepare_cached(&sql)?;
        statement.query_map(self.bound(matching), |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    /// Returns what BM25 would give an average memory for holding a word once.
    fn weight(&self, word: &IndexedWord) -> f64 {
        let others = (self.memories.max(GROWN) - word.holders).max(0) as f64;
        ((others + 0.5) / (word.holders as f64 + 0.5)).ln().max(1e-6)
    }

    /// Narrows an expression to the project, where that pays.
    fn within(&self, expression: &str) -> String {
        match &self.narrowed_to {
            Some(scope) => format!("{scope} AND ({expression})"),
            None => expression.to_owned(),
        }
    }
}

/// Whether BM25 can count the holders of the words in time.
fn can_weigh(words: &[IndexedWord]) -> bool {
    words.iter().map(|word| word.holders).sum::<i64>() <= MOST_WEIGHED
}

fn as_count(count: i64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn in_title(word: &IndexedWord) -> String {
    format!("{{title}} : {}", word.expression)
}

fn joined(words: &[IndexedWord], joint: &str) -> String {
    words.iter().map(|word| word.expression.as_str()).collect::<Vec<_>>().join(joint)
}
