//! What would be injected, for programs without a hook.
//!
//! A preview is not recorded. An injection is recorded only where a host asks: through the socket, with its name in
//! `X-Backstory-Host` and a session that is known. A browser can do none of this.

use super::json;
use super::parameters::{known_project, wrong};
use backstory_app::injection::preview_injection;
use backstory_app::{App, AppError, ErrorCode, json as shapes};
use backstory_inject::{BuiltInjection, InjectionRequest, Recipient};
use backstory_memory::{InjectionPoint, Moment, ProjectId, StartReason};
use backstory_server::{Answer, Asked};
use backstory_store::{ContextWindow, Session, Store};
use std::path::{Path, PathBuf};

pub(super) fn context(
    asked: &Asked,
    store: &mut Store,
    outside: &App,
    flags: &[String],
) -> Result<Answer, AppError> {
    let folder = asked.query.get("project_path").map(PathBuf::from);
    let folder = folder.ok_or_else(|| {
        AppError::new(ErrorCode::ProjectPathMissing, "`project_path` is missing")
            .hint("say the folder of the project: `/api/context?project_path=/path/to/project`")
    })?;
    if !folder.is_absolute() {
        return Err(wrong("`project_path` is not an absolute path").with_code(ErrorCode::ProjectPathRelative));
    }
    let app = App::of_folder(folder, outside.environment.clone(), flags)?;
    let project_ref = app.project_ref();
    let point = injection_point(asked);
    let budget = app.config.inject.budget(point.moment(), &app.cwd, app.environment.user_home().as_deref());
    let request = InjectionRequest { point, budget };
    let Some(project) = store.projects().find(&project_ref)? else {
        return json(&shapes::context(&BuiltInjection::empty(request.point.moment(), budget)));
    };
    let session = session_of(asked, store)?;
    let root = Some(Path::new(&project_ref.root)).filter(|root| root.is_dir());
    let recipient = recipient(store, project, session.as_ref(), root, &app)?;
    let built = preview_injection(&app, store, recipient.clone(), &request);
    // What cannot be recorded is not injected: it could not be explained later (law 9).
    if session.is_some() && !built.block.is_empty() {
        store.injections_mut().record(&built.to_record(&recipient, app.now))?;
    }
    json(&shapes::context(&built))
}

fn injection_point(asked: &Asked) -> InjectionPoint {
    match asked.query.get("prompt") {
        Some(prompt) => InjectionPoint::Prompt { text: prompt.to_owned() },
        None => InjectionPoint::SessionStart { reason: StartReason::Startup },
    }
}

/// Returns the session a host asks for.
fn session_of(asked: &Asked, store: &Store) -> Result<Option<Session>, AppError> {
    match (&asked.host, asked.query.get("session_id")) {
        (Some(host), Some(session)) => Ok(store.sessions().find(host, session)?),
        _ => Ok(None),
    }
}

fn recipient<'a>(
    store: &Store,
    project: ProjectId,
    session: Option<&Session>,
    root: Option<&'a Path>,
    app: &App,
) -> Result<Recipient<'a>, AppError> {
    // A session is of one project, wherever its agent has gone since (law 8).
    let (project, context) = match session {
        Some(session) => (session.project, store.injections().context_window(session.id)?),
        None => (project, ContextWindow { started_at: Some(app.now), ..ContextWindow::default() }),
    };
    Ok(Recipient { project, session: session.map(|session| session.id), context, root })
}

/// Tells what sessions of several projects would begin with, one after the other, as plain text.
pub(super) fn text(asked: &Asked, store: &Store, app: &App) -> Result<Answer, AppError> {
    let names = asked
        .query
        .get("projects")
        .ok_or_else(|| wrong("`projects` is missing").with_code(ErrorCode::ProjectsMissing))?;
    let budget = app.config.inject.budget(Moment::SessionStart, &app.cwd, None);
    let point = InjectionPoint::SessionStart { reason: StartReason::Startup };
    let request = InjectionRequest { point, budget };
    let mut texts = Vec::new();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let project = known_project(store, name)?;
        let recipient = recipient(store, project, None, None, app)?;
        let built = preview_injection(app, store, recipient, &request);
        texts.push(built.block.text.trim_end().to_owned());
    }
    texts.retain(|text| !text.is_empty());
    Ok(Answer::Text(texts.join("\n\n") + "\n"))
}
