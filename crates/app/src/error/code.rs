//! The codes of errors: stable names other programs rely on, and what each means as an exit code and as an HTTP status.

/// What went wrong, by a name that stays the same from release to release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// The request itself is malformed: an argument is missing, unknown or does not fit.
    BadRequest,
    /// A configuration file, an environment variable or `--set` cannot be used.
    BadConfig,
    /// A request that needs `project` has none.
    ProjectMissing,
    /// A request that needs `projects` has none.
    ProjectsMissing,
    /// A request that needs `project_path` has none.
    ProjectPathMissing,
    /// `project_path` is not an absolute path.
    ProjectPathRelative,
    /// Nobody is there to confirm what cannot be undone.
    ConfirmationMissing,
    /// No memory has this number.
    NoSuchMemory,
    /// No project has this name, number or folder.
    NoSuchProject,
    /// No session has this name or number.
    NoSuchSession,
    /// No injection has this number.
    NoSuchInjection,
    /// Several projects have this name.
    AmbiguousProject,
    /// Several sessions begin with this name.
    AmbiguousSession,
    /// A memory says nearly the same already.
    NearDuplicate,
    /// The memory was replaced by another.
    Superseded,
    /// The same was forgotten on purpose.
    Forgotten,
    /// Another memory has this uid.
    UidTaken,
    /// A file or a folder cannot be read or written.
    FileUnusable,
    /// The store cannot be opened, read or written.
    StoreUnusable,
    /// A team's hub cannot be reached, or refuses.
    HubUnusable,
    /// A team's hub did not answer in time.
    HubSilent,
    /// The answer took longer than anybody waits for it.
    OutOfTime,
    /// What was asked cannot be done, for a reason only its message tells.
    Refused,
    /// A bug in Backstory.
    InternalError,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [ErrorCode; 24] = [
        ErrorCode::BadRequest,
        ErrorCode::BadConfig,
        ErrorCode::ProjectMissing,
        ErrorCode::ProjectsMissing,
        ErrorCode::ProjectPathMissing,
        ErrorCode::ProjectPathRelative,
        ErrorCode::ConfirmationMissing,
        ErrorCode::NoSuchMemory,
        ErrorCode::NoSuchProject,
        ErrorCode::NoSuchSession,
        ErrorCode::NoSuchInjection,
        ErrorCode::AmbiguousProject,
        ErrorCode::AmbiguousSession,
        ErrorCode::NearDuplicate,
        ErrorCode::Superseded,
        ErrorCode::Forgotten,
        ErrorCode::UidTaken,
        ErrorCode::FileUnusable,
        ErrorCode::StoreUnusable,
        ErrorCode::HubUnusable,
        ErrorCode::HubSilent,
        ErrorCode::OutOfTime,
        ErrorCode::Refused,
        ErrorCode::InternalError,
    ];

    /// Returns the name other programs rely on.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ErrorCode::BadRequest => "bad_request",
            ErrorCode::BadConfig => "bad_config",
            ErrorCode::ProjectMissing => "project_missing",
            ErrorCode::ProjectsMissing => "projects_missing",
            ErrorCode::ProjectPathMissing => "project_path_missing",
            ErrorCode::ProjectPathRelative => "project_path_relative",
            ErrorCode::ConfirmationMissing => "confirmation_missing",
            ErrorCode::NoSuchMemory => "no_such_memory",
            ErrorCode::NoSuchProject => "no_such_project",
            ErrorCode::NoSuchSession => "no_such_session",
            ErrorCode::NoSuchInjection => "no_such_injection",
            ErrorCode::AmbiguousProject => "ambiguous_project",
            ErrorCode::AmbiguousSession => "ambiguous_session",
            ErrorCode::NearDuplicate => "near_duplicate",
            ErrorCode::Superseded => "superseded",
            ErrorCode::Forgotten => "forgotten",
            ErrorCode::UidTaken => "uid_taken",
            ErrorCode::FileUnusable => "file_unusable",
            ErrorCode::StoreUnusable => "store_unusable",
            ErrorCode::HubUnusable => "hub_unusable",
            ErrorCode::HubSilent => "hub_silent",
            ErrorCode::OutOfTime => "out_of_time",
            ErrorCode::Refused => "refused",
            ErrorCode::InternalError => "internal_error",
        }
    }

    /// Returns the exit code of a command that fails with it: 1 refused, 2 usage or configuration, 70 internal error.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            ErrorCode::BadRequest
            | ErrorCode::BadConfig
            | ErrorCode::ProjectMissing
            | ErrorCode::ProjectsMissing
            | ErrorCode::ProjectPathMissing
            | ErrorCode::ProjectPathRelative
            | ErrorCode::ConfirmationMissing => 2,
            ErrorCode::NoSuchMemory
            | ErrorCode::NoSuchProject
            | ErrorCode::NoSuchSession
            | ErrorCode::NoSuchInjection
            | ErrorCode::AmbiguousProject
            | ErrorCode::AmbiguousSession
            | ErrorCode::NearDuplicate
            | ErrorCode::Superseded
            | ErrorCode::Forgotten
            | ErrorCode::UidTaken
            | ErrorCode::FileUnusable
            | ErrorCode::StoreUnusable
            | ErrorCode::HubUnusable
            | ErrorCode::HubSilent
            | ErrorCode::OutOfTime
            | ErrorCode::Refused => 1,
            ErrorCode::InternalError => 70,
        }
    }

    /// Returns the HTTP status of a request that fails with it.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            ErrorCode::BadRequest
            | ErrorCode::BadConfig
            | ErrorCode::ProjectMissing
            | ErrorCode::ProjectsMissing
            | ErrorCode::ProjectPathMissing
            | ErrorCode::ProjectPathRelative
            | ErrorCode::ConfirmationMissing => 400,
            ErrorCode::NoSuchMemory
            | ErrorCode::NoSuchProject
            | ErrorCode::NoSuchSession
            | ErrorCode::NoSuchInjection => 404,
            ErrorCode::AmbiguousProject
            | ErrorCode::AmbiguousSession
            | ErrorCode::NearDuplicate
            | ErrorCode::Superseded
            | ErrorCode::Forgotten
            | ErrorCode::UidTaken
            | ErrorCode::FileUnusable
            | ErrorCode::Refused => 409,
            ErrorCode::StoreUnusable
            | ErrorCode::HubUnusable
            | ErrorCode::HubSilent
            | ErrorCode::OutOfTime => 503,
            ErrorCode::InternalError => 500,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_code_has_a_name_of_its_own_in_snake_case() {
        let names: BTreeSet<&str> = ErrorCode::ALL.into_iter().map(ErrorCode::as_str).collect();
        assert_eq!(names.len(), ErrorCode::ALL.len());
        assert!(
            names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_')),
            "{names:?}"
        );
    }
}
