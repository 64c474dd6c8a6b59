//! `hook`: what a host runs, hundreds of times a day. It hears one payload, keeps it, and never hurts the host (law 1).
//!
//! Whatever happens: nothing on stdout but an answer, one line in our log, exit 0, and an end within the deadline. What cannot be
//! written to the database in time waits in the spool. What happened is kept first; only then is something given.
//!
//! Not here: what a host said and what is wanted of it (`call`), how it is kept (`keeping`), what the end of a turn is used for
//! (`afterwards`), what is injected (`inject`).

mod afterwards;
mod call;
mod given;
mod keeping;

use backstory_app::Environment;
use backstory_app::app::{self, home_of};
use backstory_app::config::Config;
use backstory_app::engine::{Profile, open_engine};
use backstory_app::injection::inject_settings;
use backstory_app::{AppError, log};
use backstory_hosts::{Host, HostReply};
use backstory_inject::{
    AgentAction, BuiltInjection, HookInjector, Prefetch, check_capture, elapsed_us, problem_opening,
};
use backstory_memory::{Moment, Timestamp};
use backstory_platform::in_own_group;
use backstory_recall::{RecallEngine, VectorCache};
use backstory_store::{Home, IncomingEvent, Purpose, Receipt, Store, StoreError};
use call::{Call, Scene, happened};
use given::{complete_from_transcript, read_payload};
use keeping::Kept;
use std::ffi::OsString;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock, mpsc};
use std::time::{Duration, Instant};

/// A hook that takes longer than this is given up, unless the environment says otherwise.
const DEADLINE: Duration = Duration::from_secs(2);
/// Hosts are told to wait no longer than this.
const LONGEST_DEADLINE: Duration = Duration::from_secs(10);
/// The end of that time is for saying so.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// From this share of it on, in percent, nothing more is looked for that could be given: what there is is given.
const SOFT_DEADLINE: u32 = 80;
/// For this share of it, in percent, a host's own record is waited for at the end of a turn. It comes after a tenth of a second,
/// unless the machine is busy.
const TIME_TO_READ_ON: u32 = 60;

/// Runs a hook. Whatever goes wrong stays here.
pub(crate) fn run(arguments: &[OsString], environment: Environment) {
    let started = Instant::now();
    let now = app::now(&environment);
    let deadline = environment.hook_deadline().unwrap_or(DEADLINE).min(LONGEST_DEADLINE);
    let home = home_of(&environment);
    let hook = home.ok().map(|home| {
        let (payload, arrivals, is_kept) = (OnceLock::new(), OnceLock::new(), AtomicBool::new(false));
        let arguments = arguments.to_owned();
        Arc::new(Hook { arguments, environment, home, now, started, deadline, payload, arrivals, is_kept })
    });
    let _running = give_up_after(deadline, {
        let hook = hook.clone();
        move || hook.iter().for_each(|hook| hook.say_last_words())
    });
    // First of all, whatever comes next: a host that cannot get rid of its payload is hurt.
    let payload = read_payload();
    let Some(hook) = hook else { return };
    // What a model's program does because we asked it is not to be remembered.
    if hook.environment.is_inside() {
        return;
    }
    panic::set_hook(Box::new({
        let hook = hook.clone();
        // Where it panicked says enough; the message may hold what was said in the session.
        move |panic| {
            let place = panic.location().map(ToString::to_string).unwrap_or_default();
            hook.log(&format!("panicked at {place}"));
        }
    }));
    match panic::catch_unwind(AssertUnwindSafe(|| hook.serve(payload))) {
        Ok(Ok(())) => {}
        Ok(Err(failure)) => hook.log(&failure.line()),
        // What panicked is most likely not what is needed to keep the event.
        Err(_) => drop(panic::catch_unwind(AssertUnwindSafe(|| hook.keep_at_last()))),
    }
}

