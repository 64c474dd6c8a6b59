//! Projects: all of them, and one looked over: where it stands, what is known, what happened.

use super::json;
use crate::{ApiReply, ApiRequest};
use backstory_app::json::{self as shapes, HeadShape, MemoryShape, ProjectListShape, ProjectShape};
use backstory_app::{App, AppError, times};
use backstory_memory::{ChangedSymbol, Kind, ProjectId, Timestamp};
use backstory_store::{Day, Filter, Scope, Store};
use serde::Serialize;

const DAY_MS: i64 = 86_400_000;
/// How far back a project is looked over.
const DAYS: i64 = 90;
/// How much of each is told.
const MOST_KNOWLEDGE: u32 = 24;
const MOST_CHANGES: u32 = 50;

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

pub(super) fn list(store: &Store) -> Result<ApiReply, AppError> {
    let projects = store.projects().list()?.into_iter().map(shapes::project).collect();
    json(&ProjectListShape { version: 1, projects })
}

pub(super) fn overview(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let id = ProjectId(request.id());
    let summary = store.projects().list()?.into_iter().find(|summary| summary.project.id == id);
    let summary = summary
        .ok_or_else(|| AppError::no_such_project(&id.to_string()).hint("`/api/projects` lists them all"))?;
    let since = Timestamp(app.now.0 - DAYS * DAY_MS);
    let days = every_day(&store.browse().daily_activity(id, since)?, app.now);
    let (injected_lines, used) =
        days.iter().fold((0, 0), |sum, day| (sum.0 + day.injected, sum.1 + day.used));
    let knowledge = store.memories().get_many(&store.search().most_confident(id, MOST_KNOWLEDGE)?)?;
    json(&OverviewShape {
        version: 1,
        project: shapes::project(summary),
        handoff: handoff(store, id)?,
        knowledge: shapes::heads(store, &knowledge)?,
        code_changes: store.code().changes(id, None, MOST_CHANGES)?.into_iter().map(change).collect(),
        activity: days.iter().map(activity).collect(),
        injected: days.iter().map(injected).collect(),
        used_rate: (injected_lines > 0).then(|| used as f64 / injected_lines as f64),
    })
}

/// Returns the newest handoff as it stands. `backstory handoff` would bring it up to date first; looking must not.
fn handoff(store: &Store, project: ProjectId) -> Result<Option<MemoryShape>, AppError> {
    let filter = Filter { kinds: vec![Kind::Handoff], limit: 16, ..Filter::within(Scope::Project(project)) };
    let ids = store.search().list(&filter)?;
    let newest = store.memories().get_many(&ids)?.into_iter().max_by_key(|memory| memory.updated_at);
    Ok(newest.map(|memory| shapes::memory(store, &memory)).transpose()?)
}

/// Returns every day up to now, also those on which nothing happened: a chart needs them all.
fn every_day(known: &[Day], now: Timestamp) -> Vec<Day> {
    let today = now.0.div_euclid(DAY_MS);
    let of = |day: i64| known.iter().find(|known| known.day == day).copied();
    (today - DAYS + 1..=today).map(|day| of(day).unwrap_or(Day { day, ..Day::default() })).collect()
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
