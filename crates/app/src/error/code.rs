//! The codes of errors: stable names other programs rely on, and what each means as an exit code and as an HTTP status.

/// Declares the codes: one line each, with its name, its exit code (1 refused, 2 usage or configuration, 70 internal error) and its HTTP
/// status.
macro_rules! error_codes {
    ($($(#[$doc:meta])+ $code:ident = ($name:literal, $exit:literal, $status:literal),)+) => {
        /// What went wrong, by a name that stays the same from release to release.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ErrorCode {
            $($(#[$doc])+ $code,)+
        }

        impl ErrorCode {
            /// Every code.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$code),+];

            /// Returns the name other programs rely on, the exit code and the HTTP status.
            const fn row(self) -> (&'static str, u8, u16) {
                match self {
                    $(ErrorCode::$code => ($name, $exit, $status),)+
                }
            }
        }
    };
}

error_codes! {
    /// The request itself is malformed: an argument is missing, unknown or does not fit.
    BadRequest = ("bad_request", 2, 400),
    /// A configuration file, an environment variable or `--set` cannot be used.
    BadConfig = ("bad_config", 2, 400),
    /// A request that needs `project` has none.
    ProjectMissing = ("project_missing", 2, 400),
    /// A request that needs `projects` has none.
    ProjectsMissing = ("projects_missing", 2, 400),
    /// A request that needs `project_path` has none.
    ProjectPathMissing = ("project_path_missing", 2, 400),
    /// `project_path` is not an absolute path.
    ProjectPathRelative = ("project_path_relative", 2, 400),
    /// Nobody is there to confirm what cannot be undone.
    ConfirmationMissing = ("confirmation_missing", 2, 400),
    /// Only the user may do this, and the request came from an agent or from a script without a terminal.
    UserOnly = ("user_only", 1, 403),
    /// No memory has this number.
    NoSuchMemory = ("no_such_memory", 1, 404),
    /// No project has this name, number or folder.
    NoSuchProject = ("no_such_project", 1, 404),
    /// No session has this name or number.
    NoSuchSession = ("no_such_session", 1, 404),
    /// No event has this number.
    NoSuchEvent = ("no_such_event", 1, 404),
    /// No injection has this number.
    NoSuchInjection = ("no_such_injection", 1, 404),
    /// Several projects have this name.
    AmbiguousProject = ("ambiguous_project", 1, 409),
    /// Several sessions begin with this name.
    AmbiguousSession = ("ambiguous_session", 1, 409),
    /// A memory says nearly the same already.
    NearDuplicate = ("near_duplicate", 1, 409),
    /// The memory was replaced by another.
    Superseded = ("superseded", 1, 409),
    /// The same was forgotten on purpose.
    Forgotten = ("forgotten", 1, 409),
    /// Another memory has this uid.
    UidTaken = ("uid_taken", 1, 409),
    /// A file or a folder cannot be read or written.
    FileUnusable = ("file_unusable", 1, 409),
    /// The store cannot be opened, read or written.
    StoreUnusable = ("store_unusable", 1, 503),
    /// A team's hub cannot be reached, or refuses.
    HubUnusable = ("hub_unusable", 1, 503),
    /// A team's hub did not answer in time.
    HubSilent = ("hub_silent", 1, 503),
    /// The answer took too long and was stopped.
    OutOfTime = ("out_of_time", 1, 503),
    /// What was asked cannot be done, for a reason only its message says.
    Refused = ("refused", 1, 409),
    /// A bug in Backstory.
    InternalError = ("internal_error", 70, 500),
}

impl ErrorCode {
    /// Returns the name other programs rely on.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.row().0
    }

    /// Returns the exit code of a command that fails with it: 1 refused, 2 usage or configuration, 70 internal error.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        self.row().1
    }

    /// Returns the HTTP status of a request that fails with it.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        self.row().2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_code_has_a_name_of_its_own_in_snake_case() {
        let names: BTreeSet<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), ErrorCode::ALL.len());
        assert!(
            names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_')),
            "{names:?}"
        );
    }
}
