//! Opens the database: in which order, and with which guarantees. Everything else reads and writes it through here.
//!
//! Not here: bringing an old schema up to date (`migrate`), and repairing a damaged file (`repair`).

use crate::db::deadline::Deadline;
use crate::db::home::{SUFFIXES, beside, close_to_others, make_private_file};
use crate::db::migrate;
use crate::upkeep::repair;
use crate::{Home, LossCounter, RepairReport, StoreError};
use backstory_memory::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a process wants from the store. Decides how long it waits, and which process does the housekeeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A hook: hardly waits, never checkpoints, never repairs.
    Hook,
    /// A person's command: waits for others, drains the spool, repairs what is damaged.
    Command,
    /// Reading where nothing can be written: a read-only home, a backup.
    Read,
}

impl Purpose {
    fn patience(self) -> Duration {
        match self {
            Purpose::Hook => Duration::from_millis(150),
            Purpose::Command | Purpose::Read => Duration::from_secs(5),
        }
    }
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    pub(crate) db: Connection,
    pub(crate) home: Home,
    pub(crate) path: PathBuf,
    pub(crate) patience: Duration,
    pub(crate) deadline: Deadline,
    repaired: Option<Box<RepairReport>>,
    /// Whether one write of a transaction has failed.
    has_failed: bool,
    /// Whether closing it brings the mirror up to date.
    mirrors: bool,
}

/// Closing a command's store copies what it wrote to the mirror. What cannot be copied stays listed for the next one.
impl Drop for Store {
    fn drop(&mut self) {
        if self.mirrors && self.db.is_autocommit() {
            drop(self.upkeep_mut().follow_mirror());
        }
    }
}

/// More statements than rusqlite caches by default: an import uses all of them in turn.
const KEPT_STATEMENTS: usize = 96;

/// The oldest SQLite that does not lose commits when a writer races a checkpoint (3.51.3).
const OLDEST_SAFE_SQLITE: i32 = 3_051_003;

/// Returns the version of the SQLite that is built in.
#[must_use]
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

impl Store {
    /// Opens the store of a home, and creates it if there is none.
    ///
    /// A command also drains the spool, and replaces a database that is certainly damaged.
    pub fn open(home: &Home, purpose: Purpose, now: Timestamp) -> Result<Store, StoreError> {
        if purpose == Purpose::Read {
            home.is_open_to_others()?;
            return Store::open_read_only(home, home.database());
        }
        home.prepare()?;
        let repaired = if purpose == Purpose::Command { repair::repair_if_noted(home, now)? } else { None };
        let opened = repair::refuse_lost(home)
            .and_then(|()| Store::open_file(home, &home.database(), purpose, now))
            .inspect_err(|error| repair::note_damage(home, error))?;
        [home.mirror(), home.losses()].iter().try_for_each(|path| close_to_others(path))?;
        let mut store = opened;
        store.repaired = repaired.map(Box::new);
        // A hook's host waits until the process ends: hooks copy to the mirror in small portions, when they have time left.
        store.mirrors = purpose == Purpose::Command;
        store.drain_spool(purpose)?;
        Ok(store)
    }

