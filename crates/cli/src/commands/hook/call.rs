//! One call of a host: what it said, where, and what the user wants done with it. And the scene it belongs to, session and project.
//!
//! Not here: what a payload means (`hosts`), and whatever is done about it.

use super::Hook;
use super::given::{host_in, option_in};
use backstory_app::config::Config;
use backstory_app::settings::{Settings, project_file};
use backstory_app::{AppError, self_capture_guard};
use backstory_capture::{Redactor, safe_project_ref};
use backstory_hosts::{AgentEvent, EventOutcome, Host, ParsedEvent};
use backstory_inject::InjectionRequest;
use backstory_memory::{Activity, InjectionPoint, ProjectRef};
use backstory_provider::is_our_prompt;
use backstory_store::{Session, Store};
use std::path::{Path, PathBuf};

/// What a host said, where, and what the user wants done with it.
pub(super) struct Call {
    pub(super) host: Host,
    pub(super) event: ParsedEvent,
    place: PathBuf,
    pub(super) config: Config,
    /// Whether what happens there is to be kept.
    pub(super) captures: bool,
    pub(super) request: Option<InjectionRequest>,
    /// What is wrong in the configuration.
    pub(super) wrong: Vec<AppError>,
}

/// Where a call belongs.
pub(super) struct Scene {
    pub(super) host: Host,
    pub(super) redactor: Redactor,
    pub(super) project_ref: ProjectRef,
    /// What the host calls the session.
    pub(super) named: String,
    /// The same, as it is kept.
    pub(super) host_session: String,
    /// The session as it was before.
    pub(super) before: Option<Session>,
    /// So much is kept of an event.
    pub(super) most_bytes: usize,
}

impl Hook {
    /// Makes out what a host said. Nothing where a call of ours to a model made it happen.
    pub(super) fn parse(&self, payload: &[u8]) -> Result<Option<Call>, AppError> {
        let host = host_in(&self.arguments)?;
        let named = option_in(&self.arguments, "--event");
        let mut event = host.parse(named.as_deref(), payload);
        let place = self.place(host, &event);
        if self.is_our_doing(&place, &event) {
            return Ok(None);
        }
        let (config, wrong) = self.config(&place);
        let user_home = self.environment.user_home();
        let captures = config.capture.enabled && !config.capture.leaves_out(&place, user_home.as_deref());
        let request = event.injection_point.take().and_then(|point| {
            let budget = config.inject.budget(point.moment(), &place, user_home.as_deref());
            // A session start is recorded even if nothing is injected.
            let is_noted = captures && matches!(point, InjectionPoint::SessionStart { .. });
            (budget > 0 || is_noted).then_some(InjectionRequest { point, budget })
        });
        Ok(Some(Call { host, event, place, config, captures, request, wrong }))
    }

    /// Whether a call of ours to a model made this happen: in its folder, or below the process that makes it.
    fn is_our_doing(&self, place: &Path, event: &ParsedEvent) -> bool {
        let cwd = std::env::current_dir().ok();
        let places = [Some(place), event.cwd.as_deref().map(Path::new), cwd.as_deref()];
        places.into_iter().flatten().any(self_capture_guard::is_jail)
            || self_capture_guard::is_below_runner(&self.home)
    }

    /// Whether the session is one we asked for: by its name, or by what it begins with. A store that cannot say is asked again when
    /// the event is kept.
    pub(super) fn is_our_session(&self, store: Option<&mut Store>, call: &Call) -> bool {
        let parsed = &call.event;
        let is_ours = match &parsed.outcome {
            EventOutcome::Captured(event) => match &event.activity {
                Activity::Prompted { text } => is_our_prompt(text),
                _ => false,
            },
            EventOutcome::Ignored(_) => false,
        };
        match (store, &parsed.host_session) {
            (Some(store), Some(session)) if is_ours => {
                if let Err(error) = store.discard_own_session(call.host.as_str(), session, self.now) {
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
    fn place(&self, host: Host, event: &ParsedEvent) -> PathBuf {
        let named = self.environment.project_dir_of(host.project_variable());
        let said = named.or_else(|| event.cwd.as_ref().map(PathBuf::from));
        said.or_else(|| std::env::current_dir().ok()).unwrap_or_default()
    }

    /// Reads the configuration. What is wrong in it is returned and passed over; where it bears on what may be kept, nothing is.
    fn config(&self, place: &Path) -> (Config, Vec<AppError>) {
        let mut settings = Settings::defaults();
        let mut wrong = settings.lay_files(self.environment.config_file(), project_file(place));
        wrong.extend(settings.lay_environment(&self.environment));
        (settings.config().unwrap_or_else(|_| Config::nothing()), wrong)
    }
}

impl Call {
    /// Whether a session of which something is kept begins, or comes back.
    pub(super) fn begins_session(&self) -> bool {
        let begins =
            |request: &InjectionRequest| matches!(request.point, InjectionPoint::SessionStart { .. });
        self.captures && self.request.as_ref().is_some_and(begins)
    }

    /// Says in a receipt what becomes of it.
    pub(super) fn outcome(&self) -> String {
        match self.event.outcome {
            EventOutcome::Captured(_) if self.captures => "kept".to_owned(),
            EventOutcome::Captured(_) => "not kept".to_owned(),
            EventOutcome::Ignored(why) => format!("passed over: {why}"),
        }
    }

    /// Returns the fields the payload should have had and did not; none of an event that is not captured.
    pub(super) fn missing_fields(&self) -> Vec<String> {
        match self.event.outcome {
            EventOutcome::Captured(_) if !self.captures => Vec::new(),
            EventOutcome::Captured(_) | EventOutcome::Ignored(_) => {
                self.event.missing.iter().map(ToString::to_string).collect()
            }
        }
    }
}

impl Scene {
    /// Finds out where a call belongs. A store that cannot say what was must not keep the event from being kept.
    pub(super) fn of(call: &mut Call, redactor: Redactor, store: Option<&Store>) -> Scene {
        let host = call.host;
        let project_ref = safe_project_ref(&call.place, &redactor);
        // A session of one project must not be joined by what names none in another (law 8).
        let named = call.event.host_session.take();
        let named = named.unwrap_or_else(|| format!("unknown in {}", project_ref.root));
        let host_session = redactor.scrub(&named).into_string();
        let before = store.and_then(|store| store.find_session(host.as_str(), &host_session).ok()?);
        let most_bytes = call.config.capture.max_event_bytes as usize;
        Scene { host, redactor, project_ref, named, host_session, before, most_bytes }
    }
}

/// Returns all that happened.
pub(super) fn happened(parsed: ParsedEvent) -> Vec<AgentEvent> {
    match parsed.outcome {
        EventOutcome::Captured(event) => std::iter::once(*event).chain(parsed.also).collect(),
        EventOutcome::Ignored(_) => Vec::new(),
    }
}
