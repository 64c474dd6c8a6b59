//! Reads the SQLite database of another program, to import what it remembers. Never changes it.
//!
//! Nothing is written beside it either, except the index that SQLite needs to read a log that was left behind. A table or column
//! that a newer version of the program has renamed or dropped reads as nothing.
//!
//! Whoever made the database may mean harm: a repository carries some. Only real tables are read, because a view can run for ever, and
//! how much is read has limits. Not here: what the tables of each program mean (`exchange`, `hosts`).

use crate::StoreError;
use crate::db::home;
use crate::db::open::unchanging_uri;
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A database of another program, open to read.
#[derive(Debug)]
pub struct ForeignDatabase {
    db: Connection,
    path: PathBuf,
    limits: ForeignLimits,
    /// How many bytes of values were read.
    read: Cell<u64>,
    /// How many steps SQLite has taken.
    steps: Arc<AtomicU64>,
}

/// How much is read of a database. Reading one that was made to run for ever, or to fill the memory, ends there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignLimits {
    /// The longest file, in bytes.
    pub file_bytes: u64,
    /// The most rows of one table.
    pub rows: u64,
    /// The most bytes of values, of all tables together.
    pub value_bytes: u64,
    /// The most steps of SQLite's machine, for all tables together: a limit of time that is the same on every machine.
    pub steps: u64,
}

impl ForeignLimits {
    /// The limits of a database that a program of the user keeps.
    pub const PROGRAM: ForeignLimits = ForeignLimits {
        file_bytes: 64 << 30,
        rows: 20_000_000,
        value_bytes: 64 << 30,
        steps: 200_000_000_000,
    };
    /// The limits of a database that a repository carries.
    pub const REPOSITORY: ForeignLimits =
        ForeignLimits { file_bytes: 64 << 20, rows: 50_000, value_bytes: 64 << 20, steps: 500_000_000 };
}

/// Which rows of a table to read.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowQuery<'a> {
    /// The table.
    pub table: &'a str,
    /// The columns. One that the table does not have reads as nothing.
    pub columns: &'a [&'a str],
    /// Only rows that hold these values.
    pub only: &'a [(&'a str, &'a str)],
    /// The columns to order by, the first first.
    pub order: &'a [&'a str],
}

/// One row: the values of its columns, by name.
#[derive(Clone, Debug, Default)]
pub struct ForeignRow {
    values: HashMap<String, String>,
}

