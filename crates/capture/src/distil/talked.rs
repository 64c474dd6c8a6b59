//! What was talked through and not done: a plan, a design, where things stand.
//!
//! Words alone are evidence of little, so this is a note and no more: no session start shows it, and unasked it weighs least.
//! Not here: what was stated in it (`stated`), and answers to questions about the world, which the next agent knows too.

use super::asked::{Intent, gist, intent};
use super::finding::{Comparing, Finding, distilled, evidence, subject_of_turn};
use super::story::Turn;
use crate::prose::{is_foreign, passages, plain};
use backstory_memory::{Importance, Kind, first_chars, telling_words, words};
use backstory_store::Again;

/// A prompt that tells fewer words than this holds nothing of its own.
const LEAST_TOLD: usize = 4;
/// A shorter answer only says yes.
const LEAST_ANSWERED: usize = 15;
/// What is kept of each side.
const MOST_CHARS: usize = 1_000;
/// Whoever asks with these words asks about the work at hand, not about the world.
const OURS: [&str; 6] = ["we", "our", "us", "my", "this", "here"];

/// Returns what the user told and the agent answered, where nothing was done about it.
pub(super) fn talk(turn: &Turn<'_>) -> Option<Finding> {
    let (said, message) = turn.closing()?;
    let (told, answered) = (prose(turn.prompt()), prose(message));
    let is_ours = || words(&told).any(|word| OURS.contains(&word.as_str()));
    let is_told =
        telling_words(&told).len() >= LEAST_TOLD && (intent(turn.prompt()) != Intent::Know || is_ours());
    if !turn.is_talk() || !is_told || telling_words(&answered).len() < LEAST_ANSWERED {
        return None;
    }
    let body = format!("Asked: {told}\n\nAnswered: {answered}");
    let mut content = distilled(Kind::Note, &gist(turn.prompt())?, &body, turn.trust());
    content.importance = Importance::new(1);
    Some(Finding {
        subject: subject_of_turn("talk", turn),
        content,
        events: evidence(turn.first().into_iter().chain([said])),
        at: said.at,
        again: Again::Replaces,
        comparing: Comparing::Not,
        relates_to: Vec::new(),
    })
}

/// The words of a text, without code and quotations, up to where somebody else's text begins.
fn prose(text: &str) -> String {
    let passages = passages(text);
    let own = passages.iter().take_while(|passage| !is_foreign(passage.text));
    let lines: Vec<String> = own.map(|passage| plain(passage.text)).collect();
    first_chars(&lines.join("\n"), MOST_CHARS).to_owned()
}
