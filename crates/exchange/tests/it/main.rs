//! What is found on a machine, read for real: real databases, real repositories, real files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod claude_mem;
mod claude_mem_lite;
mod engram;
mod git;
mod lore;
mod markdown;
mod open_mem;
mod opencode;
mod reading;
mod records;
mod repository;
mod taken_in;
