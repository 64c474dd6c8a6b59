//! Live events: every listener gets the newest ids of what was written. Without a listener the store is not polled.

use crate::ApiHandler;
use backstory_store::NewestIds;
use hyper::body::Bytes;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, sleep};

/// How often the store is polled while there are listeners.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// A listener that got nothing for so long gets a comment, which shows that the worker is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A listener with so many unread messages is dropped; the browser reconnects by itself.
const MOST_BEHIND: usize = 64;
/// The most listeners at a time; further ones are refused.
const MOST_LISTENERS: usize = 64;

/// The open connections that get live events.
#[derive(Default)]
pub(crate) struct Listeners {
    all: Mutex<Vec<Sender<Bytes>>>,
    added: Notify,
}

impl Listeners {
    /// Adds a listener; `None` if there are too many.
    pub(crate) fn add(&self) -> Option<Receiver<Bytes>> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|listener| !listener.is_closed());
        if all.len() >= MOST_LISTENERS {
            return None;
        }
        let (sender, receiver) = channel(MOST_BEHIND);
        // Sends a comment at once, so that the browser knows that it is connected.
        sender.try_send(Bytes::from_static(b": here\n\n")).ok()?;
        all.push(sender);
        self.added.notify_one();
        Some(receiver)
    }

    /// Whether there is a listener.
    pub(crate) fn any(&self) -> bool {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|listener| !listener.is_closed());
        !all.is_empty()
    }

    /// Drops every listener.
    pub(crate) fn end(&self) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn send(&self, text: &str) {
        let bytes = Bytes::copy_from_slice(text.as_bytes());
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|listener| listener.try_send(bytes.clone()).is_ok());
    }
}

/// Sends the newest ids to the listeners, for ever.
pub(crate) async fn watch(listeners: Arc<Listeners>, handler: Arc<ApiHandler>) {
    loop {
        listeners.added.notified().await;
        let mut known = newest(&handler).await;
        let mut sent_at = Instant::now();
        while listeners.any() {
            sleep(POLL_INTERVAL).await;
            let found = newest(&handler).await;
            let changes = changes(known, found);
            if !changes.is_empty() || sent_at.elapsed() >= HEARTBEAT {
                listeners.send(if changes.is_empty() { ": still here\n\n" } else { &changes });
                sent_at = Instant::now();
            }
            known = found.or(known);
        }
    }
}

async fn newest(handler: &Arc<ApiHandler>) -> Option<NewestIds> {
    let handler = Arc::clone(handler);
    tokio::task::spawn_blocking(move || handler.newest()).await.ok().flatten()
}

fn changes(known: Option<NewestIds>, found: Option<NewestIds>) -> String {
    let (Some(known), Some(found)) = (known, found) else { return String::new() };
    let pairs = [
        ("event", known.event, found.event),
        ("memory", known.memory, found.memory),
        ("injection", known.injection, found.injection),
    ];
    let newer = pairs.into_iter().filter(|(_, known, found)| found > known);
    newer.map(|(name, _, id)| format!("event: {name}\ndata: {{\"id\": {id}}}\n\n")).collect()
}
