//! Keeps what happened: in the store, or in the spool if the store cannot take it now (law 3).
//!
//! The run and its last resort may do this at the same time, each on its own thread. They keep the same events, recognised by their
//! idempotency keys.

use super::hook_context::HookContext;
use super::{Hook, is_damaged};
use crate::error::AppError;
use backstory_capture::{CaptureContext, RawEvent, body_of, normalise};
use backstory_hosts::AgentEvent;
use backstory_inject::{AgentAction, HookLocation};
use backstory_memory::{Activity, EventBody, IdempotencyKey, Timestamp};
use backstory_store::{IncomingEvent, LossCounter, ReceiptId, Spool, Store, StoreError};
use std::sync::atomic::Ordering;

/// What was kept.
pub(super) struct Kept<'a> {
    /// The main event, in the store or in the spool.
    pub(super) event: Option<&'a IncomingEvent>,
    /// The receipt that was written with it.
    pub(super) receipt: Option<ReceiptId>,
    /// What the agent did, to be compared with what was injected.
    pub(super) actions: Vec<AgentAction>,
}

/// So many messages of the user are looked at for the one that began the turn.
const PROMPTS_OF_A_TURN: u32 = 8;

fn said_meanwhile(event: AgentEvent) -> AgentEvent {
    match event.activity {
        Activity::Prompted { text } => AgentEvent { activity: Activity::Interjected { text }, ..event },
        _ => event,
    }
}

impl Hook {
    /// Spools what is not kept yet. Called when the time is over or the run panicked: nothing that made it slow is tried again.
    pub fn keep_at_last(&self) {
        let payload = self.payload.get().filter(|_| !self.is_kept.load(Ordering::Acquire));
        if let Some(Err(error)) = payload.map(|payload| self.spool_payload(payload)) {
            self.log(&error.line());
        }
    }

    fn spool_payload(&self, payload: &[u8]) -> Result<(), AppError> {
        let Some(call) = self.parse(payload)?.filter(|call| call.captures) else { return Ok(()) };
        if self.is_own_session(None, &call) {
            return Ok(());
        }
        self.home.prepare()?;
        let mut context = HookContext::without_store(self, call, None);
        let events = self.incoming(&mut context);
        for (kept, event) in events.iter().enumerate() {
            self.spool(event, events.len() - kept)?;
        }
        Ok(())
    }

    /// Lets an event wait in the spool. Where even that fails, it counts as lost, with those that were to follow it.
    fn spool(&self, event: &IncomingEvent, left: usize) -> Result<(), AppError> {
        let spooled = Spool::new(&self.home).push(event);
        if spooled.is_err()
            && !self.is_loss_counted.swap(true, Ordering::AcqRel)
            && let Err(error) = LossCounter::new(&self.home).count(left as u64, self.clock.now)
        {
            self.log(&format!("lost events are not even counted: {error}"));
        }
        Ok(spooled?)
    }

