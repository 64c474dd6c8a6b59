//! Context: what is known in, one block of text out, never over its budget (law 4).
//!
//! Pure: memories, scores and reasons come in, and go out again beside the text, so that every line can answer for itself
//! (law 9). Four moments, one way to build: a moment makes layers of items, `assemble` stacks what fits, `frame` puts the
//! fence around it. Not here: finding memories, what a session was already given, giving the block to a host, recording it.

mod assemble;
mod block;
mod encode;
mod frame;
mod gist;
mod known;
mod layers;
mod moments;
mod relative;

pub use block::{Block, Placed, Skipped, Why};
pub use encode::{encode, encode_lines};
pub use frame::{CEILING_BYTES, Doors, Frame, budget_of};
pub use gist::gist;
pub use known::{Compaction, Known, Orientation, Prompt, Relevant, SessionStart, Source, Tool, WorkTree};
pub use layers::pointer;
pub use moments::{compaction, prompt, session_start, tool};
pub use relative::{age, relative};
