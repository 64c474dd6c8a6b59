//! What a closing message claims and a tool's output contradicts: that the tests pass while the last run is red, that something is
//! committed or pushed while git refused.
//!
//! Only what was run in the same turn contradicts anything: what nobody tried, nobody knows. Not here: what is made of the rest.

use crate::CommandRun;
use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::sentences::sentences;
use crate::testruns::TestOutcome;
use crate::transcript::{TranscriptEntry, Turn};

/// Returns the closing message of a turn without the sentences that its own commands contradict.
pub(super) fn believed_closing<'a>(turn: &Turn<'a>) -> Option<(&'a TranscriptEntry, String)> {
    let (entry, message) = turn.closing()?;
    let denied = denied(turn);
    if denied.is_empty() {
        return Some((entry, message.to_owned()));
    }
    let is_denied = |sentence: &str| {
        let folded = FoldedSentence::new(sentence);
        let is_whole = !["but", "except", "fail", "fails", "failed"]
            .iter()
            .any(|word| folded.0.contains(&format!(" {word} ")));
        is_whole && denied.iter().any(|group| folded.has(*group))
    };
    let kept = message.lines().map(|line| {
        let all = sentences(line);
        match all.iter().any(|sentence| is_denied(sentence)) {
            true => all.into_iter().filter(|sentence| !is_denied(sentence)).collect::<Vec<_>>().join(" "),
            false => line.to_owned(),
        }
    });
    Some((entry, kept.collect::<Vec<_>>().join("\n")))
}

/// What must not be claimed of a turn.
fn denied(turn: &Turn<'_>) -> Vec<PhraseGroup> {
    let last = |is_it: &dyn Fn(&CommandRun<'_>) -> bool| {
        turn.commands().map(|(_, ran)| ran).filter(|ran| is_it(ran)).last()
    };
    let is_red = last(&|ran| ran.test_run().is_some())
        .and_then(CommandRun::test_run)
        .is_some_and(|run| run.outcome != TestOutcome::Green);
    let has_failed = |task: &str| last(&|ran| ran.runs(task)).is_some_and(CommandRun::failed);
    let mut denied = Vec::new();
    denied.extend(is_red.then_some(PhraseGroup::TestsPass));
    denied.extend(has_failed("git commit").then_some(PhraseGroup::Committed));
    denied.extend(has_failed("git push").then_some(PhraseGroup::Pushed));
    denied
}
