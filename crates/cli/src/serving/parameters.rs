//! What a request says, read into what the commands understand.

use crate::app::{App, ProjectArgs, project_known_as};
use crate::failure::Failure;
use crate::times;
use backstory_app::error::unknown_kind;
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
    fn count(&self, name: &str) -> Result<Option<u32>, Failure>;
    /// Returns how many are wanted, at least one and not too many.
    fn limit(&self, most: u32) -> Result<Option<u32>, Failure>;
    /// Whether something after the question mark is wanted.
    fn flag(&self, name: &str) -> bool;
    /// Returns the kinds that are wanted, separated by commas.
    fn kinds(&self) -> Result<Vec<Kind>, Failure>;
    /// Returns the project that is meant.
    fn project(&self, store: &Store) -> Result<Option<ProjectId>, Failure>;
    /// Returns which projects are meant: one, or all where none is named.
    fn place(&self, store: &Store) -> Result<ProjectArgs, Failure>;
    /// Returns which rows of a list are wanted.
    fn page(&self, store: &Store, app: &App) -> Result<PageRequest, Failure>;
    /// Returns a text of the body; nothing where it is not there or blank.
    fn text(&self, name: &str) -> Result<Option<String>, Failure>;
    /// Returns the same where it must be there.
    fn needed_text(&self, name: &str) -> Result<String, Failure>;
    /// Returns a yes or no of the body.
    fn truth(&self, name: &str) -> Result<Option<bool>, Failure>;
    /// Returns the numbers of memories in the body.
    fn ids(&self) -> Result<Vec<MemoryId>, Failure>;
}

impl Parameters for Asked {
    fn id(&self) -> i64 {
        self.id.unwrap_or_default()
    }

    fn count(&self, name: &str) -> Result<Option<u32>, Failure> {
        let Some(text) = self.query.get(name) else { return Ok(None) };
        let number = text.parse().map_err(|_| wrong(&format!("`{name}={text}` is not a number")))?;
        Ok(Some(number))
    }

    fn limit(&self, most: u32) -> Result<Option<u32>, Failure> {
        match self.count("limit")? {
            Some(0) => Err(wrong("`limit` is at least 1")),
            limit => Ok(limit.map(|limit| limit.min(most))),
        }
    }

    fn flag(&self, name: &str) -> bool {
        matches!(self.query.get(name), Some("1" | "true" | "yes"))
    }

    fn kinds(&self) -> Result<Vec<Kind>, Failure> {
        let names = self.query.get("kind").unwrap_or_default().split(',').map(str::trim);
        let names = names.filter(|name| !name.is_empty());
        names.map(|name| name.parse().map_err(|error| unknown_kind(&error))).collect()
    }

    fn project(&self, store: &Store) -> Result<Option<ProjectId>, Failure> {
        self.query.get("project").map(|wanted| known_project(store, wanted)).transpose()
    }

    fn place(&self, store: &Store) -> Result<ProjectArgs, Failure> {
        let project = self.project(store)?.map(|id| id.to_string());
        Ok(ProjectArgs { all_projects: project.is_none(), project })
    }

    fn page(&self, store: &Store, app: &App) -> Result<PageRequest, Failure> {
        let number = |name: &str| -> Result<Option<i64>, Failure> {
            let Some(text) = self.query.get(name) else { return Ok(None) };
            text.parse().map(Some).map_err(|_| wrong(&format!("`{name}={text}` is not a number")))
        };
        Ok(PageRequest {
            project: self.project(store)?,
            session: number("session")?.map(SessionId),
            kinds: self.kinds()?,
            moment: self.query.get("moment").map(|moment| moment.replace('-', "_")),
            since: time(self, "since", app.now)?,
            until: time(self, "until", app.now)?,
            before: number("before")?,
            limit: self.limit(MOST)?.unwrap_or(USUALLY),
        })
    }

    fn text(&self, name: &str) -> Result<Option<String>, Failure> {
        match self.body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.trim().is_empty())),
            Some(_) => Err(wrong(&format!("`{name}` is a text"))),
        }
    }

    fn needed_text(&self, name: &str) -> Result<String, Failure> {
        self.text(name)?.ok_or_else(|| wrong(&format!("`{name}` is missing")))
    }

    fn truth(&self, name: &str) -> Result<Option<bool>, Failure> {
        match self.body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(truth)) => Ok(Some(*truth)),
            Some(_) => Err(wrong(&format!("`{name}` is true or false"))),
        }
    }

    fn ids(&self) -> Result<Vec<MemoryId>, Failure> {
        let ids = self.body.get("ids").and_then(Value::as_array);
        let ids: Option<Vec<MemoryId>> =
            ids.and_then(|ids| ids.iter().map(|id| id.as_i64().map(MemoryId)).collect());
        match ids {
            Some(ids) if (1..=MOST as usize).contains(&ids.len()) => Ok(ids),
            _ => Err(wrong(&format!("`ids` is a list of 1 to {MOST} numbers"))),
        }
    }
}

fn time(asked: &Asked, name: &str, now: Timestamp) -> Result<Option<Timestamp>, Failure> {
    let typed = |text: &str| times::typed(text, now).map_err(|failure| failure.of(name));
    asked.query.get(name).map(typed).transpose()
}

/// Finds a project by number or name. No folder is looked at, whatever a request says.
pub(crate) fn known_project(store: &Store, wanted: &str) -> Result<ProjectId, Failure> {
    project_known_as(store, wanted)?
        .ok_or_else(|| Failure::no_such_project(wanted).hint("`/api/projects` lists them all"))
}

/// Says what is wrong with a request.
pub(crate) fn wrong(what: &str) -> Failure {
    Failure::usage(what).hint("docs/http.md says what each path takes")
}

/// A page of a list, and where the next begins.
pub(crate) fn next(page: &PageRequest, rows: usize, last: Option<i64>) -> Option<i64> {
    last.filter(|_| rows >= page.limit as usize)
}
