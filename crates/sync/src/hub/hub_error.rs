//! What can go wrong with a hub, pushed apart by what a person can do about it.

use crate::HubAddress;
use postgres::error::SqlState;
use std::path::PathBuf;
use thiserror::Error;

/// Why a hub did not do what was asked.
#[derive(Debug, Error)]
pub enum HubError {
    /// Nobody answers there, or no longer.
    #[error("the hub at {place} does not answer")]
    Unreachable {
        /// Where it should be.
        place: String,
        /// What went wrong.
        source: postgres::Error,
    },
    /// The name or the password is not right, or the member was revoked.
    #[error("the hub refuses the login of `{member}`: {detail}")]
    AccessDenied {
        /// Who wanted in.
        member: String,
        /// What the hub said.
        detail: String,
    },
    /// The one who logged in is not a member of the team.
    #[error("`{member}` is not a member of {}", if team.is_empty() { "any team" } else { team.as_str() })]
    NotAMember {
        /// Who logged in.
        member: String,
        /// The team.
        team: String,
    },
    /// There is more than one team to choose from.
    #[error("there are several teams, such as `{first}` and `{second}`")]
    SeveralTeams {
        /// One of them.
        first: String,
        /// Another one.
        second: String,
    },
    /// A role that row-level security does not hold for must not be used every day.
    #[error("row-level security does not hold for `{member}`")]
    BypassesRls {
        /// Who logged in.
        member: String,
    },
    /// There is no such team on this hub.
    #[error("there is no team `{team}` on this hub")]
    NoSuchTeam {
        /// The team.
        team: String,
    },
    /// A role of this name is there, was not made for a member, and does not log in.
    #[error("`{member}` is a role that does not log in")]
    NotALogin {
        /// The role.
        member: String,
    },
    /// The server is older than what a hub needs.
    #[error("the server is PostgreSQL {found}; a hub needs {needed} or later")]
    OldServer {
        /// The server's version.
        found: i32,
        /// The oldest that will do.
        needed: i32,
    },
    /// The role that searches belongs to the whole server, and somebody else there can become it: it sees the rows of every team.
    #[error("`{role}` can become the role that searches the hubs of this server")]
    SearchRoleExposed {
        /// Who can.
        role: String,
    },
    /// TLS is needed to get there, and the server does not speak it.
    #[error("the server at {place} does not speak TLS")]
    NoTls {
        /// Where it is.
        place: String,
    },
    /// The server could not prove that it is the one that was meant.
    #[error("the server at {place} cannot prove who it is: {detail}")]
    UnverifiedServer {
        /// Where it is.
        place: String,
        /// What is wrong with its proof.
        detail: String,
    },
    /// There is no hub in this database.
    #[error("there is no hub in this database")]
    NoHub,
    /// A newer build has made the hub; this one must not touch it.
    #[error("the hub has schema {found}; this build knows up to {known}")]
    Newer {
        /// The hub's schema.
        found: i32,
        /// The newest schema this build knows.
        known: i32,
    },
    /// The schema was made by migrations this build does not have: by a build from before the first release, or by hand.
    #[error("the hub's schema was made by another build, from before the first release")]
    ForeignSchema,
    /// The database cannot hold every text.
    #[error("the database has the encoding {encoding}; a hub needs UTF8")]
    NotUtf8 {
        /// Its encoding.
        encoding: String,
    },
    /// The hub was made by an older build, and only its owner may bring it up to date.
    #[error("the hub has schema {found}; this build needs {known}")]
    Older {
        /// The hub's schema.
        found: i32,
        /// The schema this build needs.
        known: i32,
    },
    /// The one who logged in may not do this.
    #[error("not allowed to {doing}: {detail}")]
    NotAllowed {
        /// What was being done.
        doing: &'static str,
        /// What the hub said.
        detail: String,
    },
    /// The hub's disk is full.
    #[error("the hub has no space left")]
    Full,
    /// The hub is busy, or shuts down: the same is likely to work later.
    #[error("the hub could not {doing} just now: {detail}")]
    Busy {
        /// What was being done.
        doing: &'static str,
        /// What the hub said.
        detail: String,
    },
    /// Others were writing the same just now.
    #[error("the hub could not {doing}: others were at the same just now")]
    Collided {
        /// What was being done.
        doing: &'static str,
    },
    /// What was pushed does not fit into the hub.
    #[error("the hub rejects it: {detail}")]
    Rejected {
        /// What the hub said.
        detail: String,
    },
    /// The authority a server should prove itself by cannot be read.
    #[error("cannot use the certificate `{}`: {detail}", .path.display())]
    UnusableCertificate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// A row holds something it never should.
    #[error("the hub holds something unreadable: {0}")]
    BadRow(String),
    /// The connection broke in the middle of an answer.
    #[error("the connection to the hub was lost, trying to {doing}")]
    ConnectionLost {
        /// What was being done.
        doing: &'static str,
        /// What went wrong.
        source: postgres::Error,
    },
    /// The hub failed in a way we have no better name for.
    #[error("the hub could not {doing}")]
    Sql {
        /// What was being done.
        doing: &'static str,
        /// What it said.
        source: postgres::Error,
    },
}

