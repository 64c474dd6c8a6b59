//! What a hook call belongs to, resolved once: host, session, project, settings.

use super::call::HookCall;
use super::transcript_tail::complete_from_transcript;
use super::{Hook, TRANSCRIPT_WAIT};
use crate::app;
use crate::config::Config;
use crate::error::AppError;
use backstory_capture::{Redactor, proven_project_ref, safe_project_ref};
use backstory_hosts::{AgentEvent, EventOutcome, Host, ParsedEvent};
use backstory_inject::{HookLocation, InjectionRequest, Prefetch};
use backstory_memory::{Activity, InjectionPoint, ProjectRef, Redacted};
use backstory_store::{Receipt, Recognition, Session, Store, StoreError};
use std::path::Path;
use std::time::Duration;

/// How long git may look for proof of which project a folder belongs to, once per folder.
const PROOF_TIME: Duration = Duration::from_millis(400);

/// What a hook call belongs to.
pub(super) struct HookContext {
    pub(super) host: Host,
    pub(super) config: Config,
    pub(super) captures: bool,
    pub(super) injection: Option<InjectionRequest>,
    pub(super) redactor: Redactor,
    pub(super) project_ref: Redacted<ProjectRef>,
    /// The receipt of this run, before anything is injected.
    pub(super) receipt: Receipt,
    /// The recall engine, if it was opened ahead.
    pub(super) prefetch: Option<Prefetch>,
    /// The host's id of the session, as the payload has it. Idempotency keys are made of it.
    pub(super) raw_session: String,
    /// The host's id of the session, redacted.
    pub(super) host_session: Redacted<String>,
    /// The session before this event.
    pub(super) before: Option<Session>,
    /// What happened, before it is normalised and redacted.
    pub(super) events: Vec<AgentEvent>,
    /// Whether the agent can be asked something now.
    pub(super) takes_question: bool,
    /// The host's own transcript, if what hooks leave out is read from it now.
    pub(super) live_transcript: Option<String>,
    /// The nonce of our own answer, if the agent called a tool of ours.
    pub(super) answer_nonce: Option<u32>,
    /// The store, or why it could not be opened; `None` once it was taken.
    pub(super) store: Option<Result<Store, StoreError>>,
    /// Where the kept event belongs, as the store answered when it wrote it.
    pub(super) recorded: Option<HookLocation>,
}

impl HookContext {
    /// Resolves a call; `None` if it belongs to a session of our own.
    ///
    /// A store that cannot answer must not keep the event from being kept, so its errors mean "unknown" here.
    pub(super) fn resolve(
        hook: &Hook,
        call: HookCall,
        mut store: Result<Store, StoreError>,
    ) -> Option<HookContext> {
        if hook.is_own_session(store.as_mut().ok(), &call) {
            return None;
        }
        let folder = call.folder.clone();
        let mut context = HookContext::without_store(hook, call, Some(hook.share(TRANSCRIPT_WAIT)));
        context.before = store
            .as_ref()
            .ok()
            .and_then(|store| store.sessions().find(context.host.as_str(), &context.host_session).ok()?);
        if let Ok(store) = &store {
            context.prove_project(store, &folder);
        }
        context.store = Some(store);
        Some(context)
    }

    /// Adds proof to what the folder says about its project: when nobody has met the folder, and at the start of a session while
    /// it is not known what the history begins with. The place decides everything else, without a process.
    fn prove_project(&mut self, store: &Store, folder: &Path) {
        let is_met =
            self.before.is_some() && store.projects().has_met(&self.project_ref.root).unwrap_or(true);
        if is_met || !self.project_ref.makes_claims() {
            return;
        }
        let needs_proof = |project_ref: &ProjectRef| {
            let recognition = store.projects().recognise(project_ref).unwrap_or(Recognition::Proven);
            recognition != Recognition::Proven
        };
        if needs_proof(&self.project_ref) {
            self.project_ref = proven_project_ref(folder, &self.redactor, PROOF_TIME, needs_proof);
        }
    }

    /// Resolves what can be known without a store. The transcript is read only if there is time to wait for it.
    pub(super) fn without_store(
        hook: &Hook,
        mut call: HookCall,
        transcript_wait: Option<Duration>,
    ) -> HookContext {
        let redactor = app::redactor(&call.config, &hook.environment, &hook.home);
        let project_ref = safe_project_ref(&call.folder, &redactor);
        // Events without a session id must not join a session of another project (law 8).
        let raw_session = call.event.host_session.take();
        let raw_session = raw_session.unwrap_or_else(|| format!("unknown in {}", project_ref.root));
        let receipt = hook.receipt(&call, &redactor.scrub(&call.event.name));
        let host_session = redactor.scrub(&raw_session);
        let live_transcript = call.event.live_transcript.take();
        let takes_question = call.event.takes_question;
        let answer_nonce = call.event.answer_nonce.filter(|_| call.captures);
        let events = match transcript_wait {
            _ if !call.captures => Vec::new(),
            Some(patience) => agent_events(complete_from_transcript(call.host, call.event, patience)),
            None => agent_events(call.event),
        };
        HookContext {
            host: call.host,
            config: call.config,
            captures: call.captures,
            injection: call.injection,
            redactor,
            project_ref,
            receipt,
            prefetch: None,
            raw_session,
            host_session,
            before: None,
            events,
            takes_question,
            live_transcript,
            answer_nonce,
            store: None,
            recorded: None,
        }
    }

    /// Whether a session starts or resumes that is captured.
    pub(super) fn starts_session(&self) -> bool {
        let is_start =
            |request: &InjectionRequest| matches!(request.point, InjectionPoint::SessionStart { .. });
        self.captures && self.injection.as_ref().is_some_and(is_start)
    }

    /// Whether the event says that the session is over.
    pub(super) fn ends_session(&self) -> bool {
        self.events.iter().any(|event| matches!(event.activity, Activity::SessionEnded { .. }))
    }

    /// Returns session and project. Reads from the store only what neither the written event nor the session before it says.
    pub(super) fn location(&self, store: &Store) -> Result<HookLocation, AppError> {
        if let Some(recorded) = self.recorded {
            return Ok(recorded);
        }
        let ids = |session: &Session| (session.id, session.project);
        let session = match &self.before {
            Some(before) => Some(ids(before)),
            // Another hook may have started the session meanwhile.
            None => store.sessions().find(self.host.as_str(), &self.host_session)?.as_ref().map(ids),
        };
        Ok(HookLocation { session, project_here: store.projects().find(&self.project_ref)? })
    }
}

/// Returns everything that happened in one event.
fn agent_events(parsed: ParsedEvent) -> Vec<AgentEvent> {
    match parsed.outcome {
        EventOutcome::Captured(event) => std::iter::once(*event).chain(parsed.also).collect(),
        EventOutcome::Ignored(_) => Vec::new(),
    }
}
