//! What a session would be injected with, for programs without a hook.
//!
//! `GET` previews and records nothing. `POST` is for a host that injects the text: it names its session, the injection is recorded,
//! and the context window of that session counts. It is served over the socket only, so no browser can record one.

use super::json;
use super::parameters::{invalid_request, known_project};
use crate::{ApiReply, ApiRequest};
use backstory_app::injection::preview_injection;
use backstory_app::{App, AppError, ErrorCode, json as shapes};
use backstory_inject::{BuiltInjection, InjectionRequest, Recipient};
use backstory_memory::{InjectionPoint, Moment, ProjectId, StartReason};
use backstory_store::{ContextWindow, Session, Store};
use std::path::{Path, PathBuf};

/// Answers `GET /api/context`: what a new session in a folder would get.
pub(super) fn preview(
    request: &ApiRequest,
    store: &Store,
    outside: &App,
    flags: &[String],
) -> Result<ApiReply, AppError> {
    let app = app_of_folder(request.query.get("project_path"), outside, flags)?;
    let injection_request = injection_request(request.query.get("prompt"), &app);
    let Some(project) = store.projects().find(&app.project_ref())? else {
        return nothing(&injection_request);
    };
    let root = root_of(&app);
    let recipient = new_session(project, root.as_deref(), &app);
    json(&shapes::context(&preview_injection(&app, store, recipient, &injection_request)))
}

/// Answers `POST /api/context`: what a known session gets now, recorded as its injection.
pub(super) fn inject(
    request: &ApiRequest,
    store: &mut Store,
    outside: &App,
    flags: &[String],
) -> Result<ApiReply, AppError> {
    let app = app_of_folder(request.text("project_path")?.as_deref(), outside, flags)?;
    let injection_request = injection_request(request.text("prompt")?.as_deref(), &app);
    let session = known_session(request, store)?;
    if store.projects().find(&app.project_ref())?.is_none() {
        return nothing(&injection_request);
    }
    let root = root_of(&app);
    let context = store.injections().context_window(session.id)?;
    // A session is of one project, wherever its agent has gone since (law 8).
    let recipient =
        Recipient { project: session.project, session: Some(session.id), context, root: root.as_deref() };
    let built = preview_injection(&app, store, recipient.clone(), &injection_request);
    // The record comes first: an injection without one could not be explained later (law 9).
    if !built.block.is_empty() {
        store.injections_mut().record(&built.to_record(&recipient, app.now))?;
    }
    json(&shapes::context(&built))
}

fn app_of_folder(folder: Option<&str>, outside: &App, flags: &[String]) -> Result<App, AppError> {
    let folder = folder.map(PathBuf::from).ok_or_else(|| {
        AppError::new(ErrorCode::ProjectPathMissing, "`project_path` is missing")
            .hint("say the folder of the project: `/api/context?project_path=/path/to/project`")
    })?;
    if !folder.is_absolute() {
        let error = invalid_request("`project_path` is not an absolute path");
        return Err(error.with_code(ErrorCode::ProjectPathRelative));
    }
    App::of_folder(folder, outside.environment.clone(), flags)
}

fn injection_request(prompt: Option<&str>, app: &App) -> InjectionRequest {
    let point = match prompt {
        Some(prompt) => InjectionPoint::Prompt { text: prompt.to_owned() },
        None => InjectionPoint::SessionStart { reason: StartReason::Startup },
    };
    let budget = app.config.inject.budget(point.moment(), &app.cwd, app.environment.user_home().as_deref());
    InjectionRequest { point, budget }
}

/// Answers for a folder of no known project.
fn nothing(request: &InjectionRequest) -> Result<ApiReply, AppError> {
    json(&shapes::context(&BuiltInjection::empty(request.point.moment(), request.budget)))
}

fn root_of(app: &App) -> Option<PathBuf> {
    Some(PathBuf::from(app.project_ref().root)).filter(|root| root.is_dir())
}

/// Returns the session that the host names, which a hook has recorded before.
fn known_session(request: &ApiRequest, store: &Store) -> Result<Session, AppError> {
    let (host, session_id) = (request.required_text("host")?, request.required_text("session_id")?);
    store.sessions().find(&host, &session_id)?.ok_or_else(|| {
        AppError::new(ErrorCode::NoSuchSession, format!("there is no session `{session_id}` of {host}"))
            .hint("a session is known once one of its hooks has run; `GET /api/context` needs none")
    })
}

/// Describes a session that begins now and has seen nothing yet.
fn new_session<'a>(project: ProjectId, root: Option<&'a Path>, app: &App) -> Recipient<'a> {
    let context = ContextWindow { started_at: Some(app.now), ..ContextWindow::default() };
    Recipient { project, session: None, context, root }
}

/// Answers `GET /api/context/inject`: what sessions of several projects would begin with, as plain text.
pub(super) fn text(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let names = request
        .query
        .get("projects")
        .ok_or_else(|| invalid_request("`projects` is missing").with_code(ErrorCode::ProjectsMissing))?;
    let budget = app.config.inject.budget(Moment::SessionStart, &app.cwd, None);
    let point = InjectionPoint::SessionStart { reason: StartReason::Startup };
    let injection_request = InjectionRequest { point, budget };
    let mut texts = Vec::new();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let recipient = new_session(known_project(store, name)?, None, app);
        let built = preview_injection(app, store, recipient, &injection_request);
        texts.push(built.block.text.trim_end().to_owned());
    }
    texts.retain(|text| !text.is_empty());
    Ok(ApiReply::Text(texts.join("\n\n") + "\n"))
}
