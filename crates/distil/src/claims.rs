//! What a closing message claims and a tool's output contradicts: that the tests pass while the last run is red, that something is
//! committed or pushed while git refused.
//!
//! Only what was run in the same turn contradicts anything: what nobody tried, nobody knows. Not here: what is made of the rest.

use crate::CommandRun;
use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::sentences::sentences;
use crate::testruns::TestOutcome;
use crate::titles::weight;
use crate::transcript::{TranscriptEntry, Turn};
use crate::work::is_document;
use backstory_memory::Activity;

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

/// Returns what is said of some turns without the figures of speed and share that nothing in them shows: nobody measured them.
pub(super) fn without_unmeasured(said: &str, turns: &[&Turn<'_>]) -> String {
    let is_shown = |figure: &str| {
        turns.iter().flat_map(|turn| turn.entries).any(|entry| match entry.activity() {
            Activity::Ran { output: text, .. } if !figure.ends_with('%') => text.contains(figure),
            Activity::Prompted { text } => text.contains(figure),
            // The agent may write the same claim into a document.
            Activity::Edited { file, hunks, .. } if !figure.ends_with('%') && !is_document(file) => {
                hunks.iter().any(|hunk| hunk.after.contains(figure))
            }
            _ => false,
        })
    };
    let is_claimed = |text: &str| figures(text).any(|figure| !is_shown(figure));
    let kept = said.lines().filter_map(|line| {
        if !is_claimed(line) {
            return Some(line.to_owned());
        }
        let kept: Vec<String> =
            sentences(line).into_iter().filter_map(|sentence| shown_part(sentence, &is_claimed)).collect();
        Some(kept.join(" ")).filter(|kept| !kept.is_empty())
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// As much of a sentence as claims nothing, if that says something: its clauses up to the one with the figure.
fn shown_part(sentence: &str, is_claimed: &dyn Fn(&str) -> bool) -> Option<String> {
    if !is_claimed(sentence) {
        return Some(sentence.to_owned());
    }
    let ends = [" and ", ", ", "; ", " – ", " — "].iter().flat_map(|end| sentence.match_indices(end));
    let heads = ends.filter_map(|(at, _)| sentence.get(..at)).filter(|head| !is_claimed(head));
    let head = heads.max_by_key(|head| head.len()).filter(|head| weight(head) >= LEAST_WEIGHT)?;
    Some(format!("{head}."))
}

/// The numbers of a text that compare, or are a time: "60% faster", "by 60%", "20ms".
fn figures(text: &str) -> impl Iterator<Item = &str> {
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let figure = move |at: usize| {
        let whole = *tokens.get(at)?;
        let token = whole.trim_matches(|c: char| !c.is_alphanumeric() && c != '%');
        let share = token.strip_suffix('%');
        let digits = share.or_else(|| token.strip_suffix("ms"))?;
        let is_number = digits.chars().all(|c| c.is_ascii_digit() || c == '.')
            && digits.contains(|c: char| c.is_ascii_digit());
        let next = tokens
            .get(at + 1)
            .map(|next| next.trim_matches(|c: char| !c.is_alphanumeric()))
            .unwrap_or_default();
        let before = at.checked_sub(1).and_then(|before| tokens.get(before)).copied().unwrap_or_default();
        let compares = before == "by" || whole.contains("%+") || COMPARING.contains(&next);
        (is_number && (share.is_none() || compares)).then_some(token)
    };
    (0..text.split_whitespace().count()).filter_map(figure)
}

const COMPARING: [&str; 8] =
    ["faster", "slower", "less", "fewer", "more", "better", "smaller", "improvement"];

/// What is left of a sentence must say so much.
const LEAST_WEIGHT: usize = 4;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_nobody_measured_is_left_out() {
        let said = "Keep the index in memory to avoid the disk and to be 40% faster.\nLookups take 12ms now.\nIt has 3 levels.";
        let kept = "Keep the index in memory to avoid the disk.\nIt has 3 levels.";
        assert_eq!(without_unmeasured(said, &[]), kept);
    }
}
