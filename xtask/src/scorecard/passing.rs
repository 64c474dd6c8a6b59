//! What is said in passing: told through the hooks, nothing of it may become a memory.
//!
//! As many sentences that hold are told the same way: were the pipe broken, they would leave nothing either.

use super::Outcome;
use super::made_up::{REPLY, SAID_FOR_GOOD, SAID_IN_PASSING};
use super::page::{Page, verdict};
use super::sets::{Sets, text};
use super::telling::{Said, tell};
use serde_json::{Value, json};
use std::collections::HashSet;

const HEADS: [&str; 5] = ["made up by us", "sentences", "sentences kept", "memories made", "as it must be"];

/// Measures what becomes of both.
pub(crate) fn measure(sets: &Sets, page: &mut Page) -> Outcome<()> {
    page.section(
        "Said in passing",
        "Each sentence is said in a session of its own, through the hooks, and answered in twenty words. Small talk, wishes for the task at hand and facts of the moment must leave nothing; the control are as many \
         sentences that hold, told the same way, of which memories must be made. What we made up ourselves the rules were also mended on: it shows what must not be lost again, not how strangers fare.",
    );
    let (passing, for_good) = (kept(sets, &SAID_IN_PASSING)?, kept(sets, &SAID_FOR_GOOD)?);
    let lines = [("passing", &passing), ("for good", &for_good)].map(|(said, kept)| {
        kept.iter().map(move |memory| json!({"said": said, "memory": memory})).collect::<Vec<_>>()
    });
    page.per_query("passing", &lines.concat())?;
    page.table(
        &HEADS,
        &[
            row(
                "small talk, wishes, facts of the moment",
                SAID_IN_PASSING.len(),
                &passing,
                passing.is_empty(),
            ),
            row("control: what holds", SAID_FOR_GOOD.len(), &for_good, !for_good.is_empty()),
        ],
    );
    Ok(())
}

fn row(what: &str, said: usize, kept: &[Value], holds: bool) -> Vec<String> {
    let sessions: HashSet<String> = kept.iter().map(|memory| text(memory, "session")).collect();
    vec![
        what.to_owned(),
        said.to_string(),
        sessions.len().to_string(),
        kept.len().to_string(),
        verdict(holds),
    ]
}

/// Tells sentences, and returns the memories that were made.
fn kept(sets: &Sets, said: &[&str]) -> Outcome<Vec<Value>> {
    let world = sets.world();
    for (at, sentence) in said.iter().enumerate() {
        tell(&world, &format!("session {at}"), &[Said::by_user(*sentence), Said::by_assistant(REPLY)])?;
    }
    world.memories()
}
