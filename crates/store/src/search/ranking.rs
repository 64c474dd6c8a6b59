//! Ranking by words, fast whatever the question.
//!
//! BM25 over every memory that holds any word is exact, and slow where a word stands in a third of a large store. So words that many
//! memories hold do not find any while telling ones find enough: they only raise what those found. Where telling words find too
//! little, memories that hold the common ones together are looked for. In a small store, and for rare words in a large one, the
//! result is plain BM25; in a very young one it is BM25 as it would be with a few more memories. A word no memory holds is read as
//! the known words nearest to it, which count less.
//!
//! **Performance.** How many memories hold a word is counted up to a bound and estimated beyond. BM25 is asked of a bounded number
//! of memories, and only of words it can count in time: FTS5 counts every holder of every word it weighs.

use crate::db::open::TxError;
use crate::search::spelling::{Spelling, SpellingCorrection, Vocabulary};
use crate::search::words::{QueryTerm, fit, in_scope, quoted};
use crate::{Scope, WordQuery};
use backstory_memory::{MemoryId, ProjectId};
use rusqlite::{Connection, OptionalExtension};
use std::collections::{HashMap, HashSet};

/// A memory that words found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordHit {
    /// Which memory.
    pub memory: MemoryId,
    /// How well its words fit; higher is better.
    pub bm25: f64,
}

/// What the word index says to a question.
pub(crate) struct RankedWords {
    /// Best first. Some may be beyond the scope still: the caller looks at the rows.
    pub(crate) hits: Vec<WordHit>,
    /// What was looked for in place of unknown words.
    pub(crate) corrections: Vec<SpellingCorrection>,
    /// The unknown words that nothing known is near to.
    pub(crate) unknown_words: Vec<String>,
}

/// Of so many memories BM25 can tell which words are rare.
const GROWN: i64 = 20;
/// A store of at most this many memories is small: everything is ranked.
const SMALL: i64 = 2_000;
/// Up to this many memories hold the telling words of a question, all together.
const MOST_RARE: i64 = 600;
/// Of what holds only common words, the newest this many are ranked.
const MOST_FREQUENT_MATCHES: i64 = 128;
/// And only so far back: words that hardly ever stand together would have the whole index read.
const FREQUENT_SPAN: i64 = 100_000;
/// What lies no further back than this is looked through whole.
const NEAR_SPAN: i64 = 20_000;
/// Where telling words found this many, common words alone would not scope the top.
const ENOUGH: usize = 64;
/// More common words than this are not worth their intersection.
const MOST_FREQUENT: usize = 4;
/// What telling words found is raised by this many common ones, where they are worth this much.
const MOST_RAISING: usize = 2;
const LEAST_RAISING: f64 = 0.5;
/// So many holders of its words BM25 may count.
const MOST_WEIGHED: i64 = 40_000;
/// More unknown words than this are not misspelt but of another language, or of another project.
const MOST_MISSPELT: usize = 3;
/// What a memory gets for a word near to the one that was asked, of what it would get for that.
const NEAR_SHARE: f64 = 0.5;
/// What a word in the title is worth, where BM25 is not asked.
const IN_TITLE: f64 = 1.7;
/// A project of at most this many memories, and at most this share of the store, is searched by itself.
const MOST_COUNTED: i64 = 5_000;
const SMALL_SHARE: i64 = 4;

/// Ranks what holds any of the words.
pub(crate) fn rank(
    db: &Connection,
    query: &WordQuery,
    scope: Scope,
    spelling: Spelling,
) -> Result<RankedWords, TxError> {
    let index = WordIndex::new(db, scope)?;
    let ResolvedQuery { words, near, corrections, unknown_words } = index.seek(query, spelling)?;
    let mut scores = index.rank(words)?;
    if !near.is_empty() {
        for (id, score) in index.rank(near)? {
            *scores.entry(id).or_default() += NEAR_SHARE * score;
        }
    }
    let mut hits: Vec<WordHit> =
        scores.into_iter().map(|(id, bm25)| WordHit { memory: MemoryId(id), bm25 }).collect();
    sort(&mut hits);
    Ok(RankedWords { hits, corrections, unknown_words })
}

/// Puts the best first, of equals the newer one: the only use of time here.
pub(crate) fn sort(hits: &mut [WordHit]) {
    hits.sort_unstable_by(|one, other| other.bm25.total_cmp(&one.bm25).then(other.memory.cmp(&one.memory)));
}

/// The word index, narrowed to one project where that pays.
struct WordIndex<'db> {
    db: &'db Connection,
    /// About how many memories there are, and how many of them in scope.
    memories: i64,
    in_scope: i64,
    /// Set where searching the project alone pays.
    narrowed_to: Option<String>,
    /// What a memory within scope matches.
    scope: Option<String>,
}

/// What a question becomes.
struct ResolvedQuery {
    words: Vec<IndexedWord>,
    near: Vec<IndexedWord>,
    corrections: Vec<SpellingCorrection>,
    unknown_words: Vec<String>,
}

