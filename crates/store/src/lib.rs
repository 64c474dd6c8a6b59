//! The store: one SQLite file and what stands beside it. The only crate that knows SQL.
//!
//! [`Store`] opens the file; its parts are reached through readers and writers: `store.memories().get(id)`,
//! `store.sync_mut().mark_pushed(..)`. The modules are grouped the same way.
//!
//! Not here: redaction (everything arrives redacted), ranking beyond what the word index says, words for the screen.
//!
//! **Locking.** Many short-lived processes write at once. Every writing transaction is `BEGIN IMMEDIATE` and short; who cannot
//! write in time puts an event into the spool instead. Nothing else opens the database file: closing any other descriptor on it
//! would drop SQLite's locks in this process.
//!
//! **Compatibility.** `user_version` is the schema. A newer one is refused untouched, an older one is migrated in one transaction; one from
//! before the first release is refused untouched, too.

mod db;
mod events;
mod injections;
mod memories;
mod search;
mod sync;
mod upkeep;

pub use db::error::StoreError;
pub use db::facets::{
    BrowseReader, CodeReader, CodeWriter, EventReader, EventWriter, ImportReader, ImportWriter,
    InjectionReader, InjectionWriter, JobReader, JobWriter, MemoryReader, MemoryWriter, ProjectReader,
    ProjectWriter, RejectionReader, RejectionWriter, SearchReader, SessionReader, SessionWriter, SyncReader,
    SyncWriter, UpkeepReader, UpkeepWriter, VectorReader, VectorWriter,
};
pub use db::foreign::{ForeignDatabase, ForeignLimits, ForeignRow, RowQuery};
pub use db::home::Home;
pub use db::open::{Purpose, Store, sqlite_version};
pub use events::code::{FileMap, FileState, FileUpdate};
pub use events::imports::ImportProgress;
pub use events::losses::{LossCounter, LostEvents};
pub use events::projects::{Project, ProjectClaim, ProjectSummary, Recognition};
pub use events::sessions::{Session, SessionSummary};
pub use events::spool::Spool;
pub use events::{EventLocation, IncomingEvent, RecordOutcome, RecordedEvent, StoredEvent};
pub use injections::context_window::ContextWindow;
pub use injections::impressions::{ImpressionKind, Impressions, UseKind};
pub use injections::{MemoryInjection, Receipt, ReceiptId, Usefulness};
pub use memories::anchors::Anchor;
pub use memories::assertions::ReconciledMemory;
pub use memories::distilled::{DistilOutcome, DistilledMemory, OnRepeat};
pub use memories::forget::{ForgetReport, PhraseMatches};
pub use memories::rejections::{NewRejection, Rejection};
pub use memories::revise::Pin;
pub use memories::revisions::{Author, Revision};
pub use memories::session_work::SessionWork;
pub use memories::standing::Verdict;
pub use memories::transfer::{Attachments, MemoryLinks};
pub use memories::{InsertOutcome, MemoryOrigin, NewMemory, UsageHistory};
pub use search::filter::{Filter, Scope, StandingFilter};
pub use search::ranking::WordHit;
pub use search::related::SessionNeighbours;
pub use search::spelling::SpellingCorrection;
pub use search::words::WordQuery;
pub use search::{WordResult, WordStrategy};
pub use sync::held::{HELD_DAYS, HeldMemory};
pub use sync::inbox::InboxReport;
pub use sync::outbox::{OutboxEntry, OutboxMemory};
pub use sync::teams::{JoinOutcome, SharedProject, Team, TeamTransport};
pub use sync::vector_outbox::VectorOutboxEntry;
pub use upkeep::activity::{DayTotals, DaysRequest, FileActivity};
pub use upkeep::check::{CheckDepth, CheckReport};
pub use upkeep::inspect::{Day, InjectedRow, InjectionRow, MemoryRow, NewestIds, PageRequest, Totals};
pub use upkeep::maintain::{MaintainReport, RetentionPolicy};
pub use upkeep::model_calls::{
    CallCaps, CallCost, CallId, CallOutcome, CallPermission, CallRefusal, CallRequest, ModelUse, WriterStatus,
};
pub use upkeep::repair::RepairReport;
pub use upkeep::status::{StoreCounts, StoreStatus};
pub use upkeep::vectors::ANY_PROJECT;
pub use upkeep::writer_jobs::{MOST_ATTEMPTS, WriterJob};
