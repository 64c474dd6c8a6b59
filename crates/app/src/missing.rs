//! Why something became no memory: whether it was captured, what became of it, and what a writer said against it.
//!
//! Not here: explaining a memory that is there (`why`).

use crate::app::{App, ProjectSelector};
use crate::error::AppError;
use backstory_capture::{body_of, whole_text};
use backstory_memory::{Activity, Memory, MemoryId, WantedWords, typed_words};
use backstory_recall::word_query;
use backstory_store::{Filter, Rejection, StandingFilter, Store, StoredEvent};

/// How many of each are listed: together one screen.
const MOST_EVENTS: usize = 5;
const MOST_MEMORIES: usize = 8;
const MOST_REJECTIONS: usize = 8;
/// How many of the closest memories are looked at.
const COMPARED: u32 = 40;

/// What somebody misses.
#[derive(Clone, Debug)]
pub struct MissingRequest {
    /// Words of it.
    pub words: String,
    /// Where to look.
    pub projects: ProjectSelector,
}

/// What is known of something that somebody misses.
#[derive(Clone, Debug, Default)]
pub struct MissingResponse {
    /// How many events say it.
    pub captured: usize,
    /// What the user said of it first, then the newest events.
    pub events: Vec<StoredEvent>,
    /// The memories that say it; retired and superseded ones included.
    pub memories: Vec<Memory>,
    /// Other memories that were made from an event that says it, perhaps in other words.
    pub same_event: Vec<Memory>,
    /// What writers turned down.
    pub rejections: Vec<Rejection>,
    /// Whether all the user ever said of it was pasted.
    pub is_pasted: bool,
}

impl MissingResponse {
    /// Whether nothing at all is known of it.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.captured == 0 && self.memories.is_empty() && self.rejections.is_empty()
    }
}

impl App {
    /// Finds out why something became no memory.
    pub fn missing(&self, store: &Store, request: &MissingRequest) -> Result<MissingResponse, AppError> {
        let wanted = WantedWords::new(&request.words);
        if wanted.is_empty() {
            return Err(AppError::usage("say which words to look for"));
        }
        let Some(scope) = self.scope(store, &request.projects)? else {
            return Ok(MissingResponse::default());
        };
        let mut events = store.events().saying(&wanted, scope)?;
        let filter = Filter { standing: StandingFilter::Any, limit: COMPARED, ..Filter::within(scope) };
        let same_event = made_from(store, &events)?;
        let mut memories = said_in_memories(store, &wanted, &request.words, &filter)?;
        // The body of a memory quotes the message it came from, so a match there only shows the same event: title and facts are its own words.
        memories
            .retain(|memory| says(memory, &wanted) || !same_event.iter().any(|made| made.id == memory.id));
        memories.truncate(MOST_MEMORIES);
        let is_listed = |made: &Memory| memories.iter().any(|memory| memory.id == made.id);
        let same_event = same_event.into_iter().filter(|made| !is_listed(made)).collect();
        let mut rejections = store.rejections().matching(&wanted, scope)?;
        rejections.truncate(MOST_REJECTIONS);
        let is_pasted = is_pasted(&events, &wanted);
        let captured = events.len();
        events.truncate(MOST_EVENTS);
        Ok(MissingResponse { captured, events, memories, same_event, rejections, is_pasted })
    }
}

fn said_in_memories(
    store: &Store,
    wanted: &WantedWords,
    words: &str,
    filter: &Filter,
) -> Result<Vec<Memory>, AppError> {
    let ids: Vec<MemoryId> =
        store.search().exact(&word_query(words), filter)?.iter().map(|hit| hit.memory).collect();
    let memories = store.memories().get_many(&ids)?;
    Ok(memories.into_iter().filter(|memory| wanted.are_in(&whole_text(&memory.content))).collect())
}

fn says(memory: &Memory, wanted: &WantedWords) -> bool {
    let said: Vec<&str> =
        [&memory.content.title].into_iter().chain(&memory.content.facts).map(String::as_str).collect();
    wanted.are_in(&said.join("\n"))
}

/// Returns the memories that were made from the first of some events.
fn made_from(store: &Store, events: &[StoredEvent]) -> Result<Vec<Memory>, AppError> {
    let mut ids: Vec<MemoryId> = Vec::new();
    for event in events.iter().take(MOST_EVENTS) {
        ids.extend(store.events().memories_from(event.id)?);
    }
    ids.sort_unstable();
    ids.dedup();
    ids.truncate(MOST_MEMORIES);
    Ok(store.memories().get_many(&ids)?)
}

/// Whether all prompts that say it hold it in pasted text only.
fn is_pasted(events: &[StoredEvent], wanted: &WantedWords) -> bool {
    let prompts: Vec<String> = events
        .iter()
        .filter_map(|stored| match body_of(&stored.event)?.activity {
            Activity::Prompted { text } | Activity::Interjected { text } => Some(text),
            _ => None,
        })
        .collect();
    !prompts.is_empty() && !prompts.iter().any(|text| wanted.are_in(&typed_words(text)))
}
