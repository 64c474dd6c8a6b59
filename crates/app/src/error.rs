//! What went wrong, for the person who has to deal with it: one place turns it into words and an exit code.

use crate::json::RefusalShape;
use backstory_memory::MemoryId;
use backstory_store::StoreError;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Whose business a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// What was asked cannot be done.
    User,
    /// The words of the call or the configuration are off.
    Usage,
    /// Our fault.
    Internal,
}

/// What to do about a number nobody has.
pub const SEARCH_FINDS: &str = "`backstory search WORDS` finds memories and their numbers";

/// Why a command failed, and what to do next.
#[derive(Clone, Debug)]
pub struct AppError {
    kind: ErrorClass,
    message: String,
    causes: Vec<String>,
    hints: Vec<String>,
    about: Option<MemoryId>,
    name: &'static str,
}

impl AppError {
    pub fn user(message: impl Into<String>) -> AppError {
        let (causes, hints) = (Vec::new(), Vec::new());
        let (kind, message) = (ErrorClass::User, message.into());
        AppError { kind, message, causes, hints, about: None, name: "refused" }
    }

    pub fn usage(message: impl Into<String>) -> AppError {
        AppError { kind: ErrorClass::Usage, name: "bad_request", ..AppError::user(message) }
    }

    pub fn internal(message: impl Into<String>) -> AppError {
        let failure = AppError { kind: ErrorClass::Internal, name: "stumbled", ..AppError::user(message) };
        failure.hint("this is a bug in Backstory; please report it with the command you ran")
    }

    /// Something could not be done with a file or a folder.
    pub fn of_path(act: &str, path: &Path, error: &io::Error) -> AppError {
        let failure = AppError::user(format!("cannot {act} `{}`", path.display())).because(error);
        failure.hint(match error.kind() {
            ErrorKind::NotFound => "check that it is there",
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "check who owns it and may change it"
            }
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "free some space on that disk, then run this again"
            }
            _ => "check the disk it is on",
        })
    }

    /// Says what it is that is wrong, where several are alike.
    pub fn of(self, what: &str) -> AppError {
        AppError { message: format!("`{what}`: {}", self.message), ..self }
    }

    /// Adds what the failure comes from.
    pub fn because(mut self, error: &dyn Error) -> AppError {
        self.causes.push(error.to_string());
        let mut inner = error.source();
        while let Some(error) = inner {
            self.causes.push(error.to_string());
            inner = error.source();
        }
        self
    }

    /// Adds another failure as what this one comes from.
    pub fn after(mut self, other: &AppError) -> AppError {
        self.causes.push(other.line());
        self
    }

    /// Adds what to do next.
    pub fn hint(mut self, hint: impl Into<String>) -> AppError {
        self.hints.push(hint.into());
        self
    }

    /// Names the memory that stands in the way.
    pub fn about(self, memory: MemoryId) -> AppError {
        AppError { about: Some(memory), ..self }
    }

    /// Gives it a name other programs may rely on.
    pub fn named(self, name: &'static str) -> AppError {
        AppError { name, ..self }
    }

    /// Returns the name other programs may rely on.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the memory that stands in the way.
    pub fn memory(&self) -> Option<MemoryId> {
        self.about
    }

    /// Returns what to do next.
    pub fn hints(&self) -> &[String] {
        &self.hints
    }

    /// Returns the failure as JSON tells it.
    pub fn shape(&self) -> RefusalShape {
        RefusalShape { ok: false, error: self.line(), existing_id: self.about.map(|id| id.0) }
    }

    /// Returns the exit code.
    pub fn code(&self) -> u8 {
        match self.kind {
            ErrorClass::User => 1,
            ErrorClass::Usage => 2,
            ErrorClass::Internal => 70,
        }
    }

    /// Whether it is a plain no: what was asked cannot be done.
    pub fn is_no(&self) -> bool {
        self.kind == ErrorClass::User
    }

    /// Returns the failure in words, several lines.
    pub fn words(&self) -> String {
        let mut words = format!("error: {}\n", self.message);
        words.extend(self.causes.iter().map(|cause| format!("  cause: {cause}\n")));
        words.extend((!self.hints.is_empty()).then_some("\n"));
        words.extend(self.hints.iter().map(|hint| format!("hint: {hint}\n")));
        words
    }

    /// Returns the failure on one line, for JSON and the log.
    pub fn line(&self) -> String {
        let parts: Vec<&str> =
            std::iter::once(&self.message).chain(&self.causes).map(String::as_str).collect();
        parts.join(": ")
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> AppError {
        let hint = match &error {
            StoreError::NoSuchMemory(id) => {
                let failure = AppError::user(format!("there is no memory #{id}")).hint(SEARCH_FINDS);
                return failure.named("no_such_memory");
            }
            StoreError::Superseded { by, .. } => {
                let hint = format!("#{by} holds in its place: `backstory supersede {by} TEXT` replaces that");
                return AppError::user(error.to_string()).about(*by).hint(hint).named("superseded");
            }
            StoreError::Forgotten { .. } => {
                let hint = "`backstory remember --force` writes it all the same";
                let failure = AppError::user("this was forgotten on purpose and stays out").hint(hint);
                return failure.named("forgotten");
            }
            StoreError::OutOfTime => {
                let hint = "the disk may be slow or busy; try again in a moment";
                return AppError::user("cannot use the store")
                    .because(&error)
                    .hint(hint)
                    .named("out_of_time");
            }
            StoreError::Newer { .. } => {
                "install a newer version, or set `BACKSTORY_HOME` to use another directory"
            }
            StoreError::Busy { .. } => "another program holds the database; try again in a moment",
            StoreError::Full { .. } => "free some space on that disk; nothing was lost",
            StoreError::Damaged { .. } => {
                "run `backstory doctor`: it keeps the damaged file and restores the newest copy"
            }
            StoreError::NotWritable { .. } => {
                "check who owns it, or set `BACKSTORY_HOME` to a directory you can write"
            }
            StoreError::Unsafe { .. } => "set `BACKSTORY_HOME` to a directory of your own",
            StoreError::Absent { .. } => "run `backstory setup` to make one",
            StoreError::BadRow { .. } => "run `backstory doctor --full` to see what else is damaged",
            StoreError::UnsafeSqlite { .. } => {
                "install a release of Backstory, or build it with the SQLite it brings; nothing was touched"
            }
            StoreError::TooLarge { .. } => {
                "run `backstory doctor` to see why it could not be kept right away; other events are not affected"
            }
            StoreError::Io { .. } => "check the disk and the permissions of that path",
            StoreError::Sql { .. } => {
                return AppError::internal("the store did not do what was asked").because(&error);
            }
        };
        AppError::user("cannot use the store").because(&error).hint(hint).named("store_unusable")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_damage_is_not_called_so_and_has_its_own_next_step() {
        for (error, step) in [
            (StoreError::UnsafeSqlite { found: "3.50.4".into() }, "install a release"),
            (StoreError::TooLarge { bytes: 2, most: 1 }, "run `backstory doctor` to see why"),
        ] {
            let failure = AppError::from(error);
            assert!(failure.is_no() && failure.words().contains(step), "{}", failure.words());
            assert!(!failure.words().contains("damage"), "{}", failure.words());
        }
    }
}
