//! Injection inside a hook: built in the time that is left, recorded, and only then given to the host.
//!
//! The event is already stored when this begins (law 3). What cannot be recorded is not injected: it could not be explained later
//! (law 9), nor recognised when it comes back in a prompt (law 5).

use crate::{
    Block, BuiltInjection, InjectError, InjectSettings, InjectionRequest, Injector, Prefetch, Recipient,
    elapsed_us,
};
use backstory_capture::Redactor;
use backstory_memory::{InjectionPoint, Moment, ProjectId, Redacted, SessionId, StartReason, Timestamp};
use backstory_recall::RecallEngine;
use backstory_store::{ContextWindow, Receipt, ReceiptId, Session, Store, StoreError};
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// A model provider may cache the start of a conversation this long: another start would have to be paid for again.
const PROMPT_CACHE: Duration = Duration::from_secs(60 * 60);

/// A hook that may inject something.
pub struct HookInjector<'a> {
    /// Settings of the caller.
    pub settings: InjectSettings,
    /// Takes secrets out of the names git reports.
    pub redactor: &'a Redactor,
    /// Opens the recall engine with the weights for injections.
    pub open_engine: &'a dyn Fn() -> RecallEngine,
    /// The engine, if it was opened ahead.
    pub prefetch: Option<&'a Prefetch>,
    /// The time of the event.
    pub now: Timestamp,
    /// When the hook started.
    pub started: Instant,
    /// The deadline of reading.
    pub until: Instant,
    /// The host's name.
    pub host: &'a str,
    /// The host's id of the session.
    pub host_session: &'a Redacted<String>,
    /// The root of the folder's project.
    pub project_root: &'a str,
    /// The file in it that the host loads by itself.
    pub rules_file: Option<&'a str>,
    /// The session as it was before this hook ran.
    pub before: Option<&'a Session>,
    /// Session and project of the event.
    pub location: HookLocation,
}

/// Session and project of an event, resolved once per hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookLocation {
    /// The session and its own project, if the session is known.
    pub session: Option<(SessionId, ProjectId)>,
    /// The project of the folder the event happened in, if it is known.
    pub project_here: Option<ProjectId>,
}

impl HookInjector<'_> {
    /// Builds and records an injection; `None` if there is nothing to inject. `earlier` is the receipt of the captured event.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or written, or nothing could be gathered.
    pub fn inject(
        &self,
        store: &mut Store,
        request: &InjectionRequest,
        receipt: &Receipt,
        earlier: Option<ReceiptId>,
    ) -> Result<Option<BuiltInjection>, InjectError> {
        let HookLocation { session, project_here } = self.location;
        // A session belongs to one project, wherever its agent has gone since (law 8).
        let Some(project) = session.map(|(_, project)| project).or(project_here) else {
            return Ok(None);
        };
        self.note_lost_context(store, &request.point)?;
        if request.budget == 0 {
            return Ok(None);
        }
        if let Some(repeated) = self.repeat_session_start(store, request)? {
            return Ok(Some(repeated));
        }
        let context = self.context_window(store, session.map(|(id, _)| id), &request.point)?;
        let root =
            Some(Path::new(self.project_root)).filter(|root| project_here == Some(project) && root.is_dir());
        let mut recipient = Recipient {
            project,
            session: session.map(|(id, _)| id),
            context,
            root,
            rules_file: self.rules_file,
        };
        let built = self.injector(store, recipient.clone()).build(request, self.before);
        if built.block.is_empty() {
            return built.check_sections().map(|()| None);
        }
        if recipient.session.is_none() {
            recipient.session = Some(self.create_session(store, project)?);
        }
        let receipt = built.complete_receipt(receipt, elapsed_us(self.started));
        store.injections_mut().record_with_receipt(
            &built.to_record(&recipient, self.now),
            &receipt,
            earlier,
        )?;
        Ok(Some(built))
    }

    fn injector<'s>(&'s self, store: &'s Store, recipient: Recipient<'s>) -> Injector<'s> {
        Injector {
            store,
            settings: self.settings,
            redactor: self.redactor,
            open_engine: self.open_engine,
            prefetch: self.prefetch,
            now: self.now,
            until: self.until,
            recipient,
        }
    }

    fn create_session(&self, store: &mut Store, project: ProjectId) -> Result<SessionId, StoreError> {
        store.sessions_mut().find_or_create(project, self.host, self.host_session, self.now)
    }

    /// Starts a new context window for a known session whose agent has lost what was injected before.
    fn note_lost_context(&self, store: &mut Store, point: &InjectionPoint) -> Result<(), StoreError> {
        match (self.before, start_reason(point)) {
            (_, None | Some(StartReason::Resume | StartReason::Reopen)) | (None, _) => Ok(()),
            (Some(session), Some(_)) => store.injections_mut().begin_context(session.id, self.now),
        }
    }

    /// Returns what the agent has in context and must not get again.
    fn context_window(
        &self,
        store: &Store,
        session: Option<SessionId>,
        point: &InjectionPoint,
    ) -> Result<ContextWindow, StoreError> {
        match (session, point) {
            // The context is about to be compacted: all of it may be injected again.
            (None, _) | (_, InjectionPoint::Compaction) => {
                Ok(ContextWindow { started_at: Some(self.now), ..ContextWindow::default() })
            }
            // A reopened session has its own work in context, and not what was injected.
            (Some(session), _) if start_reason(point) == Some(StartReason::Reopen) => {
                Ok(ContextWindow { memories: HashSet::new(), ..store.injections().context_window(session)? })
            }
            (Some(session), _) => store.injections().context_window(session),
        }
    }

    /// Returns the block a reopened session started with, byte for byte. It is recorded already.
    fn repeat_session_start(
        &self,
        store: &Store,
        request: &InjectionRequest,
    ) -> Result<Option<BuiltInjection>, StoreError> {
        let Some(session) = self.before else { return Ok(None) };
        if start_reason(&request.point) != Some(StartReason::Reopen) {
            return Ok(None);
        }
        let since = Timestamp(self.now.0 - PROMPT_CACHE.as_millis() as i64);
        let text = store.injections().session_start_text(session.id, since)?;
        Ok(text.filter(|(_, tokens)| tokens.0 <= request.budget).map(|(text, tokens)| {
            let block = Block { bytes: text.len(), text, tokens, ..Block::default() };
            BuiltInjection { block, ..BuiltInjection::empty(Moment::SessionStart, request.budget) }
        }))
    }
}

fn start_reason(point: &InjectionPoint) -> Option<StartReason> {
    match point {
        InjectionPoint::SessionStart { reason } => Some(*reason),
        _ => None,
    }
}
