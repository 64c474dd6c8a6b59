//! Previews of what a session would be given, and what injections take from settings and environment.

use crate::app::{App, ProjectSelector};
use crate::engine::{Profile, engine_of, utc_offset_minutes};
use crate::env_vars::Environment;
use crate::error::AppError;
use backstory_inject::{
    BuiltInjection, FetchHint, InjectError, InjectSettings, InjectionRequest, Injector, Recipient,
};
use backstory_memory::{InjectionPoint, Timestamp};
use backstory_store::{ContextWindow, Scope, Store};
use std::path::Path;
use std::time::{Duration, Instant};

/// A user waits for a preview, but no session does.
const PREVIEW_TIME: Duration = Duration::from_secs(5);

/// A preview of an injection.
#[derive(Clone, Debug)]
pub struct ContextRequest {
    /// The moment, and what it is about.
    pub point: InjectionPoint,
    /// The project.
    pub project: ProjectSelector,
}

impl App {
    /// Builds what would be injected now. Nothing is recorded.
    pub fn context(&self, store: &Store, request: ContextRequest) -> Result<BuiltInjection, AppError> {
        let ContextRequest { point, project } = request;
        let user_home = self.environment.user_home();
        let budget = self.config.inject.budget(point.moment(), &self.cwd, user_home.as_deref());
        let request = InjectionRequest { point, budget };
        let Some(Scope::Project(project)) = self.scope(store, &project)? else {
            return Ok(BuiltInjection::empty(request.point.moment(), budget));
        };
        let project_ref = self.project_ref();
        let is_here = store.projects().find(&project_ref)? == Some(project);
        let root = Some(Path::new(&project_ref.root)).filter(|root| is_here && root.is_dir());
        let context = ContextWindow { started_at: Some(self.now), ..ContextWindow::default() };
        let recipient = Recipient { project, session: None, context, root };
        Ok(preview_injection(self, store, recipient, &request))
    }
}

/// Returns the settings of injections. An agent can fetch more by the MCP tools, and by the command if a shell finds it.
#[must_use]
pub fn inject_settings(environment: &Environment, now: Timestamp) -> InjectSettings {
    let has_command = environment.finds_program("backstory");
    let fetch_hint = if has_command { FetchHint::Both } else { FetchHint::Tools };
    InjectSettings { fetch_hint, utc_offset_minutes: utc_offset_minutes(now) }
}

/// Builds what a session would be given now. Nothing is recorded.
#[must_use]
pub fn preview_injection(
    app: &App,
    store: &Store,
    recipient: Recipient<'_>,
    request: &InjectionRequest,
) -> BuiltInjection {
    let injector = Injector {
        store,
        settings: inject_settings(&app.environment, app.now),
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
