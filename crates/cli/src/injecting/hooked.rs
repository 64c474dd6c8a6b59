//! Injection inside a hook: built in the time that is left, recorded, and only then said.
//!
//! What was captured is safe before any of this begins (law 3). What cannot be recorded is not said: nobody could answer for it
//! later (law 9), nor know it again when it comes back (law 5).

use super::{Ahead, Built, Injecting, Recipient};
use crate::config::Config;
use crate::env_vars::Environment;
use crate::failure::Failure;
use backstory_hosts::{Host, InjectionPoint};
use backstory_inject::{Block, SkipReason, SkippedSection};
use backstory_memory::{Moment, ProjectRef, StartReason, Timestamp};
use backstory_store::{ContextWindow, Home, Receipt, ReceiptId, Session, Store, StoreError};
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// A hook that may say something.
pub(crate) struct Hooked<'a> {
    pub(crate) config: &'a Config,
    pub(crate) environment: &'a Environment,
    pub(crate) home: &'a Home,
    pub(crate) now: Timestamp,
    pub(crate) started: Instant,
    pub(crate) until: Instant,
    pub(crate) host: Host,
    pub(crate) host_session: &'a str,
    pub(crate) project_ref: &'a ProjectRef,
    /// The session as it was before this hook ran.
    pub(crate) before: Option<&'a Session>,
    /// What was begun before the store was open.
    pub(crate) ahead: Option<&'a Ahead>,
}

impl Hooked<'_> {
    /// Builds and records what the host is told; nothing where there is nothing to say.
    pub(crate) fn inject(
        &self,
        store: &mut Store,
        point: &InjectionPoint,
        budget: u32,
        receipt: &Receipt,
        earlier: Option<ReceiptId>,
    ) -> Result<Option<Built>, Failure> {
        let at_hand = store.find_project(self.project_ref)?;
        let session = store.find_session(self.host.as_str(), self.host_session)?;
        // A session is of one project, wherever its agent has gone since (law 8).
        let Some(project) = session.as_ref().map(|session| session.project).or(at_hand) else {
            return Ok(None);
        };
        let reason = start_reason(point);
        if let (Some(session), Some(reason)) = (self.before, reason)
            && !matches!(reason, StartReason::Resume | StartReason::Reopen)
        {
            store.begin_context(session.id, self.now)?;
        }
        if budget == 0 {
            return Ok(None);
        }
        if let (Some(session), Some(StartReason::Reopen)) = (self.before, reason)
            && let Some(again) = self.told_before(store, session, budget)?
        {
            return Ok(Some(again));
        }
        let in_view = self.in_view(store, session.as_ref(), point)?;
        let root =
            Some(Path::new(&self.project_ref.root)).filter(|root| at_hand == Some(project) && root.is_dir());
        let mut to = Recipient { project, session: session.map(|session| session.id), in_view, root };
        let injecting = Injecting {
            store,
            config: self.config,
            environment: self.environment,
            home: self.home,
            now: self.now,
            until: self.until,
            ahead: self.ahead,
            to: to.clone(),
        };
        let built = injecting.build(point, self.before, budget);
        if built.block.is_empty() {
            return built.or_why_not().map(|()| None);
        }
        if to.session.is_none() {
            to.session = Some(store.find_or_create_session(
                project,
                self.host.as_str(),
                self.host_session,
                self.now,
            )?);
        }
        let receipt = built.proof(receipt, took(self.started));
        store.record_injection_with_receipt(&built.injection(&to, self.now), &receipt, earlier)?;
        Ok(Some(built))
    }

    /// Returns what the agent has in view, as far as that may not be told again.
    fn in_view(
        &self,
        store: &Store,
        session: Option<&Session>,
        point: &InjectionPoint,
    ) -> Result<ContextWindow, StoreError> {
        match (session, point) {
            // What is in view is about to go: all of it may be told.
            (None, _) | (_, InjectionPoint::Compaction) => {
                Ok(ContextWindow { started_at: Some(self.now), ..ContextWindow::default() })
            }
            // What it did it still has, what it was told it has not.
            (Some(session), _) if start_reason(point) == Some(StartReason::Reopen) => {
                Ok(ContextWindow { memories: HashSet::new(), ..store.context_window(session.id)? })
            }
            (Some(session), _) => store.context_window(session.id),
        }
    }

    /// Returns what a session was told as it began, to be told again byte for byte. It is recorded already.
    fn told_before(&self, store: &Store, session: &Session, budget: u32) -> Result<Option<Built>, Failure> {
        let since = Timestamp(self.now.0 - REMEMBERED.as_millis() as i64);
        let told = store.session_start_text(session.id, since)?.filter(|(_, tokens)| tokens.0 <= budget);
        Ok(told.map(|(text, tokens)| {
            let block = Block { bytes: text.len(), text, tokens, ..Block::default() };
            Built { block, ..Built::nothing(Moment::SessionStart, budget) }
        }))
    }
}

/// As long as that the model's side may remember how a conversation begins: another beginning would be paid for anew.
const REMEMBERED: Duration = Duration::from_secs(60 * 60);

/// Returns how long something took so far, in microseconds.
pub(crate) fn took(started: Instant) -> u32 {
    u32::try_from(started.elapsed().as_micros()).unwrap_or(u32::MAX)
}

fn start_reason(point: &InjectionPoint) -> Option<StartReason> {
    match point {
        InjectionPoint::SessionStart { reason } => Some(*reason),
        _ => None,
    }
}

impl Built {
    /// Says why there is nothing to give, where something could not be read.
    fn or_why_not(&self) -> Result<(), Failure> {
        let failed = |skipped: &&SkippedSection| matches!(skipped.why, SkipReason::Failed(_));
        match self.block.sections_skipped.iter().find(failed) {
            Some(skipped) => Err(Failure::user(skipped.to_string())),
            None => Ok(()),
        }
    }

    /// Returns the receipt of the hook with what it gave, and how long it took until it had that.
    fn proof(&self, receipt: &Receipt, duration_us: u32) -> Receipt {
        let (count, tokens) = (self.block.items.len(), self.block.tokens.0);
        let memories = crate::ui::memories(count as u64);
        Receipt {
            duration_us,
            bytes_out: u32::try_from(self.block.bytes).unwrap_or(u32::MAX),
            outcome: format!("{}, gave {memories} in {tokens} tokens", receipt.outcome),
            ..receipt.clone()
        }
    }
}
