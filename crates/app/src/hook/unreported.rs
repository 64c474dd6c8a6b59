//! What hooks leave out and the host's own transcript has, kept around the turn: before the event at which it is read, because it
//! happened before. What cannot be kept now is read again at the next such event.
//!
//! Not here: what a transcript means (`hosts`).

use super::Hook;
use super::hook_context::HookContext;
use backstory_capture::body_of;
use backstory_hosts::{HostTranscriptEntry, RunningCall, UnreportedEvents};
use backstory_memory::{Activity, EventBody, IdempotencyKey};
use backstory_store::{ImportProgress, IncomingEvent, Session, Store, StoreError};
use std::path::Path;

/// How often a hook goes on reading, while there is more and time for it.
const MOST_READINGS: usize = 4;
/// The share of the time, in percent, after which it does not go on.
const READING_TIME: u32 = 10;
/// A message is looked for among so many.
const LATEST_PROMPTS: u32 = 32;
/// The host may note that it passed a message on this long after its hook said so.
const REPORTED_WITHIN_MS: i64 = 60_000;
/// Fewer bytes without an event are read again instead of noting how far they go: a prompt waits for its hook.
const WORTH_NOTING: u64 = 64 << 10;

impl Hook {
    /// Keeps what the transcript has got since it was last read. A failure here is tried again with the next turn.
    pub(super) fn keep_unreported(&self, context: &mut HookContext) {
        let Some(transcript) = context.live_transcript.take().filter(|_| context.captures) else { return };
        // A session nobody knows has just begun.
        let Some(session) = context.before.clone() else { return };
        let kept = match context.store.take() {
            Some(Ok(mut store)) => {
                let kept = self.catch_up(context, &session, &mut store, Path::new(&transcript));
                context.store = Some(Ok(store));
                kept
            }
            other => {
                context.store = other;
                return;
            }
        };
        if let Err(error) = kept
            && !error.is_transient()
        {
            self.log(&format!("cannot keep what the transcript has: {error}"));
        }
    }

    fn catch_up(
        &self,
        context: &HookContext,
        session: &Session,
        store: &mut Store,
        transcript: &Path,
    ) -> Result<(), StoreError> {
        for _ in 0..MOST_READINGS {
            let has_more = self.read_and_keep(context, session, store, transcript)?;
            if !has_more || self.clock.started.elapsed() > self.share(READING_TIME) {
                break;
            }
        }
        Ok(())
    }

    /// Reads a part of the transcript. Returns whether there is more.
    fn read_and_keep(
        &self,
        context: &HookContext,
        session: &Session,
        store: &mut Store,
        transcript: &Path,
    ) -> Result<bool, StoreError> {
        let source = format!("{} hooks", context.host.as_str());
        let location = context.redactor.scrub(&transcript.to_string_lossy());
        let before = store.imports().progress(&source, &location)?;
        let from = before.map_or(0, |before| before.imported);
        let unreported = match context.host.unreported_events(transcript, from) {
            Ok(Some(unreported)) => unreported,
            Ok(None) => return Ok(false),
            Err(error) => {
                self.log(&format!("cannot read the transcript: {error}"));
                return Ok(false);
            }
        };
        let UnreportedEvents { mut entries, read_to, has_more, running } = unreported;
        if context.ends_session() && !has_more {
            entries.extend(running.into_iter().map(|call| self.still_running(call)));
        }
        let events = self.unknown_events(context, session, store, entries)?;
        if events.is_empty() && read_to.abs_diff(from) < WORTH_NOTING {
            return Ok(false);
        }
        let fingerprint = String::new();
        let progress = ImportProgress { source, location, fingerprint, imported: read_to, is_done: false };
        store.transaction(|store| {
            for event in &events {
                store.events_mut().record(event)?;
            }
            store.imports_mut().save_progress(&progress, self.clock.now)
        })?;
        Ok(has_more)
    }

    /// What had not ended when the session did happens last, however long it had been running.
    fn still_running(&self, call: RunningCall) -> HostTranscriptEntry {
        let RunningCall { id, event } = call;
        HostTranscriptEntry { at: self.clock.now, session: String::new(), cwd: None, id, event }
    }

    /// Makes events of the entries that nobody has reported yet.
    fn unknown_events(
        &self,
        context: &HookContext,
        session: &Session,
        store: &Store,
        entries: Vec<HostTranscriptEntry>,
    ) -> Result<Vec<IncomingEvent>, StoreError> {
        let mut events = Vec::new();
        for entry in entries {
            // A session that came back repeats what happened before it was captured.
            if entry.at < session.started_at {
                continue;
            }
            let HostTranscriptEntry { at, id, event, .. } = entry;
            let kind = event.activity.kind();
            let imported = IdempotencyKey::new(context.host.as_str(), "", kind, &id, "");
            if store.events().contains(imported)? {
                continue;
            }
            // What a hook may report, too, has the key that the hook gives it.
            let key = event.sequence.is_none().then_some(imported);
            let event = self.to_incoming_at(context, Some(store), event, (at.min(self.clock.now), key));
            if !is_reported_already(store, session, &event)? {
                events.push(event);
            }
        }
        Ok(events)
    }
}

/// Whether a hook reported a message typed while the agent worked: some versions of hosts do so, and the transcript may be read only
/// when the turn is long over.
fn is_reported_already(store: &Store, session: &Session, event: &IncomingEvent) -> Result<bool, StoreError> {
    let Some(EventBody { activity: Activity::Interjected { text }, .. }) = body_of(&event.event) else {
        return Ok(false);
    };
    let latest = store.events().latest_prompts(session.id, LATEST_PROMPTS)?;
    let near = latest.iter().filter(|stored| stored.event.at.0 + REPORTED_WITHIN_MS >= event.event.at.0);
    Ok(near.filter_map(|stored| body_of(&stored.event)).any(|body| match body.activity {
        Activity::Prompted { text: said } | Activity::Interjected { text: said } => {
            said.trim() == text.trim()
        }
        _ => false,
    }))
}
