//! Which memories belong together by structure, not by words: files, symbols, failures, links, sessions.
//!
//! Every answer is bounded and carries its scope (law 8). Not here: what any of it is worth (`recall`), and which files or symbols a
//! question names.
//!
//! **Performance.** Anchors have no index by the end of a path nor by symbol, and a store may hold a million of them. The word index
//! knows the words of both: it proposes the newest memories, and their anchors decide.

use crate::db::codes;
use crate::db::facets::SearchReader;
use crate::db::open::TxError;
use crate::search::filter::{filter_columns, is_path_end, matching_id, text};
use crate::search::is_of_the_index;
use crate::search::words::{QueryTerm, in_scope};
use crate::{Filter, Scope, Store, StoreError, WordQuery};
use backstory_memory::{Digest, Link, MemoryId};
use rusqlite::{Connection, Row, params};
use std::collections::BTreeSet;

/// More names than a question has.
const MOST_NAMED: usize = 16;
/// How many of the newest memories that may speak of a name are looked at.
const MOST_LOOKED_AT: i64 = 256;
/// How many of the newest memories are searched for them. Without a bound, words that stand in every path and never side by side
/// would make FTS5 read the whole index and find nothing.
const MOST_SEARCHED: i64 = 50_000;
/// How many links of one memory are followed, each way.
const MOST_LINKS: i64 = 32;
/// How many memories of a session are passed over to find the next one that fits.
const MOST_STEPS: i64 = 8;

/// What was written just before and just after a memory, in the same session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionNeighbours {
    /// Which memory.
    pub memory: MemoryId,
    /// What was written before it.
    pub before: Option<MemoryId>,
    /// What was written after it.
    pub after: Option<MemoryId>,
}

impl Store {
    /// Runs several reads on the same state of the database.
    fn read_snapshot<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Connection) -> Result<T, TxError>,
    ) -> Result<T, StoreError> {
        self.snapshot(|| self.read(doing, work))
    }
}

impl SearchReader<'_> {
    /// Returns the memories anchored in any of these files, newest first: each file by its whole path, or by the end of it.
    ///
    /// This function and those below ignore the offset of the filter: the caller merges their results, and cuts pages afterwards.
    pub fn about_files(&self, paths: &[String], filter: &Filter) -> Result<Vec<MemoryId>, StoreError> {
        let paths: Vec<&str> = paths.iter().take(MOST_NAMED).map(String::as_str).collect();
        self.store.read_snapshot("look for memories of files", |db| {
            let mut proposed = holding(db, "files :", &paths, filter.scope)?;
            // A file that was moved is known to its anchors only.
            let sql = "SELECT memory_id FROM anchors WHERE path = ?1 ORDER BY memory_id DESC LIMIT ?2";
            let mut anchored = db.prepare_cached(sql)?;
            for path in &paths {
                let rows = anchored.query_map(params![path, MOST_LOOKED_AT], |row| row.get(0))?;
                proposed.extend(rows.collect::<rusqlite::Result<Vec<i64>>>()?);
            }
            anchored_so(db, &proposed, filter, |file, _| paths.iter().any(|path| is_path_end(file, path)))
        })
    }

    /// Returns the memories anchored in any of these symbols, newest first: each by its whole name, or by the last parts of it.
    pub fn about_symbols(&self, names: &[String], filter: &Filter) -> Result<Vec<MemoryId>, StoreError> {
        let names: Vec<Vec<&str>> = names.iter().take(MOST_NAMED).map(|name| parts(name)).collect();
        let last: Vec<&str> = names.iter().filter_map(|parts| parts.last().copied()).collect();
        self.store.read_snapshot("look for memories of symbols", |db| {
            let proposed = holding(db, "- scope :", &last, filter.scope)?;
            anchored_so(db, &proposed, filter, |_, symbol| {
                let symbol = parts(symbol);
                names.iter().any(|name| !name.is_empty() && symbol.ends_with(name))
            })
        })
    }

    /// Returns the memories whose subject is any of these, newest first: of failures, those with the same signature.
    pub fn with_subjects(&self, subjects: &[Digest], filter: &Filter) -> Result<Vec<MemoryId>, StoreError> {
        self.store.read_snapshot("look for memories of a failure", |db| {
            // The index begins with the project, so every project is looked up: a memory of the user's own scope may lie in any of them.
            let mut statement = db.prepare_cached(concat!(
                "SELECT ",
                filter_columns!(),
                " FROM projects p CROSS JOIN memories m ON m.project_id = p.id AND m.subject = ?1"
            ))?;
            let mut found = BTreeSet::new();
            for subject in subjects.iter().take(MOST_NAMED) {
                let mut rows = statement.query([subject.0])?;
                while let Some(row) = rows.next()? {
                    found.extend(matching_id(db, row, filter)?);
                }
            }
            Ok(found.into_iter().rev().take(filter.limit as usize).collect())
        })
    }

    /// Returns the links that begin or end at any of these memories, where the memory at the other end fits.
    pub fn linked(&self, ids: &[MemoryId], filter: &Filter) -> Result<Vec<Link>, StoreError> {
        self.store.read_snapshot("follow the links", |db| {
            let mut from = db.prepare_cached(concat!(
                "SELECT ",
                filter_columns!(),
                ", l.from_id, l.relation, l.to_id FROM all_links l CROSS JOIN memories m ON m.id = l.to_id
                 WHERE l.from_id = ?1 ORDER BY l.to_id DESC LIMIT ?2"
            ))?;
            let mut to = db.prepare_cached(concat!(
                "SELECT ",
                filter_columns!(),
                ", l.from_id, l.relation, l.to_id FROM all_links l CROSS JOIN memories m ON m.id = l.from_id
                 WHERE l.to_id = ?1 ORDER BY l.from_id DESC LIMIT ?2"
            ))?;
            let mut links: Vec<Link> = Vec::new();
            for id in ids {
                for statement in [&mut from, &mut to] {
                    let mut rows = statement.query(params![id.0, MOST_LINKS])?;
                    while let Some(row) = rows.next()? {
                        if matching_id(db, row, filter)?.is_some() {
                            links.push(link(row)?);
                        }
                    }
                }
            }
            // A link between two of these memories was found from both ends.
            links.sort_by_key(|link| (link.from, link.to, link.relation.as_str()));
            links.dedup();
            Ok(links)
        })
    }

    /// Returns what was written just before and just after each of these memories in its session, as far as it fits.
    pub fn session_neighbours(
        &self,
        ids: &[MemoryId],
        filter: &Filter,
    ) -> Result<Vec<SessionNeighbours>, StoreError> {
        self.store.read_snapshot("look around in sessions", |db| {
            let mut before = db.prepare_cached(concat!(
                "SELECT ",
                filter_columns!(),
                " FROM memories m WHERE m.session_id = (SELECT session_id FROM memories WHERE id = ?1) AND m.id < ?1
                 ORDER BY m.id DESC LIMIT ?2"
            ))?;
            let mut after = db.prepare_cached(concat!(
                "SELECT ",
                filter_columns!(),
                " FROM memories m WHERE m.session_id = (SELECT session_id FROM memories WHERE id = ?1) AND m.id > ?1
                 ORDER BY m.id LIMIT ?2"
            ))?;
            let mut nearest = |id: MemoryId| -> Result<[Option<MemoryId>; 2], TxError> {
                let mut found = [None; 2];
                for (statement, found) in [&mut before, &mut after].into_iter().zip(&mut found) {
                    let mut rows = statement.query([id.0, MOST_STEPS])?;
                    while let (None, Some(row)) = (*found, rows.next()?) {
                        *found = matching_id(db, row, filter)?;
                    }
                }
                Ok(found)
            };
            ids.iter().map(|of| nearest(*of).map(|[before, after]| SessionNeighbours { memory: *of, before, after })).collect()
        })
    }
}

