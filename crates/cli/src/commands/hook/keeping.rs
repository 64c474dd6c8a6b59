//! How a hook keeps what happened: in the store, or in the spool where it must wait (law 3).
//!
//! The hook and its last words may both be at it, each in a thread of its own; what they keep is the same, and known by its key.

use super::Hook;
use super::call::{Scene, happened};
use backstory_app::{AppError, app};
use backstory_capture::{CaptureContext, RawEvent, normalise};
use backstory_hosts::AgentEvent;
use backstory_memory::EventBody;
use backstory_store::{IncomingEvent, Receipt, ReceiptId, Spool, Store, StoreError};
use std::sync::atomic::Ordering;

/// What became of what happened.
pub(super) struct Kept<'a> {
    /// The store it is in, with the proof that the hook ran; nothing where it waits.
    pub(super) stored: Option<(Store, Option<ReceiptId>)>,
    /// The event that was kept, or waits.
    pub(super) event: Option<&'a IncomingEvent>,
}

impl Hook {
    /// Keeps what is not kept yet, and says that the time was over.
    pub(super) fn say_last_words(&self) {
        self.keep_at_last();
        self.log("gave up, the time was over");
    }

    /// Lets what is not kept yet wait in the spool. What was opened or waited for in vain until now is not asked: on a machine that
    /// hardly gets to us, this is all there is time for.
    pub(super) fn keep_at_last(&self) {
        let payload = self.payload.get().filter(|_| !self.is_kept.load(Ordering::Acquire));
        if let Some(Err(failure)) = payload.map(|payload| self.let_wait(payload)) {
            self.log(&failure.line());
        }
    }

    /// Lets what happened wait in the spool. An event that is kept meanwhile is known by its key.
    fn let_wait(&self, payload: &[u8]) -> Result<(), AppError> {
        let Some(mut call) = self.parse(payload)?.filter(|call| call.captures) else { return Ok(()) };
        if self.is_our_session(None, &call) {
            return Ok(());
        }
        self.home.prepare()?;
        let redactor = app::redactor(&call.config, &self.environment, &self.home);
        let scene = Scene::of(&mut call, redactor, None);
        for arrival in self.arrivals(happened(call.event), &scene, None) {
            Spool::new(&self.home).push(arrival)?;
        }
        Ok(())
    }

    /// Keeps what happened, or lets it wait. Where nothing did, the store may still know something.
    pub(super) fn keep(
        &self,
        happened: Vec<AgentEvent>,
        store: Result<Store, StoreError>,
        scene: &Scene,
        receipt: &Receipt,
    ) -> Result<Kept<'_>, AppError> {
        let arrivals = self.arrivals(happened, scene, store.as_ref().ok());
        let Some((event, also)) = arrivals.split_first() else {
            return Ok(Kept { stored: store.ok().map(|store| (store, None)), event: None });
        };
        let mut stored = self.keep_event(event, store, receipt)?;
        for arrival in also {
            // The proof that the hook ran came with the event.
            let is_kept = stored.as_mut().is_some_and(|(store, _)| store.record(arrival).is_ok());
            if !is_kept {
                Spool::new(&self.home).push(arrival)?;
            }
        }
        self.is_kept.store(true, Ordering::Release);
        Ok(Kept { stored, event: Some(event) })
    }

    /// Keeps an event and the proof that the hook ran; nothing where it has to wait.
    fn keep_event(
        &self,
        event: &IncomingEvent,
        store: Result<Store, StoreError>,
        receipt: &Receipt,
    ) -> Result<Option<(Store, Option<ReceiptId>)>, AppError> {
        let stored = store.and_then(|mut store| {
            let (_, proof) = store.record_with_receipt(event, receipt)?;
            Ok((store, proof))
        });
        match stored {
            Ok(stored) => Ok(Some(stored)),
            Err(error) => {
                Spool::new(&self.home).push(event)?;
                if !error.is_transient() {
                    self.log(&format!("an event waits in the spool: {error}"));
                }
                if matches!(error, StoreError::Damaged { .. }) {
                    self.start_housekeeping();
                }
                Ok(None)
            }
        }
    }

    /// Makes what happened fit to be kept.
    fn arrivals(&self, happened: Vec<AgentEvent>, scene: &Scene, store: Option<&Store>) -> &[IncomingEvent] {
        let arrival = |event: AgentEvent| {
            let observation = observation(scene, event);
            // A store that cannot say what it gave must not keep the event from being kept.
            let given =
                store.map(|store| store.recent_shingles(&observation.host, &observation.host_session));
            let given = given.and_then(Result::ok).unwrap_or_default();
            let around = CaptureContext {
                redactor: &scene.redactor,
                most_bytes: scene.most_bytes,
                root: &scene.project_ref.root,
                given: &given,
                at: self.now,
            };
            IncomingEvent { event: normalise(observation, &around), project_ref: scene.project_ref.clone() }
        };
        self.arrivals.get_or_init(|| happened.into_iter().map(arrival).collect())
    }
}

fn observation(scene: &Scene, event: AgentEvent) -> RawEvent {
    RawEvent {
        host: scene.host.as_str().to_owned(),
        host_session: scene.named.clone(),
        tool: event.tool,
        sequence: event.sequence,
        provenance: event.provenance,
        body: EventBody { activity: event.activity, subagent: event.subagent },
    }
}
