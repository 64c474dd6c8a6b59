//! Measuring recall: a data set in, how often the right memory came first out.
//!
//! The documents of a set become memories in a store of their own, through the way every memory is written; its questions are put to
//! the engine and, beside it, to plain BM25. Not here: the arguments (`commands/eval`), anything of how recall ranks (`recall`).

pub(crate) mod arm;
pub(crate) mod bench;
pub(crate) mod data_set;
pub(crate) mod figures;
pub(crate) mod formats;
pub(crate) mod per_query;
pub(crate) mod report;
