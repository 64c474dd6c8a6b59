//! Teams: one protocol to push and pull memories, over two transports: a PostgreSQL hub and a folder in git. The only crate that knows
//! PostgreSQL.
//!
//! Not here: words for people, passwords, settings and the clock: the caller passes them in as values.

mod error;
mod git;
mod hub;
mod hub_access;
mod hub_timeout;
mod hub_transport;
mod project_sync;
mod share_policy;
mod sharing;
mod sync_lock;
mod team_sync;
mod transport;
mod vector_push;

pub use error::SyncError;
pub use git::{
    GitPull, GitPush, GitPushPreview, GitShare, RefusedFile, RefusedFiles, author_name, preview_pull,
    preview_push, pull_from_folder, push_to_folder,
};
#[cfg(feature = "team-hub")]
pub use hub::SCHEMA;
pub use hub::{
    Hub, HubAddress, HubAddressError, HubError, HubMigration, HubOwner, Invitation, MemoryVectors, Pulled,
    Pushed, QueryVector, RejectedMemory, Revocation, TeamHit, TeamName, TeamQuery, UnusableName,
    VectorSupport,
};
pub use hub_access::HubAccess;
pub use hub_timeout::with_hub_timeout;
pub use project_sync::{SyncReport, outgoing};
pub use share_policy::{SharePolicy, TeamProvenance};
pub use sharing::{
    PendingDeletions, git_author, hub_teams, is_git_team, is_shared_by_git, pending_deletions,
    shared_through_hubs,
};
pub use sync_lock::SyncLock;
pub use team_sync::{TeamSync, push_deletions};
