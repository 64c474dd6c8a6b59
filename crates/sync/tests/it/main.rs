//! A hub on a real PostgreSQL: what members can and cannot do, and what reaches whom.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod apart;
mod between;
mod kit;
mod making;
mod meant;
mod racing;
mod scale;
mod secured;
mod told_badly;
