//! The store at a glance: what happened on each day of a year, what was learnt this week, where work waits.

use crate::app::App;
use crate::error::AppError;
use crate::handoff::newest_handoff;
use crate::projects::{DAY_MS, project_summary};
use backstory_memory::{Kind, Memory, ProjectId, Timestamp};
use backstory_store::{DayTotals, DaysRequest, FileActivity, Filter, MemoryRow, PageRequest, Scope, Store};

/// How far back the days go: a year of whole weeks.
const DAYS: i64 = 53 * 7;
const WEEK_MS: i64 = 7 * DAY_MS;
/// How long untouched work counts as open.
const OPEN_DAYS: i64 = 21;
const MOST_OPEN: usize = 4;
const MOST_LEARNT: u32 = 8;
const MOST_WAITING: u32 = 200;
const MOST_FILES: u32 = 600;

/// Which part of the store to look over, and where the reader's days begin.
#[derive(Clone, Copy, Debug)]
pub struct OverviewRequest {
    /// One project, or all of them.
    pub project: Option<ProjectId>,
    /// How far the reader's days begin before those of UTC, in minutes.
    pub utc_offset_minutes: i64,
}

/// The store at a glance.
#[derive(Debug)]
pub struct Overview {
    /// The days of a year on which something happened, oldest first.
    pub days: Vec<DayTotals>,
    /// The newest memories of this week that last: rules, decisions, facts, failures.
    pub learnt: Vec<MemoryRow>,
    /// Memories in force that were written this week, by kind, the largest number first.
    pub week_by_kind: Vec<(String, u64)>,
    /// Where work waits: the newest handoff of each project that was worked on lately.
    pub open_work: Vec<Memory>,
    /// How many rules are in force.
    pub rules: usize,
    /// How many memories of the last week wait for the user's word.
    pub waiting: usize,
}

impl App {
    /// Looks the store over.
    pub fn overview(&self, store: &Store, request: &OverviewRequest) -> Result<Overview, AppError> {
        let OverviewRequest { project, utc_offset_minutes } = *request;
        let (week, year) = (self.now.plus_ms(-WEEK_MS), self.now.plus_ms(-DAYS * DAY_MS));
        let page = PageRequest {
            project,
            kinds: Kind::with(|kind| kind.leads_session),
            since: Some(week),
            limit: MOST_LEARNT,
            ..PageRequest::default()
        };
        let scope = project.map_or(Scope::Everywhere, Scope::Project);
        let waiting = Filter { since: Some(week), limit: MOST_WAITING, ..Filter::within(scope) };
        let selector =
            project.map_or(crate::ProjectSelector::All, |id| crate::ProjectSelector::Named(id.to_string()));
        Ok(Overview {
            days: store.browse().days(&DaysRequest { project, since: year, utc_offset_minutes })?,
            learnt: store.browse().memories(&page)?,
            week_by_kind: store.browse().kinds_since(project, week)?,
            open_work: self.open_work(store, project)?,
            rules: self.rules(store, &selector)?.len(),
            waiting: store.memories().proposed(&waiting)?.len(),
        })
    }

    fn open_work(&self, store: &Store, project: Option<ProjectId>) -> Result<Vec<Memory>, AppError> {
        let since = self.now.plus_ms(-OPEN_DAYS * DAY_MS);
        let mut open = Vec::new();
        for summary in store.projects().list()? {
            let id = summary.project.id;
            let is_wanted = project.is_none_or(|wanted| wanted == id);
            if !is_wanted || summary.last_active_at.is_none_or(|at| at < since) {
                continue;
            }
            open.extend(newest_handoff(store, id)?.filter(|handoff| handoff.updated_at >= since));
            if open.len() == MOST_OPEN {
                break;
            }
        }
        Ok(open)
    }

    /// Returns the files of a project that memories are anchored in or sessions changed, the busiest first.
    pub fn file_activity(&self, store: &Store, id: ProjectId) -> Result<Vec<FileActivity>, AppError> {
        if project_summary(store, id)?.is_none() {
            return Err(AppError::no_such_project(&id.to_string()).hint("`/api/projects` lists them all"));
        }
        Ok(store.browse().files(id, MOST_FILES)?)
    }
}

/// Returns the date of a day: 2026-11-16.
#[must_use]
pub fn date_of(day: i64) -> String {
    crate::times::iso(Timestamp(day.saturating_mul(DAY_MS))).chars().take(10).collect()
}
