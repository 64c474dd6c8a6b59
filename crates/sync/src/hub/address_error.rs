//! What is wrong with the address of a hub.

use thiserror::Error;

/// Why a text is not the address of a hub.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum HubAddressError {
    /// This build cannot talk to any hub: it was made without the feature `team-hub`.
    #[error("this build has no team hub")]
    NotInThisBuild,
    /// It holds a password.
    #[error("the address holds a password")]
    HoldsPassword,
    /// It names no user: the member who connects.
    #[error("the address names no user")]
    NoUser,
    /// It is not a URL of PostgreSQL.
    #[error("not an address of PostgreSQL: {0}")]
    NotAnAddress(String),
}