impl HubError {
    pub(crate) fn from_connecting(address: &HubAddress, source: postgres::Error) -> HubError {
        let detail = source.as_db_error().map(|error| error.message().to_owned());
        match (source.code(), detail) {
            (Some(code), Some(detail)) if code.code().starts_with("28") => {
                HubError::AccessDenied { member: address.user().to_owned(), detail }
            }
            (Some(_), Some(_)) => HubError::sql("let us in", source),
            _ if has_cause(&source, "does not support TLS") => HubError::NoTls { place: address.to_string() },
            _ if has_cause(&source, "certificate") => {
                HubError::UnverifiedServer { place: address.to_string(), detail: last_cause(&source) }
            }
            _ if source.to_string().contains("password") => {
                HubError::AccessDenied { member: address.user().to_owned(), detail: source.to_string() }
            }
            _ => HubError::Unreachable { place: address.to_string(), source },
        }
    }

    /// Names an error of PostgreSQL by what can be done about it.
    fn sql(doing: &'static str, source: postgres::Error) -> HubError {
        let Some((code, detail)) =
            source.as_db_error().map(|error| (error.code().clone(), error.message().to_owned()))
        else {
            return if source.is_closed() {
                HubError::Busy { doing, detail: "the connection was lost".to_owned() }
            } else {
                HubError::ConnectionLost { doing, source }
            };
        };
        match code {
            SqlState::INSUFFICIENT_PRIVILEGE => HubError::NotAllowed { doing, detail },
            SqlState::DISK_FULL => HubError::Full,
            SqlState::UNDEFINED_TABLE | SqlState::INVALID_SCHEMA_NAME => HubError::NoHub,
            code if code.code().starts_with("40") => HubError::Collided { doing },
            // A value that cannot be, or that no table takes.
            code if ["22", "23"].iter().any(|class| code.code().starts_with(class)) => {
                HubError::Rejected { detail }
            }
            // Lost connections, too many of them, a server that stops or waited too long.
            code if ["08", "53", "57", "55"].iter().any(|class| code.code().starts_with(class)) => {
                HubError::Busy { doing, detail }
            }
            _ => HubError::Sql { doing, source },
        }
    }
}

/// Returns what went wrong, and what that came from.
fn causes(error: &postgres::Error) -> Vec<String> {
    let mut causes = vec![error.to_string()];
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    causes
}

fn has_cause(error: &postgres::Error, words: &str) -> bool {
    causes(error).iter().any(|cause| cause.contains(words))
}

fn last_cause(error: &postgres::Error) -> String {
    causes(error).pop().unwrap_or_default()
}

/// Says what was being done when PostgreSQL failed.
pub(crate) trait Doing<T> {
    fn doing(self, doing: &'static str) -> Result<T, HubError>;
}

impl<T> Doing<T> for Result<T, postgres::Error> {
    fn doing(self, doing: &'static str) -> Result<T, HubError> {
        self.map_err(|error| HubError::sql(doing, error))
    }
}
