//! For tests and benches only: the real binary in a world of its own, memories to fill a store with, and what was measured.
//!
//! A test must never touch the home of whoever runs it: the environment is cleared, and every directory the binary could resolve
//! lies in a temporary one that is gone afterwards.

mod bars;
mod corpus;
mod drawn;
mod env;
mod figures;
mod postgres;
mod proc;
mod stub_server;
mod times;
mod transcripts;

pub use bars::{bar, is_torture, size};
pub use corpus::{Corpus, MadeUp};
pub use drawn::{BASE62, HEX, UPPER, drawn};
pub use env::{Outcome, TestEnv};
pub use figures::{note_figure, sizes};
pub use postgres::PrivateDatabase;
pub use proc::{measured, peak_mb, resident_mb, ticks};
pub use stub_server::{Asked, Reply, StubServer};
pub use times::Times;
pub use transcripts::{Transcript, Transcripts};
