//! Finding memories by words and by what they are. Every question carries its scope (law 8).
//!
//! Not here: which words a question becomes, and what else counts beside them (`recall`).

pub(crate) mod filter;
pub(crate) mod orientation;
pub(crate) mod ranking;
pub(crate) mod related;
pub(crate) mod rows;
pub(crate) mod spelling;
pub(crate) mod words;

use crate::db::facets::SearchReader;
use crate::db::open::TxError;
use crate::search::filter::{Filter, RowFilter, Scope, where_matching};
use crate::search::ranking::{RankedWords, WordHit};
use crate::search::spelling::{Spelling, SpellingCorrection};
use crate::search::words::{QueryTerm, in_scope};
use crate::upkeep::repair;
use crate::{Store, StoreError, WordQuery};
use backstory_memory::MemoryId;
use rusqlite::{Connection, ErrorCode, params};

const NEWEST: &str = where_matching!(
    "SELECT m.id FROM memories m WHERE",
    "ORDER BY m.created_at_ms DESC, m.id DESC LIMIT :limit OFFSET :offset"
);

const NEWEST_WITH_WORDS: &str = where_matching!(
    "SELECT m.id FROM memory_words CROSS JOIN memories m ON m.id = memory_words.rowid
     WHERE memory_words MATCH :words AND",
    "AND memory_words.rowid >= :oldest ORDER BY memory_words.rowid DESC LIMIT :limit OFFSET :offset"
);

/// Of memories that hold common words, the newest this many are asked whether they fit.
const MOST_CHECKED: u32 = 20_000;

/// What words found.
#[derive(Clone, Debug, PartialEq)]
pub struct WordResult {
    /// The memories, best first.
    pub hits: Vec<WordHit>,
    /// How they were found.
    pub strategy: WordStrategy,
    /// The words no memory holds, and the known ones that were looked for in their place.
    pub corrections: Vec<SpellingCorrection>,
    /// The words no memory holds, and nothing known is near to; nothing where the rows themselves were looked through.
    pub unknown_words: Vec<String>,
    /// How many memories hold each known word, about, and of how many memories that is; nothing where the rows were looked through.
    pub holders: Vec<(String, u32)>,
    /// Of how many memories the holders are.
    pub memories: u32,
    /// The BM25 that an average memory would have that held every known word once; 0 where the rows were looked through.
    pub attainable: f64,
}

/// How words were looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordStrategy {
    /// In the word index, ranked by BM25.
    Index,
    /// In the rows themselves: there is no index, or it is damaged.
    Rows,
}

impl WordResult {
    /// What was found for the words as they were asked.
    fn new(hits: Vec<WordHit>, strategy: WordStrategy) -> WordResult {
        WordResult {
            hits,
            strategy,
            corrections: Vec::new(),
            unknown_words: Vec::new(),
            holders: Vec::new(),
            memories: 0,
            attainable: 0.0,
        }
    }
}

