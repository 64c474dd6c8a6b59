//! The word index: what is put into it, and how a query is asked.
//!
//! A person's words reach FTS5 only through [`WordQuery`], quoted, so that no query is a syntax error. The index is derived:
//! `rebuild` makes it anew from the memories. A change of what `columns` returns needs a migration that rebuilds the index.

use crate::StoreError;
use crate::db::facets::UpkeepWriter;
use crate::db::migrate;
use crate::db::open::TxError;
use crate::memories::{memory_from, whole_memories};
use backstory_memory::{Content, Memory, MemoryId, MemoryScope, ProjectId, identifier_terms};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeSet;

/// More words than anyone asks for: each costs a look into the index.
const MOST_WORDS: usize = 256;
/// Longer than any word; what is longer was not cut into words.
const LONGEST_WORD: usize = 512;

/// How many parts the index may have before it is merged.
const MOST_PARTS: i64 = 3;
/// Joining writes all of it: worth it where at least one page in so many lies outside the largest part.
const LEAST_OUTSIDE: i64 = 8;
/// How much is joined in one transaction: hooks wait for it.
const PAGES_PER_TRANSACTION: i64 = 250;

/// How well a row fits. A word counts by where it stands: title, facts, concepts, files, body, identifier_terms; the scope counts nothing.
macro_rules! fit {
    () => {
        "-bm25(memory_words, 2.0, 1.5, 1.5, 1.5, 1.0, 0.5, 0.0)"
    };
}
pub(crate) use fit;

/// Words to look for; any of them may match. Of a very long question the first few hundred count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordQuery {
    terms: BTreeSet<QueryTerm>,
}

/// One thing to look for: a word, a few that stand together, or a beginning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QueryTerm {
    /// What was asked, without what FTS5 or SQLite would stumble over.
    pub(crate) text: String,
    /// Whether it is the beginning of a word.
    pub(crate) is_beginning: bool,
}

impl WordQuery {
    /// Adds a word, or several that must stand together: `src/db/open.rs` is looked for as it is written.
    pub fn word(&mut self, word: &str) {
        self.add(word, false);
    }

    /// Adds the beginning of a word.
    pub fn prefix(&mut self, prefix: &str) {
        self.add(prefix, true);
    }

    fn add(&mut self, text: &str, is_beginning: bool) {
        let text = text.get(..text.floor_char_boundary(LONGEST_WORD)).unwrap_or(text);
        if self.terms.len() < MOST_WORDS && text.chars().any(char::is_alphanumeric) {
            self.terms.insert(QueryTerm { text: text.replace(['"', '\0'], " "), is_beginning });
        }
    }

    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub(crate) fn terms(&self) -> impl Iterator<Item = &QueryTerm> {
        self.terms.iter()
    }
}

impl QueryTerm {
    /// Returns it as an FTS5 expression.
    pub(crate) fn expression(&self) -> String {
        let quoted = quoted(&self.text);
        if self.is_beginning { format!("{quoted} *") } else { quoted }
    }
}

/// Quotes a text as an FTS5 string: nothing in it is syntax then.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// Returns the FTS5 expression for what is visible in a project.
pub(crate) fn in_scope(project: ProjectId) -> String {
    format!("(\"{}\" OR \"{ANY_PROJECT_TERM}\")", project_term(project))
}

/// Returns the term that stands for a project in the index. It begins with a character for private use, which nobody types: no query
/// matches it by chance, so queries need not exclude that column.
fn project_term(project: ProjectId) -> String {
    format!("\u{e000}project{project}")
}

/// The term of memories that hold in every project.
const ANY_PROJECT_TERM: &str = "\u{e000}everywhere";

/// What the index holds of a memory, column by column.
pub(crate) fn columns(project: ProjectId, content: &Content) -> [String; 7] {
    let [facts, concepts, files] =
        [&content.facts, &content.concepts, &content.files].map(|list| list.join("\n"));
    let whole = [content.title.as_str(), &content.body, &facts, &concepts, &files].join("\n");
    let scope = match content.scope {
        MemoryScope::Project => project_term(project),
        MemoryScope::User => format!("{} {ANY_PROJECT_TERM}", project_term(project)),
    };
    [content.title.clone(), facts, concepts, files, content.body.clone(), identifier_terms(&whole), scope]
}

/// Returns what one column of the index was given of a memory.
pub(crate) fn column(project: ProjectId, content: &Content, name: &str) -> Option<String> {
    let names = ["title", "facts", "concepts", "files", "body", "identifier_terms", "scope"];
    names.iter().position(|known| *known == name).and_then(|at| columns(project, content).into_iter().nth(at))
}

