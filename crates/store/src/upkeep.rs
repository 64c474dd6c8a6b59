//! Keeping the store sound and small: checks, repair, backups, retention, jobs, vectors that wait; and lists for people.

pub(crate) mod activity;
pub(crate) mod check;
pub(crate) mod inspect;
pub(crate) mod maintain;
pub(crate) mod mirror;
pub(crate) mod model_calls;
pub(crate) mod repair;
pub(crate) mod salvage;
pub(crate) mod status;
pub(crate) mod vectors;
pub(crate) mod writer_jobs;
