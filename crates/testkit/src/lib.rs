//! For tests and benches only: the real binary in a temporary world, generated memories and transcripts, servers, figures.
//!
//! A test must never touch the home of the person who runs it: the environment is cleared, and every directory the binary could resolve
//! is in a temporary one that is removed afterwards.

mod bars;
pub mod corpora;
mod corpus;
mod drawn;
mod env;
mod figures;
#[cfg(unix)]
mod played_terminal;
#[cfg(unix)]
mod postgres;
mod proc;
mod screen_grid;
mod small_stores;
mod stub_server;
#[cfg(unix)]
mod terminal;
mod times;
mod transcripts;

pub use bars::{bar, held, held_of, is_torture, size};
pub use corpus::{Corpus, GeneratedMemory};
pub use drawn::{BASE62, HEX, UPPER, drawn};
pub use env::{ProgramOutput, TestEnv};
pub use figures::{record_figure, sizes};
#[cfg(unix)]
pub use played_terminal::PlayedTerminal;
#[cfg(unix)]
pub use postgres::PrivateDatabase;
pub use proc::{format_figure, peak_mb, resident_mb, ticks};
pub use small_stores::{SmallStore, small_stores};
pub use stub_server::{StubReply, StubRequest, StubServer};
#[cfg(unix)]
pub use terminal::{TypedTerminal, terminal};
pub use times::Times;
pub use transcripts::{Transcript, Transcripts};
