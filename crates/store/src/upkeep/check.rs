//! Checks whether the store is sound: with SQLite's own checks, and with ours, because SQLite does not notice flipped bits in a row
//! (R12).

use crate::db::facets::UpkeepReader;
use crate::db::migrate;
use crate::upkeep::repair;
use crate::{Store, StoreError};
use backstory_memory::MemoryId;
use rusqlite::{Connection, ffi};

/// How thoroughly to check.
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
    /// What SQLite reports about the file.
    pub file: Vec<String>,
    /// What is wrong with the word index; `backstory index` rebuilds it.
    pub words: Option<String>,
    /// What is wrong with the schema.
    pub schema: Vec<String>,
    /// Memories whose content differs from what was written.
    pub damaged: Vec<MemoryId>,
    /// How many memories were checked.
    pub checked: u64,
}

impl CheckReport {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.file.is_empty() && self.words.is_none() && self.schema.is_empty() && self.damaged.is_empty()
    }
}

impl UpkeepReader<'_> {
    /// Checks whether the store is sound.
    pub fn check(&self, depth: CheckDepth) -> Result<CheckReport, StoreError> {
        let (words, file) = self.store.check_file(depth)?.into_iter().partition(|line| is_of_words(line));
        let words: Vec<String> = words;
        let mut report = CheckReport { file, words: words.into_iter().next(), ..CheckReport::default() };
        if depth == CheckDepth::Full && report.file.is_empty() {
            report.schema = self.store.check_schema()?;
            report.words = report.words.or_else(|| self.store.check_words());
        }
        if depth == CheckDepth::Full {
            self.store.check_memories(&mut report)?;
        }
        if self.store.is_main_database() {
            repair::note_report(&self.store.home, &report);
        }
        Ok(report)
    }
}

impl Store {
    fn check_file(&self, depth: CheckDepth) -> Result<Vec<String>, StoreError> {
        let sql = match depth {
            CheckDepth::Quick => "PRAGMA quick_check(20)",
            CheckDepth::Full => "PRAGMA integrity_check(20)",
        };
        self.read("check the database", |db| {
            let mut lines = Vec::new();
            match complaints(db, sql, &mut lines) {
                // Damage may stop even the check itself.
                Err(error) if is_damage(&error) || is_of_words(&error.to_string()) || is_garbled(&error) => {
                    lines.push(error.to_string());
                }
                done => done?,
            }
            match lines.iter().find_map(|line| read_failure(line)) {
                // The disk could not be read: whether the file is sound is not known.
                Some(failure) => Err(rusqlite::Error::SqliteFailure(failure, None).into()),
                None => Ok(lines),
            }
        })
    }

    fn check_words(&self) -> Option<String> {
        let same = "SELECT NOT EXISTS (SELECT id FROM memories EXCEPT SELECT id FROM memory_words_docsize)
            AND NOT EXISTS (SELECT id FROM memory_words_docsize EXCEPT SELECT id FROM memories)";
        match self.db.query_row(same, [], |row| row.get(0)) {
            Ok(true) => None,
            Ok(false) => Some("the word index does not hold the memories there are".to_owned()),
            Err(error) => Some(error.to_string()),
        }
    }

    /// Compares the schema in the file with the one this build would create.
    fn check_schema(&self) -> Result<Vec<String>, StoreError> {
        self.read("check the schema", |db| {
            let (expected, found) = (definitions(&migrate::fresh_in_memory()?)?, definitions(db)?);
            let short = |line: &String| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
            let missing = expected.iter().filter(|line| !found.contains(line));
            let foreign = found.iter().filter(|line| !expected.contains(line));
            let missing = missing.map(|line| format!("{} is missing or different", short(line)));
            Ok(missing.chain(foreign.map(|line| format!("{} is not ours", short(line)))).collect())
        })
    }

    /// Returns whether a table, index or view is missing or not defined as in this build. Triggers do not count: they can be
    /// rewritten in place, while a table would have to be copied row by row.
    pub(crate) fn lacks_definitions(&self) -> Result<bool, StoreError> {
        self.read("check the schema", |db| {
            let found = definitions(db)?;
            let expected = definitions(&migrate::fresh_in_memory()?)?;
            Ok(expected.iter().any(|line| !line.starts_with("trigger ") && !found.contains(line)))
        })
    }

    fn check_memories(&self, report: &mut CheckReport) -> Result<(), StoreError> {
        // If the list ends early, the file has already been found damaged.
        let ids: Vec<i64> = self.read("list the memories", |db| {
            let mut statement = db.prepare("SELECT id FROM memories ORDER BY id")?;
            Ok(statement.query_map([], |row| row.get(0))?.map_while(Result::ok).collect())
        })?;
        for id in ids {
            report.checked += 1;
            let intact =
                self.memories().get(MemoryId(id)).map(|found| found.is_some_and(|memory| memory.is_intact()));
            // A row that cannot even be read is as damaged as one that reads wrong.
            if !intact.unwrap_or(false) {
                report.damaged.push(MemoryId(id));
            }
        }
        Ok(())
    }
}

/// Lists type, name and SQL of everything that a schema defines.
fn definitions(db: &Connection) -> rusqlite::Result<Vec<String>> {
    let list = "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1";
    db.prepare(list)?.query_map([], |row| row.get(0))?.collect()
}

fn complaints(db: &Connection, sql: &str, lines: &mut Vec<String>) -> rusqlite::Result<()> {
    let mut statement = db.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        lines.extend(Some(row.get(0)?).filter(|line| line != "ok"));
    }
    Ok(())
}

/// Returns the failure to read that a complaint of SQLite's check reports in the place of damage.
fn read_failure(complaint: &str) -> Option<ffi::Error> {
    let code: i32 = complaint.split("error code=").nth(1)?.trim().parse().ok()?;
    let failure = ffi::Error::new(code);
    let is_damage = failure.extended_code == ffi::SQLITE_IOERR_CORRUPTFS;
    (failure.code == rusqlite::ErrorCode::SystemIoFailure && !is_damage).then_some(failure)
}

/// Whether a complaint is only about the word index, which is derived and can be rebuilt.
fn is_of_words(complaint: &str) -> bool {
    complaint.contains("memory_words") || complaint.contains("fts5")
}

/// Whether SQLite failed to parse the definition of a table: the statement of the check itself is always well formed.
fn is_garbled(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_ERROR)
}

fn is_damage(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseCorrupt)
}
