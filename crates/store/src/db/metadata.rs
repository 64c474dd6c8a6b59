//! What the store records about itself: a few values, by name.
//!
//! Not here: what they mean (`maintain`, `vectors`, `teams`).

use rusqlite::{Connection, OptionalExtension, params};

/// Returns a value, if it was recorded.
pub(crate) fn text(db: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    db.query_row("SELECT value FROM metadata WHERE name = ?1", [name], |row| row.get(0)).optional()
}

/// Returns a value that is a number.
pub(crate) fn number(db: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    Ok(text(db, name)?.and_then(|text| text.parse().ok()))
}

/// Records a value, replacing the one before.
pub(crate) fn note(db: &Connection, name: &str, value: &impl ToString) -> rusqlite::Result<()> {
    let sql =
        "INSERT INTO metadata (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2";
    db.execute(sql, params![name, value.to_string()]).map(drop)
}
