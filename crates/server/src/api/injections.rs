//! Injections: what was injected, word for word, what each line cost, why it was there, and whether it was used (law 9).

use super::parameters::next_page;
use super::{json, ms};
use crate::{ApiReply, ApiRequest};
use backstory_app::{App, AppError, ErrorCode, times};
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
    let page = request.page(store, app)?;
    let rows = store.browse().injections(&page)?;
    let next = next_page(&page, rows.len(), rows.last().map(|row| row.id.0));
    json(&InjectionListShape { version: 1, injections: rows.into_iter().map(row).collect(), next })
}

pub(super) fn one(request: &ApiRequest, store: &Store) -> Result<ApiReply, AppError> {
    let id = InjectionId(request.id());
    let injection = store.browse().injection(id)?.ok_or_else(|| {
        AppError::new(ErrorCode::NoSuchInjection, format!("there is no injection {}", id.0))
    })?;
    let memories = store.browse().injected(id)?.into_iter().map(injected_line).collect();
    json(&InjectionDetailShape {
        version: 1,
        injection: row(injection),
        text: store.browse().injection_text(id)?,
        memories,
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
        build_ms: ms(row.build_us),
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
