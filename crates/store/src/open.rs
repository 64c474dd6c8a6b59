//! Opening the database: in which order, and with which promises.

use crate::home::make_private_file;
use crate::{Home, StoreError, migrate, repair};
use backstory_memory::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a process wants from the store. It decides how long it waits and who pays for housekeeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A hook: waits next to nothing, never checkpoints, never repairs.
    Hook,
    /// A person's command: waits for others, takes in the spool, repairs what is damaged.
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
}

/// The oldest SQLite that does not lose commits when a writer races a checkpoint (3.51.3).
const OLDEST_SAFE_SQLITE: i32 = 3_051_003;

impl Store {
    /// Opens the store of a home, making it if there is none.
    ///
    /// A command also takes in what waits in the spool, and replaces a database that is damaged beyond doubt.
    pub fn open(home: &Home, purpose: Purpose, now: Timestamp) -> Result<Store, StoreError> {
        if purpose == Purpose::Read {
            return Store::open_read_only(home, home.database());
        }
        home.prepare()?;
        if purpose == Purpose::Command {
            repair::replace_if_damaged(home, now)?;
        }
        let mut store = Store::open_file(home, home.database(), purpose, now)
            .inspect_err(|error| repair::note_damage(home, error))?;
        store.take_in_spool(purpose)?;
        Ok(store)
    }

    /// Opens one database file, migrated to this build's schema.
    pub(crate) fn open_file(
        home: &Home,
        path: PathBuf,
        purpose: Purpose,
        now: Timestamp,
    ) -> Result<Store, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut store = Store::connect(home, path, flags, purpose.patience())?;
        let version = store.version()?;
        store.refuse_newer(version)?;
        store.configure(purpose, version == 0)?;
        if version < migrate::CURRENT {
            migrate::run(&mut store, now)?;
        }
        make_private_file(&store.path)?;
        Ok(store)
    }

    /// Opens a database that must not or cannot be written.
    pub(crate) fn open_read_only(home: &Home, path: PathBuf) -> Result<Store, StoreError> {
        if !path.exists() {
            return Err(StoreError::Absent { path });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let store = Store::connect(home, path, flags, Purpose::Read.patience())?;
        let version = match store.version() {
            // Without a writable directory SQLite cannot make the shared memory of a WAL database; nobody can be writing either.
            Err(StoreError::NotWritable { path }) => return Store::open_unchanging(home, &path),
            version => version?,
        };
        store.refuse_newer(version)?;
        Ok(store)
    }

    fn open_unchanging(home: &Home, path: &Path) -> Result<Store, StoreError> {
        let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let uri = PathBuf::from(format!("file:{escaped}?immutable=1"));
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let store = Store::connect(home, uri, flags, Purpose::Read.patience())?;
        let version = store.version()?;
        store.refuse_newer(version)?;
        Ok(store)
    }

    fn connect(
        home: &Home,
        path: PathBuf,
        flags: OpenFlags,
        patience: Duration,
    ) -> Result<Store, StoreError> {
        let opened = Connection::open_with_flags(&path, flags);
        let db = opened.map_err(|error| StoreError::sql(&path, "open the database", error))?;
        // The timeout comes before any other statement: changing the journal mode takes a lock, and hooks that start together
        // would otherwise fail at once instead of waiting for each other.
        db.busy_timeout(patience).map_err(|error| StoreError::sql(&path, "set the busy timeout", error))?;
        let store = Store { db, home: home.clone(), path };
        // Until its version is known the file may be a newer build's: closing must not move its log into it (law 11).
        store.set(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        Ok(store)
    }

    fn version(&self) -> Result<i64, StoreError> {
        self.db
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(self.failed("read the schema version"))
    }

    fn refuse_newer(&self, found: i64) -> Result<(), StoreError> {
        if found > migrate::CURRENT {
            return Err(StoreError::Newer { path: self.path.clone(), found, known: migrate::CURRENT });
        }
        Ok(())
    }

    fn configure(&self, purpose: Purpose, is_fresh: bool) -> Result<(), StoreError> {
        // A hook must not wait for a process whose work it would do for others: the checkpoint is paid at the end of a turn.
        self.set(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, purpose == Purpose::Hook)?;
        self.set(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        if rusqlite::version_number() < OLDEST_SAFE_SQLITE {
            let detail = format!("SQLite {} can lose commits; 3.51.3 is needed", rusqlite::version());
            return Err(StoreError::BadRow { what: "the library".into(), detail });
        }
        if is_fresh {
            // Only an empty file can learn this.
            self.batch("PRAGMA auto_vacuum = INCREMENTAL")?;
        }
        self.switch_to_wal(purpose.patience())?;
        let checkpoint_pages = if purpose == Purpose::Hook { 0 } else { 1000 };
        self.batch(&format!(
            "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF;
             PRAGMA cell_size_check = ON; PRAGMA wal_autocheckpoint = {checkpoint_pages}; PRAGMA journal_size_limit = 67108864"
        ))
    }

    fn set(&self, option: DbConfig, on: bool) -> Result<(), StoreError> {
        self.db.set_db_config(option, on).map(drop).map_err(self.failed("configure the database"))
    }

    /// Switches to WAL where that has not been done. SQLite may skip the busy handler here, so we wait ourselves.
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

    /// Runs `work` in one short writing transaction.
    pub(crate) fn write<T>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Stop>,
    ) -> Result<T, StoreError> {
        let written =
            self.db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(Stop::from).and_then(
                |transaction| {
                    let done = work(&transaction)?;
                    transaction.commit()?;
                    Ok(done)
                },
            );
        written.map_err(|stop| self.stopped(doing, stop))
    }

    /// Runs `work` on the database without writing.
    pub(crate) fn read<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Connection) -> Result<T, Stop>,
    ) -> Result<T, StoreError> {
        work(&self.db).map_err(|stop| self.stopped(doing, stop))
    }

    fn stopped(&self, doing: &'static str, stop: Stop) -> StoreError {
        match stop {
            Stop::Sql(error) => StoreError::sql(&self.path, doing, error),
            Stop::Refused(error) => error,
        }
    }

    pub(crate) fn batch(&self, sql: &str) -> Result<(), StoreError> {
        self.db.execute_batch(sql).map_err(self.failed("configure the database"))
    }

    /// Names an SQL error by what was being done.
    pub(crate) fn failed(&self, doing: &'static str) -> impl Fn(rusqlite::Error) -> StoreError + use<'_> {
        move |error| StoreError::sql(&self.path, doing, error)
    }

    /// Returns the home this store belongs to.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }
}

/// Why a transaction was given up.
pub(crate) enum Stop {
    /// SQLite failed.
    Sql(rusqlite::Error),
    /// What was asked cannot be done.
    Refused(StoreError),
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Stop::Sql(error)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Stop::Refused(error)
    }
}
