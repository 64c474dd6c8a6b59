//! For tests only: the real binary in a world of its own, and memories to fill a store with.
//!
//! A test must never touch the home of whoever runs it: the environment is cleared, and every directory the binary could resolve
//! lies in a temporary one that is gone afterwards.

mod corpus;
mod env;
mod figures;
mod postgres;
mod stub_server;
mod transcripts;

pub use corpus::{Corpus, MadeUp};
pub use env::{Outcome, TestEnv};
pub use figures::note_figure;
pub use postgres::PrivateDatabase;
pub use stub_server::{Asked, Reply, StubServer};
pub use transcripts::{Transcript, Transcripts};