/// Returns the newest memories that hold any of the words in a column; none where there is no word index to ask.
fn holding(db: &Connection, column: &str, words: &[&str], scope: Scope) -> rusqlite::Result<BTreeSet<i64>> {
    let mut query = WordQuery::default();
    words.iter().for_each(|word| query.word(word));
    if query.is_empty() {
        return Ok(BTreeSet::new());
    }
    let mut expression =
        format!("{column} ({})", query.terms().map(QueryTerm::expression).collect::<Vec<_>>().join(" OR "));
    if let Scope::Project(project) = scope {
        expression = format!("{} AND ({expression})", in_scope(project));
    }
    match newest_matching(db, &expression) {
        // Without an index nothing is proposed. The names are words of the query too, which is then answered from the rows.
        Err(error) if is_of_the_index(&error) => Ok(BTreeSet::new()),
        found => found,
    }
}

fn newest_matching(db: &Connection, expression: &str) -> rusqlite::Result<BTreeSet<i64>> {
    let sql = "SELECT rowid FROM memory_words WHERE memory_words MATCH ?1
         AND rowid > (SELECT coalesce(max(id), 0) FROM memories) - ?2 ORDER BY rowid DESC LIMIT ?3";
    let mut statement = db.prepare_cached(sql)?;
    let values = params![expression, MOST_SEARCHED, MOST_LOOKED_AT];
    statement.query_map(values, |row| row.get(0))?.collect()
}

/// Returns the proposed memories that fit and have an anchor whose file and symbol pass the test, newest first.
fn anchored_so(
    db: &Connection,
    proposed: &BTreeSet<i64>,
    filter: &Filter,
    is_so: impl Fn(&str, &str) -> bool,
) -> Result<Vec<MemoryId>, TxError> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        filter_columns!(),
        ", a.path, a.symbol FROM anchors a CROSS JOIN memories m ON m.id = a.memory_id WHERE a.memory_id = ?1"
    ))?;
    let mut found = Vec::new();
    for id in proposed.iter().rev() {
        if found.len() >= filter.limit as usize {
            break;
        }
        let mut rows = statement.query([id])?;
        while let Some(row) = rows.next()? {
            if is_so(text(row, 7)?, text(row, 8)?) {
                found.extend(matching_id(db, row, filter)?);
                break;
            }
        }
    }
    Ok(found)
}

/// Reads the link that follows [`filter_columns!`] in a row.
fn link(row: &Row<'_>) -> Result<Link, TxError> {
    let relation = codes::code("a link", &row.get::<_, String>(8)?)?;
    Ok(Link { from: MemoryId(row.get(7)?), relation, to: MemoryId(row.get(9)?) })
}

/// Cuts a symbol's name into its parts, however its language joins them: `Store::open`, `Parser.parse`, `Order#total`.
fn parts(name: &str) -> Vec<&str> {
    name.split([':', '.', '#']).filter(|part| !part.is_empty()).collect()
}
