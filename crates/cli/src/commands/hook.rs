//! `hook`: what a host runs, hundreds of times a day. It hears one payload, keeps it, and never hurts the host (law 1).
//!
//! Whatever happens: nothing on stdout but an answer, one line in our log, exit 0, and an end within the deadline. What cannot be
//! written to the database in time waits in the spool. What happened is kept first; only then is something given.

mod given;

use crate::app::{self, home_of};
use crate::commands::polish;
use crate::config::Config;
use crate::env_vars::Environment;
use crate::failure::Failure;
use crate::injecting::{Ahead, Built, Deed, Hooked, alive};
use crate::settings::{Settings, project_file};
use crate::{log, ourselves, teams, vectors};
use backstory_capture::{
    DistilReport, Distillation, Observation, Occasion, Redactor, Surroundings, account_of, distil, observe,
    safe_sighting,
};
use backstory_hosts::{Heard, Host, Meaning, Opening, Reply, Told};
use backstory_memory::{Account, EventKind, Happening, Moment, Sighting, Timestamp};
use backstory_provider::is_our_prompt;
use backstory_store::{Arrival, Home, Purpose, Receipt, ReceiptId, Session, Spool, Store, StoreError};
use given::{host_in, option_in, read_on, read_payload};
use std::ffi::OsString;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::{Duration, Instant};

/// What a receipt says before what its payload should have had.
pub(crate) const LACKING: &str = ", lacking ";
/// A hook that takes longer than this is given up, unless the environment says otherwise.
const DEADLINE: Duration = Duration::from_secs(2);
/// Hosts are told to wait no longer than this.
const LONGEST_DEADLINE: Duration = Duration::from_secs(10);
/// The end of that time is for saying so.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// From this share of it on, in percent, nothing more is looked for that could be given: what there is is given.
const SOFT_DEADLINE: u32 = 80;
/// Distillation looks closely for so long, and then writes what it has.
const TIME_TO_LOOK: Duration = Duration::from_millis(600);
/// Vectors are made for so long.
const TIME_TO_EMBED: Duration = Duration::from_millis(250);
/// Neither goes on later than that, whatever was waited for before.
const LATEST_TO_WORK: Duration = Duration::from_millis(1400);

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
    arrivals: OnceLock<Vec<Arrival>>,
    /// Whether all of it is safe: in the database, or waiting in the spool.
    is_kept: AtomicBool,
}

/// What a host said, where, and what the user wants done with it.
struct Call {
    host: Host,
    heard: Heard,
    place: PathBuf,
    config: Config,
    captures: bool,
    /// What is wrong in the configuration.
    wrong: Vec<Failure>,
}

impl Hook {
    /// Keeps what is not kept yet, and says that the time was over.
    fn say_last_words(&self) {
        self.keep_at_last();
        self.log("gave up, the time was over");
    }

    /// Lets what is not kept yet wait in the spool. What was opened or waited for in vain until now is not asked: on a machine that
    /// hardly gets to us, this is all there is time for.
    fn keep_at_last(&self) {
        let payload = self.payload.get().filter(|_| !self.is_kept.load(Ordering::Acquire));
        if let Some(Err(failure)) = payload.map(|payload| self.let_wait(payload)) {
            self.log(&failure.line());
        }
    }

    /// Lets what happened wait in the spool. An event that is kept meanwhile is known by its key.
    fn let_wait(&self, payload: &[u8]) -> Result<(), Failure> {
        let Some(call) = self.hear(payload)?.filter(|call| call.captures) else { return Ok(()) };
        if self.is_our_session(None, call.host, &call.heard) {
            return Ok(());
        }
        self.home.prepare()?;
        let redactor = app::redactor(&call.config, &self.environment, &self.home);
        let sighting = safe_sighting(&call.place, &redactor);
        let name = session_name(call.heard.host_session, &sighting);
        let Meaning::Happened(told) = call.heard.meaning else { return Ok(()) };
        let seen = std::iter::once(*told).chain(call.heard.also);
        let seen = seen.map(|told| observation(call.host, name.clone(), told));
        for arrival in self.arrivals(None, seen, &call.config, &redactor, &sighting) {
            Spool::of(&self.home).put(arrival)?;
        }
        Ok(())
    }

