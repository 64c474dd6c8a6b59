//! Why a hub cannot be used, by what a person can do about it.

use std::error::Error;
use std::path::PathBuf;

/// What is said of a hub that sends more than it can have to say.
pub(crate) const TOO_LONG: &str = "a longer answer than any hub has to give";

/// Why a hub cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// This build cannot talk to any hub: it was made without the feature `team-hub`.
    #[error("this build has no team hub")]
    NotInThisBuild,
    /// Nothing answers at the address.
    #[error("the hub at {address} does not answer")]
    Unreachable {
        /// Where it should be.
        address: String,
        /// What went wrong.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The name or the password is not right, or the member was revoked.
    #[error("the hub refuses the login of `{member}`: {detail}")]
    AccessDenied {
        /// Who tried to log in.
        member: String,
        /// What the hub said.
        detail: String,
    },
    /// Who logged in is not a member of the team.
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
    /// Row-level security does not hold for the role: it must not be a member.
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
    /// A role of this name exists, was not created for a member, and cannot log in.
    #[error("`{member}` is a role that cannot log in")]
    NotALogin {
        /// The role.
        member: String,
    },
    /// The server is older than what a hub needs.
    #[error("the server is PostgreSQL {found}; a hub needs {needed} or later")]
    OldServer {
        /// The server's version.
        found: i32,
        /// The oldest that is supported.
        needed: i32,
    },
    /// Somebody else on the server can become the role that searches, which sees the rows of every team.
    #[error("`{role}` can become the role that searches the hubs of this server")]
    SearchRoleExposed {
        /// Who can.
        role: String,
    },
    /// The address needs TLS, and the server has none.
    #[error("the server at {address} does not speak TLS")]
    NoTls {
        /// Where it is.
        address: String,
    },
    /// The server could not prove who it is.
    #[error("the server at {address} cannot prove who it is: {detail}")]
    UnverifiedServer {
        /// Where it is.
        address: String,
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
    /// Who logged in may not do this.
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
    /// The hub is busy or shutting down: it is likely to work later.
    #[error("the hub could not {doing} just now: {detail}")]
    Busy {
        /// What was being done.
        doing: &'static str,
        /// What the hub said.
        detail: String,
    },
    /// Other members wrote the same rows at the same time.
    #[error("the hub could not {doing}: others wrote the same at the same time")]
    Collided {
        /// What was being done.
        doing: &'static str,
    },
    /// The hub rejects a row: a value is not valid, or too large.
    #[error("the hub rejects it: {detail}")]
    Rejected {
        /// What the hub said.
        detail: String,
    },
    /// The certificate of the authority cannot be read.
    #[error("cannot use the certificate `{}`: {detail}", .path.display())]
    UnusableCertificate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// The hub sends more than it can have to say.
    #[error("the hub sends {TOO_LONG}, trying to {doing}")]
    TooLong {
        /// What was being done.
        doing: &'static str,
    },
    /// A row of the hub cannot be read.
    #[error("the hub holds something unreadable: {0}")]
    BadRow(String),
    /// The connection broke in the middle of an answer.
    #[error("the connection to the hub was lost, trying to {doing}")]
    ConnectionLost {
        /// What was being done.
        doing: &'static str,
        /// What went wrong.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Any other error of PostgreSQL.
    #[error("the hub could not {doing}")]
    Sql {
        /// What was being done.
        doing: &'static str,
        /// What the hub said.
        source: Box<dyn Error + Send + Sync>,
    },
}
