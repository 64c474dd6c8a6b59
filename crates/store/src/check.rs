//! Is the store sound? SQLite's own checks, and ours: it does not notice flipped bits inside a row (R12).

use crate::{Store, StoreError, migrate};
use backstory_memory::MemoryId;

/// How closely to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckDepth {
    /// The structure of the file.
    Quick,
    /// The structure, every index, the word index, and every memory's checksum.
    Full,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// What SQLite says is wrong with the file.
    pub file: Vec<String>,
    /// What is wrong with the word index; `backstory index` makes it anew.
    pub words: Option<String>,
    /// What is wrong with the schema.
    pub schema: Vec<String>,
    /// Memories whose content is not what was written.
    pub damaged: Vec<MemoryId>,
    /// How many memories were looked at.
    pub looked_at: u64,
}

impl CheckReport {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.file.is_empty() && self.words.is_none() && self.schema.is_empty() && self.damaged.is_empty()
    }
}

impl Store {
    /// Looks whether the store is sound.
    pub fn check(&self, depth: CheckDepth) -> Result<CheckReport, StoreError> {
        // SQLite looks into the word index, too; but that is derived, and no reason to call the file damaged.
        let (mut words, file): (Vec<_>, Vec<_>) =
            self.check_file(depth)?.into_iter().partition(|line| is_of_the_words(line));
        let mut report = CheckReport { file, words: words.pop(), ..CheckReport::default() };
        if depth == CheckDepth::Full && report.file.is_empty() {
            report.schema = self.check_schema()?;
            report.words = report.words.or_else(|| self.check_words());
        }
        if depth == CheckDepth::Full {
            self.check_memories(&mut report)?;
        }
        Ok(report)
    }

    fn check_file(&self, depth: CheckDepth) -> Result<Vec<String>, StoreError> {
        let sql = match depth {
            CheckDepth::Quick => "PRAGMA quick_check(20)",
            CheckDepth::Full => "PRAGMA integrity_check(20)",
        };
        let lines = self.read("check the database", |db| {
            let mut statement = db.prepare(sql)?;
            let lines: rusqlite::Result<Vec<String>> = statement.query_map([], |row| row.get(0))?.collect();
            Ok(lines?.into_iter().filter(|line| line != "ok").collect())
        });
        match lines {
            // A word index that cannot even be looked at ends the whole check.
            Err(StoreError::Damaged { detail, .. }) if is_of_the_words(&detail) => Ok(vec![detail]),
            lines => lines,
        }
    }

    fn check_words(&self) -> Option<String> {
        let sql = "INSERT INTO memory_words (memory_words) VALUES ('integrity-check')";
        let counted = "SELECT (SELECT count(*) FROM memories) = (SELECT count(*) FROM memory_words_docsize)";
        match self
            .db
            .execute_batch(sql)
            .and_then(|()| self.db.query_row(counted, [], |row| row.get::<_, bool>(0)))
        {
            Ok(true) => None,
            Ok(false) => Some("the word index does not hold every memory".to_owned()),
            Err(error) => Some(error.to_string()),
        }
    }

    /// Compares the schema in the file with the one this build would make.
    fn check_schema(&self) -> Result<Vec<String>, StoreError> {
        let list = "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1";
        let lines = |db: &rusqlite::Connection| -> rusqlite::Result<Vec<String>> {
            db.prepare(list)?.query_map([], |row| row.get(0))?.collect()
        };
        self.read("check the schema", |db| {
            let expected = lines(&migrate::fresh_in_memory()?)?;
            let found = lines(db)?;
            let short = |line: &String| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
            let missing = expected.iter().filter(|line| !found.contains(line));
            let foreign = found.iter().filter(|line| !expected.contains(line));
            let missing = missing.map(|line| format!("{} is missing or different", short(line)));
            Ok(missing.chain(foreign.map(|line| format!("{} is not ours", short(line)))).collect())
        })
    }

    fn check_memories(&self, report: &mut CheckReport) -> Result<(), StoreError> {
        let ids: Vec<i64> = self.read("list the memories", |db| {
            let mut statement = db.prepare("SELECT id FROM memories ORDER BY id")?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
        })?;
        for id in ids {
            report.looked_at += 1;
            let intact =
                self.memory(MemoryId(id)).map(|found| found.is_some_and(|memory| memory.is_intact()));
            // A row that cannot even be read is as damaged as one that reads wrong.
            if !intact.unwrap_or(false) {
                report.damaged.push(MemoryId(id));
            }
        }
        Ok(())
    }
}

/// Whether SQLite speaks of the word index: every message of its own names it.
fn is_of_the_words(line: &str) -> bool {
    line.to_lowercase().contains("fts5")
}
