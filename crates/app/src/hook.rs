//! One call of a host's hook, hundreds of times a day: parse → keep → learn → inject.
//!
//! The event is kept before anything else. What cannot be written to the database in time goes to the spool (law 3). Whatever else
//! fails costs a line in our log, never the event, and never hurts the host (law 1).
//!
//! Not here: standard input and output, the deadline that ends the process (`cli`); what a payload means (`hosts`).

mod call;
mod hook_context;
mod keep;
mod learn;
mod transcript_tail;
mod unreported;

use crate::config::Config;
use crate::engine::{Profile, open_engine};
use crate::env_vars::Environment;
use crate::error::AppError;
use crate::injection::inject_settings;
use crate::log;
use crate::program::start_in_background;
use crate::project_links::question_at_first_session;
use backstory_hosts::{Host, HostReply};
use backstory_inject::{
    BuiltInjection, HookInjector, Prefetch, check_capture, elapsed_us, lost_since_announced, problem_opening,
};
use backstory_memory::{Moment, Timestamp};
use backstory_recall::{RecallEngine, VectorCache};
use backstory_store::{Home, IncomingEvent, LossCounter, Purpose, ReceiptId, Store, StoreError};
use call::HookCall;
use hook_context::HookContext;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Gathering ends at this share of the time, in percent: what is there by then is injected.
const SOFT_DEADLINE: u32 = 80;
/// The share of the time, in percent, that the end of a turn waits for the host's own transcript. It comes after a tenth of a second,
/// unless the machine is busy.
const TRANSCRIPT_WAIT: u32 = 60;

/// Ends of sessions closer together than this many hours share one housekeeping.
const REST_HOURS: u32 = 1;

/// What a host calls the hook with.
#[derive(Clone, Debug)]
pub struct HookInvocation {
    /// The host that calls.
    pub host: Host,
    /// The event as the command line names it, for hosts whose payload does not.
    pub event: Option<String>,
}

/// The time of a run.
#[derive(Clone, Copy, Debug)]
pub struct HookClock {
    /// The time of the event.
    pub now: Timestamp,
    /// When the process started.
    pub started: Instant,
    /// How long it may take in all.
    pub deadline: Duration,
}

/// One run of the hook. The run and its last resort share it, each on a thread of its own.
#[derive(Debug)]
pub struct Hook {
    invocation: HookInvocation,
    environment: Environment,
    home: Home,
    clock: HookClock,
    /// The payload, once all of it is read.
    payload: OnceLock<Vec<u8>>,
    /// The events to keep. Whoever needs them first makes them: two versions of one would be two events.
    events: OnceLock<Vec<IncomingEvent>>,
    /// Whether all of them are safe, in the database or in the spool.
    is_kept: AtomicBool,
    /// Whether it was counted that some could be kept nowhere.
    is_loss_counted: AtomicBool,
}

impl Hook {
    /// Prepares a run.
    #[must_use]
    pub fn new(invocation: HookInvocation, environment: Environment, home: Home, clock: HookClock) -> Hook {
        Hook {
            invocation,
            environment,
            home,
            clock,
            payload: OnceLock::new(),
            events: OnceLock::new(),
            is_kept: AtomicBool::new(false),
            is_loss_counted: AtomicBool::new(false),
        }
    }

    /// Keeps what happened, learns from it, and injects what the session should know. `reply` writes to the host, once at most.
    ///
    /// # Errors
    ///
    /// When an event can be kept nowhere, or the store fails after it was kept.
    pub fn serve(&self, payload: Vec<u8>, reply: impl FnOnce(&str)) -> Result<(), AppError> {
        let payload = self.payload.get_or_init(|| payload);
        let Some(call) = self.parse(payload)? else { return Ok(()) };
        call.config_errors.iter().for_each(|error| self.log(&error.line()));
        // A hook that keeps nothing must not create a home either.
        if !call.captures && (call.injection.is_none() || !self.home.database().exists()) {
            return Ok(());
        }
        self.home.prepare()?;
        let prefetch = self.prefetch(&call);
        let store = Store::open(&self.home, Purpose::Hook, self.clock.now);
        let Some(mut context) = HookContext::resolve(self, call, store) else { return Ok(()) };
        context.prefetch = prefetch;
        let warning = self.warning(&context);

        self.keep_unreported(&mut context);
        let kept = self.keep(&mut context)?;
        let Some(mut store) = context.store.take().and_then(Result::ok) else {
            if let Some(text) = host_reply(&context, Moment::SessionStart, None, warning.as_deref()) {
                reply(&text);
                self.note_announced(warning.as_ref());
            }
            return self.finish(&context.config, kept.event, None);
        };
        let warning = with_question(warning, &context, &store);

        self.record_uses(&mut store, &context, &kept.actions);
        let learned = kept.event.and_then(|event| self.learn(&mut store, &context, event));

        let injected = self.inject(&mut store, &context, kept.receipt);
        let moment = context.injection.as_ref().map(|request| request.point.moment());
        let text = match (moment, &learned) {
            (Some(moment), _) => host_reply(&context, moment, injected.as_ref(), warning.as_deref()),
            (None, Some(learned)) => self.question(&mut store, &context, learned),
            (None, None) => None,
        };
        if let Some(text) = text {
            reply(&text);
            self.note_announced(warning.as_ref());
        }
        if kept.event.is_none() && context.captures && injected.is_none() {
            // A receipt only proves that hooks run: the next hook brings its own.
            drop(store.injections_mut().record_receipt(&context.receipt));
        }

        match learned {
            Some(learned) => {
                // The checkpoint below writes this too. If it fails, a duration is missing in `status`.
                drop(kept.receipt.map(|id| {
                    store.injections_mut().set_receipt_duration(id, elapsed_us(self.clock.started))
                }));
                self.follow_up(&mut store, learned, &context.config)?;
            }
            None => {
                if context.starts_session() {
                    self.start_writer_if_due(&store, &context.config);
                }
                store.upkeep().truncate_long_log()?;
            }
        }
        self.finish(&context.config, kept.event, Some(&store))
    }

