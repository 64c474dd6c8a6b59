//! What is found out about hosts, and how it is told: to a person, and to other programs.

use crate::app::App;
use crate::failure::Failure;
use crate::times;
use crate::ui::{Tone, one_line};
use backstory_store::Receipt;
use serde::Serialize;

/// What is to be said about a host.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    level: Level,
    what: String,
    todo: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
    /// Something does not work.
    Broken,
    /// It works, and there is something to know.
    Note,
}

impl Finding {
    pub(super) fn broken(what: &str, todo: Option<String>) -> Finding {
        Finding { level: Level::Broken, what: what.to_owned(), todo }
    }

    pub(super) fn note(what: &str, todo: Option<String>) -> Finding {
        Finding { level: Level::Note, what: what.to_owned(), todo }
    }

    pub(super) fn is_broken(&self) -> bool {
        self.level == Level::Broken
    }
}

/// One host, as other programs are told.
#[derive(Debug, Serialize)]
pub(super) struct HostShape {
    pub(super) host: &'static str,
    pub(super) state: &'static str,
    pub(super) files: Vec<FileShape>,
    pub(super) program: Option<String>,
    pub(super) program_version: Option<String>,
    pub(super) hooks: Vec<HookShape>,
    pub(super) mcp: Option<Vec<String>>,
    pub(super) mcp_ok: Option<bool>,
    pub(super) plugin: Option<String>,
    pub(super) last_heard: Option<HeardShape>,
    pub(super) usual_ms: Option<f64>,
    pub(super) findings: Vec<Finding>,
    #[serde(skip)]
    pub(super) title: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct FileShape {
    pub(super) path: String,
    pub(super) what: String,
    pub(super) state: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct HookShape {
    pub(super) event: String,
    pub(super) ok: bool,
    pub(super) ms: f64,
    pub(super) problem: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct HeardShape {
    event: String,
    at: String,
    outcome: String,
    #[serde(skip)]
    ago: String,
}

impl HostShape {
    pub(super) fn is_broken(&self) -> bool {
        self.findings.iter().any(Finding::is_broken)
    }

    /// Says how the host is doing.
    pub(super) fn say(&self, app: &App) -> Result<(), Failure> {
        let is_good = matches!(self.state, "working" | "ready");
        let tone = if is_good { Tone::Good } else { Tone::Strong };
        app.ui.line(&format!("{}: {}", self.title, app.ui.tone(tone, self.state)))?;
        let slowest = self.hooks.iter().map(|hook| hook.ms).fold(0.0, f64::max);
        if !self.hooks.is_empty() {
            let well = self.hooks.iter().filter(|hook| hook.ok).count();
            app.ui.line(&format!(
                "  hooks  {well} of {} tried and answered, the slowest in {slowest:.0} ms",
                self.hooks.len()
            ))?;
        }
        if self.mcp_ok == Some(true) {
            app.ui.line("  tools  answered")?;
        }
        if let Some(heard) = &self.last_heard {
            let usual = self.usual_ms.map(|ms| format!("; they take {ms:.1} ms")).unwrap_or_default();
            app.ui.line(&format!("  heard  {} {}: {}{usual}", heard.event, heard.ago, heard.outcome))?;
        }
        for finding in &self.findings {
            let mark = match finding.level {
                Level::Broken => "bad",
                Level::Note => "note",
            };
            app.ui.line(&format!("  {mark}: {}", finding.what))?;
            if let Some(todo) = &finding.todo {
                app.ui.line(&format!("    to do: {todo}"))?;
            }
        }
        Ok(())
    }
}

/// Puts together the events of which the same is to be said.
pub(super) fn by_what<'a>(said: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(&'a str, String)> {
    let mut groups: Vec<(&str, String)> = Vec::new();
    for (event, what) in said {
        match groups.iter_mut().find(|(known, _)| *known == what) {
            Some((_, events)) => *events = format!("{events}, `{event}`"),
            None => groups.push((what, format!("`{event}`"))),
        }
    }
    groups
}

pub(super) fn last_heard(receipt: &Receipt, app: &App) -> HeardShape {
    HeardShape {
        event: one_line(&receipt.event),
        at: times::iso(receipt.at),
        outcome: one_line(&receipt.outcome),
        ago: backstory_inject::time_ago(receipt.at, app.now),
    }
}
