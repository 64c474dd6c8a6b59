//! Answers by number to a numbered list of the agent: "1 - yeah, 2 - no" decides each question for itself.
//!
//! Not here: one option picked from a list (`choice`), answers in a dialog of the host (`answers`).

use crate::choice::numbered_items;
use crate::finding::{Comparing, Finding, distilled, evidence, subject};
use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::titles::{title_of, weight, whole_title, without_opening};
use crate::transcript::Turn;
use backstory_memory::{EvidenceKind, Kind, Provenance, TITLE_CHARS, words};
use backstory_store::OnRepeat;

/// A longer answer is a text that happens to be numbered.
const LONGEST_ANSWER: usize = 300;

/// Returns what the user decided by answering the agent's list by number: one decision a question.
pub(super) fn decisions(before: &Turn<'_>, turn: &Turn<'_>) -> Vec<Finding> {
    let (Some((listed, list)), Some(prompt)) = (before.closing(), turn.first()) else { return Vec::new() };
    let items = numbered_items(list);
    let answers = answers(turn.prompt());
    let is_answered = |(number, answer): &(usize, &str)| {
        let item = number.checked_sub(1).and_then(|at| items.get(at));
        item.is_some_and(|item| item.contains('?') || takes_or_leaves(answer))
    };
    // A list of the user's own that follows a list of the agent answers nothing.
    if answers.len() < 2 || !answers.iter().all(is_answered) {
        return Vec::new();
    }
    let decided =
        answers.iter().filter(|(_, answer)| !answer.ends_with('?')).filter_map(|(number, answer)| {
            let item = items.get(number.checked_sub(1)?)?;
            let body = format!("Asked: {item}\nAnswer: {answer}");
            Some(Finding {
                subject: subject("numbered answer", &[&prompt.key.0.0, &number.to_le_bytes()]),
                // The question is the agent's; that the user answered it is what proves it.
                content: distilled(Kind::Decision, &title(item, answer)?, &body, Provenance::Assistant),
                events: evidence([listed, prompt]),
                at: prompt.at,
                again: OnRepeat::Replace,
                comparing: Comparing::Not,
                evidence: EvidenceKind::Structure,
                relates_to: Vec::new(),
            })
        });
    decided.collect()
}

/// The numbered parts of a prompt, in order: "1 - yeah, 2) no", one a line or all in one. Empty where it says something before them.
fn answers(prompt: &str) -> Vec<(usize, &str)> {
    let mut marks: Vec<(usize, usize, usize)> = Vec::new();
    for (at, _) in prompt.match_indices(|c: char| c.is_ascii_digit()) {
        let Some((number, answer_at)) = mark(prompt, at) else { continue };
        // Numbers that do not rise belong to an answer.
        if marks.last().is_none_or(|(last, ..)| number > *last) {
            marks.push((number, at, answer_at));
        }
    }
    let is_first =
        marks.first().is_some_and(|(_, at, _)| words(prompt.get(..*at).unwrap_or_default()).next().is_none());
    let ends = marks.iter().skip(1).map(|(_, at, _)| *at).chain([prompt.len()]);
    let parts = marks.iter().zip(ends).filter_map(|((number, _, from), to)| {
        let answer = prompt.get(*from..to)?.trim().trim_end_matches([',', ';', '.', ' ', '\n']);
        (!answer.is_empty() && answer.len() <= LONGEST_ANSWER).then_some((*number, answer))
    });
    if is_first { parts.collect() } else { Vec::new() }
}

/// Reads a number that opens an answer, and where the answer begins: it stands alone, and a mark follows it.
fn mark(prompt: &str, at: usize) -> Option<(usize, usize)> {
    let before = prompt.get(..at)?;
    let is_open = before.trim_end_matches(' ').is_empty()
        || before.ends_with(['\n', '#', '('])
        || before.trim_end_matches(' ').ends_with([',', ';', '.', '\n']) && before.ends_with(' ');
    let rest = prompt.get(at..)?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let after = rest.get(digits..)?;
    let answer = after.trim_start().trim_start_matches(['-', '–', '—', ':', '.', ')', '=']);
    // "2.5 seconds" is a value.
    let is_marked =
        answer.len() < after.trim_start().len() && !answer.starts_with(|c: char| c.is_ascii_digit());
    let number = rest.get(..digits)?.parse().ok()?;
    (is_open && is_marked).then_some((number, prompt.len() - answer.len()))
}

/// Whether an answer only takes or leaves what was listed.
fn takes_or_leaves(answer: &str) -> bool {
    let said = FoldedSentence::new(answer);
    said.has(PhraseGroup::Assent) || said.has(PhraseGroup::Decline)
}

/// The answer, where it says enough alone; else with what was asked, "Keep the old endpoint: no". Nothing where that does not fit.
fn title(question: &str, answer: &str) -> Option<String> {
    if weight(answer) >= SAYS_ENOUGH {
        return whole_title(answer);
    }
    let topic = without_asking(question.split('?').next().unwrap_or(question).trim());
    let both = format!("{topic}: {answer}");
    (both.chars().count() <= TITLE_CHARS).then(|| title_of(&both))
}

/// An answer of so many words that count needs no question beside it.
const SAYS_ENOUGH: usize = 4;

/// Drops what makes a question of what it is about: "should we keep it" asks about keeping it, as does "storage: should we keep it".
fn without_asking(question: &str) -> &str {
    let rest = without_opening(question);
    let opening_bytes = |text: &str| {
        let lower = text.to_lowercase();
        ASKING.iter().find(|opening| lower.starts_with(**opening)).map(|opening| opening.len())
    };
    let named = rest.split_once(": ").map(|(_, topic)| topic);
    [Some(rest), named]
        .into_iter()
        .flatten()
        .find_map(|text| text.get(opening_bytes(text)?..))
        .unwrap_or(rest)
}

const ASKING: [&str; 16] = [
    "are you okay with ",
    "are you ok with ",
    "are you okay ",
    "are you ok ",
    "is it okay to ",
    "is it ok to ",
    "do you want to ",
    "should we ",
    "should i ",
    "shall we ",
    "shall i ",
    "do we want to ",
    "do we ",
    "do you want me to ",
    "would you like me to ",
    "may i ",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_separated_by_their_numbers() {
        let check = |prompt, expected: &[(usize, &str)]| assert_eq!(answers(prompt), expected, "{prompt}");
        check("1 - yeah, 2 - definitely, 3: no", &[(1, "yeah"), (2, "definitely"), (3, "no")]);
        check(
            "1. SQLite\n2. 24 hours, at most 2.5 MB\n4) no",
            &[(1, "SQLite"), (2, "24 hours, at most 2.5 MB"), (4, "no")],
        );
        check("use v1.2, 3 times", &[]);
        check("please do 1. and 2.", &[]);
        check("2 sounds right", &[]);
    }
}
