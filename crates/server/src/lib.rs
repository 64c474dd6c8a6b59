//! The worker: HTTP over a unix socket and over loopback, live events, the viewer's files. The only async crate.
//!
//! Transport and nothing else: who may ask, how much, how long, and who is the one worker of a home. What a request answers is asked of
//! an [`Answers`], which `cli` implements with the functions its commands use: the two doors cannot differ. Nothing needs a worker
//! (law 2): no hook ever talks to it. Not here: SQL, JSON shapes, the environment, words on a screen.

mod answers;
mod client;
mod guard;
mod keys;
mod limits;
mod listen;
mod live;
mod place;
mod refusal;
mod reply;
mod respond;
mod routes;
mod viewer;
mod worker;

pub use answers::{Answer, Answers, Asked, Asker, Newest, Query};
pub use client::{Found, Running, ask, find, running};
pub use limits::Limits;
pub use place::{Note, Place};
pub use refusal::Refusal;
pub use routes::{Access, Door, ROUTES, Route};
pub use viewer::FILES;
pub use worker::{Claim, Stopping, Terms, Worker, WorkerError, WorkerExit, claim, stop};
