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

/// Returns what the user decided by answering, one decision a question.
pub(super) fn decisions(turn: &Turn<'_>) -> Vec<Finding> {
    turn.entries.iter().filter_map(|entry| decision(turn, entry)).collect()
}

/// Returns the answers of a turn that decide nothing: they only let the agent go on, or there was nothing to choose from.
pub(super) fn rejected(turn: &Turn<'_>) -> Vec<Rejected> {
    let not_decided = |entry: &TranscriptEntry| match entry.activity() {
        Activity::Answered { question, answer, .. } if decision(turn, entry).is_none() => {
            let said = format!("{question} {answer}");
            Some(Rejected::new(entry, Kind::Decision, &said, RejectionReason::SaysNothing))
        }
        _ => None,
    };
    turn.entries.iter().filter_map(not_decided).collect()
}

fn decision(turn: &Turn<'_>, entry: &TranscriptEntry) -> Option<Finding> {
    let Activity::Answered { topic, question, options, answer } = entry.activity() else { return None };
    let beside: Vec<&String> = answers_to(turn, question).filter(|other| *other != answer).collect();
    let is_option = |answer: &String| options.contains(answer);
    // What the user wrote beside an option they picked goes with it.
    if !is_option(answer) && beside.iter().any(|other| is_option(other)) {
        return None;
    }
    let said = FoldedSentence::new(answer);
    // "Skip the mock-up" declines, and is one of the options.
    let takes_option = options.contains(answer) && weight(without_opening(answer)) >= 2;
    let declines = said.has(PhraseGroup::Decline) && !takes_option;
    let goes_on = said.has(PhraseGroup::Assent) || declines;
    let says_something = words(answer).next().is_some() && !goes_on && !said.has(PhraseGroup::GoesOn);
    if options.len() < 2 || !says_something {
        return None;
    }
    let others: Vec<&str> = options
        .iter()
        .filter(|option| *option != answer && !beside.contains(option))
        .map(String::as_str)
        .collect();
    let title = title_of_answer(topic, question, answer);
    let left = others.iter().map(|other| title_of_answer(topic, question, other)).collect();
    // A title that ends with the whole answer makes another line of it superfluous.
    let answered =
        (!title.to_lowercase().ends_with(&answer.to_lowercase())).then(|| format!("Answer: {answer}"));
    let not_chosen = (!others.is_empty()).then(|| format!("Not chosen: {}", others.join("; ")));
    let notes: Vec<&str> = beside.iter().filter(|other| !is_option(other)).map(|it| it.as_str()).collect();
    let noted = (!notes.is_empty()).then(|| format!("With it: {}", notes.join("; ")));
    let question_line = Some(format!("Asked: {question}"));
    let body: Vec<String> = [answered, noted, not_chosen, question_line].into_iter().flatten().collect();
    // The options are the agent's words; that the user took one is what proves it.
    let mut content = distilled(Kind::Decision, &title, &body.join("\n"), Provenance::Assistant);
    if !options.contains(answer) {
        content.provenance = Provenance::User;
    }
    Some(Finding {
        subject: subject("answer", &[question.as_bytes(), answer.as_bytes()]),
        content,
        events: evidence([entry]),
        at: entry.at,
        again: OnRepeat::Reinforce,
        comparing: Comparing::Choice { chosen: title, left },
        evidence: EvidenceKind::Structure,
        relates_to: Vec::new(),
    })
}

/// Returns every answer of a turn to a question: several options may be picked.
fn answers_to<'a>(turn: &Turn<'a>, wanted: &str) -> impl Iterator<Item = &'a String> {
    turn.entries.iter().filter_map(move |entry| match entry.activity() {
        Activity::Answered { question, answer, .. } if question == wanted => Some(answer),
        _ => None,
    })
}

/// "Git history: Fresh copy": what it was about, and the answer's first sentence; without a topic the answer alone where it says enough.
fn title_of_answer(topic: &str, question: &str, answer: &str) -> String {
    let answer = answer.split(" (Recommended)").next().unwrap_or(answer).trim();
    let first = answer.lines().next().and_then(|line| sentences(line).first().copied());
    let first = first.map_or(answer, without_opening);
    let topic = Some(topic.trim()).filter(|topic| weight(topic) > 0).or_else(|| topic_of(question));
    let question_title =
        sentences(question).last().map(|last| title_of(without_opening(last))).unwrap_or_default();
    match topic {
        Some(topic) => title_of(&format!("{topic}: {first}")),
        None if weight(first) > 3 || question_title.is_empty() => title_of(first),
        None => title_of(&format!("{first} – {question_title}")),
    }
}

/// The name an agent gives its question: "Scope of v1: one developer, or any repository?".
fn topic_of(question: &str) -> Option<&str> {
    let (name, rest) = question.split_once(": ")?;
    let is_name = (1..=MOST_TOPIC_WORDS).contains(&words(name).count()) && weight(name) > 0;
    (is_name && !name.contains(['?', '.', '\n']) && !rest.trim().is_empty()).then(|| name.trim())
}

/// What has more words before its colon is a sentence.
const MOST_TOPIC_WORDS: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_titled_by_its_topic() {
        assert_eq!(
            title_of_answer("Git history", "Keep the history?", "Fresh copy (no history)"),
            "Git history: Fresh copy (no history)"
        );
        assert_eq!(
            title_of_answer("", "Which database should we use?", "SQLite"),
            "SQLite – Which database should we use"
        );
    }

    #[test]
    fn the_name_an_agent_gives_its_question_leads_the_first_sentence_of_a_long_answer() {
        let answer = "two at most. Please also count how often each one is called, we pay by the call";
        assert_eq!(
            title_of_answer("", "Number of regions: how many do we start with?", answer),
            "Number of regions: two at most"
        );
        assert_eq!(
            title_of_answer(
                "",
                "Here is what I found in the logs of the last three days: which one first?",
                "the timeouts of the mailer"
            ),
            "The timeouts of the mailer – Here is what I found in the logs of the last three days"
        );
    }
}
