//! Forgetting for good: memories, events, and whatever holds a phrase. Only a tombstone stays, so that nothing comes back.

use crate::app::App;
use crate::config::McpWrite;
use crate::error::{AppError, ErrorCode};
use crate::vectors;
use crate::words::{counted, memories};
use backstory_memory::{EventId, MemoryId};
use backstory_store::{ForgetReport, PhraseMatches, Store, StoredEvent};
use serde_json::Value;
use std::path::PathBuf;

/// The shortest phrase that may be forgotten: a shorter one stands in nearly everything.
const SHORTEST_PHRASE: usize = 3;

/// What was forgotten, and what is left of it.
#[derive(Clone, Debug)]
pub struct ForgetResponse {
    /// The memories that are gone.
    pub forgotten: Vec<MemoryId>,
    /// How many events are gone, prompts among them.
    pub events: u64,
    /// Memories that hold again, because what had replaced them is gone.
    pub revived: Vec<MemoryId>,
    /// Memories that are left and say the same in part.
    pub mentioned_in: Vec<MemoryId>,
    /// Files that could not be changed and may still hold traces.
    pub remains_in: Vec<PathBuf>,
}

impl App {
    /// Refuses forgetting to an agent, unless the user lets agents forget (`[mcp] write = "all"`).
    pub fn refuse_agent_forgetting(&self) -> Result<(), AppError> {
        if self.config.mcp.write == McpWrite::All { Ok(()) } else { self.refuse_agent("forget anything") }
    }

    /// Forgets existing memories, with their vectors and the events that say the same.
    pub fn forget(&self, store: &mut Store, ids: &[MemoryId]) -> Result<ForgetResponse, AppError> {
        self.refuse_agent_forgetting()?;
        let done = store.memories_mut().forget(ids, self.now)?;
        Ok(self.respond(store, done))
    }

    /// Forgets existing events. The memories made from them stay, and are named in the response.
    pub fn forget_events(&self, store: &mut Store, ids: &[EventId]) -> Result<ForgetResponse, AppError> {
        self.refuse_agent_forgetting()?;
        let mut made_from: Vec<MemoryId> = Vec::new();
        for id in ids {
            // Asked first: forgetting an event also removes the evidence that leads from it to its memories.
            made_from.extend(store.events().memories_from(*id)?);
        }
        made_from.sort_unstable();
        made_from.dedup();
        let mut done = store.events_mut().forget(ids, self.now)?;
        done.mentioned_in = made_from;
        Ok(self.respond(store, done))
    }

    /// Finds everything that holds a phrase.
    pub fn containing(&self, store: &Store, phrase: &str) -> Result<PhraseMatches, AppError> {
        if phrase.chars().filter(|c| !c.is_whitespace()).count() < SHORTEST_PHRASE {
            return Err(AppError::usage(format!(
                "a text to forget has at least {SHORTEST_PHRASE} characters"
            )));
        }
        Ok(store.memories().containing(phrase)?)
    }

    /// Forgets everything that holds a phrase.
    pub fn forget_text(&self, store: &mut Store, phrase: &str) -> Result<ForgetResponse, AppError> {
        self.refuse_agent_forgetting()?;
        let done = store.memories_mut().forget_text(phrase, self.now)?;
        Ok(self.respond(store, done))
    }

    /// Reads an event.
    pub fn event(&self, store: &Store, id: EventId) -> Result<StoredEvent, AppError> {
        store.events().get(id)?.ok_or_else(|| {
            AppError::new(ErrorCode::NoSuchEvent, format!("there is no event {id}"))
                .hint("`backstory forget --text WORDS` finds events by what they say")
        })
    }

    fn respond(&self, store: &mut Store, mut done: ForgetReport) -> ForgetResponse {
        done.remains_in.extend(vectors::forget(store, self));
        let ForgetReport { forgotten, events, revived, mentioned_in, remains_in } = done;
        ForgetResponse { forgotten, events, revived, mentioned_in, remains_in }
    }
}

/// Returns what an event says, without the names of its fields.
#[must_use]
pub fn event_text(stored: &StoredEvent) -> String {
    fn gather(value: &Value, texts: &mut Vec<String>) {
        match value {
            Value::String(text) => texts.push(text.clone()),
            Value::Array(values) => values.iter().for_each(|value| gather(value, texts)),
            Value::Object(fields) => {
                // `what` holds the type of the payload.
                fields.iter().filter(|(name, _)| *name != "what").for_each(|(_, value)| gather(value, texts));
            }
            _ => {}
        }
    }
    let mut texts = Vec::new();
    gather(&serde_json::from_str(&stored.event.payload).unwrap_or_default(), &mut texts);
    texts.join(" ")
}

impl ForgetResponse {
    /// Says what was done, on one line.
    #[must_use]
    pub fn headline(&self) -> String {
        let forgotten = memories(self.forgotten.len() as u64);
        match (self.forgotten.len(), self.events) {
            (_, 0) => format!("forgot {forgotten}"),
            (0, events) => format!("forgot {}", counted(events, "event")),
            (_, events) => format!("forgot {forgotten} and {} that said the same", counted(events, "event")),
        }
    }

    /// Says what else the user has to know.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let revived = |id| format!("note: #{id} is in force again: what had replaced it is gone");
        let mut notes: Vec<String> = self.revived.iter().map(revived).collect();
        if !self.mentioned_in.is_empty() {
            let numbers: Vec<String> = self.mentioned_in.iter().map(ToString::to_string).collect();
            let numbers = numbers.join(" ");
            notes.push(format!(
                "note: other memories still say it in part: `backstory forget {numbers}` forgets them too"
            ));
        }
        let remains = |path: &PathBuf| {
            let path = path.display();
            format!(
                "note: traces may remain in `{path}`, which could not be changed; remove it if you can do without it"
            )
        };
        notes.extend(self.remains_in.iter().map(remains));
        notes
    }
}
