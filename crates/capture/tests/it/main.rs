//! Tests of the crate from outside, in one binary.

#![expect(
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test may panic and tells what it skips"
)]

mod anchoring;
#[cfg(feature = "all-languages")]
mod codemap;
#[cfg(feature = "all-languages")]
mod codemap_languages;
#[cfg(feature = "all-languages")]
mod codemap_properties;
mod corpus;
mod git;
mod git_programs;
mod identity;
mod properties;
mod redact;
mod tracking;
mod workshop;
