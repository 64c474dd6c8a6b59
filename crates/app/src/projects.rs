//! Projects on request: which there are, one looked over, other names for them, and merging two that are one.

use crate::app::App;
use crate::error::AppError;
use crate::handoff::newest_handoff;
use crate::progress::OnNote;
use crate::teams::refuse_shared;
use crate::vectors;
use crate::words::one_line;
use backstory_memory::{ChangedSymbol, Kind, Memory, ProjectId, Timestamp};
use backstory_store::{Day, ProjectSummary, Store, StoreError};

/// The milliseconds of a day.
pub const DAY_MS: i64 = Timestamp::DAY_MS;
/// How far back a project is looked over.
const DAYS: i64 = 90;
/// How much of each is shown.
const MOST_KNOWLEDGE: u32 = 24;
const MOST_CHANGES: u32 = 50;

/// Where a project stands, what is known, what happened.
#[derive(Debug)]
pub struct ProjectOverview {
    /// The project, and how much it holds.
    pub summary: ProjectSummary,
    /// Its newest handoff, as it stands.
    pub handoff: Option<Memory>,
    /// What is known best.
    pub knowledge: Vec<Memory>,
    /// The newest changes of symbols.
    pub code_changes: Vec<ChangedSymbol>,
    /// Every day up to now, also those on which nothing happened: a chart needs them all.
    pub days: Vec<Day>,
    /// Which share of what was injected on these days was used; none if nothing was injected.
    pub used_rate: Option<f64>,
}

/// Two projects that are to be one.
#[derive(Clone, Debug)]
pub struct ProjectMerge {
    pub(crate) from: ProjectId,
    /// The project that gets everything.
    pub into: ProjectId,
    pub(crate) from_name: String,
}

/// Returns what is known of one project.
pub fn project_summary(store: &Store, id: ProjectId) -> Result<Option<ProjectSummary>, StoreError> {
    Ok(store.projects().list()?.into_iter().find(|summary| summary.project.id == id))
}

impl App {
    /// Lists all projects.
    pub fn projects(&self, store: &Store) -> Result<Vec<ProjectSummary>, AppError> {
        Ok(store.projects().list()?)
    }

    /// Looks a project over. Reads the handoff as it stands: `handoff` would update it, and the viewer must not change anything.
    pub fn project_overview(&self, store: &Store, id: ProjectId) -> Result<ProjectOverview, AppError> {
        let summary = project_summary(store, id)?.ok_or_else(|| {
            AppError::no_such_project(&id.to_string()).hint("`/api/projects` lists them all")
        })?;
        let since = Timestamp(self.now.0 - DAYS * DAY_MS);
        let days = every_day(&store.browse().daily_activity(id, since)?, self.now);
        let (injected, used) = days.iter().fold((0, 0), |sum, day| (sum.0 + day.injected, sum.1 + day.used));
        Ok(ProjectOverview {
            summary,
            handoff: newest_handoff(store, id)?,
            knowledge: store.memories().get_many(&store.search().most_confident(
                id,
                &Kind::with(|kind| kind.leads_session),
                MOST_KNOWLEDGE,
            )?)?,
            code_changes: store.code().changes(id, None, MOST_CHANGES)?,
            used_rate: (injected > 0).then(|| used as f64 / injected as f64),
            days,
        })
    }

    /// Gives a project another name, and returns which it is.
    pub fn rename_project(&self, store: &mut Store, wanted: &str, name: &str) -> Result<ProjectId, AppError> {
        self.refuse_agent("rename a project")?;
        if name.trim().is_empty() {
            return Err(
                AppError::usage("a project needs a name").hint("`backstory project rename PROJECT NAME`")
            );
        }
        let name = self.redactor().scrub(&one_line(name));
        let id = self.project_called(store, wanted)?;
        store.projects_mut().rename(id, &name)?;
        Ok(id)
    }

    /// Finds two projects that are to be merged. Nothing is changed yet: merging cannot be undone.
    pub fn plan_merge(&self, store: &Store, from: &str, into: &str) -> Result<ProjectMerge, AppError> {
        self.refuse_agent("merge projects")?;
        let from_name = from.to_owned();
        let merge = ProjectMerge {
            from: self.project_called(store, from)?,
            into: self.project_called(store, into)?,
            from_name,
        };
        if merge.from == merge.into {
            return Err(AppError::user(format!("`{from}` and `{into}` are the same project"))
                .hint("`backstory project list` shows them all"));
        }
        Ok(merge)
    }

    /// Moves everything of one project into another.
    pub fn merge_projects(
        &self,
        store: &mut Store,
        merge: &ProjectMerge,
        on_note: OnNote<'_>,
    ) -> Result<(), AppError> {
        self.refuse_agent("merge projects")?;
        // A sync that runs meanwhile would push what is being moved.
        let _lock = self.teams(on_note).lock()?;
        refuse_shared(store, merge.from, &merge.from_name)?;
        store.projects_mut().merge(merge.from, merge.into)?;
        vectors::follow(store, self);
        Ok(())
    }
}

fn every_day(known: &[Day], now: Timestamp) -> Vec<Day> {
    let today = now.0.div_euclid(DAY_MS);
    let of = |day: i64| known.iter().find(|known| known.day == day).copied();
    (today - DAYS + 1..=today).map(|day| of(day).unwrap_or(Day { day, ..Day::default() })).collect()
}
