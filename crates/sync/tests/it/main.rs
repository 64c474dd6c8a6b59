//! A hub on a real PostgreSQL: what members can and cannot do, and what reaches whom.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod bad_rows;
mod exchange;
mod git_folders;
mod isolation;
mod message_length;
mod owning;
mod racing;
mod scale;
mod test_hub;
mod tls_connection;
mod vectors_on_the_hub;