    /// Makes out what a host said. Nothing where a call of ours to a model made it happen.
    fn hear(&self, payload: &[u8]) -> Result<Option<Call>, Failure> {
        let host = host_in(&self.arguments)?;
        let event = option_in(&self.arguments, "--event");
        let heard = host.hear(event.as_deref(), payload);
        let place = self.place(host, &heard);
        if self.is_our_doing(&place, &heard) {
            return Ok(None);
        }
        let (config, wrong) = self.config(&place);
        let captures = config.capture.enabled
            && !config.capture.leaves_out(&place, self.environment.user_home().as_deref());
        Ok(Some(Call { host, heard, place, config, captures, wrong }))
    }

    fn serve(&self, payload: std::io::Result<Vec<u8>>) -> Result<(), Failure> {
        let payload = payload.map_err(|error| Failure::user("cannot read the payload").because(&error))?;
        let payload = self.payload.get_or_init(|| payload);
        let Some(Call { host, mut heard, place, config, captures, wrong }) = self.hear(payload)? else {
            return Ok(());
        };
        wrong.iter().for_each(|failure| self.log(&failure.line()));
        let user_home = self.environment.user_home();
        let opening = heard.opening.take().and_then(|opening| {
            let budget = config.inject.budget(opening.moment(), &place, user_home.as_deref());
            // A context that begins anew is noted also where it is given nothing.
            (budget > 0 || captures && matches!(opening, Opening::Session { .. }))
                .then_some((opening, budget))
        });
        // Who keeps nothing makes no home for it either.
        if !captures && (opening.is_none() || !self.home.database().exists()) {
            return Ok(());
        }
        self.home.prepare()?;
        let ahead = opening.as_ref().filter(|(_, budget)| *budget > 0);
        let ahead = ahead.and_then(|(opening, _)| Ahead::of(opening, &config, &self.environment, &self.home));
        let redactor = app::redactor(&config, &self.environment, &self.home);
        let mut receipt = self.receipt(host, redactor.scrub(&heard.name).as_str(), payload.len());
        let lacking = lacking(&heard.lacks);
        receipt.outcome.push_str(&lacking);
        let mut store = Store::open(&self.home, Purpose::Hook, self.now);
        if self.is_our_session(store.as_mut().ok(), host, &heard) {
            return Ok(());
        }
        let sighting = safe_sighting(&place, &redactor);
        let name = session_name(heard.host_session.take(), &sighting);
        let host_session = redactor.scrub(&name).into_string();
        // A store that cannot say what was must not keep the event from being kept.
        let before =
            store.as_ref().ok().and_then(|store| store.session_called(host.as_str(), &host_session).ok()?);
        let trouble =
            opening.as_ref().filter(|(opening, _)| captures && matches!(opening, Opening::Session { .. }));
        let trouble = trouble.and_then(|_| self.trouble(&store, host, before.as_ref(), &sighting));
        if captures {
            read_on(&mut heard);
        }
        let (mut captured, mut deeds) = (None, Vec::new());
        let kept = match heard.meaning {
            Meaning::Happened(told) if captures => {
                let all: Vec<Told> = std::iter::once(*told).chain(heard.also).collect();
                deeds.extend(all.iter().filter_map(|told| Deed::of(&told.happening)));
                let seen = all.into_iter().map(|told| observation(host, name.clone(), told));
                let arrivals = self.arrivals(store.as_ref().ok(), seen, &config, &redactor, &sighting);
                captured = arrivals.first();
                let mut kept = match captured {
                    Some(arrival) => self.keep(store, arrival, &receipt)?,
                    None => Kept::here(store),
                };
                for more in arrivals.iter().skip(1) {
                    self.keep_too(&mut kept, more)?;
                }
                self.is_kept.store(true, Ordering::Release);
                kept
            }
            Meaning::Happened(_) => {
                receipt.outcome = "not kept".to_owned();
                Kept::here(store)
            }
            Meaning::PassedOver(why) => {
                receipt.outcome = format!("passed over: {why}{lacking}");
                Kept::here(store)
            }
        };
        let Kept::Stored(mut store, proof) = kept else {
            self.say(host, Moment::SessionStart, None, trouble.as_deref());
            return self.end(&config, captured, None);
        };
        for deed in &deeds {
            self.note_use(&mut store, host, &host_session, deed);
        }
        let occasion = captured.and_then(occasion);
        let distilled = occasion
            .zip(captured)
            .map(|(occasion, arrival)| self.distil(&mut store, occasion, arrival, &redactor));
        let gives = opening.is_some_and(|(opening, budget)| {
            let hooked = Hooked {
                config: &config,
                environment: &self.environment,
                home: &self.home,
                now: self.now,
                until: self.started + self.deadline * SOFT_DEADLINE / 100,
                host,
                host_session: &host_session,
                sighting: &sighting,
                before: before.as_ref(),
                ahead: ahead.as_ref(),
            };
            let given =
                hooked.inject(&mut store, &opening, budget, &receipt, proof).unwrap_or_else(|failure| {
                    self.log(&format!("nothing is given: {}", failure.line()));
                    None
                });
            self.say(host, opening.moment(), given.as_ref(), trouble.as_deref());
            given.is_some()
        });
        if captured.is_none() && captures && !gives {
            // Proof of life is not worth a word in the log: the next hook brings its own.
            drop(store.record_receipt(&receipt));
        }
        match (occasion, captured, distilled) {
            // Nobody waits for the next step now, and the hooks of the next turn open fast.
            (Some(occasion), Some(arrival), Some(distilled)) => {
                store.checkpoint()?;
                if polish::enqueue(&mut store, &arrival.event, occasion, &distilled?, &config)? {
                    self.start("polish");
                }
                self.embed(&mut store, &config);
            }
            _ => store.keep_log_short()?,
        }
        self.end(&config, captured, Some(&store))
    }

