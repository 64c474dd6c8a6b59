//! Memories: listed, whole, written, changed, forgotten.

use super::json;
use super::parameters::{MAX_ROWS, invalid_request, known_project};
use crate::{ApiReply, ApiRequest};
use backstory_app::engine::Profile;
use backstory_app::json::{self as shapes, InjectedMemoryShape, JudgedShape, MemoryShape, PinShape};
use backstory_app::merge::MergeRequest;
use backstory_app::remember::{
    DuplicatePolicy, RememberRequest, ReviseRequest, SupersedeRequest, TargetProject,
};
use backstory_app::review::ReviewRequest;
use backstory_app::why::WhyRequest;
use backstory_app::{App, AppError, ErrorCode, times, vectors};
use backstory_memory::{ContentRecord, Freshness, Memory, MemoryId};
use backstory_store::{Anchor, MemoryRow, Pin, Store, Verdict};
use serde::Serialize;

/// A memory in a list.
#[derive(Serialize)]
pub(super) struct MemoryRowShape {
    id: i64,
    kind: String,
    title: String,
    project: i64,
    project_name: String,
    session: Option<i64>,
    host: Option<String>,
    created_at: String,
    pinned: bool,
    provenance: String,
    superseded_by: Option<i64>,
    tokens: u32,
}

#[derive(Serialize)]
struct MemoryListShape {
    version: u32,
    memories: Vec<MemoryRowShape>,
    next: Option<i64>,
}

#[derive(Serialize)]
struct MemoryDetailShape {
    version: u32,
    #[serde(flatten)]
    memory: MemoryShape,
    project_id: i64,
    injected: Vec<InjectedMemoryShape>,
    shown: u32,
    anchors: Vec<AnchorShape>,
    why: &'static str,
}

#[derive(Serialize)]
struct AnchorShape {
    file: String,
    symbol: Option<String>,
    freshness: Option<&'static str>,
}

pub(super) fn row(row: MemoryRow) -> MemoryRowShape {
    MemoryRowShape {
        id: row.id.0,
        kind: row.kind,
        title: row.title,
        project: row.project.0,
        project_name: row.project_name,
        session: row.session.map(|id| id.0),
        host: row.host,
        created_at: times::iso(row.created_at),
        pinned: row.pinned,
        provenance: row.provenance,
        superseded_by: row.superseded_by.map(|id| id.0),
        tokens: row.tokens,
    }
}

pub(super) fn list(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let page = app.browse_memories(store, &request.page(store, app)?)?;
    let memories = page.rows.into_iter().map(row).collect();
    json(&MemoryListShape { version: 1, memories, next: page.next })
}

/// Reads one whole. A person who looks at it does not use it: only what helps an agent counts.
pub(super) fn one(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let (id, profile) = (MemoryId(request.id()), Profile::default());
    let why = app.why(store, &WhyRequest { id, query: None, profile })?;
    let reason = why.memory.standing_reason.explanation();
    json(&MemoryDetailShape {
        version: 1,
        memory: shapes::memory(store, &why.memory)?,
        project_id: why.memory.project.0,
        injected: why.injected.into_iter().map(shapes::injected_memory).collect(),
        shown: why.shown.total,
        anchors: app.anchors(store, &why.memory)?.into_iter().map(anchor).collect(),
        why: reason,
    })
}

fn anchor((anchor, freshness): (Anchor, Option<Freshness>)) -> AnchorShape {
    let freshness = freshness.map(shapes::freshness_word);
    AnchorShape { file: anchor.path, symbol: anchor.symbol, freshness }
}

/// Lists the user's rules, of a project or of all.
pub(super) fn rules(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let rules = app.rules(store, &request.projects(store)?)?;
    json(&shapes::rules(store, &rules, &app.contradicted_rules(store, &rules)?)?)
}

/// Lists what waits for the user's word.
pub(super) fn review(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let request = ReviewRequest {
        projects: request.projects(store)?,
        since: request.time("since", app.now)?,
        kinds: Vec::new(),
        limit: request.limit(MAX_ROWS)?.unwrap_or(MAX_ROWS),
    };
    json(&shapes::review(store, &app.review(store, &request)?)?)
}

