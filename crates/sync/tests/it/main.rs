//! A hub on a real PostgreSQL: what members can and cannot do, and what reaches whom.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[cfg(feature = "team-hub")]
mod bad_rows;
#[cfg(feature = "team-hub")]
mod exchange;
mod git_folders;
#[cfg(feature = "team-hub")]
mod isolation;
#[cfg(feature = "team-hub")]
mod message_length;
#[cfg(feature = "team-hub")]
mod owning;
#[cfg(feature = "team-hub")]
mod racing;
#[cfg(feature = "team-hub")]
mod scale;
#[cfg(feature = "team-hub")]
mod test_hub;
#[cfg(feature = "team-hub")]
mod tls_connection;
#[cfg(feature = "team-hub")]
mod vectors_on_the_hub;
