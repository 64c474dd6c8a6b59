//! What lies in the home of a world: the database, the spool, the log.

use backstory_testkit::TestEnv;
use rusqlite::Connection;
use rusqlite::types::FromSql;
use std::fs;

/// Opens the database behind the binary's back.
pub(crate) fn database(env: &TestEnv) -> Connection {
    Connection::open(env.home().join("backstory.db")).expect("the database")
}

/// Keeps everyone from writing the database until the returned connection is dropped.
pub(crate) fn lock(env: &TestEnv) -> Connection {
    let holder = database(env);
    holder.execute_batch("BEGIN EXCLUSIVE").expect("the lock");
    holder
}

/// Changes the database behind the binary's back.
pub(crate) fn execute(env: &TestEnv, sql: &str) {
    database(env).execute_batch(sql).unwrap_or_else(|error| panic!("{error} in {sql}"));
}

/// Overwrites the database with bytes that are none.
pub(crate) fn damage(env: &TestEnv, bytes: impl AsRef<[u8]>) {
    fs::write(env.home().join("backstory.db"), bytes).expect("the database");
}

/// Returns the one value a query selects.
pub(crate) fn query<T: FromSql>(env: &TestEnv, sql: &str) -> T {
    let value = database(env).query_row(sql, [], |row| row.get(0));
    value.unwrap_or_else(|error| panic!("{error} in {sql}"))
}

/// Returns the first column of all rows a query selects.
pub(crate) fn query_all<T: FromSql>(env: &TestEnv, sql: &str) -> Vec<T> {
    let database = database(env);
    let mut statement = database.prepare(sql).expect("a statement");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.map(|value| value.expect("a value")).collect()
}

/// Sets the schema version of the database, and returns what it was.
pub(crate) fn set_schema(env: &TestEnv, version: i64) -> i64 {
    let before = query(env, "PRAGMA user_version");
    database(env).pragma_update(None, "user_version", version).expect("another version");
    before
}

/// Returns how many events wait in the spool.
pub(crate) fn spooled(env: &TestEnv) -> usize {
    fs::read_dir(env.home().join("spool/new")).map_or(0, Iterator::count)
}

/// Returns the log.
pub(crate) fn log(env: &TestEnv) -> String {
    fs::read_to_string(env.home().join("log/backstory.log")).unwrap_or_default()
}

/// Asserts that no file of the home holds these words.
#[track_caller]
pub(crate) fn assert_absent(env: &TestEnv, words: impl AsRef<[u8]>) {
    let words = words.as_ref();
    let files = env.files_holding(words);
    assert!(files.is_empty(), "{} is in {files:?}", String::from_utf8_lossy(words));
}
