//! Finding memories by words where there is no word index to ask: it was lost or damaged, and nobody has made it anew yet.
//!
//! The rows themselves are read, the newest first and a bounded number of them, and ranked by a plain formula: how much the kind
//! counts, times how recent it is, times the share of the words it holds. A question is never answered with merely recent rows.

use crate::WordHit;
use crate::db::codes;
use crate::db::deadline::is_stopped;
use crate::db::open::TxError;
use crate::search::filter::{Filter, where_matching};
use crate::search::ranking;
use crate::search::words::WordQuery;
use backstory_memory::{Kind, MemoryId, Timestamp};
use rusqlite::{Connection, Row};
use std::collections::BTreeSet;

/// How many rows can be read while somebody waits.
const MOST_ROWS: u32 = 20_000;
/// More words than this make it slower, not better.
const MOST_WORDS: usize = 16;
/// A lower score is not an answer.
const LEAST: f64 = 0.01;
/// After this many days a memory counts half.
const HALF_LIFE_DAYS: f64 = 30.0;

/// Counts the asked words in each row that fits, the newest first. "Now" is when the newest memory was written.
const HELD: &str = where_matching!(
    "SELECT m.id, m.kind,
        (SELECT max(created_at_ms) FROM memories) - m.created_at_ms AS age_ms,
        (SELECT count(*) FROM json_each(:words) AS query_words
         WHERE m.title || char(10) || m.body || char(10) || m.facts || char(10) || m.concepts || char(10) || m.files
             LIKE query_words.value ESCAPE '\\') AS held
     FROM memories m WHERE m.id > (SELECT coalesce(max(id), 0) FROM memories) - :most AND",
    "AND held > 0"
);

/// Finds memories that hold any of the words, best first.
pub(crate) fn search(db: &Connection, query: &WordQuery, filter: &Filter) -> Result<Vec<WordHit>, TxError> {
    let patterns = patterns(query);
    let query_words = patterns.len().max(1) as f64;
    let mut statement = db.prepare_cached(HELD)?;
    filter.bind(&mut statement)?;
    statement.raw_bind_parameter(c":words", codes::list_text(&patterns))?;
    statement.raw_bind_parameter(c":most", MOST_ROWS)?;
    let mut rows = statement.raw_query();
    let mut hits = Vec::new();
    loop {
        match rows.next() {
            Ok(Some(row)) => hits.push(hit(row, query_words)?),
            Ok(None) => break,
            // What was read until the time was over is an answer too: the newest were looked at first.
            Err(error) if is_stopped(&error) => break,
            Err(error) => return Err(error.into()),
        }
    }
    hits.retain(|hit| hit.bm25 >= LEAST);
    ranking::sort(&mut hits);
    let page = hits.into_iter().skip(filter.offset as usize).take(filter.limit as usize);
    Ok(page.collect())
}

fn hit(row: &Row<'_>, query_words: f64) -> Result<WordHit, TxError> {
    let memory = MemoryId(row.get(0)?);
    let kind: Kind = codes::code("the kind of a memory", &row.get::<_, String>(1)?)?;
    let (age_ms, held): (f64, f64) = (row.get(2)?, row.get(3)?);
    let recency = 1.0 / (1.0 + age_ms.max(0.0) / Timestamp::DAY_MS as f64 / HALF_LIFE_DAYS);
    Ok(WordHit { memory, bm25: kind.weight() * recency * (held / query_words).min(1.0) })
}

/// Returns the words as patterns of LIKE, each once. There is no stemmer here: without its final `s`, a word matches singular and
/// plural.
fn patterns(query: &WordQuery) -> Vec<String> {
    let singular = |word: &str| match word.strip_suffix('s') {
        Some(singular) if singular.chars().count() > 3 => singular.to_owned(),
        _ => word.to_owned(),
    };
    let words: BTreeSet<String> = query.terms().map(|term| singular(&term.text.to_lowercase())).collect();
    let escaped = |word: String| {
        let plain = word.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        format!("%{plain}%")
    };
    words.into_iter().take(MOST_WORDS).map(escaped).collect()
}
