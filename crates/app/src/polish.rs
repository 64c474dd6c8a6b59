//! Lets the configured model reword what rules have made. Hooks start it and do not wait; one process does it at a time.
//!
//! Whatever fails, the rules' own words stay. What may be asked and how often is the store's to say, before each call; what an
//! answer must be like is `provider`'s.

use crate::app::{self, App};
use crate::config::{Config, Provider};
use crate::env_vars::{BACKSTORY_INSIDE, Environment};
use crate::error::AppError;
use crate::log;
use crate::self_capture_guard::{self, Runner};
use backstory_capture::{Redactor, prepare};
use backstory_distil::{DistilReport, DistilTrigger};
use backstory_memory::{
    Content, Kind, KindGroup, Memory, MemoryId, SessionId, Timestamp, Tokens, Uid, digest,
};
use backstory_provider::{
    Anthropic, ClaudeCli, Model, ModelAnswer, ModelError, ModelRequest, OpenAiCompatible, parse_rewording,
    rewording_request,
};
use backstory_store::{CallOutcome, CallPermission, Home, Job, PolishOutcome, Store, TokenCaps};
use std::ffi::OsString;
use std::time::Duration;

/// A claim outlives the answer by this much; then the runner is dead.
const LEASE_BEYOND_DEADLINE: Duration = Duration::from_secs(60);
/// After the first failure; after the second, twice as long.
const RETRY_AFTER_MS: i64 = 10 * 60 * 1000;
/// When no call may be made: look again after this.
const PUT_OFF_MS: i64 = 60 * 1000;

/// Words better what waits for it, until nothing is due or no call may be made.
///
/// # Errors
///
/// When the home cannot be locked or the store cannot be used. A model that fails is no error: the rules' own words stay.
pub fn run(app: &App) -> Result<(), AppError> {
    // A model's program that starts us asks us to ask a model.
    if app.environment.is_inside() || app.config.distil.provider == Provider::None {
        return Ok(());
    }
    let done = polish_all(app);
    if let Err(failure) = &done {
        log::line(&app.home, app.now, &format!("polish: {}", failure.line()));
    }
    done
}

/// Lets what was distilled after an event wait for a model, where one is configured; returns whether anything waits that did not
/// before.
///
/// A summary is made anew with each turn: it waits for the end of the session, whether the last turn changed it or not.
pub(crate) fn enqueue(
    store: &mut Store,
    (session, at): (Option<SessionId>, Timestamp),
    trigger: DistilTrigger,
    report: &DistilReport,
    config: &Config,
) -> Result<bool, AppError> {
    if config.distil.provider == Provider::None {
        return Ok(false);
    }
    let changed: Vec<MemoryId> = report.written.iter().chain(&report.updated).copied().collect();
    let done = Kind::with(|kind| kind.group == KindGroup::Work);
    let mut worth = of_kinds(store, &changed, &done)?;
    if trigger == DistilTrigger::SessionEnd
        && let Some(session) = session
    {
        let all = store.memories().of_session(session)?;
        worth.extend(of_kinds(store, &all, &[Kind::Summary])?);
    }
    Ok(store.jobs_mut().enqueue(&worth, at)? > 0)
}

fn of_kinds(store: &Store, ids: &[MemoryId], kinds: &[Kind]) -> Result<Vec<MemoryId>, AppError> {
    let found =
        store.memories().get_many(ids)?.into_iter().filter(|memory| kinds.contains(&memory.content.kind));
    Ok(found.map(|memory| memory.id).collect())
}

/// Runs the program of a model, and ends it when this process ends.
pub fn run_watchdog(command: &[OsString]) -> Result<(), AppError> {
    backstory_provider::run_watchdog(command)
        .map_err(|error| AppError::usage("cannot guard this program").because(&error))
}