pub(super) fn record_verdict(
    request: &ApiRequest,
    store: &mut Store,
    app: &App,
    verdict: Verdict,
) -> Result<ApiReply, AppError> {
    let judged = app.record_verdict(store, MemoryId(request.id()), verdict)?;
    json(&JudgedShape { ok: true, memories: shapes::heads(store, &[judged])? })
}

pub(super) fn batch(request: &ApiRequest, store: &mut Store, app: &App) -> Result<ApiReply, AppError> {
    let shown = app.show(store, &request.ids()?)?;
    json(&shapes::show(store, &shown)?)
}

pub(super) fn remember(request: &ApiRequest, store: &mut Store, app: &App) -> Result<ApiReply, AppError> {
    let project = match request.body.get("project") {
        Some(serde_json::Value::Number(id)) => Some(id.to_string()),
        _ => request.text("project")?,
    };
    let project = project
        .ok_or_else(|| invalid_request("`project` is missing").with_code(ErrorCode::ProjectMissing))?;
    let project = known_project(store, &project)?;
    let content = ContentRecord {
        kind: request.text("kind")?,
        title: request.text("title")?,
        body: Some(request.required_text("text")?),
        pinned: request.boolean("pin")?,
        scope: request.text("scope")?,
        ..ContentRecord::default()
    };
    let request = RememberRequest {
        memory: content.into(),
        project: TargetProject::Known(project),
        duplicates: DuplicatePolicy::Refuse,
        quote: None,
    };
    let memory = app.remember(store, request)?;
    written(store, &memory, app)
}

pub(super) fn revise(request: &ApiRequest, store: &mut Store, app: &App) -> Result<ApiReply, AppError> {
    let before = app.memory(store, MemoryId(request.id()))?;
    let changes = ContentRecord {
        title: request.text("title")?,
        body: request.text("body")?,
        kind: request.text("kind")?,
        importance: request.number("importance")?,
        files: request.texts("files")?,
        ..ContentRecord::default()
    };
    if changes == ContentRecord::default() {
        return Err(invalid_request("`title`, `body`, `kind`, `importance` or `files` is missing"));
    }
    // A title that is not sent stays, also under a new text.
    let title = changes.title.clone().or(Some(before.content.title));
    let changes = ContentRecord { title, ..changes }.into();
    let memory = app.revise(store, ReviseRequest { id: before.id, changes })?;
    written(store, &memory, app)
}

pub(super) fn supersede(request: &ApiRequest, store: &mut Store, app: &App) -> Result<ApiReply, AppError> {
    let content = ContentRecord { body: Some(request.required_text("text")?), ..ContentRecord::default() };
    let (id, memory) = (MemoryId(request.id()), content.into());
    let memory = app.supersede(store, SupersedeRequest { id, memory })?;
    written(store, &memory, app)
}

/// Writes one memory in the place of several that say the same.
pub(super) fn merge(request: &ApiRequest, store: &mut Store, app: &App) -> Result<ApiReply, AppError> {
    let content = ContentRecord {
        title: request.text("title")?,
        body: Some(request.required_text("text")?),
        kind: request.text("kind")?,
        ..ContentRecord::default()
    };
    let memory = app.merge_memories(store, MergeRequest { ids: request.ids()?, memory: content.into() })?;
    written(store, &memory, app)
}

pub(super) fn pin(request: &ApiRequest, store: &mut Store, app: &App) -> Result<ApiReply, AppError> {
    let pinned = request.boolean("pinned")?.ok_or_else(|| invalid_request("`pinned` is missing"))?;
    let id = MemoryId(request.id());
    app.pin(store, id, if pinned { Pin::Keep } else { Pin::Release })?;
    json(&PinShape { ok: true, id: id.0, pinned })
}

pub(super) fn forget(request: &ApiRequest, store: &mut Store, app: &App) -> Result<ApiReply, AppError> {
    let memory = app.memory(store, MemoryId(request.id()))?;
    json(&shapes::forget(&app.forget(store, &[memory.id])?))
}

/// Says what was written, with its vectors made: whoever asks next finds it by meaning too.
fn written(store: &mut Store, memory: &Memory, app: &App) -> Result<ApiReply, AppError> {
    let answer = json(&shapes::written(memory));
    vectors::follow(store, app);
    answer
}
