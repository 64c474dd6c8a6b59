//! Reads the SQLite database of another program, to import what it remembers. Never changes it.
//!
//! Nothing is written beside it either, except the index that SQLite needs to read a log that was left behind. A table or column
//! that a newer version of the program has renamed or dropped reads as nothing. Not here: what the tables of each program mean
//! (`exchange`, `hosts`).

use crate::StoreError;
use crate::db::home;
use crate::db::open::unchanging_uri;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A database of another program, open to read.
#[derive(Debug)]
pub struct ForeignDatabase {
    db: Connection,
    path: PathBuf,
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

impl ForeignDatabase {
    /// Opens a database. If no other process has it open, SQLite does not even create its own files beside it.
    pub fn open(path: &Path) -> Result<ForeignDatabase, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let has_log = home::beside(path, "-wal").metadata().is_ok_and(|log| log.len() > 0);
        let opened = if has_log {
            Connection::open_with_flags(path, flags)
        } else {
            Connection::open_with_flags(unchanging_uri(path), flags | OpenFlags::SQLITE_OPEN_URI)
        };
        let failed = |error| StoreError::sql(path, "open another program's database", error);
        let db = opened.map_err(failed)?;
        db.busy_timeout(PATIENCE).map_err(failed)?;
        db.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON").map_err(failed)?;
        let foreign = ForeignDatabase { db, path: path.to_owned() };
        foreign.tables().map(|_| foreign)
    }

    /// Returns the names of its tables.
    pub fn tables(&self) -> Result<Vec<String>, StoreError> {
        self.names("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", &[])
    }

    /// Returns the names of a table's columns; none if there is no such table.
    pub fn columns(&self, table: &str) -> Result<Vec<String>, StoreError> {
        self.names("SELECT name FROM pragma_table_info(?1)", &[table])
    }

    /// Calls `visit` with each row until it breaks off. A missing table has no rows.
    pub fn each(
        &self,
        wanted: RowQuery<'_>,
        mut visit: impl FnMut(ForeignRow) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let failed = |error| StoreError::sql(&self.path, "read another program's database", error);
        let there = self.columns(wanted.table)?;
        let has = |column: &&&str| there.iter().any(|name| name == **column);
        let columns: Vec<&&str> = wanted.columns.iter().filter(has).collect();
        if columns.is_empty() || !wanted.only.iter().all(|(column, _)| has(&column)) {
            return Ok(());
        }
        let list = |names: &[String], between: &str| names.join(between);
        // A longer value is not even loaded.
        let short = |name: &&&str| {
            let name = quote(name);
            format!("iif(octet_length({name}) <= {LONGEST_VALUE}, {name}, NULL)")
        };
        let quoted: Vec<String> = columns.iter().map(short).collect();
        let only: Vec<String> = wanted.only.iter().map(|(name, _)| format!("{} = ?", quote(name))).collect();
        let order: Vec<String> = wanted.order.iter().filter(has).map(|name| quote(name)).collect();
        let mut sql = format!("SELECT {} FROM {}", list(&quoted, ", "), quote(wanted.table));
        if !only.is_empty() {
            sql.push_str(&format!(" WHERE {}", list(&only, " AND ")));
        }
        if !order.is_empty() {
            sql.push_str(&format!(" ORDER BY {}", list(&order, ", ")));
        }
        let mut statement = self.db.prepare_cached(&sql).map_err(failed)?;
        let values = params_from_iter(wanted.only.iter().map(|(_, value)| *value));
        let mut rows = statement.query(values).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let mut values = HashMap::new();
            for (at, column) in columns.iter().enumerate() {
                if let Some(text) = row.get_ref(at).ok().and_then(text_of) {
                    values.insert((**column).to_owned(), text);
                }
            }
            if visit(ForeignRow { values }).is_break() {
                break;
            }
        }
        Ok(())
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
        read().map_err(|error| StoreError::sql(&self.path, "read another program's database", error))
    }
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