/// Ends the process when the time is up, with last words. Dropping what is returned keeps it from doing so.
fn give_up_after(deadline: Duration, last_words: impl FnOnce() + Send + 'static) -> mpsc::Sender<()> {
    let (running, ended) = mpsc::channel::<()>();
    // Where no thread can be had, the host's own time-out is all there is.
    let watching = std::thread::Builder::new().spawn(move || {
        let time_to_speak = deadline.saturating_sub(LAST_WORDS);
        if ended.recv_timeout(time_to_speak) == Err(mpsc::RecvTimeoutError::Timeout) {
            // The disk may be what took so long: nobody waits for the words to be written.
            drop(std::thread::Builder::new().spawn(last_words));
            let _over = ended.recv_timeout(LAST_WORDS);
            #[expect(clippy::exit, reason = "the host must not wait for us any longer")]
            std::process::exit(0);
        }
    });
    drop(watching);
    running
}

struct Hook {
    arguments: Vec<OsString>,
    environment: Environment,
    home: Home,
    now: Timestamp,
    started: Instant,
    deadline: Duration,
    /// What the host said, as soon as all of it is here.
    payload: OnceLock<Vec<u8>>,
    /// What is to be kept. Who needs it first makes it, the hook or its last words: two versions would be two events.
    arrivals: OnceLock<Vec<IncomingEvent>>,
    /// Whether all of it is safe: in the database, or waiting in the spool.
    is_kept: AtomicBool,
}

impl Hook {
    /// Keeps what happened, and then gives what is known.
    fn serve(&self, payload: std::io::Result<Vec<u8>>) -> Result<(), AppError> {
        let payload = payload.map_err(|error| AppError::user("cannot read the payload").because(&error))?;
        let payload = self.payload.get_or_init(|| payload);
        let Some(mut call) = self.parse(payload)? else { return Ok(()) };
        call.wrong.iter().for_each(|failure| self.log(&failure.line()));
        // Who keeps nothing makes no home for it either.
        if !call.captures && (call.request.is_none() || !self.home.database().exists()) {
            return Ok(());
        }
        self.home.prepare()?;
        let prefetch = self.prefetch(&call);
        let redactor = app::redactor(&call.config, &self.environment, &self.home);
        let receipt = self.receipt(&call, redactor.scrub(&call.event.name).as_str(), payload.len());
        let mut store = Store::open(&self.home, Purpose::Hook, self.now);
        if self.is_our_session(store.as_mut().ok(), &call) {
            return Ok(());
        }
        let scene = Scene::of(&mut call, redactor, store.as_ref().ok());
        let trouble = if call.begins_session() { self.trouble(&store, &scene) } else { None };
        let happened = if call.captures {
            happened(complete_from_transcript(call.host, call.event, self.share(TIME_TO_READ_ON)))
        } else {
            Vec::new()
        };
        let actions: Vec<AgentAction> =
            happened.iter().filter_map(|event| AgentAction::from_activity(&event.activity)).collect();
        let Kept { stored, event } = self.keep(happened, store, &scene, &receipt)?;
        let Some((mut store, proof)) = stored else {
            self.say(scene.host, Moment::SessionStart, None, trouble.as_deref());
            return self.end(&call.config, event, None);
        };
        actions.iter().for_each(|action| self.record_use(&mut store, &scene, action));
        let distilled = event.and_then(|event| self.distil(&mut store, event, &scene.redactor));
        let is_injected = call.request.is_some_and(|request| {
            let open = || self.open_engine(&call.config);
            let injector = HookInjector { prefetch: prefetch.as_ref(), ..self.injector(&scene, &open) };
            let built = injector.inject(&mut store, &request, &receipt, proof);
            let built = built.unwrap_or_else(|error| {
                self.log(&format!("nothing is injected: {}", AppError::from(error).line()));
                None
            });
            self.say(scene.host, request.point.moment(), built.as_ref(), trouble.as_deref());
            built.is_some()
        });
        if event.is_none() && call.captures && !is_injected {
            // Proof of life is not worth a word in the log: the next hook brings its own.
            drop(store.record_receipt(&receipt));
        }
        match distilled {
            Some(distilled) => {
                // What is written here is checkpointed with what was distilled. If it cannot be, it costs a number.
                drop(proof.map(|proof| store.set_receipt_duration(proof, elapsed_us(self.started))));
                self.work_on(&mut store, distilled, &call.config)?;
            }
            None => store.truncate_long_log()?,
        }
        self.end(&call.config, event, Some(&store))
    }

