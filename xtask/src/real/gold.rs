//! Reads `gold.jsonl`: what people who read the sessions would have noted, and at which prompts and tools a note helps.

use crate::TaskResult;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Everything of the file.
#[derive(Clone, Default)]
pub(crate) struct Gold {
    pub(crate) sessions: Vec<GoldSession>,
    pub(crate) moments: Vec<GoldMoment>,
}

/// A session as its reader noted it.
#[derive(Clone, Deserialize)]
pub(crate) struct GoldSession {
    pub(crate) project: String,
    /// The beginning of the host's id of the session.
    pub(crate) session: String,
    pub(crate) notes: Vec<GoldNote>,
    #[serde(default)]
    pub(crate) handoff: GoldHandoff,
}

/// One thing worth keeping.
#[derive(Clone, Deserialize)]
pub(crate) struct GoldNote {
    pub(crate) id: String,
    pub(crate) class: String,
    pub(crate) title: String,
    pub(crate) text: String,
}

/// Where the work really stood at the end.
#[derive(Clone, Default, Deserialize)]
pub(crate) struct GoldHandoff {
    pub(crate) state: String,
    pub(crate) next: Vec<String>,
    pub(crate) open: Vec<String>,
}

/// A prompt, or a tool call if it is one, with the notes of earlier sessions that help there.
#[derive(Clone)]
pub(crate) struct GoldMoment {
    pub(crate) project: String,
    pub(crate) session: String,
    pub(crate) turn: usize,
    pub(crate) is_tool: bool,
    pub(crate) helpful: BTreeSet<String>,
    pub(crate) related: BTreeSet<String>,
}

#[derive(Deserialize)]
struct MomentLine {
    project: String,
    #[serde(alias = "tool")]
    prompt: MomentPlace,
    helpful: BTreeSet<String>,
    #[serde(default)]
    related: BTreeSet<String>,
}

#[derive(Deserialize)]
struct MomentPlace {
    session: String,
    turn: usize,
    what: Option<String>,
}

impl Gold {
    /// Reads the file.
    pub(crate) fn read(path: &Path) -> TaskResult<Gold> {
        let text =
            fs::read_to_string(path).map_err(|error| format!("reading {}: {error}", path.display()))?;
        Gold::parse(&text)
    }

    fn parse(text: &str) -> TaskResult<Gold> {
        let mut gold = Gold::default();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            if let Ok(session) = serde_json::from_str::<GoldSession>(line) {
                gold.sessions.push(session);
                continue;
            }
            let MomentLine { project, prompt, helpful, related } = serde_json::from_str(line)
                .map_err(|error| format!("a gold line is neither session nor moment: {error}: {line}"))?;
            let MomentPlace { session, turn, what } = prompt;
            let is_tool = what.is_some();
            gold.moments.push(GoldMoment { project, session, turn, is_tool, helpful, related });
        }
        Ok(gold)
    }

    /// Returns every note by its id.
    pub(crate) fn notes(&self) -> BTreeMap<&str, &GoldNote> {
        self.sessions.iter().flat_map(|it| &it.notes).map(|note| (note.id.as_str(), note)).collect()
    }

    /// Returns the sessions of a project.
    pub(crate) fn sessions_in<'a>(&'a self, project: &'a str) -> impl Iterator<Item = &'a GoldSession> {
        self.sessions.iter().filter(move |it| it.project == project)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_session_a_prompt_or_a_tool() {
        let text = r#"{"project":"p","session":"s1","notes":[{"id":"p/s1/1","class":"rule","title":"t","text":"x"}],"handoff":{"state":"","next":[],"open":[]}}
{"project":"p","prompt":{"session":"s2","turn":1},"helpful":["p/s1/1"],"related":[]}
{"project":"p","tool":{"session":"s2","turn":2,"what":"make"},"helpful":["p/s1/1"]}"#;
        let gold = Gold::parse(text).unwrap();
        assert_eq!(gold.notes().len(), 1);
        let tools: Vec<_> = gold.moments.iter().map(|it| (it.turn, it.is_tool)).collect();
        assert_eq!(tools, [(1, false), (2, true)]);
        assert!(Gold::parse("{}").is_err());
    }
}
