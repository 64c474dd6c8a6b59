//! Answers by number to a numbered list of the agent: "1 - yeah, 2 - no" decides each question for itself.
//!
//! Not here: one option picked from a list (`choice`), answers in a dialog of the host (`answers`).

use crate::choice::numbered_items;
use crate::finding::{Comparing, Finding, distilled, evidence, subject};
use crate::phrases::{FoldedSentence, PhraseGroup, phrases_of};
use crate::plain::plain;
use crate::sentences::sentences;
use crate::titles::{capitalised, weight, whole_title, without_opening};
use crate::transcript::Turn;
use backstory_memory::{EvidenceKind, Kind, Provenance, TITLE_CHARS, is_stop_word, words};
use backstory_store::OnRepeat;

/// A longer answer is a text that happens to be numbered.
const LONGEST_ANSWER: usize = 300;

/// Returns what the user decided by answering the agent's list by number: one decision a question. Nothing where the prompt answers none.
pub(super) fn decisions(before: &Turn<'_>, turn: &Turn<'_>) -> Option<Vec<Finding>> {
    let ((listed, list), prompt) = (before.closing()?, turn.first()?);
    let items = numbered_items(list);
    let answers = answers(turn.prompt());
    let is_answered = |(number, answer): &(usize, &str)| {
        let item = number.checked_sub(1).and_then(|at| items.get(at));
        item.is_some_and(|item| item.contains('?') || takes_or_leaves(answer))
    };
    // A list of the user's own that follows a list of the agent answers nothing.
    if answers.len() < 2 || !answers.iter().all(is_answered) {
        return None;
    }
    let decided =
        answers.iter().filter(|(_, answer)| !answer.ends_with('?')).filter_map(|(number, answer)| {
            let item = items.get(number.checked_sub(1)?).filter(|item| is_choice(item, answer))?;
            let body = format!("Asked: {item}\nAnswer: {answer}");
            let title = title_of_answer(item, answer)?;
            let other = bare_answer(answer).map(|said| if said == "yes" { "no" } else { "yes" });
            let left = other.and_then(|other| title_of_answer(item, other)).into_iter().collect();
            Some(Finding {
                subject: subject("numbered answer", &[&prompt.key.0.0, &number.to_le_bytes()]),
                // The question is the agent's; that the user answered it is what proves it.
                content: distilled(Kind::Decision, &title, &body, Provenance::Assistant),
                events: evidence([listed, prompt]),
                at: prompt.at,
                again: OnRepeat::Replace,
                comparing: Comparing::Choice { chosen: title, left },
                evidence: EvidenceKind::Structure,
                relates_to: Vec::new(),
            })
        });
    Some(decided.collect())
}

/// What a prompt says beside its answers by number: the paragraphs after the last of them.
pub(super) fn said_beside(prompt: &str) -> &str {
    let last = answers(prompt).last().and_then(|(_, answer)| Some(prompt.rfind(answer)? + answer.len()));
    last.and_then(|end| prompt.get(end..)).unwrap_or_default()
}

/// Whether a question leaves a choice: yes or no, one of several, or a value. Who is asked for their thoughts and tells them decides
/// nothing.
fn is_choice(item: &str, answer: &str) -> bool {
    let Some(question) = sentences(item).into_iter().rfind(|sentence| sentence.ends_with('?')) else {
        return true;
    };
    let core = question.split_once(": ").map_or(question, |(_, core)| core);
    let lists = [", or ", "; or ", " or do ", " or should ", " oder ", " или "]
        .iter()
        .any(|mark| question.contains(mark));
    let asks_openly = FoldedSentence::new(core).0.split(' ').any(|word| OPEN_QUESTIONS.contains(&word));
    lists || !asks_openly || words(answer).count() <= LONGEST_VALUE
}

/// An answer with more words is no value.
const LONGEST_VALUE: usize = 5;
/// Words of questions that leave every answer open.
const OPEN_QUESTIONS: &[&str] = &[
    "what",
    "what's",
    "why",
    "how",
    "who",
    "who's",
    "when",
    "where",
    "was",
    "warum",
    "wie",
    "wer",
    "что",
    "почему",
    "как",
    "кто",
];

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
        // What stands in a paragraph of its own after an answer is said beside it.
        let answer = prompt.get(*from..to)?.trim().split("\n\n").next()?;
        let answer = answer.trim_end_matches([',', ';', '.', ' ', '\n']);
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

/// What was asked, and the answer: "Keep the old endpoint: no". An answer that says enough stands alone where both do not fit.
fn title_of_answer(question: &str, answer: &str) -> Option<String> {
    let name = question.split_once(": ").map(|(name, _)| name);
    let name = name.filter(|name| {
        let is_name =
            !name.contains(['?', '.']) && words(name).count() <= MOST_NAME_WORDS && weight(name) > 0;
        // A mere yes says nothing of a name.
        is_name && bare_answer(answer).is_none()
    });
    let topic = name.unwrap_or_else(|| without_asking(question.split('?').next().unwrap_or(question).trim()));
    let said = plain_answer(answer);
    let both = clauses(&said)
        .map(|said| format!("{topic}: {said}"))
        .find(|both| both.chars().count() <= TITLE_CHARS);
    let alone = || (weight(answer) >= SAYS_ENOUGH).then(|| whole_title(&said)).flatten();
    // "All of them" needs the list it is of.
    if bare_answer(answer).is_none() && words(answer).all(|word| is_stop_word(&word)) {
        return None;
    }
    // A topic this long would be cut where the answer begins.
    both.map(|both| capitalised(&both)).or_else(alone)
}

/// An answer without what is said before it; bare assent is a yes, and the contrary a no.
fn plain_answer(answer: &str) -> String {
    let folded = FoldedSentence::new(answer);
    // "No, we need it" says no.
    let takes_side = folded.has(PhraseGroup::Assent) || folded.has(PhraseGroup::Decline);
    let said = || {
        let said = plain(if takes_side { answer } else { without_opening(answer) });
        said.strip_prefix("to ").unwrap_or(&said).to_owned()
    };
    bare_answer(answer).map_or_else(said, str::to_owned)
}

fn bare_answer(answer: &str) -> Option<&'static str> {
    let all = |group| words(answer).all(|word| phrases_of(group).any(|phrase| phrase == word));
    let agrees = all(PhraseGroup::Assent).then_some("yes");
    agrees.or_else(|| all(PhraseGroup::Decline).then_some("no"))
}

/// An answer whole, then as much of it as ends with a clause, the longest first.
fn clauses(said: &str) -> impl Iterator<Item = &str> {
    let ends = [". ", ", ", "; ", " – ", " - "];
    let mut cuts: Vec<usize> =
        ends.iter().flat_map(|end| said.match_indices(end)).map(|(at, _)| at).collect();
    cuts.push(said.len());
    cuts.sort_unstable();
    cuts.into_iter().rev().filter_map(|cut| said.get(..cut))
}

/// What has more words before its colon is a sentence.
const MOST_NAME_WORDS: usize = 6;

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

const ASKING: [&str; 22] = [
    "who's the ",
    "who is the ",
    "what's the ",
    "what is the ",
    "which is the ",
    "which ",
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
