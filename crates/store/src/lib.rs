//! The store: one SQLite file and what stands beside it. The only crate that knows SQL.
//!
//! Not here: redaction (everything arrives redacted), ranking beyond what the word index says, words for the screen.
//!
//! **Locking.** Many short-lived processes write at once. Every writing transaction is `BEGIN IMMEDIATE` and short; who cannot
//! write in time puts an event into the spool instead. Nothing else opens the database file: closing any other descriptor on it
//! would drop SQLite's locks in this process.
//!
//! **Compatibility.** `user_version` is the schema. A newer one is refused untouched, an older one is migrated in one transaction.

mod anchors;
mod check;
mod code;
mod codes;
mod deadline;
mod distilled;
mod error;
mod events;
mod facts;
mod foreign;
mod forget;
mod hearing;
mod home;
mod imports;
mod injections;
mod inspect;
mod jobs;
mod judging;
mod ledger;
mod links;
mod maintain;
mod meanings;
mod memories;
mod migrate;
mod model_calls;
mod open;
mod orientation;
mod own_sessions;
mod past;
mod polish;
mod projects;
mod ranking;
mod repair;
mod retelling;
mod revise;
mod rows;
mod salvage;
mod search;
mod sessions;
mod shown;
mod spelling;
mod spool;
mod status;
mod structure;
mod synced;
mod teams;
mod telling;
mod travel;
mod vectors;
mod words;

pub use anchors::Anchor;
pub use check::{CheckDepth, CheckReport};
pub use code::{FileMap, FileReading, FileState};
pub use distilled::{Distilled, OnRepeat, Outcome};
pub use error::StoreError;
pub use events::{Arrival, Recorded, StoredEvent};
pub use foreign::{Foreign, ForeignRow, Wanted};
pub use forget::Forgetting;
pub use hearing::Heard;
pub use home::Home;
pub use imports::ImportState;
pub use injections::{Given, Receipt, ReceiptId, Usefulness};
pub use inspect::{Day, InjectedRow, InjectionRow, MemoryRow, NewestIds, Page, Totals};
pub use jobs::{Job, JobId, MOST_ATTEMPTS};
pub use ledger::InView;
pub use maintain::{MaintainReport, Retention};
pub use meanings::UntoldMeaning;
pub use memories::{Kept, NewMemory, Origin, Past};
pub use model_calls::{CallId, CallOutcome, Caps, Leave, ModelWork, Refusal};
pub use open::{Purpose, Store, sqlite_version};
pub use polish::Polished;
pub use projects::{Project, ProjectSummary};
pub use ranking::WordHit;
pub use repair::Repair;
pub use revise::{Author, Pin, Revision};
pub use search::{Filter, Scope, StandingFilter, WordAnswer, WordStrategy};
pub use sessions::{Session, SessionSummary};
pub use shown::{Showing, Shown, UseKind};
pub use spelling::ReadAs;
pub use spool::Spool;
pub use status::{Counts, Status};
pub use structure::Neighbours;
pub use teams::{Joining, SharedProject, Team};
pub use telling::{Saying, Untold};
pub use travel::{Carried, Ties, Wording};
pub use vectors::EVERYWHERE;
pub use words::WordQuery;
