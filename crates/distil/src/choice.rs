//! A choice among options the agent laid out: "2 sounds right" is a decision of the user that names nothing itself.
//!
//! What was chosen stands in the list of the turn before; that the agent goes on with it shows in what it says next. The words are
//! the agent's, and so is the provenance; that the user picked them is what proves them. Not here: choices that are said in words (`stated`).

use super::finding::{Comparing, Finding, distilled, evidence, subject_of_turn};
use super::request::subject_of_prompt;
use super::transcript::Turn;
use crate::prose::{plain, sentences, titled};
use backstory_memory::{EvidenceKind, Kind, Provenance, first_chars, keywords, title_from, words};
use backstory_store::OnRepeat;
use std::collections::HashSet;

/// Returns what the user chose of what the agent laid out in the turn before.
pub(super) fn choice(before: &Turn<'_>, turn: &Turn<'_>) -> Option<Finding> {
    let (laid_out, list) = before.closing()?;
    let (said, message) = turn.closing()?;
    let options = if [list, turn.prompt()].into_iter().any(offers) { options(list) } else { Vec::new() };
    let at = chosen(turn.prompt(), options.len())?;
    let option = options.get(at)?;
    let goes_on = going_on(message, option)?;
    let others: Vec<&str> =
        options.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, text)| text.as_str()).collect();
    let request =
        subject_of_prompt(before.prompt()).map(|request| format!("Asked: {request}\n")).unwrap_or_default();
    let body = format!("{request}Chosen: {option}\nNot chosen: {}\n{goes_on}", others.join("; "));
    let claim = without_promise(&goes_on).trim_end_matches(['.', '!', ':', ',']);
    let title = title_from(&titled(claim, claim));
    Some(Finding {
        subject: subject_of_turn("choice", turn),
        content: distilled(Kind::Decision, &title, &body, Provenance::Assistant),
        events: evidence([laid_out].into_iter().chain(turn.first()).chain([said])),
        at: said.at,
        again: OnRepeat::Replace,
        comparing: Comparing::Not,
        evidence: EvidenceKind::Structure,
        relates_to: Vec::new(),
    })
}

/// Whether a message speaks of a choice: what was done, or will be, is numbered as well.
fn offers(message: &str) -> bool {
    message.contains('?') || words(message).any(|word| OFFERING.contains(&word.as_str()))
}

/// The options of a numbered list, in order. A list that does not count from one is none.
fn options(message: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in message.lines() {
        let line = line.trim_start_matches(['#', '*', '-', ' ']);
        let line = line.strip_prefix("Option ").unwrap_or(line);
        let is_next = |label: &str| {
            let number = (found.len() + 1).to_string();
            let letter = LETTERS.get(found.len()).copied().unwrap_or_default();
            label == number || label.eq_ignore_ascii_case(letter)
        };
        if let Some((_, text)) = line.split_once(['.', ')', ':']).filter(|(label, _)| is_next(label)) {
            found.push(plain(text.trim_start_matches(['*', ' '])));
        }
    }
    if found.len() < 2 { Vec::new() } else { found }
}

/// Which of so many options a prompt takes: it may hold no word that says anything else before its first pause.
fn chosen(prompt: &str, options: usize) -> Option<usize> {
    let (head, rest) = prompt.trim().split_once([',', '.', ';', '\n']).unwrap_or((prompt, ""));
    let all: Vec<String> = words(head).collect();
    // "First, mend the tests" and "1. Rename it" begin a list of their own.
    let is_bare = all.len() == 1 && words(rest).any(|word| !AGREEING.contains(&word.as_str()));
    if prompt.contains('?') || is_bare {
        return None;
    }
    let is_letter = |word: &str| LETTERS.contains(&word);
    // "A" is an article, unless it stands alone or is called an option.
    let letters_count = all.len() == 1 || all.iter().any(|word| word == "option");
    let place = |word: &String| {
        let digit = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let ordinal = || ORDINALS.iter().position(|ordinal| ordinal == word);
        let last = || (word == "last").then_some(options.wrapping_sub(1));
        let letter = || LETTERS.iter().position(|letter| letter == word).filter(|_| letters_count);
        digit.or_else(ordinal).or_else(last).or_else(letter)
    };
    let says_more = |word: &String| {
        place(word).is_none() && !AGREEING.contains(&word.as_str()) && !(is_letter(word) && letters_count)
    };
    let mut places = all.iter().filter_map(place);
    let at = places.next().filter(|at| *at < options)?;
    (places.next().is_none() && !all.iter().any(says_more)).then_some(at)
}

/// The first sentence by which the agent goes on with an option: it shares words with it.
fn going_on(message: &str, option: &str) -> Option<String> {
    let of_option: HashSet<String> =
        keywords(option).iter().map(|word| first_chars(word, 6).to_owned()).collect();
    let shares = |sentence: &str| {
        keywords(sentence).iter().any(|word| word.len() > 2 && of_option.contains(first_chars(word, 6)))
    };
    let lines = message.lines().map(plain);
    let all: Vec<String> =
        lines.flat_map(|line| sentences(&line).into_iter().map(str::to_owned).collect::<Vec<_>>()).collect();
    all.into_iter().find(|sentence| !sentence.ends_with('?') && shares(sentence))
}

/// What an agent says it will do, without saying that it will.
fn without_promise(sentence: &str) -> &str {
    PROMISES.iter().find_map(|promise| sentence.strip_prefix(promise)).unwrap_or(sentence)
}

const PROMISES: [&str; 8] =
    ["I'll ", "I’ll ", "I will ", "We'll ", "We’ll ", "We will ", "Okay, I'll ", "OK, I'll "];
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
/// Words in which something is taken from a list.
#[rustfmt::skip]
const AGREEING: [&str; 58] = [
    "ok", "okay", "yes", "yeah", "yep", "sure", "great", "let", "s", "go", "going", "with", "for", "the", "option", "options",
    "number", "approach", "variant", "way", "one", "please", "sounds", "looks", "seems", "feels", "is", "good", "right", "best",
    "fine", "better", "i", "d", "ll", "would", "will", "prefer", "like", "think", "say", "take", "use", "pick", "choose", "do",
    "want", "it", "we", "me", "to", "that", "of", "them", "thanks", "works", "makes", "sense",
];
