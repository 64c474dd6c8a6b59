//! The background writer in a replay: at each session's end its request is written, and its answer taken, where there are folders for them.
//!
//! Not here: who answers. A model that sees the request alone, in whatever way.

use super::gold::Gold;
use super::planted;
use super::project_run::ProjectRun;
use super::recorded_sessions::field;
use super::replay_home::ReplayHome;
use crate::{TaskResult, say};
use backstory_memory::estimate;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Folders with one folder a project, and one file a session in it.
#[derive(Default)]
pub(crate) struct WriterFolders {
    /// Where requests are written.
    pub(crate) requests: Option<PathBuf>,
    /// Where answers are.
    pub(crate) answers: Option<PathBuf>,
    /// Whether errors are planted in them, to see which are caught.
    pub(crate) is_planting: bool,
    /// What readers noted, to be known at once when a session ends: what is then not injected is not the writer's fault.
    pub(crate) ideal_notes: Option<Gold>,
}

impl WriterFolders {
    /// Writes the request of a session that has ended and takes its answer; returns what the program said.
    pub(crate) fn exchange(
        &self,
        home: &ReplayHome,
        project: &str,
        (session, now_ms): (&str, i64),
    ) -> TaskResult<Vec<Value>> {
        let mut said = Vec::new();
        for (flag, folder) in [("--requests", &self.requests), ("--answers", &self.answers)] {
            let Some(folder) = folder.as_ref().map(|folder| folder.join(project)) else { continue };
            let file = folder.join(format!("{session}.json"));
            if flag == "--answers" && !file.is_file() {
                continue;
            }
            if flag == "--answers" {
                said.push(json!({"tokens_out": estimate(&fs::read_to_string(file)?).0}));
            }
            let folder = std::path::absolute(folder)?.to_string_lossy().into_owned();
            if let (Some(answers), "--answers", true) = (&self.answers, flag, self.is_planting) {
                said.push(planted::plant(home, (answers, project), (session, now_ms))?);
            }
            let arguments = ["distil", "--session", session, flag, &folder, "--json"];
            let text = home.program(&arguments, now_ms, "")?;
            said.push(serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?);
        }
        self.write_ideal_notes(home, project, (session, now_ms))?;
        Ok(said)
    }

    /// Writes the notes of a session's reader, as its user.
    fn write_ideal_notes(
        &self,
        home: &ReplayHome,
        project: &str,
        (session, now_ms): (&str, i64),
    ) -> TaskResult {
        let sessions = self.ideal_notes.iter().flat_map(|gold| gold.sessions_in(project));
        for note in sessions.filter(|it| session.starts_with(&it.session)).flat_map(|it| &it.notes) {
            let kind = match note.class.as_str() {
                "work" => "change",
                "decision" => "decision",
                "gotcha" | "fact" | "failure" => "fact",
                _ => "rule",
            };
            let arguments = ["remember", "--force", "--kind", kind, "--title", &note.title, "--", &note.text];
            home.program_as_user(&arguments, now_ms)?;
        }
        Ok(())
    }
}

/// Prints how much was asked, and what became of the answers.
pub(crate) fn report(runs: &[ProjectRun]) {
    let said: Vec<&Value> = runs.iter().flat_map(|run| &run.writer).collect();
    let list = |name: &str| -> Vec<&Value> {
        said.iter().filter_map(|it| it.get(name)?.as_array()).flatten().collect()
    };
    say_tokens("requests; tokens in", list("requests").iter().filter_map(|it| it.get("tokens")?.as_i64()));
    say_tokens("answers; tokens out", said.iter().filter_map(|it| it.get("tokens_out")?.as_i64()));
    planted::report(&list("planted"));
    let answers = list("answers");
    if answers.is_empty() {
        return;
    }
    let count = |name: &str| -> usize {
        answers.iter().filter_map(|it| it.get(name)?.as_array()).map(Vec::len).sum()
    };
    say(&format!(
        "writer: {} answers {:?}; {} kept, {} of them proposed, {} turned down {:?}; {} of the rules' replaced",
        answers.len(),
        tally(answers.iter().map(|it| field(it, "outcome"))),
        count("kept"),
        count("demoted"),
        count("rejected"),
        tally(
            answers
                .iter()
                .filter_map(|it| it.get("rejected")?.as_array())
                .flatten()
                .map(|it| field(it, "reason"))
        ),
        count("replaced"),
    ));
}

fn say_tokens(what: &str, tokens: impl Iterator<Item = i64>) {
    let mut tokens: Vec<i64> = tokens.collect();
    tokens.sort_unstable();
    let at = |share: usize| {
        tokens.get((tokens.len().saturating_sub(1)) * share / 100).copied().unwrap_or_default()
    };
    if !tokens.is_empty() {
        let count = tokens.len();
        say(&format!("writer: {count} {what} p50 {} p90 {} max {}", at(50), at(90), at(100)));
    }
}

fn tally<'a>(words: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    counts
}