    /// Opens one database file, migrated to this build's schema.
    pub(crate) fn open_file(
        home: &Home,
        path: &Path,
        purpose: Purpose,
        now: Timestamp,
    ) -> Result<Store, StoreError> {
        // SQLite gives the log and the shared memory the mode of the database, so the database comes first.
        make_private_file(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut store = Store::connect(home, path, flags, purpose.patience())?;
        let version = store.known_version()?;
        if version == 0 {
            repair::refuse_emptied(&store)?;
            // Once, while there is space. Where there is none, the database cannot be made either.
            drop(LossCounter::new(home).prepare());
        }
        store.configure(purpose, version == 0)?;
        if version < migrate::CURRENT || migrate::lacks_a_kind(&store)? {
            migrate::run(&mut store, now)?;
        }
        SUFFIXES.iter().try_for_each(|suffix| close_to_others(&beside(path, suffix)))?;
        Ok(store)
    }

    /// Opens a database to check it, and writes nothing. Opened read-only, SQLite would not check CHECK constraints.
    pub(crate) fn open_for_check(home: &Home, path: PathBuf) -> Result<Store, StoreError> {
        if !path.exists() {
            return Err(StoreError::Absent { path });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let store = Store::connect(home, &path, flags, Purpose::Read.patience())?;
        store.known_version().map(|_| store)
    }

    /// Opens a database that must not or cannot be written.
    pub(crate) fn open_read_only(home: &Home, path: PathBuf) -> Result<Store, StoreError> {
        if !path.exists() {
            return Err(StoreError::Absent { path });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let store = Store::connect(home, &path, flags, Purpose::Read.patience())?;
        match store.known_version() {
            // Without a writable directory SQLite cannot create the shared memory of a WAL database; no process can be writing
            // either.
            Err(StoreError::NotWritable { .. }) => {
                let (uri, flags) = (unchanging_uri(&store.path), flags | OpenFlags::SQLITE_OPEN_URI);
                let mut unchanging = Store::connect(home, &uri, flags, store.patience)?;
                unchanging.path = path;
                unchanging.known_version().map(|_| unchanging)
            }
            version => version.map(|_| store),
        }
    }

    fn connect(home: &Home, path: &Path, flags: OpenFlags, patience: Duration) -> Result<Store, StoreError> {
        refuse_irregular(path)?;
        let opened = Connection::open_with_flags(path, flags);
        let failed = |error| StoreError::own_sql(path, "open the database", error);
        let mut db = opened.map_err(failed)?;
        db.set_prepared_statement_cache_capacity(KEPT_STATEMENTS);
        let deadline = Deadline::default();
        deadline.watch(&mut db).map_err(failed)?;
        let store = Store {
            db,
            home: home.clone(),
            path: path.to_owned(),
            patience,
            deadline,
            repaired: None,
            has_failed: false,
            mirrors: false,
        };
        // The timeout comes before any other statement: changing the journal mode takes a lock, and hooks that start together
        // would otherwise fail at once instead of waiting for each other.
        store.set_busy_timeout(patience)?;
        // Until we know that the schema is ours, not even the log of a newer build may be checkpointed (law 11).
        store.set(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        // Plans must not depend on bound values: otherwise FTS5's own statements would be parsed again for every word looked up.
        store.set(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        Ok(store)
    }

    /// Reads the schema version; 0 is an empty file. Refuses a newer schema, and one from before the first release (law 11).
    fn known_version(&self) -> Result<i64, StoreError> {
        let read = self.db.pragma_query_value(None, "user_version", |row| row.get(0));
        let found: i64 = read.map_err(self.failed("read the schema version"))?;
        if found > migrate::CURRENT {
            return Err(StoreError::Newer { path: self.path.clone(), found, known: migrate::CURRENT });
        }
        if (1..migrate::FIRST).contains(&found) {
            let path = self.path.clone();
            return Err(StoreError::OlderSchema { path, found, first: migrate::FIRST });
        }
        if found > 0 && migrate::has_other_migrations(self) {
            return Err(StoreError::ForeignSchema { path: self.path.clone() });
        }
        Ok(found)
    }

    /// Whether no migration is missing.
    pub(crate) fn has_todays_schema(&self) -> bool {
        self.known_version().is_ok_and(|version| version == migrate::CURRENT)
    }

    fn configure(&self, purpose: Purpose, is_fresh: bool) -> Result<(), StoreError> {
        // A hook must not wait for a checkpoint: the end of a turn pays for it.
        self.set(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, purpose == Purpose::Hook)?;
        self.set(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        refuse_unsafe_sqlite(rusqlite::version_number(), rusqlite::version())?;
        if is_fresh {
            // Only an empty file accepts this setting.
            self.batch("PRAGMA auto_vacuum = INCREMENTAL")?;
        }
        self.switch_to_wal(purpose.patience())?;
        let checkpoint_pages = if purpose == Purpose::Hook { 0 } else { 1000 };
        // Freed pages are overwritten, so that forgotten words leave the file (SEC-12). Cells are checked, so that a damaged page
        // is an error and not a wrong row.
        self.batch(&format!(
            "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF;
             PRAGMA cell_size_check = ON; PRAGMA wal_autocheckpoint = {checkpoint_pages}; PRAGMA journal_size_limit = 67108864"
        ))
    }

    fn set(&self, option: DbConfig, value: bool) -> Result<(), StoreError> {
        self.db.set_db_config(option, value).map(drop).map_err(self.failed("configure the database"))
    }

    /// Switches to WAL if the database is not in it yet. SQLite may skip the busy handler here, so we wait ourselves.
    fn switch_to_wal(&self, patience: Duration) -> Result<(), StoreError> {
        let read = || self.db.pragma_query_value(None, "journal_mode", |row| row.get::<_, String>(0));
        if read().map_err(self.failed("read the journal mode"))? == "wal" {
            return Ok(());
        }
        let begun = Instant::now();
        loop {
            let switched = self.db.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
            match switched.map_err(self.failed("switch to a write-ahead log")) {
                Err(StoreError::Busy { .. }) if begun.elapsed() < patience => std::thread::yield_now(),
                done => return done,
            }
        }
    }

    pub(crate) fn set_busy_timeout(&self, patience: Duration) -> Result<(), StoreError> {
        self.db.busy_timeout(patience).map_err(self.failed("set the busy timeout"))
    }

    /// Runs `work` with another busy timeout, and then restores the usual one.
    pub(crate) fn with_busy_timeout<T>(
        &self,
        patience: Duration,
        work: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        // Never more than its own: a hook would otherwise wait longer than hooks may.
        self.set_busy_timeout(patience.min(self.patience))?;
        let done = work();
        self.set_busy_timeout(self.patience)?;
        done
    }

    /// Runs `work` in one short write transaction; inside [`Store::transaction`], as a part of that one.
    pub(crate) fn write<T>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&Connection) -> Result<T, TxError>,
    ) -> Result<T, StoreError> {
        let written = if self.db.is_autocommit() {
            write_alone(&mut self.db, work)
        } else {
            let written = work(&self.db);
            self.has_failed |= written.is_err();
            written
        };
        written.map_err(|stop| self.tx_failed(doing, stop))
    }

    /// Runs several writes as one: all of them are kept, or none. Others wait for it, so it must be short.
    ///
    /// If one write fails, all fail, even if `work` goes on. There are no savepoints, because the word index would have to be
    /// flushed before each one.
    pub fn transaction<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Store) -> Result<T, E>,
    ) -> Result<T, E> {
        self.has_failed = false;
        self.run("BEGIN IMMEDIATE")?;
        let done = work(self).and_then(|done| {
            self.run(if self.has_failed { "ROLLBACK" } else { "COMMIT" })?;
            if self.has_failed {
                return Err(StoreError::BadRow {
                    what: "one of several writes".to_owned(),
                    detail: "it failed, so none was kept".to_owned(),
                }
                .into());
            }
            Ok(done)
        });
        // After some errors (full disk, damage) SQLite has rolled back by itself, and another ROLLBACK would fail.
        if done.is_err() && !self.db.is_autocommit() {
            self.run("ROLLBACK")?;
        }
        done
    }

    /// Prepares for many writes: caches more in memory, and checkpoints in larger parts.
    pub fn prepare_bulk_write(&self) -> Result<(), StoreError> {
        self.batch("PRAGMA cache_size = -48000; PRAGMA wal_autocheckpoint = 8000")
    }

    fn run(&self, sql: &str) -> Result<(), StoreError> {
        self.db.execute_batch(sql).map_err(self.failed("write several things as one"))
    }

    /// Runs several reads on one state of the database: they are consistent, and the locks are taken once.
    pub fn snapshot<T, E: From<StoreError>>(&self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if !self.db.is_autocommit() {
            return work();
        }
        self.batch("BEGIN")?;
        let done = work();
        // Nothing was written, so nothing is lost either way. If the word index is damaged, the commit may be refused.
        if self.batch("COMMIT").is_err() && !self.db.is_autocommit() {
            self.batch("ROLLBACK")?;
        }
        done
    }

    /// Runs `work` on the database without writing.
    pub(crate) fn read<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Connection) -> Result<T, TxError>,
    ) -> Result<T, StoreError> {
        work(&self.db).map_err(|stop| self.tx_failed(doing, stop))
    }

