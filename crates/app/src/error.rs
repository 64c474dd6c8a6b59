//! The one error type of every request: a stable code, a message, what caused it, and what to do next.

mod code;
mod exchange;
mod sync_errors;

pub use code::ErrorCode;
pub use exchange::unknown_kind;

use crate::json::RefusalShape;
use backstory_memory::MemoryId;
use backstory_store::StoreError;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::path::Path;

/// What to do about a number no memory has.
pub const SEARCH_FINDS: &str = "`backstory search WORDS` finds memories and their numbers";

/// Why a request failed, and what to do next.
#[derive(Clone, Debug)]
pub struct AppError {
    code: ErrorCode,
    message: String,
    causes: Vec<String>,
    hints: Vec<Hint>,
    about: Option<MemoryId>,
}

/// What to do about an error.
#[derive(Clone, Debug)]
struct Hint {
    text: String,
    audience: HintAudience,
}

/// Who learns of a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HintAudience {
    Everyone,
    /// What only a person may decide: no agent is shown how.
    People,
}

impl AppError {
    /// Makes an error with a code and a message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> AppError {
        AppError { code, message: message.into(), causes: Vec::new(), hints: Vec::new(), about: None }
    }

    /// What was asked cannot be done.
    pub fn user(message: impl Into<String>) -> AppError {
        AppError::new(ErrorCode::Refused, message)
    }

    /// The request itself is wrong: an argument is missing, unknown or does not fit.
    pub fn usage(message: impl Into<String>) -> AppError {
        AppError::new(ErrorCode::BadRequest, message)
    }

    /// The configuration cannot be used.
    pub fn config(message: impl Into<String>) -> AppError {
        AppError::new(ErrorCode::BadConfig, message)
    }

    /// A bug in Backstory.
    pub fn internal(message: impl Into<String>) -> AppError {
        AppError::new(ErrorCode::InternalError, message)
            .hint("this is a bug in Backstory; please report it with the command you ran")
    }

    /// No project has this name, number or folder.
    pub fn no_such_project(wanted: &str) -> AppError {
        AppError::new(ErrorCode::NoSuchProject, format!("there is no project `{wanted}`"))
    }

    /// Something could not be done with a file or a folder.
    pub fn of_path(act: &str, path: &Path, error: &io::Error) -> AppError {
        let failure = AppError::new(ErrorCode::FileUnusable, format!("cannot {act} `{}`", path.display()));
        let failure = failure.because(error);
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

    /// Puts the name of the wrong item before the message, for requests about several items.
    pub fn named(self, what: &str) -> AppError {
        AppError { message: format!("`{what}`: {}", self.message), ..self }
    }

    /// Adds what the error comes from.
    pub fn because(mut self, error: &dyn Error) -> AppError {
        self.causes.push(error.to_string());
        let mut inner = error.source();
        while let Some(error) = inner {
            self.causes.push(error.to_string());
            inner = error.source();
        }
        self
    }

    /// Adds another error as the cause of this one.
    pub fn after(mut self, other: &AppError) -> AppError {
        self.causes.push(other.line());
        self
    }

    /// Adds a hint: what to do next.
    pub fn hint(self, hint: impl Into<String>) -> AppError {
        self.with_hint(hint.into(), HintAudience::Everyone)
    }

    /// Adds a hint for people only: an agent must not do this.
    pub fn hint_for_people(self, hint: impl Into<String>) -> AppError {
        self.with_hint(hint.into(), HintAudience::People)
    }

    fn with_hint(mut self, text: String, audience: HintAudience) -> AppError {
        self.hints.push(Hint { text, audience });
        self
    }

    /// Names the memory that stands in the way.
    pub fn about(self, memory: MemoryId) -> AppError {
        AppError { about: Some(memory), ..self }
    }

    /// Replaces the code.
    pub fn with_code(self, code: ErrorCode) -> AppError {
        AppError { code, ..self }
    }

    /// Returns the code other programs may rely on.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// Returns the memory that stands in the way.
    pub fn memory(&self) -> Option<MemoryId> {
        self.about
    }

    /// Returns what to do next.
    pub fn hints(&self) -> Vec<String> {
        self.hints.iter().map(|hint| hint.text.clone()).collect()
    }

    /// Returns what an agent may do next.
    pub fn hints_for_agents(&self) -> impl Iterator<Item = &str> {
        let hints = self.hints.iter().filter(|hint| hint.audience == HintAudience::Everyone);
        hints.map(|hint| hint.text.as_str())
    }

    /// Returns the error as JSON.
    pub fn refusal(&self) -> RefusalShape {
        RefusalShape {
            ok: false,
            code: self.code.as_str(),
            error: self.line(),
            hints: self.hints(),
            existing_id: self.about.map(|id| id.0),
        }
    }

    /// Returns the exit code of a command that fails with it.
    pub fn exit_code(&self) -> u8 {
        self.code.exit_code()
    }

    /// Returns the error in words, several lines.
    pub fn words(&self) -> String {
        let mut words = format!("error: {}\n", self.message);
        words.extend(self.causes.iter().map(|cause| format!("  cause: {cause}\n")));
        words.extend((!self.hints.is_empty()).then_some("\n"));
        words.extend(self.hints.iter().map(|hint| format!("hint: {}\n", hint.text)));
        words
    }

    /// Returns the error on one line, for JSON and the log.
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
                let message = format!("there is no memory #{id}");
                return AppError::new(ErrorCode::NoSuchMemory, message).hint(SEARCH_FINDS);
            }
            StoreError::Superseded { by, .. } => {
                let hint = format!("#{by} holds in its place: `backstory supersede {by} TEXT` replaces that");
                // The number goes into a field of its own, so that other programs need not read it out of the hint.
                return AppError::new(ErrorCode::Superseded, error.to_string()).about(*by).hint(hint);
            }
            StoreError::Forgotten { .. } => {
                let hint = "`backstory remember --force` writes it all the same";
                let message = "this was forgotten on purpose and stays out";
                // Only the user may write a forgotten memory again.
                return AppError::new(ErrorCode::Forgotten, message).hint_for_people(hint);
            }
            StoreError::OutOfTime => {
                let hint = "the disk may be slow or busy; try again in a moment";
                return AppError::new(ErrorCode::OutOfTime, "cannot use the store")
                    .because(&error)
                    .hint(hint);
            }
            StoreError::Newer { .. } | StoreError::NewerKind { .. } => {
                "install a newer version, or set `BACKSTORY_HOME` to use another directory"
            }
            StoreError::OlderSchema { .. } | StoreError::ForeignSchema { .. } => {
                "`backstory export` of the version that wrote it, then move the file away and `backstory import`"
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
            StoreError::OverLimit { .. } => {
                "the limits of an import are in docs/importing.md; the rest was imported"
            }
            StoreError::Io { .. } => "check the disk and the permissions of that path",
            StoreError::Sql { .. } => {
                return AppError::internal("the store did not do what was asked").because(&error);
            }
        };
        AppError::new(ErrorCode::StoreUnusable, "cannot use the store").because(&error).hint(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_are_not_damage_do_not_speak_of_it() {
        for (error, step) in [
            (StoreError::UnsafeSqlite { found: "3.50.4".into() }, "install a release"),
            (StoreError::TooLarge { bytes: 2, most: 1 }, "run `backstory doctor` to see why"),
        ] {
            let failure = AppError::from(error);
            assert!(failure.exit_code() == 1 && failure.words().contains(step), "{}", failure.words());
            assert!(!failure.words().contains("damage"), "{}", failure.words());
        }
    }
}
