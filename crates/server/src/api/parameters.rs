//! The query and the body of a request, read into the types that `app` takes.

use crate::ApiRequest;
use backstory_app::app::{parse_kind_filter, project_known_as};
use backstory_app::{App, AppError, ProjectSelector, times};
use backstory_memory::{Kind, MemoryId, ProjectId, SessionId, Timestamp};
use backstory_store::{PageRequest, Store};
use serde_json::Value;

/// Rows of a page by default, and at most.
const DEFAULT_ROWS: u32 = 50;
pub(super) const MAX_ROWS: u32 = 200;

impl ApiRequest {
    /// Returns the number in the path.
    pub(super) fn id(&self) -> i64 {
        self.id.unwrap_or_default()
    }

    /// Returns a number of the query.
    pub(super) fn count(&self, name: &str) -> Result<Option<u32>, AppError> {
        let Some(text) = self.query.get(name) else { return Ok(None) };
        let number =
            text.parse().map_err(|_| invalid_request(&format!("`{name}={text}` is not a number")))?;
        Ok(Some(number))
    }

    /// Returns how many rows the query wants: at least one, at most `most`.
    pub(super) fn limit(&self, most: u32) -> Result<Option<u32>, AppError> {
        match self.count("limit")? {
            Some(0) => Err(invalid_request("`limit` is at least 1")),
            limit => Ok(limit.map(|limit| limit.min(most))),
        }
    }

    /// Whether a flag of the query is set.
    pub(super) fn flag(&self, name: &str) -> bool {
        matches!(self.query.get(name), Some("1" | "true" | "yes"))
    }

    /// Returns the kinds of the query, separated by commas.
    pub(super) fn kinds(&self) -> Result<Vec<Kind>, AppError> {
        let names = self.query.get("kind").unwrap_or_default().split(',').map(str::trim);
        let kinds = names.filter(|name| !name.is_empty()).map(parse_kind_filter);
        Ok(kinds.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Returns the project of the query.
    pub(super) fn project(&self, store: &Store) -> Result<Option<ProjectId>, AppError> {
        self.query.get("project").map(|wanted| known_project(store, wanted)).transpose()
    }

    /// Returns the project of the query, or all projects.
    pub(super) fn projects(&self, store: &Store) -> Result<ProjectSelector, AppError> {
        let project = self.project(store)?.map(|id| id.to_string());
        Ok(project.map_or(ProjectSelector::All, ProjectSelector::Named))
    }

    /// Returns which rows of a list the query wants.
    pub(super) fn page(&self, store: &Store, app: &App) -> Result<PageRequest, AppError> {
        let number = |name: &str| -> Result<Option<i64>, AppError> {
            let Some(text) = self.query.get(name) else { return Ok(None) };
            text.parse().map(Some).map_err(|_| invalid_request(&format!("`{name}={text}` is not a number")))
        };
        Ok(PageRequest {
            project: self.project(store)?,
            session: number("session")?.map(SessionId),
            kinds: self.kinds()?,
            file: self.query.get("file").map(str::to_owned),
            moment: self.query.get("moment").map(|moment| moment.replace('-', "_")),
            since: self.time("since", app.now)?,
            until: self.time("until", app.now)?,
            before: number("before")?,
            limit: self.limit(MAX_ROWS)?.unwrap_or(DEFAULT_ROWS),
        })
    }

    /// Returns a time of the query.
    pub(super) fn time(&self, name: &str, now: Timestamp) -> Result<Option<Timestamp>, AppError> {
        let typed = |text: &str| times::typed(text, now).map_err(|error| error.named(name));
        self.query.get(name).map(typed).transpose()
    }

    /// Returns a text of the body; `None` if it is missing or blank.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, AppError> {
        match self.body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.trim().is_empty())),
            Some(_) => Err(invalid_request(&format!("`{name}` is a text"))),
        }
    }

    /// Returns a text of the body that is required.
    pub(super) fn required_text(&self, name: &str) -> Result<String, AppError> {
        self.text(name)?.ok_or_else(|| invalid_request(&format!("`{name}` is missing")))
    }

    /// Returns a boolean of the body.
    pub(super) fn boolean(&self, name: &str) -> Result<Option<bool>, AppError> {
        match self.body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(truth)) => Ok(Some(*truth)),
            Some(_) => Err(invalid_request(&format!("`{name}` is true or false"))),
        }
    }

    /// Returns a whole number of the body.
    pub(super) fn number(&self, name: &str) -> Result<Option<i64>, AppError> {
        match self.body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                value.as_i64().map(Some).ok_or_else(|| invalid_request(&format!("`{name}` is a number")))
            }
        }
    }

    /// Returns a list of texts of the body; empty if it is missing.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, AppError> {
        let Some(value) = self.body.get(name).filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
        let texts = value.as_array().map(|texts| texts.iter().map(|text| text.as_str().map(str::to_owned)));
        let texts = texts.and_then(Iterator::collect::<Option<Vec<_>>>);
        texts.ok_or_else(|| invalid_request(&format!("`{name}` is a list of texts")))
    }

    /// Returns the ids of memories in the body.
    pub(super) fn ids(&self) -> Result<Vec<MemoryId>, AppError> {
        let ids = self.body.get("ids").and_then(Value::as_array);
        let ids: Option<Vec<MemoryId>> =
            ids.and_then(|ids| ids.iter().map(|id| id.as_i64().map(MemoryId)).collect());
        match ids {
            Some(ids) if (1..=MAX_ROWS as usize).contains(&ids.len()) => Ok(ids),
            _ => Err(invalid_request(&format!("`ids` is a list of 1 to {MAX_ROWS} numbers"))),
        }
    }
}

/// Finds a project by number or name. A request cannot make us read a folder.
pub(super) fn known_project(store: &Store, wanted: &str) -> Result<ProjectId, AppError> {
    project_known_as(store, wanted)?
        .ok_or_else(|| AppError::no_such_project(wanted).hint("`/api/projects` lists them all"))
}

/// Makes the error of a request that cannot be understood.
pub(super) fn invalid_request(what: &str) -> AppError {
    AppError::usage(what).hint("docs/http.md says what each path takes")
}