    /// Makes what was heard fit to be kept.
    fn arrivals(
        &self,
        store: Option<&Store>,
        seen: impl Iterator<Item = Observation>,
        config: &Config,
        redactor: &Redactor,
        sighting: &Sighting,
    ) -> &[Arrival] {
        let arrival = |observation: Observation| {
            // A store that cannot say what it gave must not keep the event from being kept.
            let given = store.map(|store| store.given_to(&observation.host, &observation.host_session));
            let given = given.and_then(Result::ok).unwrap_or_default();
            let around = Surroundings {
                redactor,
                most_bytes: config.capture.max_event_bytes as usize,
                root: &sighting.root,
                given: &given,
                at: self.now,
            };
            Arrival { event: observe(observation, &around), sighting: sighting.clone() }
        };
        self.arrivals.get_or_init(|| seen.map(arrival).collect())
    }

    /// Says to the host what is given, and to the user what is wrong: one answer and nothing else, or nothing at all.
    fn say(&self, host: Host, moment: Moment, given: Option<&Built>, trouble: Option<&str>) {
        let context = given.map(|built| built.block.text.as_str());
        let Some(reply) = host.reply(moment, Reply { context, to_user: trouble }) else { return };
        let mut out = std::io::stdout().lock();
        // A host that hung up does not want to hear it.
        drop(out.write_all(reply.as_bytes()).and_then(|()| out.flush()));
    }

    /// Says what keeps us from remembering, if something does.
    fn trouble(
        &self,
        store: &Result<Store, StoreError>,
        host: Host,
        before: Option<&Session>,
        sighting: &Sighting,
    ) -> Option<String> {
        match store {
            Err(error) => alive::trouble_opening(error),
            Ok(store) => {
                let here = || store.known_project_at(sighting).ok().flatten();
                let project = before.map(|session| session.project).or_else(here);
                alive::trouble(&self.home, store, host.as_str(), project, self.now)
            }
        }
    }

