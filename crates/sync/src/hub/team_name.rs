//! The name of a team or of a member.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The name of a team or a member, in lower case: PostgreSQL folds what is not quoted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TeamName(String);

/// A text that cannot be the name of a team or a member.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` is not a name: a lower-case letter, then letters, digits, `_` or `-`, 48 at the most")]
pub struct UnusableName(pub String);

impl TeamName {
    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TeamName {
    type Err = UnusableName;

    fn from_str(text: &str) -> Result<Self, UnusableName> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
        let begins_well = text.starts_with(|c: char| c.is_ascii_lowercase());
        // PostgreSQL reserves `pg_`, and our own roles begin with `backstory_`.
        let is_taken = text.starts_with("pg_") || text.starts_with("backstory_");
        if begins_well && !is_taken && text.len() <= 48 && text.chars().all(is_plain) {
            return Ok(TeamName(text.to_owned()));
        }
        Err(UnusableName(text.to_owned()))
    }
}

impl fmt::Display for TeamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
