//! The worker: HTTP over a unix socket and over loopback, live events, the viewer's files. The only async crate.
//!
//! `worker` and `worker_dir` see to one worker per home, `control` steers it from other processes; `listen`, `guard`, `credentials` and `respond` decide who may send what;
//! `api` answers, with the same requests of `app` as the commands. Nothing needs a worker (law 2): no hook ever talks to it. Not
//! here: SQL, and words on a screen.

mod api;
mod api_error;
mod client;
mod control;
mod credentials;
mod guard;
mod limits;
mod listen;
mod live;
mod reply;
mod request;
mod respond;
mod routes;
mod viewer;
mod worker;
mod worker_dir;

pub use api::ApiHandler;
pub use api_error::ApiError;
pub use client::{RunningWorker, WorkerState, ask, find, running};
pub use control::{WorkerControl, WorkerReport};
pub use limits::Limits;
pub use request::{ApiReply, ApiRequest, Query, RequestSource};
pub use routes::{
    Access, ApiOperation, Operation, ROUTES, ReadOperation, Route, WorkerOperation, WriteOperation,
};
pub use viewer::FILES;
pub use worker::{Claim, StopOutcome, Worker, WorkerError, WorkerExit, WorkerOptions, claim, stop};
pub use worker_dir::{Endpoint, WorkerDir};
