//! What the user defers: put off in so many words, or still needed.
//!
//! Not here: what the agent says is left (`closing`), and rules for next time (`statements`).

use crate::prose::{Patterns, fold, passages, plain, sentences, titled};

/// Longer ones are text someone pasted.
const MOST_BYTES: usize = 300;

/// A step that the user deferred.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DeferredStep {
    pub(super) step: String,
    /// Whether it was put off, and not only said to be needed: then this session does not do it.
    pub(super) is_put_off: bool,
}

/// What may stand before it.
static FILLERS: Patterns = Patterns::new(&["^ and|ok|okay|so|then|please|also|oh|but|thanks ~,"]);
/// What says that the rest of the sentence is deferred.
static ANNOUNCED: Patterns = Patterns::new(&[
    "^ todo|todos for|later|tomorrow ~later|tomorrow|next ~time|session|week :|,",
    "^ for later|tomorrow :|,",
    "^ remind me ~tomorrow|later|then|again to|about|that",
]);
/// Sentences that put off what they name, and say until when.
static PUT_OFF: Patterns = Patterns::new(&[
    "^ tomorrow|later ~, ~we|i|you|let's ~will|can|should continue|start|finish|do|go|pick|look|tackle",
    "^ we|i|let's ~will|can|should continue|start|finish|do|tackle * tomorrow|later $",
    "^ ~let's leave|skip|park|postpone|defer * for now|later|tomorrow",
    "^ next time|session ~, ~we|you|i|let's ~can|should|will start|begin|continue with|at|on|from",
]);
/// What says that the rest of the sentence is still to be done, by this session or another.
static NEEDED: Patterns = Patterns::new(&["^ we|i still need|have to"]);

/// Returns what a prompt defers.
pub(super) fn left_for_later(prompt: &str) -> Vec<DeferredStep> {
    let passages = passages(prompt);
    let sentences = passages.iter().flat_map(|passage| sentences(passage.text));
    sentences.filter(|sentence| sentence.len() <= MOST_BYTES).filter_map(left).collect()
}

fn left(sentence: &str) -> Option<DeferredStep> {
    let all = fold(sentence);
    let mut tokens = all.as_slice();
    while let Some(rest) = FILLERS.find(tokens).and_then(|found| tokens.get(found.end..)) {
        tokens = rest;
    }
    let needed = NEEDED.find(tokens);
    let is_put_off = needed.is_none();
    let opening = match ANNOUNCED.find(tokens).or(needed) {
        Some(found) => found.end,
        None if PUT_OFF.are_in(tokens) => 0,
        None => return None,
    };
    let said = tokens.get(opening).and_then(|first| sentence.get(first.start..))?;
    let step = titled(said, plain(said).trim_end_matches(['.', '!', ' ']));
    let is_question = tokens.last().is_some_and(|last| last.word == "?");
    (step.contains(' ') && !is_question).then_some(DeferredStep { step, is_put_off })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_off_is_found() {
        let check = |prompt: &str, step: &str, is_put_off: bool| {
            let left = DeferredStep { step: step.to_owned(), is_put_off };
            assert_eq!(left_for_later(prompt), [left], "{prompt}");
        };
        check("Looks good. TODO for later: drop the old lexer", "Drop the old lexer", true);
        check("tomorrow we continue with the CLI.", "Tomorrow we continue with the CLI", true);
        check("ok, remind me to rotate the token", "Rotate the token", true);
        check("we still need to update the docs", "Update the docs", false);
        check(
            "leave the parser for now, we'll do it after the release",
            "Leave the parser for now, we'll do it after the release",
            true,
        );
        check("Thanks! Next time start with the CLI", "Next time start with the CLI", true);
    }

    #[test]
    fn rules_questions_and_the_work_of_others_are_no_steps() {
        for prompt in [
            "Do we still need to update the docs?",
            "Yesterday we still needed to restart it by hand",
            "The job runs tomorrow morning",
            "Add a todo list to the page",
            "Next time you write a test, use pytest",
            "Ana said they will continue with the CLI",
            "The cron job will remind me to pay",
            "Leave the file alone",
        ] {
            assert_eq!(left_for_later(prompt), [], "{prompt}");
        }
    }
}
