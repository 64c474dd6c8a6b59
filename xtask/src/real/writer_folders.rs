//! The background writer in a replay: at each session's end its request is written, and its answer taken, where there are folders for them.
//!
//! Not here: who answers. A model that sees the request alone, in whatever way.

use super::figures::put;
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

/// The schema that every request carries.
const SCHEMA: &str = include_str!("../../../crates/distil/src/writer/schema.json");

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
    let read = list("requests").into_iter().filter_map(|it| it.get("tokens")?.as_i64());
    let read: Vec<i64> = read.map(|tokens| tokens + i64::from(estimate(SCHEMA).0)).collect();
    let written: Vec<i64> = said.iter().filter_map(|it| it.get("tokens_out")?.as_i64()).collect();
    if !read.is_empty() {
        say(&cost_table(&read, &written));
    }
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

/// What the table of costs counts with: dollars for a million tokens read and written, of a small model.
const PRICE: [f64; 2] = [1.0, 5.0];

/// What a session costs: prompt and schema in, the answer out. What a host's program adds of its own is not in it.
fn cost_table(read: &[i64], written: &[i64]) -> String {
    let mut table =
        String::from("| a session | n | p50 | p90 | max | mean | all |\n|---|---|---|---|---|---|---|\n");
    put(&mut table, format_args!("{}", row("tokens in", read, |tokens| tokens.to_string())));
    if written.len() == read.len() {
        // Both are of the sessions in their order.
        let cents = read.iter().zip(written).map(|(read, written)| {
            let [of_read, of_written] = PRICE;
            // In millionths of a dollar, which a price for a million tokens makes of one.
            (*read as f64 * of_read + *written as f64 * of_written).round() as i64
        });
        let sums: Vec<i64> = read.iter().zip(written).map(|(read, written)| read + written).collect();
        put(&mut table, format_args!("{}", row("tokens out", written, |tokens| tokens.to_string())));
        put(&mut table, format_args!("{}", row("in and out", &sums, |tokens| tokens.to_string())));
        let name = format!("cents, at ${} and ${} a million", PRICE[0], PRICE[1]);
        let cents: Vec<i64> = cents.collect();
        put(
            &mut table,
            format_args!(
                "{}",
                row(&name, &cents, |millionths| format!("{:.2}", millionths as f64 / 10_000.0))
            ),
        );
    }
    table
}

fn row(name: &str, values: &[i64], shown: impl Fn(i64) -> String) -> String {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let at = |share: usize| {
        shown(sorted.get(sorted.len().saturating_sub(1) * share / 100).copied().unwrap_or_default())
    };
    let (sum, count) = (sorted.iter().sum::<i64>(), sorted.len());
    let mean = shown(sum / i64::try_from(count.max(1)).unwrap_or(1));
    format!("| {name} | {count} | {} | {} | {} | {mean} | {} |\n", at(50), at(90), at(100), shown(sum))
}

fn tally<'a>(words: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_table_has_the_middle_the_worst_and_the_money() {
        let table = cost_table(&[1000, 3000, 2000], &[100, 300, 200]);
        for line in [
            "| tokens in | 3 | 2000 | 2000 | 3000 | 2000 | 6000 |",
            "| tokens out | 3 | 200 | 200 | 300 | 200 | 600 |",
            "| in and out | 3 | 2200 | 2200 | 3300 | 2200 | 6600 |",
            "| cents, at $1 and $5 a million | 3 | 0.30 | 0.30 | 0.45 | 0.30 | 0.90 |",
        ] {
            assert!(table.contains(line), "{line}\n{table}");
        }
        assert!(!cost_table(&[1000], &[]).contains("out"), "nothing was answered");
    }
}
