//! Why a file of a host is left as it is.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why the content of a file cannot be changed.
#[derive(Debug, Error, PartialEq, Eq)]
pub(super) enum EditRefusal {
    /// The host would not understand it either, or we would misunderstand it.
    #[error("line {line}, column {column}: {why}")]
    Unreadable {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What the parser says.
        why: String,
    },
    /// Something stands where another kind of thing belongs.
    #[error("{what} should be {wanted}")]
    Shape {
        /// The thing.
        what: String,
        /// What it should be.
        wanted: &'static str,
    },
    /// A file of this name is somebody else's.
    #[error("it is not one that Backstory wrote")]
    Foreign,
    /// Our place in a list is taken.
    #[error("`{0}` runs a program of somebody else")]
    Taken(String),
    /// It is not text.
    #[error("it is not UTF-8 text")]
    NotText,
    /// Read back, the change would not be what it should be.
    #[error("the change would not be read back as it should; this is a bug in Backstory")]
    Doubtful,
}

impl EditRefusal {
    /// Says that a thing has another shape than its host gives it.
    pub(super) fn shape(what: &str, wanted: &'static str) -> EditRefusal {
        EditRefusal::Shape { what: what.to_owned(), wanted }
    }
}

/// Why a host could not be connected or disconnected. None of its files was touched.
#[derive(Debug, Error)]
pub enum InstallError {
    /// A file cannot be understood, so it is not changed.
    #[error("`{}` cannot be changed: {why}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// Why, with the line and column where there is one.
        why: String,
    },
    /// The file is write-protected, and that is somebody's will.
    #[error("`{}` is write-protected", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// Something that is no file stands in its place.
    #[error("`{}` is not a file", path.display())]
    NotAFile {
        /// The place.
        path: PathBuf,
    },
    /// A link that leads nowhere.
    #[error("`{}` is a link that leads nowhere", path.display())]
    Dangling {
        /// The link.
        path: PathBuf,
    },
    /// No configuration is this big.
    #[error("`{}` is bigger than {limit_mb} MB", path.display())]
    TooBig {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit_mb: u64,
    },
    /// Somebody wrote to the file while we were about to.
    #[error("`{}` changed in the meantime", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The path of our own program cannot be written into a configuration.
    #[error("`{}` cannot be written into a configuration: {why}", path.display())]
    Program {
        /// The program.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The operating system said no.
    #[error("cannot {act} `{}`", path.display())]
    Io {
        /// What was being done.
        act: &'static str,
        /// To what.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
}

impl InstallError {
    /// Says what was being done to which path.
    pub(super) fn io(act: &'static str, path: &Path) -> impl FnOnce(io::Error) -> InstallError {
        let path = path.to_owned();
        move |source| InstallError::Io { act, path, source }
    }

    /// Says what is wrong with the path of our own program.
    pub(super) fn program(path: &Path, why: &'static str) -> InstallError {
        InstallError::Program { path: path.to_owned(), why }
    }

    /// Names the file a refusal is about.
    pub(super) fn refused(path: &Path) -> impl FnOnce(EditRefusal) -> InstallError {
        let path = path.to_owned();
        move |why| InstallError::Refused { path, why: why.to_string() }
    }
}
