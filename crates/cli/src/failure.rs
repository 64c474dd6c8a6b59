//! What went wrong, for the person who has to deal with it: one place turns it into words and an exit code.

use crate::shapes::RefusalShape;
use backstory_memory::MemoryId;
use backstory_store::StoreError;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::path::Path;

/// How a command ended when it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// The answer is no: nothing found, or refused.
    No,
}

/// Whose business a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// What was asked cannot be done.
    User,
    /// The words of the call or the configuration are off.
    Usage,
    /// Our fault.
    Internal,
}

/// What to do about a number nobody has.
pub(crate) const SEARCH_FINDS: &str = "`backstory search WORDS` finds memories and their numbers";

/// Why a command failed, and what to do next.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    kind: FailureKind,
    message: String,
    causes: Vec<String>,
    hints: Vec<String>,
    about: Option<MemoryId>,
    name: &'static str,
}

impl Failure {
    pub(crate) fn user(message: impl Into<String>) -> Failure {
        let (causes, hints) = (Vec::new(), Vec::new());
        let (kind, message) = (FailureKind::User, message.into());
        Failure { kind, message, causes, hints, about: None, name: "refused" }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure { kind: FailureKind::Usage, name: "bad_request", ..Failure::user(message) }
    }

    pub(crate) fn internal(message: impl Into<String>) -> Failure {
        let failure = Failure { kind: FailureKind::Internal, name: "stumbled", ..Failure::user(message) };
        failure.hint("this is a bug in Backstory; please report it with the command you ran")
    }

    /// Something could not be done with a file or a folder.
    pub(crate) fn of_path(act: &str, path: &Path, error: &io::Error) -> Failure {
        let failure = Failure::user(format!("cannot {act} `{}`", path.display())).because(error);
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
    pub(crate) fn of(self, what: &str) -> Failure {
        Failure { message: format!("`{what}`: {}", self.message), ..self }
    }

    /// Adds what the failure comes from.
    pub(crate) fn because(mut self, error: &dyn Error) -> Failure {
        self.causes.push(error.to_string());
        let mut inner = error.source();
        while let Some(error) = inner {
            self.causes.push(error.to_string());
            inner = error.source();
        }
        self
    }

    /// Adds another failure as what this one comes from.
    pub(crate) fn after(mut self, other: &Failure) -> Failure {
        self.causes.push(other.line());
        self
    }

    /// Adds what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hints.push(hint.into());
        self
    }

    /// Names the memory that stands in the way.
    pub(crate) fn about(self, memory: MemoryId) -> Failure {
        Failure { about: Some(memory), ..self }
    }

    /// Gives it a name other programs may rely on.
    pub(crate) fn named(self, name: &'static str) -> Failure {
        Failure { name, ..self }
    }

    /// Returns the name other programs may rely on.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the memory that stands in the way.
    pub(crate) fn memory(&self) -> Option<MemoryId> {
        self.about
    }

    /// Returns what to do next.
    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    /// Returns the failure as JSON tells it.
    pub(crate) fn shape(&self) -> RefusalShape {
        RefusalShape { ok: false, error: self.line(), existing_id: self.about.map(|id| id.0) }
    }

    /// Returns the exit code.
    pub(crate) fn code(&self) -> u8 {
        match self.kind {
            FailureKind::User => 1,
            FailureKind::Usage => 2,
            FailureKind::Internal => 70,
        }
    }

    /// Whether it is a plain no: what was asked cannot be done.
    pub(crate) fn is_no(&self) -> bool {
        self.kind == FailureKind::User
    }

    /// Returns the failure in words, several lines.
    pub(crate) fn words(&self) -> String {
        let mut words = format!("error: {}\n", self.message);
        words.extend(self.causes.iter().map(|cause| format!("  cause: {cause}\n")));
        words.extend((!self.hints.is_empty()).then_some("\n"));
        words.extend(self.hints.iter().map(|hint| format!("hint: {hint}\n")));
        words
    }

    /// Returns the failure on one line, for JSON and the log.
    pub(crate) fn line(&self) -> String {
        let parts: Vec<&str> =
            std::iter::once(&self.message).chain(&self.causes).map(String::as_str).collect();
        parts.join(": ")
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let hint = match &error {
            StoreError::NoSuchMemory(id) => {
                let failure = Failure::user(format!("there is no memory #{id}")).hint(SEARCH_FINDS);
                return failure.named("no_such_memory");
            }
            StoreError::Superseded { by, .. } => {
                let hint = format!("#{by} holds in its place: `backstory supersede {by} TEXT` replaces that");
                return Failure::user(error.to_string()).about(*by).hint(hint).named("superseded");
            }
            StoreError::Forgotten { .. } => {
                let hint = "`backstory remember --force` writes it all the same";
                let failure = Failure::user("this was forgotten on purpose and stays out").hint(hint);
                return failure.named("forgotten");
            }
            StoreError::OutOfTime => {
                let hint = "the disk may be slow or busy; try again in a moment";
                return Failure::user("cannot use the store").because(&error).hint(hint).named("out_of_time");
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
                return Failure::internal("the store did not do what was asked").because(&error);
            }
        };
        Failure::user("cannot use the store").because(&error).hint(hint).named("store_unusable")
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
            let failure = Failure::from(error);
            assert!(failure.is_no() && failure.words().contains(step), "{}", failure.words());
            assert!(!failure.words().contains("damage"), "{}", failure.words());
        }
    }
}
