//! Context: memories in, one block of text out, never over its budget (law 4).
//!
//! Pure: what is known comes in, text goes out. Today it builds the session-start block; the other moments, the fence and the
//! ledger join it here. Not here: finding memories, giving the block to a host.

mod assemble;
mod relative;
mod session_start;

pub use assemble::{Block, Item, Layer, assemble};
pub use relative::relative;
pub use session_start::session_start;
