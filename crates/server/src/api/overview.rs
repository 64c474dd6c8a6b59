//! Pictures of the store: the year day by day, this week, a project file by file, a memory with what it hangs together with.

use super::json;
use super::memories::{self, MemoryRowShape};
use super::parameters::invalid_request;
use crate::{ApiReply, ApiRequest};
use backstory_app::json::{self as shapes, HeadShape, LinkShape, MemoryShape};
use backstory_app::overview::{OverviewRequest, date_of};
use backstory_app::{App, AppError, times};
use backstory_memory::{MemoryId, ProjectId};
use backstory_store::{DayTotals, FileActivity, Store};
use serde::Serialize;

/// The clocks of the world differ from UTC by no more than this.
const MOST_OFFSET_MINUTES: i64 = 15 * 60;

#[derive(Serialize)]
struct OverviewShape {
    version: u32,
    days: Vec<DayShape>,
    learnt: Vec<MemoryRowShape>,
    week_by_kind: Vec<KindShape>,
    open_work: Vec<MemoryShape>,
    rules: usize,
    waiting: usize,
}

#[derive(Serialize)]
struct DayShape {
    day: String,
    memories: u64,
    sessions: u64,
    tokens: u64,
    injected: u64,
    used: u64,
}

#[derive(Serialize)]
struct KindShape {
    kind: String,
    memories: u64,
}

#[derive(Serialize)]
struct FilesShape {
    version: u32,
    files: Vec<FileShape>,
}

#[derive(Serialize)]
struct FileShape {
    path: String,
    memories: u64,
    edits: u64,
    failures: u64,
    last_at: String,
}

#[derive(Serialize)]
struct RelationsShape {
    version: u32,
    memories: Vec<RelatedShape>,
    links: Vec<LinkShape>,
}

#[derive(Serialize)]
struct RelatedShape {
    #[serde(flatten)]
    head: HeadShape,
    steps: u32,
}

pub(super) fn overview(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let utc_offset_minutes = match request.query.get("utc_offset") {
        None => 0,
        Some(text) => text
            .parse()
            .ok()
            .filter(|minutes: &i64| minutes.abs() <= MOST_OFFSET_MINUTES)
            .ok_or_else(|| invalid_request("`utc_offset` is a number of minutes"))?,
    };
    let wanted = OverviewRequest { project: request.project(store)?, utc_offset_minutes };
    let overview = app.overview(store, &wanted)?;
    let open_work = overview.open_work.iter().map(|memory| shapes::memory(store, memory));
    json(&OverviewShape {
        version: 1,
        days: overview.days.iter().map(day).collect(),
        learnt: overview.learnt.into_iter().map(memories::row).collect(),
        week_by_kind: overview.week_by_kind.into_iter().map(kind).collect(),
        open_work: open_work.collect::<Result<_, _>>()?,
        rules: overview.rules,
        waiting: overview.waiting,
    })
}

fn day(day: &DayTotals) -> DayShape {
    let DayTotals { memories, sessions, tokens, injected, used, .. } = *day;
    DayShape { day: date_of(day.day), memories, sessions, tokens, injected, used }
}

fn kind((kind, memories): (String, u64)) -> KindShape {
    KindShape { kind, memories }
}

/// Lists the files of a project that something is known about, the busiest first.
pub(super) fn files(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let files = app.file_activity(store, ProjectId(request.id()))?;
    json(&FilesShape { version: 1, files: files.into_iter().map(file).collect() })
}

fn file(file: FileActivity) -> FileShape {
    FileShape {
        path: file.path,
        memories: file.memories,
        edits: file.edits,
        failures: file.failures,
        last_at: times::iso(file.last_at),
    }
}

/// Follows the links of a memory.
pub(super) fn relations(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let relations = app.relations(store, MemoryId(request.id()))?;
    let related = relations
        .memories
        .iter()
        .map(|(memory, steps)| Ok(RelatedShape { head: shapes::head(store, memory)?, steps: *steps }));
    json(&RelationsShape {
        version: 1,
        memories: related.collect::<Result<_, AppError>>()?,
        links: relations.links.into_iter().map(shapes::link).collect(),
    })
}
