//! Ephemeral remarks: played through the hooks, none of them may become a memory.
//!
//! The control plays as many lasting statements the same way: a broken pipeline would keep none of those either.

use super::page::{ScorecardPage, verdict};
use super::playback::{SessionMessage, play_session};
use super::samples::{ACKNOWLEDGEMENT, EPHEMERAL, LASTING};
use super::sets::{EvalSets, text};
use crate::TaskResult;
use serde_json::{Value, json};
use std::collections::HashSet;

const HEADS: [&str; 5] = ["written by us", "sentences", "sentences kept", "memories made", "as required"];

/// Measures both.
pub(crate) fn measure(sets: &EvalSets, page: &mut ScorecardPage) -> TaskResult {
    page.section(
        "Ephemeral remarks",
        "Each sentence is the prompt of a session of its own, through the hooks, with a reply of twenty words. Small talk, wishes for the task at hand and facts of the moment must leave nothing; the control is as many \
         lasting statements, played the same way, which must become memories. The rules were developed on these sentences: they guard against regressions, they do not predict other users' sessions.",
    );
    let (ephemeral, lasting) = (memories_from(sets, &EPHEMERAL)?, memories_from(sets, &LASTING)?);
    let lines = [("ephemeral", &ephemeral), ("lasting", &lasting)].map(|(kind, memories)| {
        memories.iter().map(move |memory| json!({"sentences": kind, "memory": memory})).collect::<Vec<_>>()
    });
    page.per_query("ephemeral", &lines.concat())?;
    page.table(
        &HEADS,
        &[
            row("small talk, wishes, facts of the moment", EPHEMERAL.len(), &ephemeral, ephemeral.is_empty()),
            row("control: lasting statements", LASTING.len(), &lasting, !lasting.is_empty()),
        ],
    );
    Ok(())
}

fn row(what: &str, sentences: usize, memories: &[Value], holds: bool) -> Vec<String> {
    let sessions: HashSet<String> = memories.iter().map(|memory| text(memory, "session")).collect();
    vec![
        what.to_owned(),
        sentences.to_string(),
        sessions.len().to_string(),
        memories.len().to_string(),
        verdict(holds),
    ]
}

/// Plays sentences, and returns the memories made of them.
fn memories_from(sets: &EvalSets, sentences: &[&str]) -> TaskResult<Vec<Value>> {
    let world = sets.world();
    for (at, sentence) in sentences.iter().enumerate() {
        play_session(
            &world,
            &format!("session {at}"),
            &[SessionMessage::from_user(*sentence), SessionMessage::from_assistant(ACKNOWLEDGEMENT)],
        )?;
    }
    world.memories()
}