impl ForeignRow {
    /// Returns the text of a column, if it is not empty.
    #[must_use]
    pub fn text(&self, column: &str) -> Option<&str> {
        self.values.get(column).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// Returns the whole number in a column.
    #[must_use]
    pub fn integer(&self, column: &str) -> Option<i64> {
        let text = self.text(column)?;
        // A column of the type REAL returns a whole number as `12.0`.
        text.parse().ok().or_else(|| self.real(column).map(|number| number as i64))
    }

    /// Returns the number in a column.
    #[must_use]
    pub fn real(&self, column: &str) -> Option<f64> {
        self.text(column)?.parse().ok()
    }
}

/// How long to wait for another program that writes.
const PATIENCE: Duration = Duration::from_secs(2);

/// A longer value is not text that a person wrote; it reads as nothing.
const LONGEST_VALUE: usize = 16 << 20;

/// How many steps of SQLite's machine run between two looks at how many there were.
const STEPS: i32 = 10_000;
/// A longer value is not sorted by.
const LONGEST_KEY: usize = 256;

/// The names of real tables. A forged row of the schema is none: it has no page, or was not made by `CREATE TABLE`.
macro_rules! tables {
    () => {
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND sql LIKE 'create table%'"
    };
}

impl ForeignDatabase {
    /// Opens a database. If no other process has it open, SQLite does not even create its own files beside it.
    pub fn open(path: &Path, limits: ForeignLimits) -> Result<ForeignDatabase, StoreError> {
        let length = |path: &Path| path.metadata().map_or(0, |metadata| metadata.len());
        let log = length(&home::beside(path, "-wal"));
        let bytes = length(path).saturating_add(log);
        if bytes > limits.file_bytes {
            return Err(over(path, format!("it is {bytes} bytes long, and {} are read", limits.file_bytes)));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // A log may hold commits that the file does not have yet. Without one the file is opened as unchanging, and SQLite creates
        // nothing beside it.
        let opened = if log > 0 {
            Connection::open_with_flags(path, flags)
        } else {
            Connection::open_with_flags(unchanging_uri(path), flags | OpenFlags::SQLITE_OPEN_URI)
        };
        let failed = |error| StoreError::sql(path, "open another program's database", error);
        let mut db = opened.map_err(failed)?;
        let steps = Arc::new(AtomicU64::new(0));
        restrict(&mut db, limits.steps, steps.clone()).map_err(failed)?;
        let foreign = ForeignDatabase { db, path: path.to_owned(), limits, read: Cell::new(0), steps };
        foreign.tables().map(|_| foreign)
    }

    /// Returns the names of its tables: those that hold rows, no views and no virtual tables.
    pub fn tables(&self) -> Result<Vec<String>, StoreError> {
        self.names(concat!(tables!(), " ORDER BY name"), &[])
    }

    /// Returns the names of a table's columns; none if there is no such table.
    pub fn columns(&self, table: &str) -> Result<Vec<String>, StoreError> {
        if self.names(concat!(tables!(), " AND name = ?1"), &[table])?.is_empty() {
            return Ok(Vec::new());
        }
        self.names("SELECT name FROM pragma_table_info(?1)", &[table])
    }

    /// Calls `visit` with each row until it breaks off. A missing table has no rows.
    ///
    /// # Errors
    ///
    /// [`StoreError::OverLimit`] after as many rows as the limits allow, and the errors of SQLite.
    pub fn each(
        &self,
        wanted: RowQuery<'_>,
        mut visit: impl FnMut(ForeignRow) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let there = self.columns(wanted.table)?;
        let has = |column: &&&str| there.iter().any(|name| name == **column);
        let columns: Vec<&&str> = wanted.columns.iter().filter(has).collect();
        if columns.is_empty() || !wanted.only.iter().all(|(column, _)| has(&column)) {
            return Ok(());
        }
        let keys: Vec<&&str> = wanted.order.iter().filter(has).collect();
        let sql = self.select(&wanted, &columns, &keys);
        let mut statement = self.db.prepare_cached(&sql).map_err(|error| self.failed(error))?;
        let values = params_from_iter(wanted.only.iter().map(|(_, value)| *value));
        let mut rows = statement.query(values).map_err(|error| self.failed(error))?;
        let mut count = 0;
        while let Some(row) = rows.next().map_err(|error| self.failed(error))? {
            count += 1;
            if count > self.limits.rows {
                let rows = self.limits.rows;
                return Err(self.over(format!("`{}` has more than {rows} rows", wanted.table)));
            }
            let mut values = HashMap::new();
            for (at, column) in columns.iter().enumerate() {
                if let Some(text) = row.get_ref(at).ok().and_then(text_of) {
                    self.read.set(self.read.get().saturating_add(text.len() as u64));
                    values.insert((**column).to_owned(), text);
                }
            }
            if self.read.get() > self.limits.value_bytes {
                return Err(self.over(format!("it holds more than {} bytes", self.limits.value_bytes)));
            }
            if visit(ForeignRow { values }).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Returns the statement that reads rows, one more than the limit.
    ///
    /// Only row numbers are sorted, and by short keys. In a forged file many rows can share the same pages: to sort their values, SQLite
    /// would write each of them to a temporary file and fill the disk.
    fn select(&self, wanted: &RowQuery<'_>, columns: &[&&str], keys: &[&&str]) -> String {
        // A longer value is not even loaded.
        let short = |name: &str, longest: usize| {
            let name = quote(name);
            format!("iif(octet_length({name}) <= {longest}, {name}, NULL)")
        };
        let values: Vec<String> = columns.iter().map(|name| short(name, LONGEST_VALUE)).collect();
        let (values, table) = (values.join(", "), quote(wanted.table));
        let only: Vec<String> = wanted.only.iter().map(|(name, _)| format!("{} = ?", quote(name))).collect();
        let only = if only.is_empty() { String::new() } else { format!(" WHERE {}", only.join(" AND ")) };
        let most = self.limits.rows.saturating_add(1);
        // A table without numbers is in the order of its key already.
        let has_numbers = self.db.prepare(&format!("SELECT rowid FROM {table} LIMIT 0")).is_ok();
        if keys.is_empty() || !has_numbers {
            return format!("SELECT {values} FROM {table}{only} LIMIT {most}");
        }
        let keys: Vec<String> = keys.iter().map(|name| short(name, LONGEST_KEY)).collect();
        let sorted = format!(
            "SELECT rowid AS sorted_row FROM {table}{only} ORDER BY {} LIMIT {most}",
            keys.join(", ")
        );
        format!("SELECT {values} FROM ({sorted}) CROSS JOIN {table} ON {table}.rowid = sorted_row")
    }

    /// Explains an error of SQLite, which may have been stopped at the limit.
    fn failed(&self, error: rusqlite::Error) -> StoreError {
        if self.steps.load(Ordering::Relaxed) > self.limits.steps {
            return self.over("it takes too long to read".to_owned());
        }
        StoreError::sql(&self.path, "read another program's database", error)
    }

    fn over(&self, detail: String) -> StoreError {
        over(&self.path, detail)
    }

    /// Returns the rows, where they are known to be few.
    pub fn rows(&self, wanted: RowQuery<'_>) -> Result<Vec<ForeignRow>, StoreError> {
        let mut rows = Vec::new();
        self.each(wanted, |row| {
            rows.push(row);
            ControlFlow::Continue(())
        })?;
        Ok(rows)
    }

    fn names(&self, sql: &str, values: &[&str]) -> Result<Vec<String>, StoreError> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.db.prepare_cached(sql)?;
            let names = statement.query_map(params_from_iter(values), |row| row.get(0))?;
            names.collect()
        };
        read().map_err(|error| self.failed(error))
    }
}

/// Makes a connection believe nothing of its database, and stop after `most` steps.
fn restrict(db: &mut Connection, most: u64, steps: Arc<AtomicU64>) -> rusqlite::Result<()> {
    db.busy_timeout(PATIENCE)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    let is_over = move || steps.fetch_add(STEPS as u64, Ordering::Relaxed) > most;
    db.progress_handler(STEPS, Some(is_over))?;
    // No memory map: if its owner truncates the file meanwhile, touching a lost page would kill this process.
    db.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
}

fn over(path: &Path, detail: String) -> StoreError {
    StoreError::OverLimit { path: path.to_owned(), detail }
}

fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn text_of(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            (bytes.len() <= LONGEST_VALUE).then(|| String::from_utf8_lossy(bytes).into_owned())
        }
    }
}
