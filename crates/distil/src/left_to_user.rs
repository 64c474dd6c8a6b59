//! What waits for the user when the agent has closed: what it tells them to do, and what it offers to do.
//!
//! Only the last message of work counts: the prompt after an earlier one has answered it. Not here: what the agent lists as left
//! (`session_notes`).

use crate::phrases::{FoldedSentence, PhraseGroup, phrases_of};
use crate::plain::{LineShape, MessageLine, lines};
use crate::sentences::sentences;
use crate::titles::{begins_pointing, points_early, title_of, weight, whole_title, without_opening};

/// More than this is a manual.
const MOST: usize = 4;

/// Returns what a closing message leaves to the user, as orders.
pub(super) fn left_to_user(message: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    let mut is_under = false;
    for line in lines(message) {
        let found = match line.shape {
            LineShape::Item if is_under => listed(&line).into_iter().collect(),
            LineShape::Text => sentences(&line.text).into_iter().filter_map(step).collect(),
            _ => Vec::new(),
        };
        let is_lead = line.shape != LineShape::Item && line.text.ends_with(':');
        is_under = line.shape == LineShape::Item && is_under || is_lead && leads_to_steps(&line.text);
        steps.extend(found);
    }
    steps.dedup();
    if steps.len() > MOST { Vec::new() } else { steps }
}

/// Whether a sentence asks whether to go on with something that can be named.
pub(super) fn is_offer(sentence: &str) -> bool {
    offered(sentence).and_then(|offer| named(&offer)).is_some()
}

fn leads_to_steps(lead: &str) -> bool {
    FoldedSentence::new(lead).has(PhraseGroup::LeftToUser)
}

fn listed(line: &MessageLine) -> Option<String> {
    let name = line.text.split(" — ").next().unwrap_or(&line.text);
    named(name)
}

fn step(sentence: &str) -> Option<String> {
    if let Some(offer) = offered(sentence) {
        return named(&offer);
    }
    if sentence.ends_with(['?', ':']) {
        return None;
    }
    let said = without_opening(sentence);
    let instruction = after_any(sentence, PhraseGroup::LeftToUser).map(str::to_owned);
    let order = || FoldedSentence::new(said).has(PhraseGroup::Instruction).then(|| said.to_owned());
    named(&instruction.or_else(order)?)
}

/// "Shall I push the branch?" offers to push the branch. Of two ways to choose from neither is offered.
fn offered(sentence: &str) -> Option<String> {
    let question = sentence.trim_end().strip_suffix('?')?;
    let offer = after_any(question, PhraseGroup::Offer)?;
    (!offer.contains(" or ")).then(|| offer.to_owned())
}

/// What stands behind the first phrase of a group.
fn after_any(sentence: &str, group: PhraseGroup) -> Option<&str> {
    let lower = sentence.to_lowercase().replace('’', "'");
    // Lower case may have other lengths in some scripts: then nothing is found.
    let is_same_length = lower.len() == sentence.len();
    let behind = |phrase: &str| {
        let at = lower.find(&format!("{phrase} "))?;
        let opens = at == 0 || lower.get(..at).is_some_and(|before| before.ends_with([' ', ',']));
        opens.then_some(at + phrase.len())
    };
    let end = phrases_of(group).filter_map(behind).min().filter(|_| is_same_length)?;
    sentence.get(end..).map(str::trim)
}

/// A step that says by itself what is to be done.
fn named(step: &str) -> Option<String> {
    let title = whole_title(step)?;
    let asks = title.ends_with('?') || FoldedSentence::new(&title).has(PhraseGroup::Curious);
    (weight(&title) >= 2 && !asks && !begins_pointing(&title) && !points_early(&title))
        .then(|| title_of(&title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_to_the_user_is_read_as_orders() {
        let check = |message: &str, steps: &[&str]| assert_eq!(left_to_user(message), steps, "{message}");
        check(
            "The worker reads the queue. You'll need to restart the worker on staging.",
            &["Restart the worker on staging"],
        );
        check(
            "Run `make serve` and open the report page to see both columns.",
            &["Run make serve and open the report page to see both columns"],
        );
        check(
            "All green. Want me to push the branch and open a request?",
            &["Push the branch and open a request"],
        );
        check(
            "Now you should:\n\n1. **Rotate the mail key** — the old one leaked\n2. Sign in again at the relay",
            &["Rotate the mail key", "Sign in again at the relay"],
        );
        check("Build succeeds with no errors. Test results: 14 of 14.", &[]);
        check("Shall I use a queue or a table?", &[]);
        check("Shall I commit it?", &[]);
        check("Try it now!", &[]);
        check("The page shows both columns.", &[]);
    }
}
