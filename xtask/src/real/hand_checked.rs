//! Measures the measure: the matcher, and the rules for titles.
//!
//! For the matcher, 60 pairs of a gold note and a memory of a fixed run, drawn over all notes and checked by hand.
//! The file holds ids and verdicts only. The memories are those of `labels.jsonl.gz`, which do not change with the program. The pairs
//! were not used to fit the weights.

use super::gold::Gold;
use super::matching::{Matcher, Recalled};
use super::project_run::{ProjectRun, RunMemory, SessionRun};
use super::recorded_sessions::field;
use super::title_defects::title_defects;
use crate::{TaskResult, say};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const PAIRS: &str = include_str!("hand_checked.jsonl");

/// One pair and what a reader says.
#[derive(Deserialize)]
struct CheckedPair {
    note: String,
    /// Number of the memory in the labels.
    label: u64,
    verdict: String,
}

/// Memories of an earlier run that people judged.
pub(crate) struct LabelledMemories(Vec<Value>);

impl LabelledMemories {
    /// Reads the labels beside the sessions.
    pub(crate) fn read(data: &Path) -> TaskResult<LabelledMemories> {
        let output = Command::new("gzip").arg("-dc").arg(data.join("labels.jsonl.gz")).output()?;
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        let values = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        Ok(LabelledMemories(values.filter(|it| field(it, "type") == "memory").collect()))
    }

    /// Returns the texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|it| field(it, "body"))
    }

    fn get(&self, number: u64) -> Option<&Value> {
        self.0.iter().find(|it| it.get("n").and_then(Value::as_u64) == Some(number))
    }
}

/// Says how often the matcher agrees with the reader.
pub(crate) fn report(labels: &LabelledMemories, gold: &Gold, matcher: &Matcher) -> TaskResult {
    let notes = gold.notes();
    let (mut pairs, mut agreed, mut agreed_kept) = (0, 0, 0);
    let (mut kept_by_hand, mut kept_by_matcher) = (0, 0);
    for line in PAIRS.lines() {
        let pair: CheckedPair = serde_json::from_str(line)?;
        let (Some(note), Some(memory)) = (notes.get(pair.note.as_str()), labels.get(pair.label)) else {
            continue;
        };
        let text = matcher.prepare(&note.title, &note.text);
        let other = matcher.prepare(field(memory, "title"), field(memory, "body"));
        let verdict = matcher.compare(&text, &other).verdict(&note.class, field(memory, "kind"));
        let by_hand = match pair.verdict.as_str() {
            "kept" => Recalled::Kept,
            "buried" => Recalled::Buried,
            _ => Recalled::Missed,
        };
        pairs += 1;
        agreed += usize::from(verdict == by_hand);
        agreed_kept += usize::from((verdict == Recalled::Kept) == (by_hand == Recalled::Kept));
        kept_by_hand += usize::from(by_hand == Recalled::Kept);
        kept_by_matcher += usize::from(verdict == Recalled::Kept);
    }
    say(&format!(
        "the matcher, on {pairs} pairs checked by hand: agrees whether kept in {agreed_kept}, on kept, buried or missed in {agreed}; \
         kept by hand {kept_by_hand}, by the matcher {kept_by_matcher}"
    ));
    Ok(())
}

/// Says how many titles that people called good, ok or bad have a defect of form.
pub(crate) fn report_titles(labels: &LabelledMemories, runs: &[ProjectRun]) {
    let sessions: Vec<&SessionRun> = runs.iter().flat_map(|run| &run.sessions).collect();
    let has_defect = |label: &&Value| {
        let text = |name| field(label, name).to_owned();
        let memory = RunMemory {
            kind: text("kind"),
            title: text("title"),
            body: text("body"),
            ..RunMemory::default()
        };
        let session = sessions.iter().find(|it| it.session == field(label, "session"));
        !title_defects(&memory, session.map_or(&[], |it| &it.prompts)).is_empty()
    };
    let counts = ["good", "ok", "bad"].map(|quality| {
        let titles = || labels.0.iter().filter(|it| field(it, "title_quality") == quality);
        format!("{} of {} {quality} ones", titles().filter(has_defect).count(), titles().count())
    });
    say(&format!("defects of form, on titles that people judged: {}", counts.join(", ")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixty_pairs_have_a_verdict() {
        let pairs: Vec<CheckedPair> = PAIRS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(pairs.len(), 60);
        assert!(pairs.iter().all(|it| ["kept", "buried", "missed"].contains(&it.verdict.as_str())));
    }
}