    fn tx_failed(&self, doing: &'static str, stop: TxError) -> StoreError {
        match stop {
            TxError::Sql(error) => self.failed(doing)(error),
            TxError::Refused(error) => error,
        }
    }

    pub(crate) fn batch(&self, sql: &str) -> Result<(), StoreError> {
        self.db.execute_batch(sql).map_err(self.failed("configure the database"))
    }

    /// Turns an SQL error into a store error. Damage is recorded wherever it shows: most of it shows only after opening.
    pub(crate) fn failed(&self, doing: &'static str) -> impl Fn(rusqlite::Error) -> StoreError + use<'_> {
        move |error| {
            let error = StoreError::own_sql(&self.path, doing, error);
            if self.is_main_database() {
                repair::note_damage(&self.home, &error);
            }
            error
        }
    }

    /// Whether this is the database of its home, and not a copy.
    pub(crate) fn is_main_database(&self) -> bool {
        self.path == self.home.database()
    }

    /// Returns what was repaired when this store was opened.
    #[must_use]
    pub fn repaired(&self) -> Option<&RepairReport> {
        self.repaired.as_deref()
    }

    /// Returns the home this store belongs to.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }
}

/// Refuses a database that is a link, a pipe or a device: SQLite would follow the first and wait at the others.
pub(crate) fn refuse_irregular(path: &Path) -> Result<(), StoreError> {
    match path.symlink_metadata() {
        Ok(metadata) if !metadata.is_file() => {
            Err(StoreError::Unsafe { path: path.to_owned(), reason: "is not a regular file" })
        }
        _ => Ok(()),
    }
}

/// Refuses a version of SQLite that can lose commits.
fn refuse_unsafe_sqlite(number: i32, found: &str) -> Result<(), StoreError> {
    if number < OLDEST_SAFE_SQLITE {
        return Err(StoreError::UnsafeSqlite { found: found.to_owned() });
    }
    Ok(())
}

fn write_alone<T>(
    db: &mut Connection,
    work: impl FnOnce(&Connection) -> Result<T, TxError>,
) -> Result<T, TxError> {
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = work(&transaction)?;
    transaction.commit()?;
    Ok(done)
}

/// Writes a path as the URI of a file that does not change.
pub(crate) fn unchanging_uri(path: &Path) -> PathBuf {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte);
    let mut uri = b"file:".to_vec();
    for byte in backstory_platform::path_bytes(path) {
        if plain(byte) {
            uri.push(*byte);
        } else {
            uri.extend(format!("%{byte:02x}").into_bytes());
        }
    }
    uri.extend(b"?immutable=1");
    backstory_platform::path_from_bytes(uri)
}

/// Why a transaction was rolled back.
pub(crate) enum TxError {
    /// SQLite failed.
    Sql(rusqlite::Error),
    /// The request cannot be fulfilled.
    Refused(StoreError),
}

impl From<rusqlite::Error> for TxError {
    fn from(error: rusqlite::Error) -> Self {
        TxError::Sql(error)
    }
}

impl From<StoreError> for TxError {
    fn from(error: StoreError) -> Self {
        TxError::Refused(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sqlite_that_loses_commits_is_named_and_events_wait_for_another_build() {
        let refused = refuse_unsafe_sqlite(3_050_004, "3.50.4").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "this build was made with SQLite 3.50.4, which can lose what was written; it needs 3.51.3 or later"
        );
        assert!(refused.is_storage_failure());
        refuse_unsafe_sqlite(OLDEST_SAFE_SQLITE, "3.51.3").unwrap();
    }
}
