//! What an error of PostgreSQL means, by what a person can do about it.

use super::hub_error::TOO_LONG;
use crate::{HubAddress, HubError};
use postgres::error::SqlState;

impl HubError {
    pub(crate) fn from_connecting(hub: &HubAddress, source: postgres::Error) -> HubError {
        let detail = source.as_db_error().map(|error| error.message().to_owned());
        match (source.code(), detail) {
            _ if has_cause(&source, TOO_LONG) => HubError::TooLong { doing: "connect" },
            // Class 28: the name or the password is wrong.
            (Some(code), Some(detail)) if code.code().starts_with("28") => {
                HubError::AccessDenied { member: hub.user().to_owned(), detail }
            }
            (Some(_), Some(_)) => HubError::sql("let us in", source),
            _ if has_cause(&source, "does not support TLS") => HubError::NoTls { address: hub.to_string() },
            _ if has_cause(&source, "certificate") => {
                HubError::UnverifiedServer { address: hub.to_string(), detail: last_cause(&source) }
            }
            // The server asks for a password and there is none: the library itself refuses, without a code.
            _ if source.to_string().contains("password") => {
                HubError::AccessDenied { member: hub.user().to_owned(), detail: source.to_string() }
            }
            _ => HubError::Unreachable { address: hub.to_string(), source: source.into() },
        }
    }

    /// Sorts an error of PostgreSQL by what can be done about it.
    fn sql(doing: &'static str, source: postgres::Error) -> HubError {
        let Some((code, detail)) =
            source.as_db_error().map(|error| (error.code().clone(), error.message().to_owned()))
        else {
            return if has_cause(&source, TOO_LONG) {
                HubError::TooLong { doing }
            } else if source.is_closed() {
                HubError::Busy { doing, detail: "the connection was lost".to_owned() }
            } else {
                HubError::ConnectionLost { doing, source: source.into() }
            };
        };
        match code {
            SqlState::INSUFFICIENT_PRIVILEGE => HubError::NotAllowed { doing, detail },
            SqlState::DISK_FULL => HubError::Full,
            SqlState::UNDEFINED_TABLE | SqlState::INVALID_SCHEMA_NAME => HubError::NoHub,
            // Class 40: rolled back because of somebody else's transaction.
            code if code.code().starts_with("40") => HubError::Collided { doing },
            // Data exceptions and violated constraints.
            code if ["22", "23"].iter().any(|class| code.code().starts_with(class)) => {
                HubError::Rejected { detail }
            }
            // Lost connections, too few resources, a server that stops, timeouts.
            code if ["08", "53", "57", "55"].iter().any(|class| code.code().starts_with(class)) => {
                HubError::Busy { doing, detail }
            }
            _ => HubError::Sql { doing, source: source.into() },
        }
    }
}

/// Returns an error and its causes as text.
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

/// Adds what was being done to an error of PostgreSQL.
pub(crate) trait Doing<T> {
    fn doing(self, doing: &'static str) -> Result<T, HubError>;
}

impl<T> Doing<T> for Result<T, postgres::Error> {
    fn doing(self, doing: &'static str) -> Result<T, HubError> {
        self.map_err(|error| HubError::sql(doing, error))
    }
}
