//! The hub: a team's memories in a PostgreSQL database the team already has.
//!
//! There is no server of ours: `migrations/` says who may see and do what, and the database enforces it. Not here: what may be shared
//! (`share_policy`), how a project is synced (`project_sync`), where passwords are kept (the caller).

mod address_error;
mod hub_answers;
mod hub_error;
mod hub_requests;
mod team_name;

#[cfg(feature = "team-hub")]
mod address;
#[cfg(feature = "team-hub")]
mod connection;
#[cfg(feature = "team-hub")]
mod hub_vectors;
#[cfg(feature = "team-hub")]
mod members;
#[cfg(feature = "team-hub")]
mod message_limit;
#[cfg(feature = "team-hub")]
mod migrate;
#[cfg(feature = "team-hub")]
mod pull;
#[cfg(feature = "team-hub")]
mod push;
#[cfg(feature = "team-hub")]
mod rows;
#[cfg(feature = "team-hub")]
mod sql_error;
#[cfg(feature = "team-hub")]
mod team_search;
#[cfg(feature = "team-hub")]
mod tls;

#[cfg(not(feature = "team-hub"))]
mod no_hub;

pub use address_error::HubAddressError;
pub use hub_answers::{
    HubMigration, Invitation, Pulled, Pushed, RejectedMemory, Revocation, TeamHit, VectorSupport,
};
pub use hub_error::HubError;
pub use hub_requests::{MemoryVectors, QueryVector, TeamQuery};
pub use team_name::{TeamName, UnusableName};

#[cfg(feature = "team-hub")]
pub use self::{address::HubAddress, connection::Hub, members::HubOwner, migrate::CURRENT as SCHEMA};
#[cfg(not(feature = "team-hub"))]
pub use no_hub::{Hub, HubAddress, HubOwner};