fn polish_all(app: &App) -> Result<(), AppError> {
    app.home.prepare()?;
    let running = Runner::begin(&app.home);
    let running = running.map_err(|error| AppError::user("cannot lock the home").because(&error))?;
    if running.is_none() {
        return Ok(());
    }
    let polishing = Polishing::new(app)?;
    let mut store = app.store()?;
    store.jobs_mut().trim_model_work(app.now)?;
    let lease = polishing.deadline + LEASE_BEYOND_DEADLINE;
    while let Some(job) = store.jobs_mut().claim(app::now(&app.environment), lease)? {
        if polishing.polish(&mut store, &job)? == Then::Stop {
            break;
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    GoOn,
    Stop,
}

/// What polishing works with.
struct Polishing<'a> {
    app: &'a App,
    redactor: Redactor,
    model: Box<dyn Model>,
    deadline: Duration,
    caps: TokenCaps,
}

impl Polishing<'_> {
    fn new(app: &App) -> Result<Polishing<'_>, AppError> {
        let distil = &app.config.distil;
        let deadline = Duration::from_secs(u64::from(distil.deadline_seconds.clamp(1, 600)));
        let caps = TokenCaps {
            tokens_per_day: Tokens(distil.max_tokens_per_day),
            tokens_per_session: Tokens(distil.max_tokens_per_session),
        };
        let model = model(&app.config, &app.environment, &app.home, deadline)?;
        Ok(Polishing { app, redactor: app.redactor(), model, deadline, caps })
    }

    /// Works on one job.
    fn polish(&self, store: &mut Store, job: &Job) -> Result<Then, AppError> {
        let Some(memory) = store.memories().to_polish(job.memory)? else {
            store.jobs_mut().finish(job.id)?;
            return Ok(Then::GoOn);
        };
        let now = app::now(&self.app.environment);
        // Once more: what counts as a secret may have been configured since.
        let safe = prepare(memory.content.clone(), &self.redactor);
        let request = rewording_request(&safe, fresh_session(now)?);
        let provider = self.app.config.distil.provider;
        let call = match store.jobs_mut().begin_call(
            job,
            provider.as_str(),
            request.expected_tokens(),
            self.caps,
            now,
        )? {
            CallPermission::Granted(call) => call,
            CallPermission::SessionCapReached => {
                store.jobs_mut().finish(job.id)?;
                return Ok(Then::GoOn);
            }
            CallPermission::Refused(_) => {
                store.jobs_mut().defer(job.id, Timestamp(now.0 + PUT_OFF_MS))?;
                return Ok(Then::Stop);
            }
        };
        if provider == Provider::ClaudeCli {
            store.sessions_mut().mark_own(&request.session, now)?;
        }
        let answer = self.model.answer(&request);
        let (outcome, cost, said) = self.use_answer(store, &memory, &safe, answer.as_ref())?;
        store.jobs_mut().end_call(call, outcome, cost)?;
        match outcome {
            CallOutcome::Used => store.jobs_mut().finish(job.id)?,
            CallOutcome::Unusable | CallOutcome::Failed => {
                let wait = RETRY_AFTER_MS * i64::from(job.attempts);
                store.jobs_mut().fail(job.id, Timestamp(app::now(&self.app.environment).0 + wait))?;
            }
        }
        self.note(&memory, &request, &said);
        // One that cannot answer now will not a moment later.
        Ok(if outcome == CallOutcome::Failed { Then::Stop } else { Then::GoOn })
    }

    /// Gives the memory the model's words, if they are worth it. Returns how it ended, what it cost, and that in words.
    fn use_answer(
        &self,
        store: &mut Store,
        memory: &Memory,
        safe: &Content,
        answer: Result<&ModelAnswer, &ModelError>,
    ) -> Result<(CallOutcome, Option<Tokens>, String), AppError> {
        let answer = match answer {
            Ok(answer) => answer,
            // Who refuses at the door does not charge; of who does not answer nobody knows.
            Err(error @ ModelError::Refused(_)) => {
                return Ok((CallOutcome::Failed, Some(Tokens(0)), error.to_string()));
            }
            Err(error) => return Ok((CallOutcome::Failed, None, error.to_string())),
        };
        let rewording = match parse_rewording(&answer.text, safe) {
            Ok(rewording) => rewording,
            Err(rubbish) => {
                return Ok((
                    CallOutcome::Unusable,
                    answer.tokens,
                    format!("the answer cannot be used: {rubbish}"),
                ));
            }
        };
        let worded = Content { title: rewording.title, body: rewording.body, ..safe.clone() };
        let worded = prepare(worded, &self.redactor);
        let now = app::now(&self.app.environment);
        let said = match store.memories_mut().polish(memory, &worded, now)? {
            PolishOutcome::Applied => "used",
            PolishOutcome::Outdated => "not needed any more",
        };
        Ok((CallOutcome::Used, answer.tokens, said.to_owned()))
    }

    /// Says in the log what left this machine, by its digest (SEC-16).
    fn note(&self, memory: &Memory, request: &ModelRequest, said: &str) {
        let provider = self.app.config.distil.provider.as_str();
        let prompt = digest([request.text.as_bytes()]);
        let line = format!("polish: asked {provider} about #{} (prompt {prompt}): {said}", memory.id);
        log::line(&self.app.home, app::now(&self.app.environment), &line);
    }
}

