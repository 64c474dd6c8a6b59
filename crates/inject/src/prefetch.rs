//! Opens the recall engine and encodes the prompt on a thread, while the hook captures the event: both take about as long.

use crate::moments::{MOST_PROMPT_CHARS, is_about_something};
use backstory_memory::{InjectionPoint, first_chars};
use backstory_recall::RecallEngine;
use std::sync::Mutex;
use std::thread::{self, JoinHandle};

/// An engine that is being opened.
#[derive(Debug)]
pub struct Prefetch {
    engine: Mutex<Option<JoinHandle<RecallEngine>>>,
}

impl Prefetch {
    /// Starts opening, for a prompt that is about something. Returns `None` for anything else, or if no thread can be had.
    #[must_use]
    pub fn start(
        point: &InjectionPoint,
        open_engine: impl FnOnce() -> RecallEngine + Send + 'static,
    ) -> Option<Prefetch> {
        let InjectionPoint::Prompt { text } = point else { return None };
        if !is_about_something(text) {
            return None;
        }
        let prompt = first_chars(text, MOST_PROMPT_CHARS).to_owned();
        let open = move || {
            let mut engine = open_engine();
            engine.encode_ahead(&prompt);
            engine
        };
        let opening = thread::Builder::new().spawn(open).ok()?;
        Some(Prefetch { engine: Mutex::new(Some(opening)) })
    }

    /// Waits for the engine. Returns `None` if it was taken before, or its thread panicked.
    pub(crate) fn take_engine(&self) -> Option<RecallEngine> {
        self.engine.lock().ok()?.take()?.join().ok()
    }
}