    /// Keeps what happened, and notes in the context where it belongs.
    pub(super) fn keep(&self, context: &mut HookContext) -> Result<Kept<'_>, AppError> {
        let actions: Vec<AgentAction> =
            context.events.iter().filter_map(|event| AgentAction::from_activity(&event.activity)).collect();
        let Some((event, also)) = self.incoming(context).split_first() else {
            return Ok(Kept { event: None, receipt: None, actions });
        };
        let receipt = self.keep_event(event, also.len(), context)?;
        for (kept, event) in also.iter().enumerate() {
            // The receipt was written with the main event.
            let store = context.store.as_mut().and_then(|store| store.as_mut().ok());
            if store.is_none_or(|store| store.events_mut().record(event).is_err()) {
                self.spool(event, also.len() - kept)?;
            }
        }
        self.is_kept.store(true, Ordering::Release);
        Ok(Kept { event: Some(event), receipt, actions })
    }

    /// Writes an event and the receipt of the hook in one transaction. If the store cannot take it, the event is spooled and the
    /// store is not used any more. `following` is how many events of the call come after it.
    fn keep_event(
        &self,
        event: &IncomingEvent,
        following: usize,
        context: &mut HookContext,
    ) -> Result<Option<ReceiptId>, AppError> {
        let Some(store) = context.store.take() else { return Ok(None) };
        let written = store.and_then(|mut store| {
            let recorded = store.events_mut().record_with_receipt(event, &context.receipt)?;
            Ok((store, recorded))
        });
        match written {
            Ok((store, recorded)) => {
                context.store = Some(Ok(store));
                context.recorded = recorded.location.map(|location| HookLocation {
                    session: Some((location.session, location.session_project)),
                    project_here: Some(location.project_here),
                });
                Ok(recorded.receipt)
            }
            Err(error) => {
                self.spool(event, 1 + following)?;
                self.report_spooled(&error);
                context.store = Some(Err(error));
                Ok(None)
            }
        }
    }

    fn report_spooled(&self, error: &StoreError) {
        if !error.is_transient() {
            self.log(&format!("an event waits in the spool: {error}"));
        }
        if is_damaged(error) {
            self.start("maintain");
        }
    }

    /// Normalises and redacts what happened, once for the run and its last resort.
    fn incoming(&self, context: &mut HookContext) -> &[IncomingEvent] {
        let events = std::mem::take(&mut context.events);
        self.events.get_or_init(|| events.into_iter().map(|event| self.to_incoming(context, event)).collect())
    }

    fn to_incoming(&self, context: &HookContext, event: AgentEvent) -> IncomingEvent {
        let store = context.store.as_ref().and_then(|store| store.as_ref().ok());
        let event = match store {
            Some(store) if self.is_of_running_turn(context, store, &event) => said_meanwhile(event),
            _ => event,
        };
        self.to_incoming_at(context, store, event, (self.clock.now, None))
    }

    /// Whether a prompt has the number of an earlier one: the user typed it while the agent worked, and the turn goes on.
    fn is_of_running_turn(&self, context: &HookContext, store: &Store, event: &AgentEvent) -> bool {
        let (Activity::Prompted { text }, Some(_), Some(session)) =
            (&event.activity, &event.sequence, &context.before)
        else {
            return false;
        };
        // What cannot be read is taken for a prompt, as most are.
        let earlier = store.events().latest_prompts(session.id, PROMPTS_OF_A_TURN);
        let earlier = earlier.unwrap_or_default();
        earlier.iter().any(|stored| match body_of(&stored.event).map(|body| body.activity) {
            Some(Activity::Prompted { text: before }) if before != *text => {
                let same_turn = AgentEvent { activity: Activity::Prompted { text: before }, ..event.clone() };
                let at = (self.clock.now, None);
                self.to_incoming_at(context, None, same_turn, at).event.key == stored.event.key
            }
            _ => false,
        })
    }

    /// Normalises and redacts an event of another time, which may have a key of its own.
    pub(super) fn to_incoming_at(
        &self,
        context: &HookContext,
        store: Option<&Store>,
        event: AgentEvent,
        (at, key): (Timestamp, Option<IdempotencyKey>),
    ) -> IncomingEvent {
        let raw = RawEvent {
            host: context.host.as_str().to_owned(),
            host_session: context.raw_session.clone(),
            tool: event.tool,
            sequence: event.sequence,
            provenance: event.provenance,
            body: EventBody { activity: event.activity, subagent: event.subagent, words: None },
            key,
        };
        // A store that cannot tell what was injected must not keep the event from being kept.
        let recent =
            |store: &Store| store.injections().recent_shingles(&raw.host, &context.host_session).ok();
        let injected = store.and_then(recent).unwrap_or_default();
        let capture = CaptureContext {
            redactor: &context.redactor,
            most_bytes: context.config.capture.max_event_bytes as usize,
            root: &context.project_ref.root,
            injected: &injected,
            at,
        };
        IncomingEvent { event: normalise(raw, &capture), project_ref: context.project_ref.clone() }
    }
}
