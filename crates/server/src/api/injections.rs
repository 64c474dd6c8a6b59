//! Injections: what was injected, word for word, what each line cost, why it was there, and whether it was used (law 9).

use super::json;
use crate::{ApiReply, ApiRequest};
use backstory_app::{App, AppError, times};
use backstory_memory::InjectionId;
use backstory_store::{InjectedRow, InjectionRow, Store};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct InjectionShape {
    pub(super) id: i64,
    at: String,
    moment: String,
    project: i64,
    project_name: String,
    session: Option<i64>,
    host: Option<String>,
    tokens: u32,
    budget: u32,
    bytes: u32,
    build_ms: f64,
    sections: Vec<String>,
    sections_skipped: Vec<String>,
    injected: u64,
    used: u64,
}

#[derive(Serialize)]
struct InjectionListShape {
    version: u32,
    injections: Vec<InjectionShape>,
    next: Option<i64>,
}

#[derive(Serialize)]
struct InjectionDetailShape {
    version: u32,
    #[serde(flatten)]
    injection: InjectionShape,
    text: Option<String>,
    memories: Vec<InjectedLineShape>,
}

#[derive(Serialize)]
struct InjectedLineShape {
    id: i64,
    title: String,
    kind: String,
    section: String,
    rank: u32,
    score: f64,
    tokens: u32,
    reasons: Vec<String>,
    used_at: Option<String>,
    used_how: Option<String>,
}

pub(super) fn list(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let page = app.browse_injections(store, &request.page(store, app)?)?;
    let injections = page.rows.into_iter().map(row).collect();
    json(&InjectionListShape { version: 1, injections, next: page.next })
}

pub(super) fn one(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let record = app.injection_record(store, InjectionId(request.id()))?;
    json(&InjectionDetailShape {
        version: 1,
        injection: row(record.injection),
        text: record.text,
        memories: record.memories.into_iter().map(injected_line).collect(),
    })
}

pub(super) fn row(row: InjectionRow) -> InjectionShape {
    InjectionShape {
        id: row.id.0,
        at: times::iso(row.at),
        moment: row.moment,
        project: row.project.0,
        project_name: row.project_name,
        session: row.session.map(|id| id.0),
        host: row.host,
        tokens: row.tokens,
        budget: row.budget,
        bytes: row.bytes,
        build_ms: f64::from(row.build_us) / 1000.0,
        sections: row.sections,
        sections_skipped: row.sections_skipped,
        injected: row.injected,
        used: row.used,
    }
}

fn injected_line(row: InjectedRow) -> InjectedLineShape {
    let (used_at, used_how) = row.used.unzip();
    InjectedLineShape {
        id: row.id.0,
        title: row.title,
        kind: row.kind,
        section: row.section,
        rank: row.rank,
        score: row.score,
        tokens: row.tokens,
        reasons: row.reasons,
        used_at: used_at.map(times::iso),
        used_how,
    }
}
