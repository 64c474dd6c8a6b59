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
mod context_window;
mod deadline;
mod distilled;
mod error;
mod events;
mod facets;
mod filter;
mod foreign;
mod forget;
mod history;
mod home;
mod imports;
mod impressions;
mod inbox;
mod injections;
mod inspect;
mod jobs;
mod links;
mod maintain;
mod memories;
mod metadata;
mod migrate;
mod model_calls;
mod open;
mod orientation;
mod outbox;
mod own_sessions;
mod polish;
mod projects;
mod ranking;
mod related;
mod repair;
mod requeue;
mod revise;
mod rows;
mod salvage;
mod search;
mod sessions;
mod spelling;
mod spool;
mod status;
mod sync_state;
mod teams;
mod transfer;
mod vector_outbox;
mod vectors;
mod words;

pub use anchors::Anchor;
pub use check::{CheckDepth, CheckReport};
pub use code::{FileMap, FileState, FileUpdate};
pub use context_window::ContextWindow;
pub use distilled::{DistilOutcome, DistilledMemory, OnRepeat};
pub use error::StoreError;
pub use events::{EventLocation, IncomingEvent, RecordOutcome, RecordedEvent, StoredEvent};
pub use facets::{
    BrowseReader, CodeReader, CodeWriter, EventReader, EventWriter, ImportReader, ImportWriter,
    InjectionReader, InjectionWriter, JobReader, JobWriter, MemoryReader, MemoryWriter, ProjectReader,
    ProjectWriter, SearchReader, SessionReader, SessionWriter, SyncReader, SyncWriter, UpkeepReader,
    UpkeepWriter, VectorReader, VectorWriter,
};
pub use filter::{Filter, Scope, StandingFilter};
pub use foreign::{ForeignDatabase, ForeignRow, RowQuery};
pub use forget::ForgetReport;
pub use home::Home;
pub use imports::ImportProgress;
pub use impressions::{ImpressionKind, Impressions, UseKind};
pub use inbox::InboxReport;
pub use injections::{MemoryInjection, Receipt, ReceiptId, Usefulness};
pub use inspect::{Day, InjectedRow, InjectionRow, MemoryRow, NewestIds, PageRequest, Totals};
pub use jobs::{Job, JobId, MOST_ATTEMPTS};
pub use maintain::{MaintainReport, RetentionPolicy};
pub use memories::{InsertOutcome, MemoryOrigin, NewMemory, UsageHistory};
pub use model_calls::{CallId, CallOutcome, CallPermission, CallRefusal, ModelWorkStatus, TokenCaps};
pub use open::{Purpose, Store, sqlite_version};
pub use outbox::{OutboxEntry, OutboxMemory};
pub use polish::PolishOutcome;
pub use projects::{Project, ProjectSummary};
pub use ranking::WordHit;
pub use related::SessionNeighbours;
pub use repair::RepairReport;
pub use revise::{Author, Pin, Revision};
pub use search::{WordResult, WordStrategy};
pub use sessions::{Session, SessionSummary};
pub use spelling::SpellingCorrection;
pub use spool::Spool;
pub use status::{StoreCounts, StoreStatus};
pub use teams::{JoinOutcome, SharedProject, Team, TeamTransport};
pub use transfer::{Attachments, MemoryLinks, PriorWording};
pub use vector_outbox::VectorOutboxEntry;
pub use vectors::ANY_PROJECT;
pub use words::WordQuery;
