//! What is found on a machine, read for real: real databases, real repositories, real files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod claude_mem;
mod claude_mem_lite;
mod engram;
mod fixtures;
mod git;
mod importing;
mod lore;
mod memory_files;
mod open_mem;
mod opencode;
mod repository;
mod transcripts;
