//! The timeline: what came before and after a memory, or the newest memories of a project.

use crate::app::{App, ProjectSelector};
use crate::error::AppError;
use backstory_memory::{Kind, Memory, MemoryId, Timestamp};
use backstory_store::{Filter, StandingFilter, Store};

/// Which part of the timeline is wanted.
#[derive(Clone, Debug, Default)]
pub struct TimelineRequest {
    /// The memory in the middle; without one, the newest memories.
    pub anchor: Option<MemoryId>,
    /// How many before the anchor.
    pub before: u32,
    /// How many after the anchor.
    pub after: u32,
    /// Where to look when there is no anchor.
    pub projects: ProjectSelector,
    /// Written at this time or after it, if there is no anchor.
    pub since: Option<Timestamp>,
    /// Written before this time.
    pub until: Option<Timestamp>,
    /// Only these kinds; none means all.
    pub kinds: Vec<Kind>,
    /// How many of the newest; without it, as many as are configured.
    pub limit: Option<u32>,
}

impl App {
    /// Returns memories in the order they were written, oldest first.
    pub fn timeline(&self, store: &Store, request: &TimelineRequest) -> Result<Vec<Memory>, AppError> {
        let ids = match request.anchor {
            Some(anchor) => store.search().timeline(anchor, request.before, request.after)?,
            None => self.newest_memories(store, request)?,
        };
        Ok(store.memories().get_many(&ids)?)
    }

    fn newest_memories(&self, store: &Store, request: &TimelineRequest) -> Result<Vec<MemoryId>, AppError> {
        let Some(scope) = self.scope(store, &request.projects)? else { return Ok(Vec::new()) };
        let limit = request.limit.unwrap_or(self.config.search.limit);
        let filter = Filter {
            limit,
            standing: StandingFilter::Any,
            since: request.since,
            until: request.until,
            kinds: request.kinds.clone(),
            ..Filter::within(scope)
        };
        let mut newest = store.search().list(&filter)?;
        newest.reverse();
        Ok(newest)
    }
}