/// Puts a memory into the index.
pub(crate) fn add(
    db: &Connection,
    id: MemoryId,
    project: ProjectId,
    content: &Content,
) -> rusqlite::Result<()> {
    let [title, facts, concepts, files, body, identifier_terms, scope] = columns(project, content);
    db.prepare_cached(
        "INSERT INTO memory_words (rowid, title, facts, concepts, files, body, identifier_terms, scope)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![id.0, title, facts, concepts, files, body, identifier_terms, scope])
    .map(drop)
}

/// Takes a memory out of the index. It must be given exactly as it was put in: the index keeps no copy of the text.
pub(crate) fn remove(db: &Connection, memory: &Memory) -> rusqlite::Result<()> {
    let [title, facts, concepts, files, body, identifier_terms, scope] =
        columns(memory.project, &memory.content);
    db.prepare_cached(
        "INSERT INTO memory_words (memory_words, rowid, title, facts, concepts, files, body, identifier_terms, scope)
         VALUES ('delete', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![memory.id.0, title, facts, concepts, files, body, identifier_terms, scope])
    .map(drop)
}

/// Writes the index anew where it still knows a word no memory has any more.
///
/// FTS5 takes words out of its pages, but the page directory (`memory_words_idx`) keeps the beginnings of those a page once began with.
pub(crate) fn forget_stray_words(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.known_words USING fts5vocab (main, memory_words, row)",
    )?;
    let mut next =
        db.prepare("SELECT CAST(term AS BLOB) FROM temp.known_words WHERE term >= CAST(?1 AS TEXT) LIMIT 1")?;
    let mut directory = db.prepare("SELECT CAST(term AS BLOB) FROM memory_words_idx")?;
    let mut beginnings = directory.query([])?;
    let mut has_stray = false;
    while let Some(row) = beginnings.next()? {
        let beginning: Vec<u8> = row.get(0)?;
        // The first byte tells the main index from those of prefixes.
        let word = beginning.get(1..).unwrap_or_default();
        let known: Option<Vec<u8>> = next.query_row([word], |row| row.get(0)).optional()?;
        has_stray |= !known.is_some_and(|known| known.starts_with(word));
    }
    if has_stray {
        // `optimize` does nothing with a single segment, so a second one is made first.
        db.execute("INSERT INTO memory_words (rowid, title) VALUES (0, 'x')", [])?;
        db.execute("INSERT INTO memory_words (memory_words) VALUES ('optimize')", [])?;
        db.execute("INSERT INTO memory_words (memory_words, rowid, title) VALUES ('delete', 0, 'x')", [])?;
    }
    Ok(())
}

impl UpkeepWriter<'_> {
    /// Makes the word index anew from the memories. Calls `progress` after each memory.
    pub fn rebuild_word_index(&mut self, mut progress: impl FnMut(u64)) -> Result<u64, StoreError> {
        self.store.write("rebuild the word index", |transaction| Ok(rebuild(transaction, &mut progress)?))
    }

    /// Merges the segments of the word index, some pages a transaction, because each lookup reads every segment. Does nothing while
    /// there are few.
    pub fn merge_word_index(&mut self) -> Result<(), StoreError> {
        if !self.store.read("look at the word index", |db| Ok(is_in_parts(db)?))? {
            return Ok(());
        }
        // FTS5 starts a merge at a negative number of pages, and continues it at a positive one.
        let mut pages = -PAGES_PER_TRANSACTION;
        loop {
            let written = self.store.write("join the word index", |transaction| {
                let before = transaction.total_changes();
                let sql = "INSERT INTO memory_words (memory_words, rank) VALUES ('merge', ?1)";
                transaction.execute(sql, [pages])?;
                Ok(transaction.total_changes() - before)
            })?;
            // This statement itself counts as one.
            if written < 2 {
                return Ok(());
            }
            pages = PAGES_PER_TRANSACTION;
        }
    }
}

/// Whether so much lies outside the largest part of the index that joining all of it pays.
fn is_in_parts(db: &Connection) -> rusqlite::Result<bool> {
    // One row a page: what lies in the largest part, in all of them, and how many parts there are.
    let sql = "SELECT coalesce(max(pages), 0), coalesce(sum(pages), 0), count(*) FROM
         (SELECT count(*) AS pages FROM memory_words_idx GROUP BY segid)";
    let (largest, all, parts): (i64, i64, i64) =
        db.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(parts > MOST_PARTS && (all - largest) * LEAST_OUTSIDE >= all)
}

/// Makes the index anew, whatever state it is in. Memories that cannot be read are left out.
pub(crate) fn rebuild(db: &Connection, mut progress: impl FnMut(u64)) -> rusqlite::Result<u64> {
    if db.execute_batch("DROP TABLE IF EXISTS memory_words").is_err() {
        // The index has lost its format number, without which FTS5 refuses even to drop it.
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)?;
        let patched =
            db.execute("INSERT OR REPLACE INTO memory_words_config (k, v) VALUES ('version', 4)", []);
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        patched?;
        db.execute_batch("DROP TABLE memory_words")?;
    }
    db.execute_batch(&migrate::word_index()?)?;
    let mut statement = db.prepare(whole_memories!("ORDER BY id"))?;
    let mut rows = statement.query([])?;
    let mut done = 0;
    while let Some(row) = rows.next()? {
        match memory_from(row) {
            Ok(memory) => add(db, memory.id, memory.project, &memory.content)?,
            Err(TxError::Sql(error)) if error.sqlite_error().is_some() => return Err(error),
            Err(_) => continue,
        }
        done += 1;
        progress(done);
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_quoted_whatever_it_holds() {
        let mut query = WordQuery::default();
        query.word("NEAR(a \"b\" AND *");
        query.word("\"\"");
        query.prefix("migr");
        let expressions: Vec<String> = query.terms().map(QueryTerm::expression).collect();
        assert_eq!(expressions, ["\"NEAR(a  b  AND *\"", "\"migr\" *"]);
    }
}
