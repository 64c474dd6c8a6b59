//! What a host calls with: its event, the folder, and what the settings of that folder allow.
//!
//! Not here: what a payload means (`hosts`), which session and project it belongs to (`context`).

use super::Hook;
use crate::config::Config;
use crate::error::AppError;
use crate::self_capture_guard;
use crate::settings::{Settings, project_file};
use backstory_hosts::{EventOutcome, Host, ParsedEvent};
use backstory_inject::{InjectionRequest, elapsed_us};
use backstory_memory::{Activity, InjectionPoint, Redacted};
use backstory_provider::is_our_prompt;
use backstory_store::{Receipt, Store};
use std::path::{Path, PathBuf};

/// A call of a host, with the settings that apply to its folder.
pub(super) struct HookCall {
    pub(super) host: Host,
    pub(super) event: ParsedEvent,
    pub(super) folder: PathBuf,
    pub(super) config: Config,
    /// Whether events of this folder may be kept.
    pub(super) captures: bool,
    pub(super) injection: Option<InjectionRequest>,
    pub(super) config_errors: Vec<AppError>,
}

impl Hook {
    /// Parses a payload; `None` if our own call to a model caused it.
    pub(super) fn parse(&self, payload: &[u8]) -> Result<Option<HookCall>, AppError> {
        let host = self.invocation.host;
        let mut event = host.parse(self.invocation.event.as_deref(), payload);
        let folder = self.folder(host, &event);
        if self.is_below_our_model_call(&folder, &event) {
            return Ok(None);
        }
        let (config, config_errors) = self.read_config(&folder)?;
        let user_home = self.environment.user_home();
        let captures = config.capture.enabled && !config.capture.leaves_out(&folder, user_home.as_deref());
        let injection = event.injection_point.take().and_then(|point| {
            let budget = config.inject.budget(point.moment(), &folder, user_home.as_deref());
            // With a budget of 0 the request still records that a context window starts.
            let is_recorded = captures && matches!(point, InjectionPoint::SessionStart { .. });
            (budget > 0 || is_recorded).then_some(InjectionRequest { point, budget })
        });
        Ok(Some(HookCall { host, event, folder, config, captures, injection, config_errors }))
    }

    /// Whether our own call to a model caused the event: it runs in the folder of such calls, or below the process that makes them.
    fn is_below_our_model_call(&self, folder: &Path, event: &ParsedEvent) -> bool {
        let cwd = std::env::current_dir().ok();
        let folders = [Some(folder), event.cwd.as_deref().map(Path::new), cwd.as_deref()];
        folders.into_iter().flatten().any(self_capture_guard::is_jail)
            || self_capture_guard::is_below_runner(&self.home)
    }

    /// Whether the session is one we started to ask a model, by its id or by its first prompt. A store that cannot answer is asked
    /// again when the event is kept.
    pub(super) fn is_own_session(&self, store: Option<&mut Store>, call: &HookCall) -> bool {
        let is_our_question = match &call.event.outcome {
            EventOutcome::Captured(event) => match &event.activity {
                Activity::Prompted { text } => is_our_prompt(text),
                _ => false,
            },
            EventOutcome::Ignored(_) => false,
        };
        match (store, &call.event.host_session) {
            (Some(store), Some(session)) if is_our_question => {
                if let Err(error) =
                    store.sessions_mut().discard_own(call.host.as_str(), session, self.clock.now)
                {
                    self.log(&format!("cannot discard a session of our own: {error}"));
                }
                true
            }
            (Some(store), Some(session)) => store.sessions().is_own(session).unwrap_or(false),
            // The spool is checked again when it is drained; our own prompts are not even spooled.
            _ => is_our_question,
        }
    }

    /// Returns the folder of the event: the variable in which the host names the project, else the payload's, else our own.
    fn folder(&self, host: Host, event: &ParsedEvent) -> PathBuf {
        let named = self.environment.project_dir_of(host.project_variable());
        let from_payload = || event.cwd.as_ref().map(PathBuf::from);
        named.or_else(from_payload).or_else(|| std::env::current_dir().ok()).unwrap_or_default()
    }

    /// Reads the settings of a folder. Errors are returned and skipped; one that bears on what may be kept means that nothing is.
    fn read_config(&self, folder: &Path) -> Result<(Config, Vec<AppError>), AppError> {
        let mut settings = Settings::defaults();
        let mut errors = settings.lay_files(self.environment.config_file(), project_file(folder));
        errors.extend(settings.lay_environment(&self.environment));
        Ok((settings.config()?, errors))
    }
}

impl Hook {
    /// Returns the receipt of a call, with the host's redacted name of the event.
    pub(super) fn receipt(&self, call: &HookCall, event_name: &Redacted<String>) -> Receipt {
        let bytes_in = self.payload.get().map_or(0, Vec::len);
        Receipt {
            host: call.host.as_str().to_owned(),
            event: event_name.first_chars(64),
            at: self.clock.now,
            duration_us: elapsed_us(self.clock.started),
            bytes_in: u32::try_from(bytes_in).unwrap_or(u32::MAX),
            bytes_out: 0,
            outcome: call.outcome(),
            missing_fields: call.missing_fields(),
        }
    }
}

impl HookCall {
    /// Returns the outcome, as the receipt records it.
    fn outcome(&self) -> String {
        match self.event.outcome {
            EventOutcome::Captured(_) if self.captures => "kept".to_owned(),
            EventOutcome::Captured(_) => "not kept".to_owned(),
            EventOutcome::Ignored(reason) => format!("skipped: {reason}"),
        }
    }

    /// Returns the fields the payload lacks; none for an event that may not be kept.
    fn missing_fields(&self) -> Vec<String> {
        match self.event.outcome {
            EventOutcome::Captured(_) if !self.captures => Vec::new(),
            _ => self.event.missing.iter().map(ToString::to_string).collect(),
        }
    }
}
