//! What a replay of one project left: memories, injections, and the prompts they answer to. Can be saved and measured again.

use crate::TaskResult;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// One project after all its sessions.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ProjectRun {
    pub(crate) project: String,
    pub(crate) sessions: Vec<SessionRun>,
    /// What `distil --requests` and `distil --answers` said at the end of each session, where there are folders for them.
    #[serde(default)]
    pub(crate) writer: Vec<serde_json::Value>,
    /// Every memory that stood at the end of any session, as it was last seen.
    pub(crate) memories: Vec<RunMemory>,
    pub(crate) injections: Vec<RunInjection>,
    pub(crate) hooks: usize,
    /// The program's log: what went wrong in a hook.
    pub(crate) log: Vec<String>,
}

/// One session.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct SessionRun {
    /// The host's id.
    pub(crate) session: String,
    pub(crate) prompts: Vec<String>,
    /// The newest handoff when the session ended.
    pub(crate) handoff: Option<RunMemory>,
}

/// A memory as the program exports it.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RunMemory {
    pub(crate) uid: String,
    pub(crate) kind: String,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) files: Vec<String>,
    pub(crate) details: Value,
    pub(crate) session: Option<String>,
    pub(crate) created_at: String,
    /// Empty until `search` says it, where the export does not.
    pub(crate) standing: String,
    /// The number that injected lines show.
    pub(crate) id: Option<i64>,
}

/// What was given to the agent, and when.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct RunInjection {
    pub(crate) session: String,
    /// Number of the prompt before it, from 1; 0 before the first.
    pub(crate) turn: usize,
    /// The hook.
    pub(crate) event: String,
    pub(crate) text: String,
}

impl RunMemory {
    /// Whether it still counts at the end.
    pub(crate) fn is_live(&self) -> bool {
        self.injectable() > 0
    }

    /// How near it is to being injected: a confirmed memory before a proposed one before a retired one.
    pub(crate) fn injectable(&self) -> u8 {
        match self.standing.as_str() {
            "confirmed" => 2,
            "proposed" => 1,
            _ => 0,
        }
    }

    /// Returns the texts of a list in its details.
    pub(crate) fn detail_list(&self, name: &str) -> Vec<&str> {
        let list = self.details.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Whether it comes from this session, of whose id only the beginning may be known.
    pub(crate) fn is_from(&self, session: &str) -> bool {
        self.session.as_ref().is_some_and(|it| it.starts_with(session))
    }
}

impl RunInjection {
    /// Returns the items that carry recorded text, list items and numbered memories, each with the lines below it.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut items: Vec<String> = Vec::new();
        for line in self.text.lines() {
            let is_item = line.starts_with("- ") || line.starts_with('#') && !line.starts_with("##");
            match items.last_mut() {
                _ if is_item => items.push(line.to_owned()),
                Some(item) if line.starts_with("  ") => item.extend([" / ", line.trim_start()]),
                _ => {}
            }
        }
        items
    }
}

/// Writes runs to a file.
pub(crate) fn save(runs: &[ProjectRun], path: &Path) -> TaskResult {
    Ok(fs::write(path, serde_json::to_string(runs)?)?)
}

/// Reads runs that were saved.
pub(crate) fn load(path: &Path) -> TaskResult<Vec<ProjectRun>> {
    let text = fs::read_to_string(path).map_err(|error| format!("reading {}: {error}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}
