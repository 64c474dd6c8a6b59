//! What was talked through and not done: a plan, a design, where things stand.
//!
//! Words alone are evidence of little, so this is a note and no more: no session start shows it, and unasked it weighs least.
//! Not here: what was stated in it (`stated`), and answers to questions about the world, which the next agent knows too.

use super::finding::{Comparing, Finding, distilled, evidence, subject_of_turn};
use super::request::{Intent, intent, subject_of_prompt};
use super::transcript::Turn;
use crate::prose::{own_words, sentences};
use backstory_memory::{EvidenceKind, Importance, Kind, Provenance, keywords, title_from, words};
use backstory_store::OnRepeat;

/// A prompt that holds fewer keywords than this holds nothing of its own.
const LEAST_SAID: usize = 4;
/// A shorter answer only says yes.
const LEAST_ANSWERED: usize = 15;
/// So long an answer is worth a note where all that was said has become memories of its own.
const LONG_ANSWER: usize = 40;
/// Whoever asks with these words asks about the work at hand, not about the world.
const OURS: [&str; 3] = ["we", "our", "us"];

/// Returns what the user said and the agent answered, where nothing was done about it.
pub(super) fn talk(turn: &Turn<'_>, stated: &[Finding]) -> Option<Finding> {
    let (closing, message) = turn.closing()?;
    let (said, answered) = (own_words(turn.prompt()), own_words(message));
    let is_ours = || words(&said).any(|word| OURS.contains(&word.as_str()));
    let says_enough =
        keywords(&said).len() >= LEAST_SAID && (intent(turn.prompt()) != Intent::Know || is_ours());
    let said = without(stated, &said);
    let least = if subject_of_prompt(&said).is_some() { LEAST_ANSWERED } else { LONG_ANSWER };
    if !turn.is_talk() || !says_enough || keywords(&answered).len() < least {
        return None;
    }
    let request = Some(&said).filter(|said| !said.is_empty()).map(|said| format!("Asked: {said}\n\n"));
    let body = format!("{}Answered: {answered}", request.unwrap_or_default());
    let title = subject_of_prompt(&said).unwrap_or_else(|| title_from(&answered));
    let mut content = distilled(Kind::Note, &title, &body, Provenance::Assistant);
    content.importance = Importance::new(1);
    Some(Finding {
        subject: subject_of_turn("talk", turn),
        content,
        events: evidence(turn.first().into_iter().chain([closing])),
        at: closing.at,
        again: OnRepeat::Replace,
        comparing: Comparing::Not,
        evidence: EvidenceKind::Words,
        relates_to: Vec::new(),
    })
}

/// Takes out the sentences that are memories of their own: those are put right one by one, a note is not.
fn without(stated: &[Finding], text: &str) -> String {
    let known: Vec<Vec<String>> =
        stated.iter().map(|finding| words(&finding.content.body).collect()).collect();
    let is_known =
        |sentence: &&str| known.iter().any(|known| words(sentence).all(|word| known.contains(&word)));
    let lines = text.lines().map(|line| {
        let kept: Vec<&str> = sentences(line).into_iter().filter(|sentence| !is_known(sentence)).collect();
        kept.join(" ")
    });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
