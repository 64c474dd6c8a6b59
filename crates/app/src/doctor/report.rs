//! What `doctor` reports of hosts, as other programs read it.
#![expect(missing_docs, reason = "the fields are the JSON keys; docs/json.md explains them")]

use super::receipts::outcome_words;
use crate::app::App;
use crate::times;
use crate::words::one_line;
use backstory_store::Receipt;
use serde::Serialize;

/// Something worth saying about a host.
#[derive(Debug, Serialize)]
pub struct Finding {
    pub level: Level,
    pub what: String,
    pub todo: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Something does not work.
    Broken,
    /// It works, and there is something to know.
    Note,
}

impl Finding {
    pub fn broken(what: &str, todo: Option<String>) -> Finding {
        Finding { level: Level::Broken, what: what.to_owned(), todo }
    }

    pub fn note(what: &str, todo: Option<String>) -> Finding {
        Finding { level: Level::Note, what: what.to_owned(), todo }
    }

    pub fn is_broken(&self) -> bool {
        self.level == Level::Broken
    }
}

/// One host.
#[derive(Debug, Serialize)]
pub struct HostReportShape {
    pub host: &'static str,
    pub state: &'static str,
    pub files: Vec<HostFileShape>,
    pub program: Option<String>,
    pub program_version: Option<String>,
    pub hooks: Vec<HookTrialShape>,
    pub mcp: Option<Vec<String>>,
    pub mcp_ok: Option<bool>,
    pub plugin: Option<String>,
    pub last_hook: Option<LastHookShape>,
    pub usual_ms: Option<f64>,
    pub findings: Vec<Finding>,
    #[serde(skip)]
    pub title: &'static str,
}

#[derive(Debug, Serialize)]
pub struct HostFileShape {
    pub path: String,
    pub what: String,
    pub state: &'static str,
}

#[derive(Debug, Serialize)]
pub struct HookTrialShape {
    pub event: String,
    pub ok: bool,
    pub ms: f64,
    pub problem: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct LastHookShape {
    pub event: String,
    pub at: String,
    pub outcome: String,
    #[serde(skip)]
    pub ago: String,
}

impl HostReportShape {
    pub fn is_broken(&self) -> bool {
        self.findings.iter().any(Finding::is_broken)
    }
}

/// Groups events that have the same problem.
pub(super) fn group_by_problem<'a>(
    problems: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<(&'a str, String)> {
    let mut groups: Vec<(&str, String)> = Vec::new();
    for (event, what) in problems {
        match groups.iter_mut().find(|(known, _)| *known == what) {
            Some((_, events)) => *events = format!("{events}, `{event}`"),
            None => groups.push((what, format!("`{event}`"))),
        }
    }
    groups
}

pub(super) fn last_hook(receipt: &Receipt, app: &App) -> LastHookShape {
    LastHookShape {
        event: one_line(&receipt.event),
        at: times::iso(receipt.at),
        outcome: one_line(&outcome_words(receipt)),
        ago: backstory_inject::time_ago(receipt.at, app.now),
    }
}
