//! The errors of the store, distinguished by what the caller can do about them.

use backstory_memory::{MemoryId, Uid};
use rusqlite::ErrorCode;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why the store failed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another process is writing, for longer than we were willing to wait.
    #[error("`{}` is in use by another process", .path.display())]
    Busy {
        /// The database.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("no space left to write `{}`", .path.display())]
    Full {
        /// The database or file.
        path: PathBuf,
    },
    /// A newer build has written the database; this one must not touch it.
    #[error("`{}` has schema {found}; this build knows up to {known}", .path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// The schema in the file.
        found: i64,
        /// The newest schema this build knows.
        known: i64,
    },
    /// A newer build has written memories of a kind this one does not know.
    #[error("`{}` has memories of the kind `{kind}`, which this build does not know", .path.display())]
    NewerKind {
        /// The database.
        path: PathBuf,
        /// The kind.
        kind: String,
    },
    /// A build from before the first release has written the database; this one cannot read it and must not touch it.
    #[error("`{}` has schema {found}, from before the first release; this build reads {first} and later", .path.display())]
    OlderSchema {
        /// The database.
        path: PathBuf,
        /// The schema in the file.
        found: i64,
        /// The oldest schema this build reads.
        first: i64,
    },
    /// A build from before the first release has written the database: its schema has the same number and differs.
    #[error("`{}` has a schema from before the first release, which this build does not read", .path.display())]
    ForeignSchema {
        /// The database.
        path: PathBuf,
    },
    /// The file is not a database, or its pages are broken.
    #[error("`{}` is damaged: {detail}", .path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What SQLite reported.
        detail: String,
    },
    /// The directory or a file in it cannot be written.
    #[error("cannot write in `{}`", .path.display())]
    NotWritable {
        /// The directory or file.
        path: PathBuf,
    },
    /// The directory is a link, or belongs to someone else.
    #[error("`{}` {reason}", .path.display())]
    Unsafe {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// There is no store yet.
    #[error("there is no store at `{}`", .path.display())]
    Absent {
        /// The database.
        path: PathBuf,
    },
    /// No memory has this number.
    #[error("there is no memory #{0}")]
    NoSuchMemory(MemoryId),
    /// Another memory has already replaced this one; two replacements would hold at once.
    #[error("memory #{old} was superseded by #{by}")]
    Superseded {
        /// The memory that no longer holds.
        old: MemoryId,
        /// The memory that replaced it.
        by: MemoryId,
    },
    /// The memory was forgotten; writing it again would bring it back.
    #[error("this was forgotten on purpose")]
    Forgotten {
        /// The forgotten memory.
        uid: Uid,
    },
    /// Reading ran into its deadline.
    #[error("the time was over")]
    OutOfTime,
    /// Another program's database holds more than is read of one.
    #[error("`{}` is over the limits of an import: {detail}", .path.display())]
    OverLimit {
        /// The database.
        path: PathBuf,
        /// Which limit.
        detail: String,
    },
    /// A row holds something it never should.
    #[error("cannot read {what}: {detail}")]
    BadRow {
        /// Which row.
        what: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The SQLite in this build can lose what it has committed.
    #[error(
        "this build was made with SQLite {found}, which can lose what was written; it needs 3.51.3 or later"
    )]
    UnsafeSqlite {
        /// Its version.
        found: String,
    },
    /// An event is too large for the spool.
    #[error("an event of {bytes} bytes is too large for the spool; the limit is {most}")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The largest size allowed.
        most: u64,
    },
    /// A file operation failed.
    #[error("cannot {doing} `{}`", .path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To which path.
        path: PathBuf,
        /// What the system reported.
        source: io::Error,
    },
    /// SQLite failed in a way that has no variant of its own.
    #[error("cannot {doing}")]
    Sql {
        /// What was being done.
        doing: &'static str,
        /// What SQLite reported.
        source: rusqlite::Error,
    },
}

impl StoreError {
    /// Whether the same call is likely to work in a moment.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, StoreError::Busy { .. } | StoreError::Full { .. })
    }

    /// Whether the cause is the file, the disk or the build, and not the request: then an event should wait in the spool.
    #[must_use]
    pub fn is_storage_failure(&self) -> bool {
        match self {
            StoreError::Busy { .. }
            | StoreError::Full { .. }
            | StoreError::Newer { .. }
            | StoreError::NewerKind { .. }
            | StoreError::OlderSchema { .. }
            | StoreError::ForeignSchema { .. }
            | StoreError::Damaged { .. }
            | StoreError::NotWritable { .. }
            | StoreError::UnsafeSqlite { .. }
            | StoreError::Io { .. } => true,
            StoreError::Sql { source, .. } => {
                // A constraint refuses this one row, and would refuse it from the spool again.
                source.sqlite_error().is_some_and(|failure| failure.code != ErrorCode::ConstraintViolation)
            }
            StoreError::Unsafe { .. }
            | StoreError::Absent { .. }
            | StoreError::NoSuchMemory(_)
            | StoreError::Superseded { .. }
            | StoreError::Forgotten { .. }
            | StoreError::OutOfTime
            | StoreError::OverLimit { .. }
            | StoreError::TooLarge { .. }
            | StoreError::BadRow { .. } => false,
        }
    }

    /// Turns an error of SQLite about our own database into the variant the caller can act on.
    ///
    /// Our statements fit our schema. Where SQLite does not know a table or a column, the schema in the file is damaged.
    pub(crate) fn own_sql(path: &Path, doing: &'static str, source: rusqlite::Error) -> StoreError {
        match source {
            rusqlite::Error::SqlInputError { ref msg, .. } if msg.starts_with("no such ") => {
                StoreError::Damaged { path: path.to_owned(), detail: source.to_string() }
            }
            _ => StoreError::sql(path, doing, source),
        }
    }

    /// Turns an error of SQLite into the variant the caller can act on.
    pub(crate) fn sql(path: &Path, doing: &'static str, source: rusqlite::Error) -> StoreError {
        let path = path.to_owned();
        let Some(failure) = source.sqlite_error() else {
            return StoreError::Sql { doing, source };
        };
        match failure.code {
            // The file of the log's index could not grow: the disk is full.
            _ if failure.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE => StoreError::Full { path },
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy { path },
            ErrorCode::OperationInterrupted => StoreError::OutOfTime,
            ErrorCode::DiskFull => StoreError::Full { path },
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                StoreError::Damaged { path, detail: source.to_string() }
            }
            ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
                StoreError::NotWritable { path }
            }
            _ => StoreError::Sql { doing, source },
        }
    }

    /// Turns an error of the file system into the variant the caller can act on.
    pub(crate) fn io(doing: &'static str, path: &Path, source: io::Error) -> StoreError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                StoreError::Full { path }
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::NotWritable { path }
            }
            _ => StoreError::Io { doing, path, source },
        }
    }
}
