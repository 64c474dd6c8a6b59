//! Memories: listed, whole, written, changed, forgotten.

use super::json;
use super::parameters::{Parameters, known_project, next, wrong};
use crate::app::App;
use crate::commands::pin::Pinned;
use crate::commands::why::{GivenShape, TOLD, given_shape};
use crate::commands::{
    forget as forgetting, remember as remembering, revise as revising, show, supersede as superseding,
};
use crate::failure::{ErrorCode, Failure};
use crate::shapes::{self, MemoryShape};
use crate::{times, vectors};
use backstory_capture::{freshness_of_anchors, prepare};
use backstory_exchange::MemoryRecord;
use backstory_memory::{Freshness, Memory, MemoryId, Provenance};
use backstory_server::{Answer, Asked};
use backstory_store::{MemoryRow, Pin, Store, StoreError};
use serde::Serialize;

/// A memory in a list.
#[derive(Serialize)]
pub(super) struct RowShape {
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
struct ListShape {
    version: u32,
    memories: Vec<RowShape>,
    next: Option<i64>,
}

#[derive(Serialize)]
struct OneShape {
    version: u32,
    #[serde(flatten)]
    memory: MemoryShape,
    project_id: i64,
    given: Vec<GivenShape>,
    shown: u32,
    anchors: Vec<AnchorShape>,
}

#[derive(Serialize)]
struct AnchorShape {
    file: String,
    symbol: Option<String>,
    freshness: Option<&'static str>,
}

pub(super) fn row(row: MemoryRow) -> RowShape {
    RowShape {
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

pub(super) fn list(asked: &Asked, store: &Store, app: &App) -> Result<Answer, Failure> {
    let page = asked.page(store, app)?;
    let rows = store.memory_rows(&page)?;
    let next = next(&page, rows.len(), rows.last().map(|row| row.id.0));
    json(&ListShape { version: 1, memories: rows.into_iter().map(row).collect(), next })
}

/// Reads one whole. A person who looks at it does not use it: only what helps an agent counts.
pub(super) fn one(asked: &Asked, store: &Store) -> Result<Answer, Failure> {
    let memory = read(store, asked)?;
    let given = store.injections_of_memory(memory.id, TOLD)?.into_iter().map(given_shape).collect();
    let shown = store.impressions(&[memory.id])?.get(&memory.id).map_or(0, |shown| shown.total);
    json(&OneShape {
        version: 1,
        memory: shapes::memory(store, &memory)?,
        project_id: memory.project.0,
        given,
        shown,
        anchors: anchors(store, &memory)?,
    })
}

fn anchors(store: &Store, memory: &Memory) -> Result<Vec<AnchorShape>, Failure> {
    let states = shapes::root_of(store, memory)?
        .map(|root| freshness_of_anchors(store, memory.project, &root, memory.id))
        .transpose()?
        .unwrap_or_default();
    let anchors = store.anchors_of(memory.id)?;
    let shape = |(at, anchor): (usize, backstory_store::Anchor)| AnchorShape {
        file: anchor.path,
        symbol: anchor.symbol,
        freshness: states.get(at).copied().flatten().map(|state: Freshness| shapes::freshness_word(state)),
    };
    Ok(anchors.into_iter().enumerate().map(shape).collect())
}

pub(super) fn batch(asked: &Asked, store: &mut Store, app: &App) -> Result<Answer, Failure> {
    json(&show::whole(store, &asked.ids()?, app)?)
}

pub(super) fn remember(asked: &Asked, store: &mut Store, app: &App) -> Result<Answer, Failure> {
    let project = match asked.body.get("project") {
        Some(serde_json::Value::Number(id)) => Some(id.to_string()),
        _ => asked.text("project")?,
    };
    let project =
        project.ok_or_else(|| wrong("`project` is missing").with_code(ErrorCode::ProjectMissing))?;
    let project = known_project(store, &project)?;
    let line = MemoryRecord {
        kind: asked.text("kind")?.map(|kind| kind.trim().to_lowercase()),
        title: asked.text("title")?,
        body: Some(asked.needed_text("text")?),
        pinned: asked.truth("pin")?,
        ..MemoryRecord::default()
    };
    let memory = remembering::new_memory(&line, Provenance::User, project, app)?;
    let id = remembering::keep(store, &memory)?;
    written(store, id, app)
}

pub(super) fn revise(asked: &Asked, store: &mut Store, app: &App) -> Result<Answer, Failure> {
    let before = read(store, asked)?;
    let (title, body) = (asked.text("title")?, asked.text("body")?);
    if title.is_none() && body.is_none() {
        return Err(wrong("`title` or `body` is missing"));
    }
    // What is not said stays as it is.
    let title = title.or_else(|| Some(before.content.title.clone()));
    let line = MemoryRecord { title, body, ..MemoryRecord::default() };
    let content = prepare(revising::revised(before.content, line, before.id, app)?, &app.redactor());
    store.revise(before.id, &content, app.now)?;
    written(store, before.id, app)
}

pub(super) fn supersede(asked: &Asked, store: &mut Store, app: &App) -> Result<Answer, Failure> {
    let line = MemoryRecord { body: Some(asked.needed_text("text")?), ..MemoryRecord::default() };
    let id = superseding::replace(store, MemoryId(asked.id()), line, app)?;
    written(store, id, app)
}

pub(super) fn pin(asked: &Asked, store: &mut Store) -> Result<Answer, Failure> {
    let pinned = asked.truth("pinned")?.ok_or_else(|| wrong("`pinned` is missing"))?;
    let id = MemoryId(asked.id());
    store.pin(id, if pinned { Pin::Keep } else { Pin::Release })?;
    json(&Pinned { ok: true, id: id.0, pinned })
}

pub(super) fn forget(asked: &Asked, store: &mut Store, app: &App) -> Result<Answer, Failure> {
    let memory = read(store, asked)?;
    json(&forgetting::erase(store, &[memory.id], app)?)
}

fn read(store: &Store, asked: &Asked) -> Result<Memory, Failure> {
    let id = MemoryId(asked.id());
    Ok(store.memory(id)?.ok_or(StoreError::NoSuchMemory(id))?)
}

/// Says what was written, with its vectors made: whoever asks next finds it by meaning too.
fn written(store: &mut Store, id: MemoryId, app: &App) -> Result<Answer, Failure> {
    let answer = json(&remembering::written(store, id)?);
    vectors::follow(store, app);
    answer
}