impl SearchReader<'_> {
    /// Finds memories that hold any of the words, best first. Only what was asked counts: nothing is guessed.
    pub fn exact(&self, query: &WordQuery, filter: &Filter) -> Result<Vec<WordHit>, StoreError> {
        self.store.search_index(query, filter, Spelling::Exact).map(|answer| answer.hits)
    }

    /// Finds memories like [`SearchReader::exact`], and replaces a word that no memory holds by the known words nearest to it. The
    /// result says which.
    pub fn corrected(&self, query: &WordQuery, filter: &Filter) -> Result<WordResult, StoreError> {
        self.store.search_index(query, filter, Spelling::Forgiving)
    }

    /// Returns those of the memories that fit, in the order they were given.
    pub fn matching(&self, ids: &[MemoryId], filter: &Filter) -> Result<Vec<MemoryId>, StoreError> {
        self.store.read("look at memories", |db| {
            let mut row_filter = RowFilter::new(db, filter)?;
            let mut fitting = Vec::new();
            for id in ids {
                if row_filter.fits(*id)? {
                    fitting.push(*id);
                }
            }
            Ok(fitting)
        })
    }

    /// Lists memories by what they are, newest first, when there is no question.
    pub fn list(&self, filter: &Filter) -> Result<Vec<MemoryId>, StoreError> {
        self.store.read("list the memories", |db| {
            let mut statement = db.prepare_cached(NEWEST)?;
            filter.bind(&mut statement)?;
            statement.raw_bind_parameter(c":limit", filter.limit)?;
            statement.raw_bind_parameter(c":offset", filter.offset)?;
            let rows = statement.raw_query().mapped(|row| row.get(0).map(MemoryId));
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns the memories written just before and just after one, in the same project, oldest first.
    pub fn timeline(&self, anchor: MemoryId, before: u32, after: u32) -> Result<Vec<MemoryId>, StoreError> {
        let anchored = self.store.memories().get(anchor)?.ok_or(StoreError::NoSuchMemory(anchor))?;
        let (project, at) = (anchored.project.0, anchored.created_at.0);
        let read = |sql: &str, count: u32| {
            self.store.memory_ids("read the timeline", sql, params![project, at, anchor.0, count])
        };
        let mut ids = read(
            "SELECT id FROM memories WHERE project_id = ?1 AND (created_at_ms, id) < (?2, ?3)
             ORDER BY created_at_ms DESC, id DESC LIMIT ?4",
            before,
        )?;
        ids.reverse();
        ids.push(anchor);
        ids.extend(read(
            "SELECT id FROM memories WHERE project_id = ?1 AND (created_at_ms, id) > (?2, ?3)
             ORDER BY created_at_ms, id LIMIT ?4",
            after,
        )?);
        Ok(ids)
    }
}

impl Store {
    /// Asks the word index; without one, the rows themselves.
    fn search_index(
        &self,
        query: &WordQuery,
        filter: &Filter,
        spelling: Spelling,
    ) -> Result<WordResult, StoreError> {
        if query.is_empty() {
            return Ok(WordResult::new(Vec::new(), WordStrategy::Index));
        }
        self.snapshot(|| match ask_index(&self.db, query, filter, spelling) {
            // After a repair the index may exist and hold nothing: no hits then say nothing about the memories.
            Ok(answer) if answer.hits.is_empty() && self.is_index_empty() => self.search_rows(query, filter),
            Ok(answer) => Ok(answer),
            Err(TxError::Sql(error)) if is_of_the_index(&error) => {
                self.report_lost_index(&error);
                self.search_rows(query, filter)
            }
            Err(stop) => self.read("search the memories", |_| Err(stop)),
        })
    }

    fn search_rows(&self, query: &WordQuery, filter: &Filter) -> Result<WordResult, StoreError> {
        let hits = self.read("search the memories", |db| rows::search(db, query, filter))?;
        Ok(WordResult::new(hits, WordStrategy::Rows))
    }

    /// Whether the index holds nothing although there are memories.
    fn is_index_empty(&self) -> bool {
        let sql =
            "SELECT EXISTS (SELECT 1 FROM memories) AND NOT EXISTS (SELECT 1 FROM memory_words_docsize)";
        self.db.query_row(sql, [], |row| row.get(0)).unwrap_or(true)
    }

    /// Notes that the index must be made anew.
    fn report_lost_index(&self, error: &rusqlite::Error) {
        if self.is_main_database() {
            let damaged = StoreError::Damaged { path: self.path.clone(), detail: error.to_string() };
            repair::note_damage(&self.home, &damaged);
        }
    }
}

/// Asks the index. It ranks; the rows are asked one by one until enough fit, so that a filter costs a look at the best few. Of
/// common words it ranks only the newest memories: if none of them fits, those that do are looked for among many more.
fn ask_index(
    db: &Connection,
    query: &WordQuery,
    filter: &Filter,
    spelling: Spelling,
) -> Result<WordResult, TxError> {
    let RankedWords { hits: ranked, corrections, unknown_words, holders, memories, attainable } =
        ranking::rank(db, query, filter.scope, spelling)?;
    let mut row_filter = RowFilter::new(db, filter)?;
    let (mut hits, mut skipped) = (Vec::new(), 0);
    for hit in ranked {
        if hits.len() >= filter.limit as usize {
            break;
        }
        if !row_filter.fits(hit.memory)? {
            continue;
        }
        if skipped < filter.offset {
            skipped += 1;
        } else {
            hits.push(hit);
        }
    }
    if hits.is_empty() && skipped == 0 {
        hits = newest_with_words(db, query, filter)?;
    }
    Ok(WordResult {
        corrections,
        unknown_words,
        holders,
        memories,
        attainable,
        ..WordResult::new(hits, WordStrategy::Index)
    })
}

/// Whether an error says that there is no usable index. Where the whole file is damaged, reading the rows says so again.
pub(crate) fn is_of_the_index(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown | ErrorCode::NotFound)
    )
}

/// What holding only common words is worth. BM25 would say little more, and count every holder of each to say it.
const FREQUENT_WORD_SCORE: f64 = 1.0;

/// Returns the newest memories that hold any of the words and fit.
fn newest_with_words(db: &Connection, query: &WordQuery, filter: &Filter) -> rusqlite::Result<Vec<WordHit>> {
    let whole = query.terms().filter(|term| !term.is_beginning);
    let words = whole.map(QueryTerm::expression).collect::<Vec<_>>().join(" OR ");
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let words = match filter.scope {
        Scope::Project(id) => format!("{} AND ({words})", in_scope(id)),
        Scope::Everywhere => words,
    };
    // One bounded walk through the index finds where the newest holders begin: without that bound, a filter that nothing fits would
    // read every holder of a common word.
    let oldest: i64 = db
        .prepare_cached(
            "SELECT coalesce(min(rowid), 0) FROM
             (SELECT rowid FROM memory_words WHERE memory_words MATCH ?1 ORDER BY rowid DESC LIMIT ?2)",
        )?
        .query_row((&words, MOST_CHECKED), |row| row.get(0))?;
    let mut statement = db.prepare_cached(NEWEST_WITH_WORDS)?;
    filter.bind(&mut statement)?;
    statement.raw_bind_parameter(c":words", words)?;
    statement.raw_bind_parameter(c":oldest", oldest)?;
    statement.raw_bind_parameter(c":limit", filter.limit)?;
    statement.raw_bind_parameter(c":offset", filter.offset)?;
    let rows = statement
        .raw_query()
        .mapped(|row| Ok(WordHit { memory: MemoryId(row.get(0)?), bm25: FREQUENT_WORD_SCORE }));
    rows.collect()
}
