//! Decisions the user took when the agent asked: the question, the options, the answer.
//!
//! Not here: options in a message that the user picked from with a prompt (`choice`).

use crate::finding::{Comparing, Finding, distilled, evidence, subject};
use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::rejected::Rejected;
use crate::sentences::sentences;
use crate::titles::{title_of, weight, without_opening};
use crate::transcript::{TranscriptEntry, Turn};
use backstory_memory::{Activity, EvidenceKind, Kind, Provenance, RejectionReason, words};
use backstory_store::OnRepeat;

/// Answers that begin so only let the agent go on, as those do that agree or decline.
const GOING_ON: &[&str] =
    &["go", "approve", "work", "start", "commit", "push", "looks", "done", "plan", "implement"];

/// Returns what the user decided by answering, one decision a question.
pub(super) fn decisions(turn: &Turn<'_>) -> Vec<Finding> {
    turn.entries.iter().filter_map(decision).collect()
}

/// Returns the answers of a turn that decide nothing: they only let the agent go on, or there was nothing to choose from.
pub(super) fn rejected(turn: &Turn<'_>) -> Vec<Rejected> {
    let not_decided = |entry: &TranscriptEntry| match entry.activity() {
        Activity::Answered { question, answer, .. } if decision(entry).is_none() => {
            let said = format!("{question} {answer}");
            Some(Rejected::new(entry, Kind::Decision, &said, RejectionReason::SaysNothing))
        }
        _ => None,
    };
    turn.entries.iter().filter_map(not_decided).collect()
}

fn decision(entry: &TranscriptEntry) -> Option<Finding> {
    let Activity::Answered { topic, question, options, answer } = entry.activity() else { return None };
    let said = FoldedSentence::new(answer);
    let goes_on = said.has(PhraseGroup::Assent) || said.has(PhraseGroup::Decline);
    let says_something = words(answer).next().is_some() && !goes_on && !said.begins_with(GOING_ON);
    if options.len() < 2 || !says_something {
        return None;
    }
    let others: Vec<&str> = options.iter().map(String::as_str).filter(|option| option != answer).collect();
    let not_chosen =
        if others.is_empty() { String::new() } else { format!("\nNot chosen: {}", others.join("; ")) };
    let body = format!("Asked: {question}\nAnswer: {answer}{not_chosen}");
    // The options are the agent's words; that the user took one is what proves it.
    let mut content =
        distilled(Kind::Decision, &title(topic, question, answer), &body, Provenance::Assistant);
    if !options.contains(answer) {
        content.provenance = Provenance::User;
    }
    Some(Finding {
        subject: subject("answer", &[question.as_bytes(), answer.as_bytes()]),
        content,
        events: evidence([entry]),
        at: entry.at,
        again: OnRepeat::Reinforce,
        comparing: Comparing::Assertion(format!("{topic} {answer}")),
        evidence: EvidenceKind::Structure,
        relates_to: Vec::new(),
    })
}

/// "Git history: fresh copy"; the answer alone where it says enough, else with the question.
fn title(topic: &str, question: &str, answer: &str) -> String {
    let answer = answer.split(" (Recommended)").next().unwrap_or(answer).trim();
    let question_title =
        sentences(question).last().map(|last| title_of(without_opening(last))).unwrap_or_default();
    match () {
        () if weight(topic) > 0 => title_of(&format!("{topic}: {answer}")),
        () if weight(answer) > 3 || question_title.is_empty() => title_of(answer),
        () => title_of(&format!("{answer} – {question_title}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_titled_by_its_topic() {
        assert_eq!(
            title("Git history", "Keep the history?", "Fresh copy (no history)"),
            "Git history: Fresh copy (no history)"
        );
        assert_eq!(
            title("", "Which database should we use?", "SQLite"),
            "SQLite – Which database should we use"
        );
    }
}
