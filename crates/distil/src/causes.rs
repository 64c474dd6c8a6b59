//! What was behind something, in the agent's own words: sentences of a closing message that name a cause and the thing it lies in.
//!
//! A claim, not a proof: it stands beside work that was really done, or a failure that was mended. What the user said was broken, and
//! was changed in the same turn, has its cause as a fact of its own, unless the user comes back to say that it is still broken. Not
//! here: what failed (`failures`).

use crate::finding::{Comparing, Finding, distilled, evidence, subject_of_turn};
use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::plain::{LineShape, lines};
use crate::request::{Intent, intent};
use crate::sentences::sentences;
use crate::titles::{
    begins_pointing, claims, lacks_subject, request_title, title_of_request, weight, whole_title,
};
use crate::transcript::Turn;
use backstory_memory::{EvidenceKind, Kind, Provenance, words};
use backstory_store::OnRepeat;

const LEAST_CHARS: usize = 40;
const MOST_CHARS: usize = 260;

/// Returns what was behind something the user reported, if something was done about it and the next prompt does not take it back.
pub(super) fn found_cause(turns: &[Turn<'_>], at: usize) -> Option<Finding> {
    let turn = turns.get(at)?;
    let reported = reported(turns, at).filter(|_| is_report(turn.prompt()))?;
    let is_refuted = turns.get(at + 1).is_some_and(|next| {
        let folded = FoldedSentence::new(next.prompt());
        folded.has(PhraseGroup::Report) || folded.has(PhraseGroup::Correction)
    });
    let (said, message) = turn.closing()?;
    // Where nothing was edited, as on another machine, only what is announced as the cause is one.
    let is_edited = !turn.edited().is_empty();
    let has_run = || turn.commands().any(|(_, ran)| ran.succeeded() && ran.task().is_some());
    if is_refuted || !is_edited && !has_run() {
        return None;
    }
    let named = announced_cause(message).into_iter();
    let others = if is_edited { causes(message, &turn.edited()) } else { Vec::new() };
    let (sentence, title) = named.chain(others).find_map(|sentence| {
        let title = title_of_cause(&sentence)?;
        Some((sentence, title))
    })?;
    let mut body = sentence;
    if let Some(request) = title_of_request(reported.prompt()) {
        body.push_str(&format!("\nReported: {request}"));
    }
    if let Some(done) = claims(message).into_iter().next() {
        body.push_str(&format!("\nDone: {done}"));
    }
    let mut content = distilled(Kind::Fact, &title, &body, Provenance::Assistant);
    content.files = turn.edited().into_iter().map(str::to_owned).collect();
    Some(Finding {
        // A problem has one cause: what a later turn finds of it counts.
        subject: subject_of_turn("cause", reported),
        content,
        events: evidence(turn.first().into_iter().chain([said])),
        at: said.at,
        again: OnRepeat::Replace,
        comparing: Comparing::Words,
        evidence: EvidenceKind::Words,
        relates_to: Vec::new(),
    })
}

/// Returns a sentence that names a cause as a title, if it says what it is about.
pub(super) fn title_of_cause(sentence: &str) -> Option<String> {
    // "Login — the session expires because …": a name for it, and what it is.
    let said = sentence.split_once(" — ").filter(|(name, _)| name.split(' ').count() <= MOST_NAME_WORDS);
    let title = whole_title(without_lead(said.map_or(sentence, |(_, said)| said)))?;
    (weight(&title) >= LEAST_WEIGHT && !begins_pointing(&title) && !lacks_subject(&title)).then_some(title)
}

const MOST_NAME_WORDS: usize = 3;

/// Whether a prompt reports a problem or asks why: who tells how things are, instead of saying what to do, reports one.
fn is_report(prompt: &str) -> bool {
    let is_statement = !request_title(prompt).is_some_and(|request| request.is_order);
    is_statement || matches!(intent(prompt), Intent::Fix | Intent::Know)
}

/// Returns the turn whose prompt reported the problem: who only says to go on means what was said before.
fn reported<'a, 't>(turns: &'a [Turn<'t>], at: usize) -> Option<&'a Turn<'t>> {
    let mut before = turns.get(..=at)?.iter().rev().take(MOST_BACK);
    before.find(|turn| weight(turn.prompt()) >= LEAST_REPORT).or(turns.get(at))
}

/// How many prompts a diagnosis may take.
const MOST_BACK: usize = 4;
/// A prompt that says less only says to go on.
const LEAST_REPORT: usize = 3;