    /// Notes what was used of what the session was given. What fails here costs a number, not an event.
    fn note_use(&self, store: &mut Store, host: Host, host_session: &str, deed: &Deed) {
        let session = store.session_called(host.as_str(), host_session).map_err(Failure::from);
        let noted = session.and_then(|session| match session {
            Some(session) => deed.note(store, session.id, self.now),
            None => Ok(()),
        });
        if let Err(failure) = noted {
            self.log(&format!("a use is not noted: {}", failure.line()));
        }
    }

    /// Starts what a session's end leaves to be done.
    fn end(&self, config: &Config, captured: Option<&Arrival>, store: Option<&Store>) -> Result<(), Failure> {
        if captured.is_none_or(|arrival| arrival.event.kind != EventKind::SessionEnd) {
            return Ok(());
        }
        if config.retention.backups > 0 {
            self.start_housekeeping();
        }
        // No hook ever talks to a hub.
        if let Some(store) = store.filter(|_| config.team.at_session_end)
            && !teams::shared_through_hubs(store)?.is_empty()
        {
            self.start("sync");
        }
        Ok(())
    }

    /// Keeps an event, or lets it wait.
    fn keep(
        &self,
        store: Result<Store, StoreError>,
        arrival: &Arrival,
        receipt: &Receipt,
    ) -> Result<Kept, Failure> {
        let stored = store.and_then(|mut store| {
            let (_, proof) = store.record_with_receipt(arrival, receipt)?;
            Ok((store, proof))
        });
        match stored {
            Ok((store, proof)) => Ok(Kept::Stored(Box::new(store), proof)),
            Err(error) => {
                Spool::of(&self.home).put(arrival)?;
                if !error.is_passing() {
                    self.log(&format!("an event waits in the spool: {error}"));
                }
                if matches!(error, StoreError::Damaged { .. }) {
                    self.start_housekeeping();
                }
                Ok(Kept::Waits)
            }
        }
    }

    /// Keeps what happened with an event where the event is kept; the proof that the hook ran came with that.
    fn keep_too(&self, kept: &mut Kept, arrival: &Arrival) -> Result<(), Failure> {
        let is_kept = match kept {
            Kept::Stored(store, _) => store.record(arrival).is_ok(),
            Kept::Waits => false,
        };
        if !is_kept {
            Spool::of(&self.home).put(arrival)?;
        }
        Ok(())
    }

    /// Makes memories of what happened. What fails here is tried again with the next turn: the events are kept.
    fn distil(
        &self,
        store: &mut Store,
        occasion: Occasion,
        arrival: &Arrival,
        redactor: &Redactor,
    ) -> Result<DistilReport, Failure> {
        let event = &arrival.event;
        let Some(session) = store.session_called(&event.host, &event.host_session)? else {
            return Ok(DistilReport::default());
        };
        // The agent may have gone into another project's folder since: what lies there is not this session's (law 8).
        let is_at_home = store.known_project_at(&arrival.sighting)? == Some(session.project);
        let root = Some(Path::new(&arrival.sighting.root)).filter(|root| is_at_home && root.is_dir());
        // A host's record that came late has not used up the time to look.
        let until = Some((Instant::now() + TIME_TO_LOOK).min(self.started + LATEST_TO_WORK));
        Ok(distil(store, session.id, &Distillation { occasion, root, redactor, now: self.now, until })?)
    }

    /// Makes vectors of what was distilled, as far as there is time. The rest is made by the next turn, or by housekeeping.
    fn embed(&self, store: &mut Store, config: &Config) {
        let until = (Instant::now() + TIME_TO_EMBED).min(self.started + LATEST_TO_WORK);
        vectors::note_failure(&self.home, self.now, vectors::embed_until(store, config, until));
    }

    /// Whether a call of ours to a model made this happen: in its folder, or below the process that makes it.
    fn is_our_doing(&self, place: &Path, heard: &Heard) -> bool {
        let cwd = std::env::current_dir().ok();
        let places = [Some(place), heard.cwd.as_deref().map(Path::new), cwd.as_deref()];
        places.into_iter().flatten().any(ourselves::is_jail) || ourselves::is_below_runner(&self.home)
    }