/// A word that is known.
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
    /// So far back at the most.
    oldest: i64,
    /// Only the newest this many.
    newest: Option<i64>,
}

impl<'e> IndexMatch<'e> {
    fn all(expression: &'e str) -> IndexMatch<'e> {
        IndexMatch { expression, oldest: 0, newest: None }
    }

    /// Says in which order FTS5 is to walk. Forwards it is much faster: backwards every page is read to its end first.
    fn order(&self) -> &'static str {
        if self.newest.is_some() { "DESC" } else { "ASC" }
    }
}

type Scores = HashMap<i64, f64>;

impl<'db> WordIndex<'db> {
    fn new(db: &'db Connection, scope: Scope) -> rusqlite::Result<WordIndex<'db>> {
        let newest: Option<i64> =
            db.prepare_cached("SELECT max(id) FROM memories")?.query_row([], |row| row.get(0))?;
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

    /// Finds out which words are known, and what the others may have meant.
    fn seek(&self, query: &WordQuery, spelling: Spelling) -> Result<ResolvedQuery, TxError> {
        let mut sought = ResolvedQuery {
            words: Vec::new(),
            near: Vec::new(),
            corrections: Vec::new(),
            unknown_words: Vec::new(),
        };
        let (mut unknown, mut known) = (Vec::new(), HashSet::new());
        let (beginnings, whole): (Vec<&QueryTerm>, Vec<&QueryTerm>) =
            query.terms().partition(|term| term.is_beginning);
        for term in whole {
            match self.known(&term.expression())? {
                Some(word) => {
                    known.insert(&term.text);
                    sought.words.push(word);
                }
                None => unknown.push(term),
            }
        }
        // What is a word by itself needs no completing in a large store: there FTS5 would read everything that begins so.
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

    /// Looks for what begins with a term. Returns whether anything does.
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

    /// Looks for what a term nobody holds may have meant.
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

    /// Returns a known word as somebody within scope writes it; nothing where nobody there does: another project's words are not to
    /// be told, nor its forms of them (law 8).
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

    /// Counts who holds a word, up to a bound, and estimates beyond it. None where no memory in scope does.
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
        // In a small store nothing depends on how many there are.
        let bound = if self.is_small() { 1 } else { MOST_RARE + 1 };
        let sql = "SELECT count(*), max(rowid) FROM
            (SELECT rowid FROM memory_words WHERE memory_words MATCH ?1 ORDER BY rowid LIMIT ?2)";
        let (counted, reached): (i64, Option<i64>) = self
            .db
            .prepare_cached(sql)?
            .query_row((expression, bound), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let share = reached.unwrap_or(0) as f64 / self.memories.max(1) as f64;
        let estimate = (counted as f64 / share.max(1e-9)) as i64;
        Ok(if counted < bound { counted } else { estimate.clamp(counted, of.max(counted)) })
    }

    /// Scores what holds the words.
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

    /// Scores as if there were [`GROWN`] memories. Of two or three BM25 cannot tell which words are rare, and gives nothing for any.
    fn as_if_grown(&self, words: &[IndexedWord]) -> rusqlite::Result<Scores> {
        let rarity = |memories: i64, holders: i64| {
            let (memories, holders) = (memories as f64, holders as f64);
            // As FTS5 has it, with its least value.
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

    /// Raises what telling words found where it holds common ones, too.
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

    /// Adds what holds all of the common words, or, while that is nothing, all but the most common of them.
    fn add_matches_of(&self, frequent: &[IndexedWord], scores: &mut Scores) -> rusqlite::Result<()> {
        // The rarest stand first. One common word beside telling ones would only bring back what it is common in.
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

    /// Scores what holds any of some telling words: by BM25 where that can be afforded.
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

    /// Scores the newest memories that hold all of some common words: by BM25 where that can be afforded.
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

    /// Returns the newest memories since one that hold a word in their title.
    fn titled(&self, word: &IndexedWord, oldest: i64) -> rusqlite::Result<HashSet<i64>> {
        // Backwards FTS5 walks past `oldest` until it meets a title that holds the word, and there may be none.
        let newest = (self.memories - oldest > NEAR_SPAN).then_some(MOST_RARE);
        let mut titled = self.matching(&IndexMatch { expression: &in_title(word), oldest, newest })?;
        titled.sort_unstable_by(|one, other| other.cmp(one));
        Ok(titled.into_iter().take(MOST_RARE as usize).collect())
    }

    /// Adds the same to everything that matches.
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

    /// Asks BM25 of everything that matches.
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
        let others = (self.memories - word.holders).max(0) as f64;
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

/// Whether BM25 can count in time who holds the words.
fn can_weigh(words: &[IndexedWord]) -> bool {
    words.iter().map(|word| word.holders).sum::<i64>() <= MOST_WEIGHED
}

fn in_title(word: &IndexedWord) -> String {
    format!("{{title}} : {}", word.expression)
}

fn joined(words: &[IndexedWord], joint: &str) -> String {
    words.iter().map(|word| word.expression.as_str()).collect::<Vec<_>>().join(joint)
}
