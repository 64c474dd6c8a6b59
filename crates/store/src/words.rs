//! The word index: what is put into it, and how a question is asked of it.
//!
//! A person's words reach FTS5 only through [`WordQuery`], quoted, so that no question is a syntax error. Derived data: `rebuild`
//! makes it anew from the memories. Who changes what `columns` gives must add a migration that rebuilds the index.

use crate::memories::memory_from;
use crate::{Store, StoreError};
use backstory_memory::{Draft, Memory, MemoryId, ProjectId, Scope, companion};
use rusqlite::{Connection, params};
use std::collections::BTreeSet;

/// Words to look for; any of them may match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordQuery {
    /// FTS5 expressions, each for one word or one beginning of a word.
    terms: BTreeSet<String>,
}

impl WordQuery {
    /// Adds a word.
    pub fn word(&mut self, word: &str) {
        self.terms.extend(quoted(word));
    }

    /// Adds the beginning of a word.
    pub fn prefix(&mut self, prefix: &str) {
        self.terms.extend(quoted(prefix).map(|quoted| format!("{quoted} *")));
    }

    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the words as FTS5 expressions.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().map(String::as_str)
    }
}

/// Returns the FTS5 expression for what is visible in a project.
pub(crate) fn in_place(project: ProjectId) -> String {
    format!("place : (\"{}\" OR \"{EVERYWHERE}\")", place(project))
}

fn place(project: ProjectId) -> String {
    format!("project{project}")
}

/// Stands in the place of what holds in every project.
const EVERYWHERE: &str = "everywhere";

/// Quotes a word as an FTS5 string, where anything of it can be looked for.
fn quoted(word: &str) -> Option<String> {
    let has_letters = word.chars().any(char::is_alphanumeric);
    has_letters.then(|| format!("\"{}\"", word.replace(['"', '\0'], " ")))
}

/// What the index holds of a memory, column by column.
fn columns(project: ProjectId, content: &Draft) -> [String; 7] {
    let [facts, concepts, files] =
        [&content.facts, &content.concepts, &content.files].map(|list| list.join("\n"));
    let whole = [content.title.as_str(), &content.body, &facts, &concepts, &files].join("\n");
    let place = match content.scope {
        Scope::Project => place(project),
        Scope::User => format!("{} {EVERYWHERE}", place(project)),
    };
    [content.title.clone(), facts, concepts, files, content.body.clone(), companion(&whole), place]
}

/// Puts a memory into the index.
pub(crate) fn add(
    db: &Connection,
    id: MemoryId,
    project: ProjectId,
    content: &Draft,
) -> rusqlite::Result<()> {
    let [title, facts, concepts, files, body, companion, place] = columns(project, content);
    db.prepare_cached(
        "INSERT INTO memory_words (rowid, title, facts, concepts, files, body, companion, place)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![id.0, title, facts, concepts, files, body, companion, place])
    .map(drop)
}

/// Takes a memory out of the index. It must be given exactly as it was put in: the index keeps no copy of the text.
pub(crate) fn remove(db: &Connection, memory: &Memory) -> rusqlite::Result<()> {
    let [title, facts, concepts, files, body, companion, place] = columns(memory.project, &memory.content);
    db.prepare_cached(
        "INSERT INTO memory_words (memory_words, rowid, title, facts, concepts, files, body, companion, place)
         VALUES ('delete', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![memory.id.0, title, facts, concepts, files, body, companion, place])
    .map(drop)
}

impl Store {
    /// Makes the word index anew from the memories. `progress` is told after each memory.
    pub fn rebuild_words(&mut self, mut progress: impl FnMut(u64)) -> Result<u64, StoreError> {
        self.write("rebuild the word index", |transaction| {
            transaction.execute("INSERT INTO memory_words (memory_words) VALUES ('delete-all')", [])?;
            let mut statement = transaction.prepare("SELECT * FROM memories ORDER BY id")?;
            let mut rows = statement.query([])?;
            let mut done = 0;
            while let Some(row) = rows.next()? {
                let memory = memory_from(row)?;
                add(transaction, memory.id, memory.project, &memory.content)?;
                done += 1;
                progress(done);
            }
            Ok(done)
        })
    }
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
        assert_eq!(query.terms().collect::<Vec<_>>(), ["\"NEAR(a  b  AND *\"", "\"migr\" *"]);
    }
}
