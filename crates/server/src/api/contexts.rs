//! Builds injections on request, for programs that do not run as a hook.
//!
//! `GET` previews an injection and records nothing. `POST` is for a host that injects the text: it names its
//! session, memories that the session already has in context are left out, and the injection is recorded.
//! `POST` is served over the socket only, so no browser can record an injection.

use super::json;
use super::parameters::{invalid_request, known_project};
use crate::{ApiReply, ApiRequest};
use backstory_app::injection::{ContextRequest, InjectRequest};
use backstory_app::json::{ContextShape, HeadShape};
use backstory_app::projects::project_summary;
use backstory_app::{App, AppError, ErrorCode, ProjectSelector, json as shapes};
use backstory_memory::{InjectionPoint, ProjectId, StartReason};
use backstory_store::Store;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Serialize)]
struct PreviewShape<'a> {
    #[serde(flatten)]
    context: ContextShape<'a>,
    heads: Vec<HeadShape>,
}

/// Answers `GET /api/context`: what a session in a folder or of a project would be injected with now.
pub(super) fn preview(
    request: &ApiRequest,
    store: &Store,
    outside: &App,
    flags: &[String],
) -> Result<ApiReply, AppError> {
    let (app, project) = match request.project(store)? {
        Some(id) => {
            let app = app_of_project(store, id, outside, flags)?;
            (app, ProjectSelector::Named(id.to_string()))
        }
        None => (app_of_folder(request.query.get("project_path"), outside, flags)?, ProjectSelector::Here),
    };
    let point = previewed_point(request)?;
    let host = request.query.get("host").map(str::to_owned);
    let built =
        app.context_within(store, ContextRequest { point, project, host }, request.count("budget")?)?;
    let heads = shapes::heads(store, &app.memories_of(store, &built)?)?;
    json(&PreviewShape { context: shapes::context(&built), heads })
}

/// Reads the settings that apply in the folder a project was last seen in, as far as it is still there.
fn app_of_project(store: &Store, id: ProjectId, outside: &App, flags: &[String]) -> Result<App, AppError> {
    let summary = project_summary(store, id)?.ok_or_else(|| AppError::no_such_project(&id.to_string()))?;
    let root = summary.project.roots.iter().map(PathBuf::from).find(|root| root.is_dir());
    match root {
        Some(root) => App::of_folder(root, outside.environment.clone(), flags),
        None => App::outside_projects(outside.environment.clone(), flags),
    }
}

/// Returns the moment a preview is about: what is about to happen, else the start of a session.
fn previewed_point(request: &ApiRequest) -> Result<InjectionPoint, AppError> {
    let said = |name: &str| request.query.get(name).map(str::to_owned);
    if let Some(command) = said("command") {
        return Ok(InjectionPoint::Command { command });
    }
    if let Some(file) = said("file") {
        return Ok(InjectionPoint::Edit { file, text: said("text").unwrap_or_default() });
    }
    match request.query.get("moment") {
        None | Some("session_start" | "prompt") => Ok(injection_point(request.query.get("prompt"))),
        Some("compaction") => Ok(InjectionPoint::Compaction),
        Some(other) => Err(invalid_request(&format!("`moment={other}` is not session_start or compaction"))),
    }
}

/// Answers `POST /api/context`: what a known session is injected with now. Records the injection.
pub(super) fn inject(
    request: &ApiRequest,
    store: &mut Store,
    outside: &App,
    flags: &[String],
) -> Result<ApiReply, AppError> {
    let app = app_of_folder(request.text("project_path")?.as_deref(), outside, flags)?;
    let point = injection_point(request.text("prompt")?.as_deref());
    let (host, host_session) = (request.required_text("host")?, request.required_text("session_id")?);
    json(&shapes::context(&app.inject(store, InjectRequest { point, host, host_session })?))
}

/// Reads the settings that apply in a folder, those of its project included.
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

fn injection_point(prompt: Option<&str>) -> InjectionPoint {
    match prompt {
        Some(prompt) => InjectionPoint::Prompt { text: prompt.to_owned() },
        None => InjectionPoint::SessionStart { reason: StartReason::Startup },
    }
}

/// Answers `GET /api/context/inject`: plain text, for each project what a new session would be injected with.
///
/// Despite its path it previews: nothing is recorded.
pub(super) fn text(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let names = request
        .query
        .get("projects")
        .ok_or_else(|| invalid_request("`projects` is missing").with_code(ErrorCode::ProjectsMissing))?;
    let mut texts = Vec::new();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let project = ProjectSelector::Named(known_project(store, name)?.to_string());
        let built =
            app.context(store, ContextRequest { point: injection_point(None), project, host: None })?;
        texts.push(built.block.text.trim_end().to_owned());
    }
    texts.retain(|text| !text.is_empty());
    Ok(ApiReply::Text(texts.join("\n\n") + "\n"))
}
