//! What a request says, read into the types `app` takes.

use backstory_app::app::{parse_kind_filter, project_known_as};
use backstory_app::{App, AppError, ProjectSelector, times};
use backstory_memory::{Kind, MemoryId, ProjectId, SessionId, Timestamp};
use backstory_server::Asked;
use backstory_store::{PageRequest, Store};
use serde_json::Value;

/// Rows of a page when nobody says how many, and the most.
const USUALLY: u32 = 50;
const MOST: u32 = 200;

/// What a request says.
pub(crate) trait Parameters {
    /// Returns the number in the path.
    fn id(&self) -> i64;
    /// Returns a number after the question mark.
    fn count(&self, name: &str) -> Result<Option<u32>, AppError>;
    /// Returns how many are wanted, at least one and not too many.
    fn limit(&self, most: u32) -> Result<Option<u32>, AppError>;
    /// Whether something after the question mark is wanted.
    fn flag(&self, name: &str) -> bool;
    /// Returns the kinds that are wanted, separated by commas.
    fn kinds(&self) -> Result<Vec<Kind>, AppError>;
    /// Returns the project that is meant.
    fn project(&self, store: &Store) -> Result<Option<ProjectId>, AppError>;
    /// Returns which projects are meant: one, or all where none is named.
    fn projects(&self, store: &Store) -> Result<ProjectSelector, AppError>;
    /// Returns which rows of a list are wanted.
    fn page(&self, store: &Store, app: &App) -> Result<PageRequest, AppError>;
    /// Returns a time after the question mark.
    fn time(&self, name: &str, now: Timestamp) -> Result<Option<Timestamp>, AppError>;
    /// Returns a text of the body; nothing where it is not there or blank.
    fn text(&self, name: &str) -> Result<Option<String>, AppError>;
    /// Returns the same where it must be there.
    fn needed_text(&self, name: &str) -> Result<String, AppError>;
    /// Returns a yes or no of the body.
    fn truth(&self, name: &str) -> Result<Option<bool>, AppError>;
    /// Returns the numbers of memories in the body.
    fn ids(&self) -> Result<Vec<MemoryId>, AppError>;
}

impl Parameters for Asked {
    fn id(&self) -> i64 {
        self.id.unwrap_or_default()
    }

    fn count(&self, name: &str) -> Result<Option<u32>, AppError> {
        let Some(text) = self.query.get(name) else { return Ok(None) };
        let number = text.parse().map_err(|_| wrong(&format!("`{name}={text}` is not a number")))?;
        Ok(Some(number))
    }

    fn limit(&self, most: u32) -> Result<Option<u32>, AppError> {
        match self.count("limit")? {
            Some(0) => Err(wrong("`limit` is at least 1")),
            limit => Ok(limit.map(|limit| limit.min(most))),
        }
    }

    fn flag(&self, name: &str) -> bool {
        matches!(self.query.get(name), Some("1" | "true" | "yes"))
    }

    fn kinds(&self) -> Result<Vec<Kind>, AppError> {
        let names = self.query.get("kind").unwrap_or_default().split(',').map(str::trim);
        let kinds = names.filter(|name| !name.is_empty()).map(parse_kind_filter);
        Ok(kinds.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn project(&self, store: &Store) -> Result<Option<ProjectId>, AppError> {
        self.query.get("project").map(|wanted| known_project(store, wanted)).transpose()
    }

    fn projects(&self, store: &Store) -> Result<ProjectSelector, AppError> {
        let project = self.project(store)?.map(|id| id.to_string());
        Ok(project.map_or(ProjectSelector::All, ProjectSelector::Named))
    }

    fn page(&self, store: &Store, app: &App) -> Result<PageRequest, AppError> {
        let number = |name: &str| -> Result<Option<i64>, AppError> {
            let Some(text) = self.query.get(name) else { return Ok(None) };
            text.parse().map(Some).map_err(|_| wrong(&format!("`{name}={text}` is not a number")))
        };
        Ok(PageRequest {
            project: self.project(store)?,
            session: number("session")?.map(SessionId),
            kinds: self.kinds()?,
            moment: self.query.get("moment").map(|moment| moment.replace('-', "_")),
            since: self.time("since", app.now)?,
            until: self.time("until", app.now)?,
            before: number("before")?,
            limit: self.limit(MOST)?.unwrap_or(USUALLY),
        })
    }

    fn time(&self, name: &str, now: Timestamp) -> Result<Option<Timestamp>, AppError> {
        let typed = |text: &str| times::typed(text, now).map_err(|error| error.of(name));
        self.query.get(name).map(typed).transpose()
    }

    fn text(&self, name: &str) -> Result<Option<String>, AppError> {
        match self.body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.trim().is_empty())),
            Some(_) => Err(wrong(&format!("`{name}` is a text"))),
        }
    }

    fn needed_text(&self, name: &str) -> Result<String, AppError> {
        self.text(name)?.ok_or_else(|| wrong(&format!("`{name}` is missing")))
    }

    fn truth(&self, name: &str) -> Result<Option<bool>, AppError> {
        match self.body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(truth)) => Ok(Some(*truth)),
            Some(_) => Err(wrong(&format!("`{name}` is true or false"))),
        }
    }

    fn ids(&self) -> Result<Vec<MemoryId>, AppError> {
        let ids = self.body.get("ids").and_then(Value::as_array);
        let ids: Option<Vec<MemoryId>> =
            ids.and_then(|ids| ids.iter().map(|id| id.as_i64().map(MemoryId)).collect());
        match ids {
            Some(ids) if (1..=MOST as usize).contains(&ids.len()) => Ok(ids),
            _ => Err(wrong(&format!("`ids` is a list of 1 to {MOST} numbers"))),
        }
    }
}

/// Finds a project by number or name. No folder is looked at, whatever a request says.
pub(crate) fn known_project(store: &Store, wanted: &str) -> Result<ProjectId, AppError> {
    project_known_as(store, wanted)?
        .ok_or_else(|| AppError::no_such_project(wanted).hint("`/api/projects` lists them all"))
}

/// Says what is wrong with a request.
pub(crate) fn wrong(what: &str) -> AppError {
    AppError::usage(what).hint("docs/http.md says what each path takes")
}

/// A page of a list, and where the next begins.
pub(crate) fn next(page: &PageRequest, rows: usize, last: Option<i64>) -> Option<i64> {
    last.filter(|_| rows >= page.limit as usize)
}
