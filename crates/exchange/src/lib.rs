//! Import: what is already on the machine, in. The only crate that knows what other memory programs keep and how.
//!
//! A *source* is a sort of thing that can be read; a *find* is one of them on this machine. Hosts' records go through the same
//! capture and distillation as lived sessions; what other programs remember, git history and memory files are memories already.
//! Not here: how a host's record reads (`hosts`), what may be kept (`capture`), SQL (`store`), the screen and the environment (`cli`).

mod claude_mem;
mod claude_mem_lite;
mod databases;
mod engram;
mod found;
mod git;
mod lore;
mod markdown;
mod memories;
mod observed;
mod open_mem;
mod records;
mod source;
mod taking;
mod values;

pub use databases::ForeignDatabases;
pub use found::{Find, Found, FoundMemory, FoundProject, FoundSession, Unreadable, Whereabouts};
pub use memories::{FindReport, take_find};
pub use records::{RecordsReport, take_records};
pub use source::Source;
pub use taking::{Only, Taking, Tally};