    /// Opens the recall engine on a thread before the store is open, if a prompt may need it.
    fn prefetch(&self, call: &HookCall) -> Option<Prefetch> {
        let request = call.injection.as_ref().filter(|request| request.budget > 0)?;
        let (config, environment, home) = (call.config.clone(), self.environment.clone(), self.home.clone());
        Prefetch::start(&request.point, move || {
            open_engine(&config, &environment, &home, Profile::Inject, &VectorCache::default())
        })
    }

    /// Builds and records what is injected. A failure here leaves the session without an injection.
    fn inject(
        &self,
        store: &mut Store,
        context: &HookContext,
        earlier: Option<ReceiptId>,
    ) -> Option<BuiltInjection> {
        let request = context.injection.as_ref()?;
        let open_engine = || -> RecallEngine {
            open_engine(
                &context.config,
                &self.environment,
                &self.home,
                Profile::Inject,
                &VectorCache::default(),
            )
        };
        let built = context.location(store).and_then(|location| {
            let injector = HookInjector {
                settings: inject_settings(&self.environment, &context.config.inject, self.clock.now),
                redactor: &context.redactor,
                open_engine: &open_engine,
                prefetch: context.prefetch.as_ref(),
                now: self.clock.now,
                started: self.clock.started,
                until: self.clock.started + self.share(SOFT_DEADLINE),
                host: context.host.as_str(),
                host_session: &context.host_session,
                project_root: &context.project_ref.root,
                rules_file: context.host.instructions_file(),
                before: context.before.as_ref(),
                location,
            };
            Ok(injector.inject(store, request, &context.receipt, earlier)?)
        });
        built.unwrap_or_else(|error: AppError| {
            self.log(&format!("nothing is injected: {}", error.line()));
            None
        })
    }

    /// Returns what the user should know when a session starts: that memories cannot be kept, or that some were lost.
    fn warning(&self, context: &HookContext) -> Option<String> {
        if !context.starts_session() {
            return None;
        }
        let problem = match context.store.as_ref()? {
            Err(error) => problem_opening(error),
            Ok(store) => {
                let here = || store.projects().find(&context.project_ref).ok().flatten();
                let project = context.before.as_ref().map(|session| session.project).or_else(here);
                check_capture(&self.home, store, (context.host.as_str(), project), self.clock.now)
            }
        };
        let lost = lost_since_announced(&self.home, self.clock.now);
        let sentences: Vec<String> = lost.iter().chain(&problem).map(ToString::to_string).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    /// Notes that a reply has informed the user of lost events.
    fn note_announced(&self, warning: Option<&String>) {
        if warning.is_some()
            && lost_since_announced(&self.home, self.clock.now).is_some()
            && let Err(error) = LossCounter::new(&self.home).mark_announced()
        {
            self.log(&format!("lost events will be reported again: {error}"));
        }
    }

    fn share(&self, percent: u32) -> Duration {
        self.clock.deadline * percent / 100
    }

    /// Writes a line to our log.
    pub fn log(&self, text: &str) {
        log::line(&self.home, self.clock.now, &format!("hook: {text}"));
    }

    /// Runs a command of ours in a process of its own; the hook does not wait for it.
    fn start(&self, command: &str) {
        if let Err(error) = start_in_background(command) {
            self.log(&format!("cannot start `{command}`: {error}"));
        }
    }

    /// Starts what the end of a session leaves to be done.
    fn finish(
        &self,
        config: &Config,
        event: Option<&IncomingEvent>,
        store: Option<&Store>,
    ) -> Result<(), AppError> {
        if event.is_none_or(|event| event.event.kind != backstory_memory::EventKind::SessionEnd) {
            return Ok(());
        }
        // Whether backups are wanted or not: old events go all the same.
        if store.is_some_and(|store| {
            store.upkeep().is_maintenance_due(REST_HOURS, self.clock.now).unwrap_or(false)
        }) {
            self.start("maintain");
        }
        // The sync talks to hubs in a process of its own: a hook never waits for a network.
        if let Some(store) = store.filter(|_| config.team.at_session_end)
            && !backstory_sync::shared_through_hubs(store)?.is_empty()
        {
            self.start("sync");
        }
        Ok(())
    }
}

/// Adds to what the user should know whether this folder claims to be another project.
fn with_question(warning: Option<String>, context: &HookContext, store: &Store) -> Option<String> {
    let here = || store.projects().find(&context.project_ref).ok().flatten();
    let project = context.starts_session().then(here).flatten();
    let question = project.and_then(|project| question_at_first_session(store, project));
    let sentences: Vec<String> = warning.into_iter().chain(question).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// Returns one reply with what the agent gets and what the user should know; `None` if there is neither.
fn host_reply(
    context: &HookContext,
    moment: Moment,
    injected: Option<&BuiltInjection>,
    warning: Option<&str>,
) -> Option<String> {
    let text = injected.map(|built| built.block.text.as_str());
    context.host.reply(moment, HostReply { context: text, to_user: warning })
}

/// Whether an error says that the database is damaged: then housekeeping repairs it.
fn is_damaged(error: &StoreError) -> bool {
    matches!(error, StoreError::Damaged { .. })
}
