//! Sessions: listed newest first, found by name, and one shown step by step with what was learnt from it.

use crate::app::{App, ProjectSelector};
use crate::browse::SessionRow;
use crate::error::{AppError, ErrorCode};
use backstory_memory::{ChangedSymbol, EventId, Kind, Memory, SessionId, Timestamp};
use backstory_store::{Filter, Session, SessionSummary, Store, StoredEvent};

/// How many changed symbols are listed.
const MOST_CHANGES: u32 = 500;
const LISTS_ALL: &str = "`backstory sessions --all-projects` lists them all";

/// Which sessions to list.
#[derive(Clone, Debug, Default)]
pub struct SessionsRequest {
    /// Where to look.
    pub projects: ProjectSelector,
    /// At work at this time or after it.
    pub since: Option<Timestamp>,
    /// Begun before this time.
    pub until: Option<Timestamp>,
    /// With a memory of one of these kinds; none means all sessions.
    pub kinds: Vec<Kind>,
    /// How many at the most; without it, as many as are configured.
    pub limit: Option<u32>,
    /// How many to skip.
    pub offset: u32,
}

/// One session with everything that is known of it.
#[derive(Clone, Debug)]
pub struct SessionRecord {
    /// The session, and how much it holds.
    pub summary: SessionSummary,
    /// What happened, in order.
    pub events: Vec<StoredEvent>,
    /// What was learnt from it.
    pub memories: Vec<Memory>,
    /// The symbols it changed, oldest first.
    pub code_changes: Vec<ChangedSymbol>,
}

impl App {
    /// Lists sessions, newest first.
    pub fn sessions(
        &self,
        store: &Store,
        request: &SessionsRequest,
    ) -> Result<Vec<SessionSummary>, AppError> {
        let Some(scope) = self.scope(store, &request.projects)? else { return Ok(Vec::new()) };
        let filter = Filter {
            since: request.since,
            until: request.until,
            kinds: request.kinds.clone(),
            limit: request.limit.unwrap_or(self.config.search.limit),
            offset: request.offset,
            ..Filter::within(scope)
        };
        Ok(store.sessions().list_filtered(&filter)?)
    }

    /// Lists sessions with what each was first asked for.
    pub fn session_rows(
        &self,
        store: &Store,
        request: &SessionsRequest,
    ) -> Result<Vec<SessionRow>, AppError> {
        let listed = self.sessions(store, request)?;
        listed.into_iter().map(|summary| self.session_row(store, summary)).collect()
    }

    /// Finds a session by its number, by the host's name for it or the beginning of that; `last` is the newest of the project (law 8).
    pub fn find_session(
        &self,
        store: &Store,
        wanted: &str,
        projects: &ProjectSelector,
    ) -> Result<Session, AppError> {
        if wanted == "last" {
            return self.last_session(store, projects);
        }
        let by_number = wanted.trim_start_matches('#').parse().ok().map(SessionId);
        if let Some(session) = by_number.map(|id| store.sessions().get(id)).transpose()?.flatten() {
            return Ok(session);
        }
        let mut named = store.sessions().starting_with(wanted)?;
        match (named.pop(), named.len()) {
            (Some(session), 0) => Ok(session),
            (Some(_), more) => {
                let message = format!("{} sessions begin with `{wanted}`", more + 1);
                Err(AppError::new(ErrorCode::AmbiguousSession, message).hint(LISTS_ALL))
            }
            (None, _) => {
                let message = format!("there is no session `{wanted}`");
                Err(AppError::new(ErrorCode::NoSuchSession, message).hint(LISTS_ALL))
            }
        }
    }

    /// Reads all there is of a session.
    pub fn session_record(&self, store: &Store, session: Session) -> Result<SessionRecord, AppError> {
        let events = store.events().of_session(session.id, EventId(0))?;
        let memories = store.memories().get_many(&store.memories().of_session(session.id)?)?;
        let mut code_changes = store.code().changes(session.project, Some(session.id), MOST_CHANGES)?;
        code_changes.reverse();
        let counts = (events.len() as u64, memories.len() as u64);
        let summary = SessionSummary { session, events: counts.0, memories: counts.1 };
        Ok(SessionRecord { summary, events, memories, code_changes })
    }

    fn last_session(&self, store: &Store, projects: &ProjectSelector) -> Result<Session, AppError> {
        let request =
            SessionsRequest { projects: projects.clone(), limit: Some(1), ..SessionsRequest::default() };
        let last = self.sessions(store, &request)?.pop().map(|summary| summary.session);
        last.ok_or_else(|| {
            AppError::new(ErrorCode::NoSuchSession, "no sessions of this project yet")
                .hint("`backstory sessions --all-projects` lists those of others")
                .hint("`backstory doctor` checks whether hooks run")
        })
    }
}
