//! Brings an older database to this build's schema: an ordered list, forward only, in one transaction.
//!
//! A migration is never edited once released: a test holds their digests. Each is additive within a major version.

use crate::{Store, StoreError};
use backstory_memory::{Digest, Kind, Timestamp, digest};
use rusqlite::{Connection, params};

/// The schema that the first migration creates. Numbers 1 to 10 belonged to schemas from before the first release: a file with one
/// of those is refused, and a program of that time refuses ours as newer.
pub(crate) const FIRST: i64 = 11;

/// The schema this build writes.
pub(crate) const CURRENT: i64 = FIRST + MIGRATIONS.len() as i64 - 1;

/// The migrations in order; the first creates schema [`FIRST`].
const MIGRATIONS: &[&str] = &[include_str!("migrations/0001_first.sql")];

/// Brings the database to [`CURRENT`], and its table of kinds to those of this build. If several processes start together, one
/// migrates and the others find it done.
pub(crate) fn run(store: &mut Store, now: Timestamp) -> Result<(), StoreError> {
    run_list(store, MIGRATIONS, now)
}

fn run_list(store: &mut Store, migrations: &[&str], now: Timestamp) -> Result<(), StoreError> {
    store.write("migrate the database", |transaction| {
        // Read again: another process may have migrated while we waited for the lock.
        let done: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        for (version, sql) in (FIRST..).zip(migrations).filter(|(version, _)| *version > done) {
            transaction.execute_batch(sql)?;
            transaction.execute(
                "INSERT INTO applied_migrations (version, digest, applied_at_ms) VALUES (?1, ?2, ?3)",
                params![version, digest_of(sql).0, now.0],
            )?;
            transaction.pragma_update(None, "user_version", version)?;
        }
        let mut insert = transaction.prepare("INSERT OR IGNORE INTO kinds (kind) VALUES (?1)")?;
        Kind::ALL.into_iter().try_for_each(|kind| insert.execute([kind.as_str()]).map(drop))?;
        Ok(())
    })
}

/// Whether another build's migrations made this database. Before the first release, the first migration was edited without a new
/// number: such a database would open and then lack a column somewhere. A list that cannot be read is damage, which is noticed
/// elsewhere and must not keep memories from being salvaged.
pub(crate) fn has_other_migrations(store: &Store) -> bool {
    let applied = store.read("read which migrations were applied", |db| {
        let mut statement = db.prepare("SELECT digest FROM applied_migrations ORDER BY version")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<Vec<u8>>>>()?)
    });
    applied.is_ok_and(|it| !it.iter().zip(MIGRATIONS).all(|(applied, sql)| *applied == digest_of(sql).0))
}

/// Whether the table of kinds lacks one of this build. Refuses a database that has one this build does not know: a newer build has
/// written it, and memories of that kind could not be read (law 11).
pub(crate) fn lacks_a_kind(store: &Store) -> Result<bool, StoreError> {
    let kinds: Vec<Option<String>> = store.read("read the kinds", |db| {
        let mut statement = db.prepare("SELECT kind FROM kinds")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
    })?;
    // The column takes no NULL: this one is a damaged page's.
    let Some(kinds) = kinds.into_iter().collect::<Option<Vec<String>>>() else {
        let detail = "a kind has lost its name".to_owned();
        return Err(StoreError::Damaged { path: store.path.clone(), detail });
    };
    match kinds.iter().find(|kind| kind.parse::<Kind>().is_err()) {
        Some(kind) => Err(StoreError::NewerKind { path: store.path.clone(), kind: kind.clone() }),
        None => Ok(kinds.len() < Kind::ALL.len()),
    }
}

/// Creates an empty database with this build's schema, to compare with.
pub(crate) fn fresh_in_memory() -> rusqlite::Result<Connection> {
    let db = Connection::open_in_memory()?;
    MIGRATIONS.iter().try_for_each(|sql| db.execute_batch(sql))?;
    Ok(db)
}

/// Returns the statements that create the word index, as the schema has them.
pub(crate) fn word_index() -> rusqlite::Result<String> {
    let sql = "SELECT sql FROM sqlite_schema WHERE name = 'memory_words'";
    let table: String = fresh_in_memory()?.query_row(sql, [], |row| row.get(0))?;
    // FTS5 keeps this setting in a table of its own, not in the statement that creates the index.
    Ok(format!("{table}; INSERT INTO memory_words (memory_words, rank) VALUES ('secure-delete', 1);"))
}

/// Returns how SQLite answers a query of the store, one step a line: by which index, or by reading every row.
#[cfg(test)]
pub(crate) fn query_plan(sql: &str) -> String {
    let db = fresh_in_memory().unwrap();
    let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let nothing = vec![rusqlite::types::Null; statement.parameter_count()];
    let steps = statement
        .query_map(rusqlite::params_from_iter(nothing), |row| row.get::<_, String>("detail"))
        .unwrap()
        .collect::<rusqlite::Result<Vec<_>>>();
    steps.unwrap().join("\n")
}

fn digest_of(sql: &str) -> Digest {
    digest([sql.as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Home, Purpose};

    #[test]
    fn a_released_migration_is_never_edited() {
        let digests: Vec<String> = MIGRATIONS.iter().map(|sql| digest_of(sql).to_string()).collect();
        assert_eq!(digests, include_str!("migrations/digests.txt").lines().collect::<Vec<_>>());
    }

    /// R25, law 11.
    #[test]
    fn a_migration_that_breaks_leaves_the_old_schema_whole() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path().join("home"));
        let mut store = Store::open(&home, Purpose::Command, Timestamp(0)).unwrap();
        let broken = "CREATE TABLE half_done (x) STRICT; SELECT * FROM nowhere;";
        let list: Vec<&str> = MIGRATIONS.iter().copied().chain([broken]).collect();
        run_list(&mut store, &list, Timestamp(1)).unwrap_err();
        let tables: i64 = store
            .db
            .query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'half_done'", [], |row| row.get(0))
            .unwrap();
        let version: i64 = store.db.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        assert_eq!((tables, version), (0, CURRENT));
    }

    #[test]
    fn a_new_kind_is_added_at_the_next_start_and_one_of_a_newer_build_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path().join("home"));
        let open = || Store::open(&home, Purpose::Command, Timestamp(0));
        open().unwrap().db.execute("DELETE FROM kinds WHERE kind = 'goal'", []).unwrap();
        let store = open().unwrap();
        assert!(!lacks_a_kind(&store).unwrap());
        store.db.execute("INSERT INTO kinds (kind) VALUES ('omen')", []).unwrap();
        assert!(matches!(open().unwrap_err(), StoreError::NewerKind { kind, .. } if kind == "omen"));
    }
}