/// Returns the sentence that a message announces as the cause: the first under a heading that names a cause, or behind a lead.
fn announced_cause(message: &str) -> Option<String> {
    let lines = lines(message);
    let headed = lines.windows(2).find_map(|pair| {
        let [heading, line] = pair else { return None };
        let is_heading = heading.shape == LineShape::Heading && line.shape == LineShape::Text;
        let is_of_cause = FoldedSentence::new(&heading.text).has(PhraseGroup::CauseHeading);
        { sentences(&line.text) }.into_iter().next().filter(|_| is_heading && is_of_cause)
    });
    let spoken = || lines.iter().filter(|line| line.shape == LineShape::Text);
    let led = || {
        spoken().flat_map(|line| sentences(&line.text)).find(|sentence| {
            let lower = sentence.to_lowercase();
            names_cause(sentence, &[])
                && LEADS.iter().any(|lead| lower.find(lead).is_some_and(|at| at < LONGEST_LEAD))
        })
    };
    // "Before: …" is half of a comparison.
    let is_label = |sentence: &str| sentence.split_whitespace().take(3).any(|word| word.ends_with(':'));
    let says_enough = |sentence: &&str| {
        sentence.chars().count() >= LEAST_CHARS && !sentence.ends_with('?') && !is_label(sentence)
    };
    headed.filter(says_enough).or_else(led).map(|sentence| sentence.trim_end_matches(':').to_owned())
}

/// Drops what leads to a cause: "The problem was that", "It turns out".
fn without_lead(sentence: &str) -> &str {
    let lower = sentence.to_lowercase();
    let end = LEADS
        .iter()
        .filter_map(|lead| Some(lower.find(lead)? + lead.len()))
        .filter(|end| *end <= LONGEST_LEAD)
        .max();
    // Lower case may have other lengths in some scripts: then nothing is dropped.
    let rest = end
        .and_then(|end| sentence.get(end..))
        .unwrap_or(sentence)
        .trim_start_matches([' ', ':', ',', '-', '—']);
    let rest = rest.strip_prefix("clear").map_or(rest, |rest| rest.trim_start_matches([':', ' ']));
    ["was that ", "is that ", "that "].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest)
}

const LEADS: [&str; 8] = [
    "the issue was",
    "the issue is",
    "the problem was",
    "the problem is",
    "root cause was",
    "root cause is",
    "root cause",
    "turns out",
];
const LONGEST_LEAD: usize = 40;
const LEAST_WEIGHT: usize = 5;

/// Returns the sentences of a message that name a cause, and what it lies in: a thing of the code, or a file that was edited.
pub(super) fn causes(message: &str, edited: &[&str]) -> Vec<String> {
    let lines = lines(message);
    let spoken = lines.iter().filter(|line| line.shape != LineShape::Heading);
    spoken
        .flat_map(|line| sentences(&line.text))
        .filter(|sentence| names_cause(sentence, edited))
        .map(str::to_owned)
        .collect()
}

fn names_cause(sentence: &str, edited: &[&str]) -> bool {
    let length = sentence.chars().count();
    let folded = FoldedSentence::new(sentence);
    let is_own = words(sentence).any(|word| matches!(word.as_str(), "i" | "you" | "your" | "let"));
    (LEAST_CHARS..=MOST_CHARS).contains(&length)
        && folded.has(PhraseGroup::Cause)
        && !is_own
        && !sentence.ends_with('?')
        && (names_thing(sentence) || names_file(sentence, edited))
}

/// Whether a sentence names one of the files, as people do: "config tests" of `src/config.rs`.
fn names_file(sentence: &str, files: &[&str]) -> bool {
    let stem = |path: &&str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.split('.').next().unwrap_or(name).to_lowercase()
    };
    let names: Vec<String> = files.iter().map(stem).filter(|name| name.len() >= LEAST_NAME).collect();
    words(sentence).any(|word| names.contains(&word))
}

/// A shorter name of a file is a word like others.
const LEAST_NAME: usize = 4;

/// Whether a sentence names something of the code: a path, a symbol, a number with a unit, a name with an inner capital.
pub(super) fn names_thing(sentence: &str) -> bool {
    sentence.split_whitespace().any(|token| {
        let token = token.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '.' | '-'));
        let has_inner_capital =
            token.chars().skip(1).any(char::is_uppercase) && token.chars().any(char::is_lowercase);
        let is_path = token.contains('/')
            || token.contains('_')
            || token.trim_end_matches('.').contains('.')
            || token.contains("::");
        (has_inner_capital || is_path || token.chars().any(|c| c.is_ascii_digit())) && token.len() > 2
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_names_the_thing_it_lies_in() {
        let message = "Fixed it.\n\nThe upload hung because `flush_all()` waited for a lock that nobody released. I changed it because you asked.\nIt is slow because of things.";
        assert_eq!(
            causes(message, &[]),
            ["The upload hung because flush_all() waited for a lock that nobody released."]
        );
    }
}
