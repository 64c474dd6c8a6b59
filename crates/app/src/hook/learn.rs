//! Learns from what was kept: which injected memories were used, and memories distilled at the end of a turn, a session, a compaction.
//!
//! All of it is done as far as there is time; the next turn or housekeeping does the rest.

use super::Hook;
use super::hook_context::HookContext;
use crate::config::Config;
use crate::error::AppError;
use crate::{background_writer, vectors};
use backstory_capture::body_of;
use backstory_distil::{DistilReport, DistilTrigger, Distillation, distil, has_unrecorded, reconcile_stored};
use backstory_inject::AgentAction;
use backstory_memory::{Activity, EventKind, SessionId};
use backstory_store::{IncomingEvent, Store};
use std::path::Path;
use std::time::{Duration, Instant};

/// The time distillation may take to compare and look closely; then it writes what it has.
const DISTIL_TIME: Duration = Duration::from_millis(600);
/// It does not go on later than this after the start, however long the transcript was waited for.
const LATEST_WORK: Duration = Duration::from_millis(1400);

/// What the agent is asked. It answers with a tool call or with nothing: the user has its reply already.
const QUESTION: &str = "Before you stop: if the user corrected you, stated a rule or chose between options in this session, or a cause and its fix \
    were proven, note each with backstory's `remember`, the user's words as `quote`. If there is nothing, stop without a word. Do not \
    repeat your reply.";

/// What came of distilling after an event.
pub(super) struct Learned {
    session: Option<SessionId>,
    trigger: DistilTrigger,
    report: Result<DistilReport, AppError>,
}

impl Hook {
    /// Records which memories the session fetched, and which of what it knows the agent's actions used. A failure here costs a number, not
    /// an event.
    pub(super) fn record_uses(&self, store: &mut Store, context: &HookContext, actions: &[AgentAction]) {
        if actions.is_empty() && context.answer_nonce.is_none() {
            return;
        }
        let recorded = context.location(store).and_then(|location| {
            let Some((session, _)) = location.session else { return Ok(()) };
            if let Some(nonce) = context.answer_nonce {
                store.injections_mut().assign_fetch(nonce, session)?;
            }
            for action in actions {
                action.record_use(store, session, self.clock.now)?;
            }
            Ok(())
        });
        if let Err(error) = recorded {
            self.log(&format!("a use is not recorded: {}", error.line()));
        }
    }

    /// Distils memories if the event calls for it. What fails is tried again with the next turn: the events are kept.
    pub(super) fn learn(
        &self,
        store: &mut Store,
        context: &HookContext,
        event: &IncomingEvent,
    ) -> Option<Learned> {
        let trigger = trigger(event)?;
        let location = context.location(store);
        let session = location.as_ref().ok().and_then(|location| location.session);
        let report = location.and_then(|location| {
            let Some((session, project)) = location.session else { return Ok(DistilReport::default()) };
            // The agent may work in another project's folder by now: its files are not this session's (law 8).
            let is_here = location.project_here == Some(project);
            let root = Some(Path::new(&context.project_ref.root)).filter(|root| is_here && root.is_dir());
            // Waiting for the host's transcript does not shorten this.
            let until = Some((Instant::now() + DISTIL_TIME).min(self.clock.started + LATEST_WORK));
            let work =
                Distillation { trigger, root, redactor: &context.redactor, now: self.clock.now, until };
            let report = distil(store, session, &work)?;
            // What the agent or anybody else wrote meanwhile, if there is time left.
            if until.is_none_or(|until| Instant::now() < until) {
                reconcile_stored(store, &context.redactor, self.clock.now)?;
            }
            Ok(report)
        });
        Some(Learned { session: session.map(|(session, _)| session), trigger, report })
    }

    /// Returns what the agent is asked before it stops, once a session and only if the user wants that: to note what the rules saw and
    /// could not record.
    pub(super) fn question(
        &self,
        store: &mut Store,
        context: &HookContext,
        learned: &Learned,
    ) -> Option<String> {
        let session = learned.session?;
        let is_wanted = context.config.writer.ask_agent && context.takes_question;
        if !is_wanted || learned.trigger != DistilTrigger::TurnEnd {
            return None;
        }
        let is_due = has_unrecorded(store, session).and_then(|is_unrecorded| {
            Ok(is_unrecorded && store.sessions_mut().mark_agent_questioned(session)?)
        });
        match is_due {
            Ok(is_due) => is_due.then(|| context.host.ask(QUESTION)).flatten(),
            Err(error) => {
                self.log(&format!("the agent is not asked: {error}"));
                None
            }
        }
    }

    /// Does what follows distilling, and leaves a store that the next turn's hooks open fast.
    pub(super) fn follow_up(
        &self,
        store: &mut Store,
        learned: Learned,
        config: &Config,
    ) -> Result<(), AppError> {
        store.upkeep().checkpoint()?;
        let Learned { session, trigger, report } = learned;
        report?;
        if let Some(session) = session {
            background_writer::enqueue(store, (session, self.clock.now), trigger, config)?;
        }
        self.start_writer_if_due(store, config);
        self.keep_safe(store, trigger, config);
        // A model needs longer than all the rest together, and the host waits until this process ends.
        if vectors::must_start_embedding(store, config)? {
            self.start(vectors::COMMAND);
        }
        Ok(())
    }
}

impl Hook {
    /// Starts the background writer beside the hook if a session waits for its notes: this one, or one that was left idle.
    pub(super) fn start_writer_if_due(&self, store: &Store, config: &Config) {
        match background_writer::is_due(store, config, self.clock.now) {
            Ok(false) => {}
            Ok(true) => self.start(background_writer::COMMAND),
            Err(error) => self.log(&format!("cannot look for sessions without notes: {error}")),
        }
    }

    /// Copies what was learned to the mirror. Where housekeeping was not done for a day, it is started beside the hook: hosts that
    /// never say that a session ended have nobody else to do it.
    fn keep_safe(&self, store: &mut Store, trigger: DistilTrigger, config: &Config) {
        if let Err(error) = store.upkeep_mut().follow_mirror_briefly() {
            self.log(&format!("the mirror is behind: {error}"));
        }
        let hours = config.retention.backup_hours;
        // The end of a session starts it anyway.
        if trigger != DistilTrigger::SessionEnd
            && store.upkeep().is_maintenance_due(hours, self.clock.now).unwrap_or(false)
        {
            self.start("maintain");
        }
    }
}

/// Returns the reason to distil after an event, if there is one.
fn trigger(event: &IncomingEvent) -> Option<DistilTrigger> {
    match event.event.kind {
        EventKind::TurnEnd => Some(DistilTrigger::TurnEnd),
        EventKind::SessionEnd => Some(DistilTrigger::SessionEnd),
        EventKind::Compaction => match body_of(&event.event)?.activity {
            Activity::Compacting { .. } => Some(DistilTrigger::Compaction),
            _ => None,
        },
        _ => None,
    }
}
