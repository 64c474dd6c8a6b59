//! Injection: what was gathered in, one block of text out, never over its budget (law 4).
//!
//! Pure: memories, scores and reasons come in, and go out again beside the text, so that every line can be explained (law 9). Each of
//! the four moments makes sections of items, `assembly` packs what fits, `frame` puts the fence around it. Not here: finding
//! memories, what a session already has, giving the block to a host, recording it.

mod ages;
mod assembly;
mod block;
mod encode;
mod error;
mod frame;
mod gathered;
mod moments;
mod render;
mod snippet;

pub use ages::{age, time_ago};
pub use block::{Block, PlacedMemory, SkipReason, SkippedSection};
pub use encode::{encode, encode_lines};
pub use error::GatherError;
pub use frame::{BlockFrame, FetchHint, MAX_BLOCK_BYTES, default_budget};
pub use gathered::{Candidate, Gathered, Orientation, ResumePoint, WorkTreeState};
pub use moments::{compaction, prompt, session_start, tool};
pub use render::pointer;
pub use snippet::snippet;
