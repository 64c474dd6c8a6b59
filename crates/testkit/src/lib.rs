//! For tests only: the real binary in a world of its own, memories to fill a store with, and what a test tells of a bar.
//!
//! A test must never touch the home of whoever runs it: the environment is cleared, and every directory the binary could resolve
//! lies in a temporary one that is gone afterwards.

mod bars;
mod corpus;
mod env;
mod figures;
mod postgres;
mod stub_server;
mod transcripts;

pub use bars::{Times, bar, is_torture, size};
pub use corpus::{Corpus, MadeUp};
pub use env::{Outcome, TestEnv};
pub use figures::note_figure;
pub use postgres::PrivateDatabase;
pub use stub_server::{Asked, Reply, StubServer};
pub use transcripts::{Transcript, Transcripts};