    /// Opens the recall engine on a thread before the store is open, if a prompt may need it.
    fn prefetch(&self, call: &Call) -> Option<Prefetch> {
        let request = call.request.as_ref().filter(|request| request.budget > 0)?;
        let (config, environment, home) = (call.config.clone(), self.environment.clone(), self.home.clone());
        Prefetch::start(&request.point, move || {
            open_engine(&config, &environment, &home, Profile::Inject, &VectorCache::default())
        })
    }

    fn open_engine(&self, config: &Config) -> RecallEngine {
        open_engine(config, &self.environment, &self.home, Profile::Inject, &VectorCache::default())
    }

    fn injector<'a>(
        &'a self,
        scene: &'a Scene,
        open_engine: &'a dyn Fn() -> RecallEngine,
    ) -> HookInjector<'a> {
        HookInjector {
            settings: inject_settings(&self.environment, self.now),
            open_engine,
            prefetch: None,
            now: self.now,
            started: self.started,
            until: self.started + self.share(SOFT_DEADLINE),
            host: scene.host.as_str(),
            host_session: &scene.host_session,
            project_ref: &scene.project_ref,
            before: scene.before.as_ref(),
        }
    }

    /// Replies to the host with what is injected, and to the user with what is wrong: one reply, or nothing at all.
    fn say(&self, host: Host, moment: Moment, built: Option<&BuiltInjection>, trouble: Option<&str>) {
        let context = built.map(|built| built.block.text.as_str());
        let Some(reply) = host.reply(moment, HostReply { context, to_user: trouble }) else { return };
        let mut out = std::io::stdout().lock();
        // A host that hung up does not want to hear it.
        drop(out.write_all(reply.as_bytes()).and_then(|()| out.flush()));
    }

    /// Says what keeps us from remembering, if something does.
    fn trouble(&self, store: &Result<Store, StoreError>, scene: &Scene) -> Option<String> {
        let problem = match store {
            Err(error) => problem_opening(error),
            Ok(store) => {
                let here = || store.find_project(&scene.project_ref).ok().flatten();
                let project = scene.before.as_ref().map(|session| session.project).or_else(here);
                check_capture(&self.home, store, (scene.host.as_str(), project), self.now)
            }
        };
        problem.map(|problem| problem.to_string())
    }

    /// Records what the agent used of what was injected. A failure here costs a number, not an event.
    fn record_use(&self, store: &mut Store, scene: &Scene, action: &AgentAction) {
        let session = store.find_session(scene.host.as_str(), &scene.host_session);
        let recorded = session.map_err(AppError::from).and_then(|session| match session {
            Some(session) => Ok(action.record_use(store, session.id, self.now)?),
            None => Ok(()),
        });
        if let Err(failure) = recorded {
            self.log(&format!("a use is not recorded: {}", failure.line()));
        }
    }

    fn share(&self, percent: u32) -> Duration {
        self.deadline * percent / 100
    }

    fn receipt(&self, call: &Call, event: &str, bytes_in: usize) -> Receipt {
        Receipt {
            host: call.host.as_str().to_owned(),
            event: event.chars().take(64).collect(),
            at: self.now,
            duration_us: elapsed_us(self.started),
            bytes_in: u32::try_from(bytes_in).unwrap_or(u32::MAX),
            bytes_out: 0,
            outcome: call.outcome(),
            missing_fields: call.missing_fields(),
        }
    }

    fn log(&self, words: &str) {
        log::line(&self.home, self.now, &format!("hook: {words}"));
    }

    fn start_housekeeping(&self) {
        self.start("maintain");
    }

    /// Starts a command of ours in a process of its own that nobody waits for.
    fn start(&self, name: &str) {
        let Ok(program) = std::env::current_exe() else { return };
        let mut command = Command::new(program);
        command.arg(name).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Err(error) = in_own_group(&mut command).spawn() {
            self.log(&format!("cannot start `{name}`: {error}"));
        }
    }
}
