//! The user's verdict on proposed memories: listing them, confirming, retiring and pinning.
//!
//! Never through MCP: an agent cannot confirm what it wrote.

use crate::app::{App, ProjectSelector};
use crate::error::AppError;
use backstory_memory::{Kind, Memory, MemoryId, Timestamp};
use backstory_store::{Filter, Pin, Store, Verdict};

/// Which proposed memories to list.
#[derive(Clone, Debug)]
pub struct ReviewRequest {
    /// Of which projects.
    pub projects: ProjectSelector,
    /// Written since; otherwise of the last week.
    pub since: Option<Timestamp>,
    /// Only these kinds; none means all.
    pub kinds: Vec<Kind>,
    /// How many at the most.
    pub limit: u32,
}

impl App {
    /// Lists what waits for the user's verdict, newest first.
    pub fn review(&self, store: &Store, request: &ReviewRequest) -> Result<Vec<Memory>, AppError> {
        let Some(scope) = self.scope(store, &request.projects)? else { return Ok(Vec::new()) };
        let since = request.since.unwrap_or_else(|| self.now.plus_ms(-7 * Timestamp::DAY_MS));
        let filter = Filter {
            since: Some(since),
            kinds: request.kinds.clone(),
            limit: request.limit,
            ..Filter::within(scope)
        };
        Ok(store.memories().proposed(&filter)?)
    }

    /// Pins a memory, or releases it.
    pub fn pin(&self, store: &mut Store, id: MemoryId, pin: Pin) -> Result<(), AppError> {
        self.refuse_agent("pin a memory")?;
        Ok(store.memories_mut().pin(id, pin)?)
    }

    /// Records the user's verdict on a memory.
    pub fn record_verdict(
        &self,
        store: &mut Store,
        id: MemoryId,
        verdict: Verdict,
    ) -> Result<Memory, AppError> {
        self.refuse_agent(match verdict {
            Verdict::Confirm => "confirm a memory",
            Verdict::Retire => "retire a memory",
        })?;
        self.memory(store, id)?;
        store.memories_mut().record_verdict(id, verdict, self.now)?;
        self.memory(store, id)
    }
}
