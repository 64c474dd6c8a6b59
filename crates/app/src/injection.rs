//! Injections on request, previewed or recorded, and what injections take from settings and environment.

use crate::app::{App, ProjectSelector};
use crate::config::InjectConfig;
use crate::doctor::connected_hosts;
use crate::engine::{Profile, engine_of, utc_offset_minutes};
use crate::env_vars::Environment;
use crate::error::{AppError, ErrorCode};
use backstory_hosts::{Host, UnknownHost};
use backstory_inject::{
    BuiltInjection, FetchHint, InjectError, InjectSettings, InjectionRequest, Injector, Recipient,
};
use backstory_memory::{InjectionPoint, Memory, MemoryId, ProjectId, Timestamp};
use backstory_store::{ContextWindow, Scope, Store};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a preview may take. A user waits for it, and no session, so it may take longer than a hook.
const PREVIEW_TIME: Duration = Duration::from_secs(5);

/// The most tokens of a preview, however many are asked for.
const MOST_PREVIEWED: u32 = 8_000;

/// A preview of an injection.
#[derive(Clone, Debug)]
pub struct ContextRequest {
    /// The moment, and what it is about.
    pub point: InjectionPoint,
    /// The project.
    pub project: ProjectSelector,
    /// The host it would be for; if it is not named, the one that was last at work in the project.
    pub host: Option<String>,
}

/// An injection for a host that injects the text itself.
#[derive(Clone, Debug)]
pub struct InjectRequest {
    /// The moment, and what it is about.
    pub point: InjectionPoint,
    /// The host.
    pub host: String,
    /// What the host calls its session. A hook must have recorded it.
    pub host_session: String,
}

impl App {
    /// Builds what would be injected now. Nothing is recorded.
    pub fn context(&self, store: &Store, request: ContextRequest) -> Result<BuiltInjection, AppError> {
        self.context_within(store, request, None)
    }

    /// Builds what would be injected now, within a given budget or else the one of the settings. Nothing is recorded.
    pub fn context_within(
        &self,
        store: &Store,
        request: ContextRequest,
        budget: Option<u32>,
    ) -> Result<BuiltInjection, AppError> {
        let ContextRequest { point, project, host } = request;
        let settings = self.injection_request(point);
        let budget = budget.map_or(settings.budget, |budget| budget.min(MOST_PREVIEWED));
        let request = InjectionRequest { budget, ..settings };
        let project_ref = self.project_ref_in(store, &self.cwd);
        let here = store.projects().find(&project_ref)?;
        let scope = match project {
            ProjectSelector::Here => here.map(Scope::Project),
            elsewhere => self.scope(store, &elsewhere)?,
        };
        let Some(Scope::Project(project)) = scope else {
            return Ok(nothing_injected(&request));
        };
        let is_here = here == Some(project);
        // Only the folder we stand in may be looked into: another project's files are not here.
        let root = Some(Path::new(&project_ref.root)).filter(|root| is_here && root.is_dir());
        let context = ContextWindow { started_at: Some(self.now), ..ContextWindow::default() };
        let host = match host {
            Some(name) => {
                Some(name.parse().map_err(|error: UnknownHost| AppError::usage(error.to_string()))?)
            }
            None => self.host_at_work(store, project)?,
        };
        let rules_file = host.and_then(Host::instructions_file);
        let recipient = Recipient { project, session: None, context, root, rules_file };
        Ok(build_injection(self, store, recipient, &request))
    }

    /// Returns the host of a project's newest session, else the one that is connected.
    fn host_at_work(&self, store: &Store, project: ProjectId) -> Result<Option<Host>, AppError> {
        let newest = store.sessions().list(Some(project), 1, 0)?;
        let host = newest.first().and_then(|newest| newest.session.host.parse().ok());
        Ok(host.or_else(|| connected_hosts(self).into_iter().next()))
    }

    /// Returns the memories of an injection, in its order.
    pub fn memories_of(&self, store: &Store, built: &BuiltInjection) -> Result<Vec<Memory>, AppError> {
        let ids: Vec<MemoryId> = built.block.items.iter().map(|item| item.memory).collect();
        Ok(store.memories().get_many(&ids)?)
    }

    /// Builds and records the injection of a known session, without what the session has already.
    pub fn inject(&self, store: &mut Store, request: InjectRequest) -> Result<BuiltInjection, AppError> {
        let InjectRequest { point, host, host_session } = request;
        let request = self.injection_request(point);
        let session = store.sessions().find(&host, &host_session)?.ok_or_else(|| {
            AppError::new(ErrorCode::NoSuchSession, format!("there is no session `{host_session}` of {host}"))
                .hint("a session is known once one of its hooks has run; `GET /api/context` needs none")
        })?;
        let project_ref = self.project_ref_in(store, &self.cwd);
        if store.projects().find(&project_ref)?.is_none() {
            return Ok(nothing_injected(&request));
        }
        let root = Some(Path::new(&project_ref.root)).filter(|root| root.is_dir());
        let context = store.injections().context_window(session.id)?;
        // The session's project decides, not the folder: an agent may have changed to another project's (law 8).
        let rules_file = host.parse().ok().and_then(Host::instructions_file);
        let recipient =
            Recipient { project: session.project, session: Some(session.id), context, root, rules_file };
        let built = build_injection(self, store, recipient.clone(), &request);
        // Record before replying: an injection without a record could not be explained later (law 9).
        if !built.block.is_empty() {
            store.injections_mut().record(&built.to_record(&recipient, self.now))?;
        }
        Ok(built)
    }

    fn injection_request(&self, point: InjectionPoint) -> InjectionRequest {
        let user_home = self.environment.user_home();
        let budget = self.config.inject.budget(point.moment(), &self.cwd, user_home.as_deref());
        InjectionRequest { point, budget }
    }
}

fn nothing_injected(request: &InjectionRequest) -> BuiltInjection {
    BuiltInjection::empty(request.point.moment(), request.budget)
}

/// Returns the settings of injections. An agent can fetch more by the MCP tools, and by the command if a shell finds it.
#[must_use]
pub fn inject_settings(environment: &Environment, config: &InjectConfig, now: Timestamp) -> InjectSettings {
    let has_command = environment.finds_program("backstory");
    let fetch_hint = if has_command { FetchHint::Both } else { FetchHint::Tools };
    let work_in_full = config.work_in_full as usize;
    InjectSettings { fetch_hint, utc_offset_minutes: utc_offset_minutes(now), work_in_full }
}

/// Builds what would be injected into a session now. Nothing is recorded.
pub(crate) fn build_injection(
    app: &App,
    store: &Store,
    recipient: Recipient<'_>,
    request: &InjectionRequest,
) -> BuiltInjection {
    let injector = Injector {
        store,
        settings: inject_settings(&app.environment, &app.config.inject, app.now),
        redactor: &app.redactor(),
        open_engine: &|| engine_of(app, Profile::Inject),
        prefetch: None,
        now: app.now,
        until: Instant::now() + PREVIEW_TIME,
        recipient,
    };
    injector.build(request, None)
}

impl From<InjectError> for AppError {
    fn from(error: InjectError) -> AppError {
        match error {
            InjectError::Store(error) => error.into(),
            InjectError::SectionFailed(section) => AppError::user(section.to_string()),
        }
    }
}