    /// Whether the session is one we asked for: by its name, or by what it begins with. A store that cannot say is asked again when
    /// the event is kept.
    fn is_our_session(&self, store: Option<&mut Store>, host: Host, heard: &Heard) -> bool {
        let is_ours = match &heard.meaning {
            Meaning::Happened(told) => match &told.happening {
                Happening::Prompted { text } => is_our_prompt(text),
                _ => false,
            },
            Meaning::PassedOver(_) => false,
        };
        match (store, &heard.host_session) {
            (Some(store), Some(session)) if is_ours => {
                if let Err(error) = store.take_back_session(host.as_str(), session, self.now) {
                    self.log(&format!("a session of our own stays: {error}"));
                }
                true
            }
            (Some(store), Some(session)) => store.is_own_session(session).unwrap_or(false),
            // What waits in the spool is looked at again when it is taken in; our words do not even go there.
            _ => is_ours,
        }
    }

    /// Returns the folder it happened in: the host's steady word for the project, else where it says it is, else where we are.
    fn place(&self, host: Host, heard: &Heard) -> PathBuf {
        let named = self.environment.project_dir_of(host.project_variable());
        let said = named.or_else(|| heard.cwd.as_ref().map(PathBuf::from));
        said.or_else(|| std::env::current_dir().ok()).unwrap_or_default()
    }

    /// Reads the configuration. What is wrong in it is returned and passed over; where it bears on what may be kept, nothing is.
    fn config(&self, place: &Path) -> (Config, Vec<Failure>) {
        let mut settings = Settings::defaults();
        let mut wrong = settings.lay_files(self.environment.config_file(), project_file(place));
        wrong.extend(settings.lay_environment(&self.environment));
        (settings.config().unwrap_or_else(|_| Config::nothing()), wrong)
    }

    fn receipt(&self, host: Host, event: &str, bytes_in: usize) -> Receipt {
        Receipt {
            host: host.as_str().to_owned(),
            event: event.chars().take(64).collect(),
            at: self.now,
            duration_us: u32::try_from(self.started.elapsed().as_micros()).unwrap_or(u32::MAX),
            bytes_in: u32::try_from(bytes_in).unwrap_or(u32::MAX),
            bytes_out: 0,
            outcome: "kept".to_owned(),
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
        use std::os::unix::process::CommandExt;
        let Ok(program) = std::env::current_exe() else { return };
        let mut command = Command::new(program);
        command.arg(name).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        if let Err(error) = command.spawn() {
            self.log(&format!("cannot start `{name}`: {error}"));
        }
    }
}

/// Says in a receipt what a payload should have had: `doctor` looks for these words.
fn lacking(what: &[&str]) -> String {
    if what.is_empty() { String::new() } else { format!("{LACKING}{}", what.join(", ")) }
}

/// Returns why to distil after an event, if it is time.
fn occasion(arrival: &Arrival) -> Option<Occasion> {
    match arrival.event.kind {
        EventKind::TurnEnd => Some(Occasion::TurnEnd),
        EventKind::SessionEnd => Some(Occasion::SessionEnd),
        EventKind::Compaction => match account_of(&arrival.event)?.happening {
            Happening::Compacting { .. } => Some(Occasion::Compaction),
            _ => None,
        },
        _ => None,
    }
}

/// What became of an event.
enum Kept {
    /// It is in the store, with the proof that the hook ran; or there was nothing to keep.
    Stored(Box<Store>, Option<ReceiptId>),
    Waits,
}

impl Kept {
    /// Nothing is to be kept, but the store may know something.
    fn here(store: Result<Store, StoreError>) -> Kept {
        store.map_or(Kept::Waits, |store| Kept::Stored(Box::new(store), None))
    }
}

/// Returns what a session is called. One of one project must not be joined by what names none in another (law 8).
fn session_name(named: Option<String>, sighting: &Sighting) -> String {
    named.unwrap_or_else(|| format!("unknown in {}", sighting.root))
}

fn observation(host: Host, host_session: String, told: Told) -> Observation {
    Observation {
        host: host.as_str().to_owned(),
        host_session,
        tool: told.tool,
        sequence: told.sequence,
        trust: told.trust,
        account: Account { happening: told.happening, subagent: told.subagent },
    }
}
