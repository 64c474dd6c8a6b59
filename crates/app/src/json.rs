//! The JSON other programs read: stable, documented in `docs/json.md`, and converted here from the domain's own types.
#![expect(missing_docs, reason = "the fields are the JSON keys; docs/json.md explains them")]

mod absence;
mod configuration;
mod explanation;
mod hits;
mod imports;
mod injection_preview;
mod memory;
mod outgoing;
mod project;
mod refusal;
mod session;
mod store_status;
mod team_reports;
mod upkeep_reports;
mod writer_reports;

pub use absence::*;
pub use configuration::*;
pub use explanation::*;
pub use hits::*;
pub use imports::*;
pub use injection_preview::*;
pub use memory::*;
pub use outgoing::*;
pub use project::*;
pub use refusal::*;
pub use session::*;
pub use store_status::*;
pub use team_reports::*;
pub use upkeep_reports::*;
pub use writer_reports::*;
