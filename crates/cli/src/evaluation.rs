//! Measures recall: reads a data set, reports how often the right memory came first.
//!
//! The documents of a set become memories in a temporary store, written the way every memory is; its queries are put to the engine and,
//! for comparison, to plain BM25. Not here: the arguments (`commands/eval`), how recall ranks (`recall`), published sets (`xtask dataset`
//! converts them).

pub(crate) mod arm;
pub(crate) mod bench;
pub(crate) mod data_set;
pub(crate) mod figures;
pub(crate) mod per_query;
pub(crate) mod report;
