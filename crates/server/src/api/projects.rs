//! Projects: all of them, and one looked over: where it stands, what is known, what happened.

use super::json;
use crate::{ApiReply, ApiRequest};
use backstory_app::json::{self as shapes, HeadShape, MemoryShape, ProjectShape};
use backstory_app::projects::DAY_MS;
use backstory_app::{App, AppError, times};
use backstory_memory::{ChangedSymbol, ProjectId, Timestamp};
use backstory_store::{Day, Store};
use serde::Serialize;

#[derive(Serialize)]
struct OverviewShape {
    version: u32,
    project: ProjectShape,
    handoff: Option<MemoryShape>,
    knowledge: Vec<HeadShape>,
    code_changes: Vec<ChangeShape>,
    activity: Vec<ActivityShape>,
    injected: Vec<InjectedShape>,
    used_rate: Option<f64>,
}

#[derive(Serialize)]
struct ChangeShape {
    file: String,
    symbol: String,
    kind: &'static str,
    change: &'static str,
    signature: String,
    at: String,
}

#[derive(Serialize)]
struct ActivityShape {
    day: String,
    memories: u64,
    events: u64,
}

#[derive(Serialize)]
struct InjectedShape {
    day: String,
    tokens: u64,
    injected: u64,
    used: u64,
}

pub(super) fn list(store: &Store, app: &App) -> Result<ApiReply, AppError> {
    json(&shapes::projects(app.projects(store)?))
}

pub(super) fn overview(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let overview = app.project_overview(store, ProjectId(request.id()))?;
    json(&OverviewShape {
        version: 1,
        project: shapes::project(overview.summary),
        handoff: overview.handoff.map(|memory| shapes::memory(store, &memory)).transpose()?,
        knowledge: shapes::heads(store, &overview.knowledge)?,
        code_changes: overview.code_changes.into_iter().map(change).collect(),
        activity: overview.days.iter().map(activity).collect(),
        injected: overview.days.iter().map(injected).collect(),
        used_rate: overview.used_rate,
    })
}

fn date(day: i64) -> String {
    times::iso(Timestamp(day.saturating_mul(DAY_MS))).chars().take(10).collect()
}

fn activity(day: &Day) -> ActivityShape {
    ActivityShape { day: date(day.day), memories: day.memories, events: day.events }
}

fn injected(day: &Day) -> InjectedShape {
    InjectedShape { day: date(day.day), tokens: day.tokens, injected: day.injected, used: day.used }
}

fn change(changed: ChangedSymbol) -> ChangeShape {
    ChangeShape {
        kind: changed.kind.as_str(),
        change: changed.change.as_str(),
        at: times::iso(changed.at),
        file: changed.path,
        symbol: changed.qualified_name,
        signature: changed.signature,
    }
}
