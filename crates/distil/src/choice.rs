//! A choice among options the agent laid out: "2 sounds right" is a decision of the user that names nothing itself.
//!
//! What was chosen stands in the list of the turn before. The words are the agent's, and so is the provenance; that the user picked
//! them is what proves them. Not here: answers to a question of the host's own (`answers`).

use super::finding::{Comparing, Finding, distilled, evidence, subject_of_turn};
use super::transcript::Turn;
use crate::phrases::is_word_of_assent;
use crate::plain::plain;
use crate::rejected::Rejected;
use crate::titles::{title_of, title_of_request};
use backstory_memory::{EvidenceKind, Kind, Provenance, RejectionReason, words};
use backstory_store::OnRepeat;

/// Returns what the user chose of what the agent laid out in the turn before.
pub(super) fn choice(before: &Turn<'_>, turn: &Turn<'_>) -> Option<Finding> {
    let (laid_out, list) = before.closing()?;
    let options = if [list, turn.prompt()].into_iter().any(offers) { options(list) } else { Vec::new() };
    let at = chosen(turn.prompt(), options.len())?;
    let option = options.get(at)?;
    let others: Vec<&str> =
        options.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, text)| text.as_str()).collect();
    let request =
        title_of_request(before.prompt()).map(|request| format!("Asked: {request}\n")).unwrap_or_default();
    let body = format!("{request}Chosen: {option}\nNot chosen: {}", others.join("; "));
    let title = name_of(option);
    let left = others.iter().map(|other| name_of(other)).collect();
    Some(Finding {
        subject: subject_of_turn("choice", turn),
        content: distilled(Kind::Decision, &title, &body, Provenance::Assistant),
        events: evidence([laid_out].into_iter().chain(turn.first())),
        at: turn.first()?.at,
        again: OnRepeat::Replace,
        comparing: Comparing::Choice { chosen: title, left },
        evidence: EvidenceKind::Structure,
        relates_to: Vec::new(),
    })
}

/// "**Retry in the client** – simple, no change of the server": the name of an option stands before its reasons.
fn name_of(option: &str) -> String {
    let name = [" – ", " — ", " - ", ": "]
        .iter()
        .find_map(|mark| option.split_once(mark))
        .map_or(option, |(name, _)| name);
    title_of(if words(name).count() > 1 { name } else { option })
}

/// Returns a short answer to a list of options that takes none of them in words we understand.
pub(super) fn unclear(before: &Turn<'_>, turn: &Turn<'_>) -> Option<Rejected> {
    let (_, list) = before.closing()?;
    let is_short =
        (1..=MOST_ANSWER_WORDS).contains(&words(turn.prompt()).count()) && !turn.prompt().contains('?');
    let is_unclear = is_short && offers(list) && options(list).len() > 1 && choice(before, turn).is_none();
    let entry = turn.first().filter(|_| is_unclear)?;
    Some(Rejected::new(entry, Kind::Decision, turn.prompt(), RejectionReason::UnclearChoice))
}

/// A longer prompt after a list of options goes on to something else.
const MOST_ANSWER_WORDS: usize = 8;

/// Whether a message speaks of a choice: what was done, or will be, is numbered as well.
fn offers(message: &str) -> bool {
    message.contains('?') || words(message).any(|word| OFFERING.contains(&word.as_str()))
}

/// The options of a numbered list, in order. Numbered questions are no options.
fn options(message: &str) -> Vec<String> {
    let found = numbered_items(message);
    if found.len() < 2 || found.iter().any(|option| option.ends_with('?')) { Vec::new() } else { found }
}

/// The items of the last numbered list, in order. A list that does not count from one is none.
pub(super) fn numbered_items(message: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_lettered = false;
    for line in message.lines() {
        let line = line.trim_start_matches(['#', '*', '-', ' ']);
        let line = line.strip_prefix("Option ").unwrap_or(line);
        let is_next = |label: &str| {
            let number = (found.len() + 1).to_string();
            let letter = LETTERS.get(found.len()).copied().unwrap_or_default();
            label == number || label.eq_ignore_ascii_case(letter)
        };
        // What is numbered below lettered options are their steps.
        let begins_anew = |label: &str| label == "1" && !is_lettered;
        if let Some((label, text)) =
            line.split_once(['.', ')', ':']).filter(|(label, _)| is_next(label) || begins_anew(label))
        {
            if begins_anew(label) {
                found.clear();
            }
            is_lettered |= found.is_empty() && label != "1";
            let item = plain(text.trim_start_matches(['*', ' ']));
            found.push(item.strip_suffix(", or").unwrap_or(&item).to_owned());
        }
    }
    found
}

/// Which of so many options a prompt takes: it may hold no word that says anything else before its first pause.
fn chosen(prompt: &str, options: usize) -> Option<usize> {
    let (head, rest) = prompt.trim().split_once([',', '.', ';', '\n']).unwrap_or((prompt, ""));
    let all: Vec<String> = words(head).collect();
    // "First, mend the tests" and "1. Rename it" begin a list of their own.
    let is_bare = all.len() == 1 && words(rest).any(|word| !is_picking(&word));
    if prompt.contains('?') || is_bare {
        return None;
    }
    let is_letter = |word: &str| LETTERS.contains(&word);
    // "A" is an article, and alone it may answer a menu; it is an option where it is called one.
    let letters_count = all.iter().any(|word| word == "option");
    let place = |word: &String| {
        let digit = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let ordinal = || ORDINALS.iter().position(|ordinal| ordinal == word);
        let last = || (word == "last").then_some(options.wrapping_sub(1));
        let letter = || LETTERS.iter().position(|letter| letter == word).filter(|_| letters_count);
        digit.or_else(ordinal).or_else(last).or_else(letter)
    };
    let says_more =
        |word: &String| place(word).is_none() && !is_picking(word) && !(is_letter(word) && letters_count);
    let mut places = all.iter().filter_map(place);
    let at = places.next().filter(|at| *at < options)?;
    (places.next().is_none() && !all.iter().any(says_more)).then_some(at)
}

const OFFERING: [&str; 12] = [
    "option",
    "options",
    "choice",
    "choices",
    "either",
    "approach",
    "approaches",
    "alternatives",
    "recommend",
    "prefer",
    "could",
    "suggest",
];
const LETTERS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
const ORDINALS: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];
/// Whether a word only takes something from a list.
fn is_picking(word: &str) -> bool {
    is_word_of_assent(word) || PICKING.contains(&word)
}

/// Words in which something is taken from a list, beside those of assent.
#[rustfmt::skip]
const PICKING: [&str; 50] = [
    "let", "s", "with", "for", "the", "option", "options", "number", "approach", "variant", "way", "one", "seems", "feels", "is",
    "best", "better", "i", "d", "ll", "would", "will", "prefer", "like", "think", "say", "take", "use", "pick", "choose", "want",
    "we", "me", "to", "that", "of", "them", "works", "makes", "sense", "does", "seem", "a", "good", "decent", "fine", "path", "forward",
    "now", "it",
];
