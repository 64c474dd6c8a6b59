//! The database file: where it lives, how it is opened and migrated, what can go wrong with it.

pub(crate) mod codes;
pub(crate) mod deadline;
pub(crate) mod error;
pub(crate) mod facets;
pub(crate) mod foreign;
pub(crate) mod home;
pub(crate) mod metadata;
pub(crate) mod migrate;
pub(crate) mod open;
