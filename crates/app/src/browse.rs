//! Browsing the store page by page, newest first: memories, sessions, and injections with their lines (law 9); what lies behind a
//! memory; and watching whether anything was written.

use crate::app::App;
use crate::error::{AppError, ErrorCode};
use crate::transcript::prompt_of;
use backstory_memory::{InjectionId, Link, MemoryId};
use backstory_store::{
    InjectedRow, InjectionRow, MemoryRow, NewestIds, PageRequest, Purpose, Revision, SessionSummary, Store,
    StoredEvent,
};

/// One page of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The rows, newest first.
    pub rows: Vec<T>,
    /// Where the next page begins, if this one is full.
    pub next: Option<i64>,
}

/// A session in a list.
#[derive(Clone, Debug)]
pub struct SessionRow {
    /// The session, and how much it holds.
    pub summary: SessionSummary,
    /// Its first prompt.
    pub prompt: Option<String>,
}

/// An injection with everything that is known of it.
#[derive(Clone, Debug)]
pub struct InjectionRecord {
    /// The injection.
    pub injection: InjectionRow,
    /// What was injected, word for word, as long as it is kept.
    pub text: Option<String>,
    /// Its memories, and why each was there.
    pub memories: Vec<InjectedRow>,
}

/// What lies behind a memory.
#[derive(Clone, Debug)]
pub struct MemoryBackground {
    /// Events it rests on, the oldest first. Events are kept for a while only; the memory outlives them.
    pub evidence: Vec<StoredEvent>,
    /// How many more it rests on.
    pub more_evidence: usize,
    /// What it has to do with other memories.
    pub links: Vec<Link>,
    /// What it said before, the newest first.
    pub revisions: Vec<Revision>,
}

impl App {
    /// Lists memories.
    pub fn browse_memories(&self, store: &Store, page: &PageRequest) -> Result<Page<MemoryRow>, AppError> {
        let rows = store.browse().memories(page)?;
        Ok(full_page(rows, page, |row| row.id.0))
    }

    /// Lists sessions.
    pub fn browse_sessions(&self, store: &Store, page: &PageRequest) -> Result<Page<SessionRow>, AppError> {
        let rows = store.browse().sessions(page)?.into_iter().map(|summary| self.session_row(store, summary));
        Ok(full_page(rows.collect::<Result<_, _>>()?, page, |row| row.summary.session.id.0))
    }

    /// Lists injections.
    pub fn browse_injections(
        &self,
        store: &Store,
        page: &PageRequest,
    ) -> Result<Page<InjectionRow>, AppError> {
        let rows = store.browse().injections(page)?;
        Ok(full_page(rows, page, |row| row.id.0))
    }

    /// Reads all there is of an injection.
    pub fn injection_record(&self, store: &Store, id: InjectionId) -> Result<InjectionRecord, AppError> {
        let injection = store.browse().injection(id)?.ok_or_else(|| {
            AppError::new(ErrorCode::NoSuchInjection, format!("there is no injection {}", id.0))
        })?;
        let (text, memories) = (store.browse().injection_text(id)?, store.browse().injected(id)?);
        Ok(InjectionRecord { injection, text, memories })
    }

    /// Reads what lies behind a memory, with the first `most` of its events.
    pub fn memory_background(
        &self,
        store: &Store,
        id: MemoryId,
        most: usize,
    ) -> Result<MemoryBackground, AppError> {
        let ids = store.memories().evidence(id)?;
        let kept = ids.iter().take(most).filter_map(|id| store.events().get(*id).transpose());
        let evidence = kept.collect::<Result<Vec<_>, _>>()?;
        Ok(MemoryBackground {
            more_evidence: ids.len() - evidence.len(),
            evidence,
            links: store.memories().links(id)?,
            revisions: store.memories().revisions(id)?,
        })
    }

    /// Opens the store to look now and then whether anything was written.
    pub fn store_to_watch(&self) -> Result<Store, AppError> {
        Ok(Store::open(&self.home, Purpose::Read, self.now)?)
    }

    pub(crate) fn session_row(&self, store: &Store, summary: SessionSummary) -> Result<SessionRow, AppError> {
        let prompt = store.events().first_prompt(summary.session.id)?.and_then(|event| prompt_of(&event));
        Ok(SessionRow { summary, prompt })
    }
}

/// Returns a number that changes whenever another process or connection writes.
pub fn data_version(store: &Store) -> Result<i64, AppError> {
    Ok(store.browse().data_version()?)
}

/// Returns the newest id of memories, events and injections.
pub fn newest_ids(store: &Store) -> Result<NewestIds, AppError> {
    Ok(store.browse().newest_ids()?)
}

fn full_page<T>(rows: Vec<T>, page: &PageRequest, id_of: impl Fn(&T) -> i64) -> Page<T> {
    // A full last page leads to an empty one: telling them apart would need one more row of each page.
    let next = rows.last().map(id_of).filter(|_| rows.len() >= page.limit as usize);
    Page { rows, next }
}