/// Makes what is configured to answer.
fn model(
    config: &Config,
    environment: &Environment,
    home: &Home,
    deadline: Duration,
) -> Result<Box<dyn Model>, AppError> {
    let distil = &config.distil;
    let or = |value: &str, default: &str| if value.is_empty() { default } else { value }.to_owned();
    let needed = |what: &str| {
        AppError::usage(format!("`distil.{what}` is not set"))
            .hint(format!("say which with `{what} = \"…\"` in the section `[distil]`"))
    };
    match distil.provider {
        Provider::None => Err(needed("provider")),
        Provider::ClaudeCli => {
            let program = std::env::current_exe();
            let program =
                program.map_err(|error| AppError::user("cannot find this program").because(&error))?;
            let directory = self_capture_guard::jail(home);
            let directory = directory
                .map_err(|error| AppError::user("cannot make a folder to ask from").because(&error))?;
            Ok(Box::new(ClaudeCli {
                watchdog: vec![program.into(), "guard".into(), "--".into()],
                model: or(&distil.model, ClaudeCli::MODEL),
                directory,
                mark: BACKSTORY_INSIDE,
                deadline,
            }))
        }
        Provider::Anthropic => {
            let name = or(&distil.api_key_env, "ANTHROPIC_API_KEY");
            let key = environment.text(&name).ok_or_else(|| key_missing(&name))?;
            let (url, model) =
                (or(&distil.base_url, Anthropic::BASE_URL), or(&distil.model, Anthropic::MODEL));
            Ok(Box::new(Anthropic::new(&url, key, &model, deadline)))
        }
        Provider::OpenaiCompatible => {
            let name = &distil.api_key_env;
            let key = match name.as_str() {
                "" => None,
                name => Some(environment.text(name).ok_or_else(|| key_missing(name))?),
            };
            if distil.base_url.is_empty() {
                return Err(needed("base_url"));
            }
            if distil.model.is_empty() {
                return Err(needed("model"));
            }
            Ok(Box::new(OpenAiCompatible::new(&distil.base_url, key, &distil.model, deadline)))
        }
    }
}

fn key_missing(name: &str) -> AppError {
    AppError::usage(format!("the variable `{name}`, which should hold a key, is not set"))
        .hint("name the variable that does with `distil.api_key_env`")
}

/// Makes a name for a session of our own that no other session has.
fn fresh_session(now: Timestamp) -> Result<String, AppError> {
    let mut random = [0; 10];
    // Without randomness it could be somebody else's.
    getrandom::fill(&mut random).map_err(|_| AppError::user("cannot make a name for a session"))?;
    Ok(Uid::from_parts(now.0, random).as_str().to_owned())
}
