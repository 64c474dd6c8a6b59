//! What was talked through and not done: a plan, a design, where things stand.
//!
//! Words alone are evidence of little, so this is a note and no more: no session start shows it, and unasked it weighs least.
//! Not here: what was stated in it (`stated`), and answers to questions about the world, which the next agent knows too.

use super::finding::{Comparing, Finding, distilled, evidence, subject_of_turn};
use super::request::{Intent, intent, subject_of_prompt};
use super::transcript::Turn;
use crate::prose::{own_words, sentences};
use backstory_memory::{Importance, Kind, keywords, title_from, words};
use backstory_store::OnRepeat;

/// A prompt that tells fewer words than this holds nothing of its own.
const LEAST_TOLD: usize = 4;
/// A shorter answer only says yes.
const LEAST_ANSWERED: usize = 15;
/// So long an answer is worth a note where all that was told has become memories of its own.
const LONG_ANSWER: usize = 40;
/// Whoever asks with these words asks about the work at hand, not about the world.
const OURS: [&str; 3] = ["we", "our", "us"];

/// Returns what the user told and the agent answered, where nothing was done about it.
pub(super) fn talk(turn: &Turn<'_>, stated: &[Finding]) -> Option<Finding> {
    let (said, message) = turn.closing()?;
    let (told, answered) = (own_words(turn.prompt()), own_words(message));
    let is_ours = || words(&told).any(|word| OURS.contains(&word.as_str()));
    let is_told = keywords(&told).len() >= LEAST_TOLD && (intent(turn.prompt()) != Intent::Know || is_ours());
    let told = without(stated, &told);
    let least = if subject_of_prompt(&told).is_some() { LEAST_ANSWERED } else { LONG_ANSWER };
    if !turn.is_talk() || !is_told || keywords(&answered).len() < least {
        return None;
    }
    let asked = Some(&told).filter(|told| !told.is_empty()).map(|told| format!("Asked: {told}\n\n"));
    let body = format!("{}Answered: {answered}", asked.unwrap_or_default());
    let title = subject_of_prompt(&told).unwrap_or_else(|| title_from(&answered));
    let mut content = distilled(Kind::Note, &title, &body, turn.provenance());
    content.importance = Importance::new(1);
    Some(Finding {
        subject: subject_of_turn("talk", turn),
        content,
        events: evidence(turn.first().into_iter().chain([said])),
        at: said.at,
        again: OnRepeat::Replace,
        comparing: Comparing::Not,
        relates_to: Vec::new(),
    })
}

/// Takes out the sentences that are memories of their own: those are put right one by one, a note is not.
fn without(stated: &[Finding], text: &str) -> String {
    let told: Vec<Vec<String>> =
        stated.iter().map(|finding| words(&finding.content.body).collect()).collect();
    let is_told = |sentence: &&str| told.iter().any(|told| words(sentence).all(|word| told.contains(&word)));
    let lines = text.lines().map(|line| {
        let kept: Vec<&str> = sentences(line).into_iter().filter(|sentence| !is_told(sentence)).collect();
        kept.join(" ")
    });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
