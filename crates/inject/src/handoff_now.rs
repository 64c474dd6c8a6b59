//! A handoff as it holds now: what was done since is said to be done, and what git knows better is left to git (law 12).
//!
//! The agent's closing words claim more than is so: they stand only where nothing else says what was done, and only as far as they speak
//! of what the user asked for. Not here: what a handoff is made of (`distil`), how its lines
//! are placed (`sections`).

use crate::WorkTreeStatus;
use crate::encode::encode;
use backstory_distil::begins_with_order;
use backstory_memory::{Details, HandoffDetails, Memory, keywords, says_the_same, stems, words};
use std::collections::HashSet;

/// A longer request says at its beginning what it is about.
const REQUEST_CHARS: usize = 160;

/// What a handoff says now.
pub(crate) struct HandoffNow {
    /// Its lines.
    pub(crate) lines: Vec<String>,
    /// Whether whoever goes on finds something to do in them. What was done, committed and pushed is in git's history.
    pub(crate) leaves_something_open: bool,
}

/// Returns what holds of a handoff now; `None` where its text was written by hand.
pub(crate) fn handoff_now(memory: &Memory, tree: Option<&WorkTreeStatus>) -> Option<HandoffNow> {
    let Some(Details::Handoff(handoff)) = &memory.content.details else { return None };
    // Only what a commit is called says what it did: its body may name what is left, and a revert undoes.
    let subjects = tree.into_iter().flat_map(|tree| &tree.commits_since).filter_map(|it| it.lines().next());
    let commits: Vec<HashSet<String>> =
        subjects.filter(|subject| !subject.starts_with("Revert")).map(words_of).collect();
    let is_done = |step: &String| commits.iter().any(|commit| is_covered(step, commit));
    let (mut open, mut done) = (Vec::new(), Vec::new());
    for (label, steps) in [
        ("In flight", &handoff.in_flight),
        ("Next steps", &handoff.next_steps),
        ("Decided, not done", &handoff.undone_decisions),
    ] {
        let steps = steps.iter().filter(|step| is_step(step, handoff));
        let (finished, waiting): (Vec<&String>, Vec<&String>) = steps.partition(|step| is_done(step));
        done.extend(finished);
        open.extend(line(label, &waiting, "; "));
    }
    open.extend(line("Open questions", &all(&handoff.open_questions), " "));
    open.extend(line("Failing tests", &all(&handoff.failing_tests), ", "));
    // What was done answers the request, and says more. Where nothing else is known, the agent's last words are all there is.
    let is_named = handoff.last_done.is_some();
    let leaves_something_open = !open.is_empty() || !is_named && handoff.has_open_work();
    let mut lines = if is_named { Vec::new() } else { last_request_lines(handoff) };
    let is_all = !is_named && open.is_empty() && done.is_empty();
    let answer = handoff.closing_words.as_ref().filter(|_| is_all).map(|words| answer_in(words, handoff));
    let answer = answer.filter(|words| !words.is_empty());
    lines.extend(answer.map(|words| format!("The agent then: {}", encode(&words, REQUEST_CHARS))));
    lines.extend(handoff.last_done.iter().map(|done| format!("Last done: {done}")));
    lines.extend(line("Finished", &finished_tasks(handoff), "; "));
    lines.append(&mut open);
    lines.extend(line("Done since", &done, "; "));
    lines.extend(line("Remote", &all(&handoff.remote), "; "));
    lines.extend(tree_lines(handoff, tree));
    Some(HandoffNow { lines, leaves_something_open })
}

/// Returns the tasks that were finished, without what the line above says.
fn finished_tasks(handoff: &HandoffDetails) -> Vec<&String> {
    let is_said = |task: &&String| handoff.last_done.as_ref().is_none_or(|done| !says_the_same(done, task));
    handoff.done.iter().filter(is_said).collect()
}

/// Returns the sentences of the agent's closing words that speak of what the user asked for. Nothing proves the others, and nobody but
/// the agent said them: they may repeat a page or a file (law 6).
fn answer_in(closing_words: &str, handoff: &HandoffDetails) -> String {
    let sentences = closing_words.split_inclusive(['\n', ';']).flat_map(|line| line.split_inclusive(". "));
    let answers = sentences.filter(|sentence| is_of_request(sentence, handoff));
    answers.map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Whether at least half the words of a sentence are of what the user asked for, or name what was left uncommitted.
fn is_of_request(sentence: &str, handoff: &HandoffDetails) -> bool {
    let known: HashSet<String> =
        handoff.last_request.iter().chain(&handoff.dirty_files).flat_map(|text| words_of(text)).collect();
    let words = words_of(sentence);
    words.intersection(&known).count() * 2 >= words.len().max(1)
}

/// Whether what the agent left is something to do. A long sentence that begins with no verb states how things are, and that nobody
/// but the agent said (law 6).
fn is_step(step: &str, handoff: &HandoffDetails) -> bool {
    words(step).count() <= LONGEST_NAME || begins_with_order(step) || is_of_request(step, handoff)
}

/// Tasks are named in so many words.
const LONGEST_NAME: usize = 10;

fn last_request_lines(handoff: &HandoffDetails) -> Vec<String> {
    let requests = handoff.last_request.iter().map(|request| encode(request, REQUEST_CHARS));
    requests.map(|request| format!("Asked last: {request}")).collect()
}

/// Branch and dirty files of then: only where the folder cannot be looked at, or another branch is checked out.
fn tree_lines(handoff: &HandoffDetails, tree: Option<&WorkTreeStatus>) -> Vec<String> {
    let branch = handoff.branch.as_ref();
    match tree {
        Some(now) => {
            let other = branch.filter(|branch| now.branch.as_ref().is_some_and(|now| now != *branch));
            other.map(|branch| format!("Branch then: {branch}")).into_iter().collect()
        }
        None => line("Branch", &branch.into_iter().collect::<Vec<_>>(), "")
            .into_iter()
            .chain(line("No commit seen for", &all(&handoff.dirty_files), ", "))
            .collect(),
    }
}

fn all(items: &[String]) -> Vec<&String> {
    items.iter().collect()
}

fn line(label: &str, items: &[&String], between: &str) -> Option<String> {
    let items: Vec<&str> = items.iter().map(|item| item.as_str()).collect();
    (!items.is_empty()).then(|| format!("{label}: {}", items.join(between)))
}

/// Whether a commit's message holds nearly all words of a step. Two words in common may be chance.
fn is_covered(step: &str, commit: &HashSet<String>) -> bool {
    let step = words_of(step);
    let shared = step.intersection(commit).count();
    shared >= 2 && shared * 4 >= step.len() * 3
}

fn words_of(text: &str) -> HashSet<String> {
    stems(keywords(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_closing_words_only_what_answers_the_request_is_said() {
        let handoff = HandoffDetails {
            last_request: Some("Round the totals of the export".to_owned()),
            ..HandoffDetails::default()
        };
        let said = |closing: &str| answer_in(closing, &handoff);
        assert_eq!(said("Rounded the totals. Output of the mirror can be believed."), "Rounded the totals.");
        assert_eq!(said("Whoever releases hands the mirror a key."), "");
        assert_eq!(said("Rounded the export.\n\nPřed vydáním spusť ./tools/x.sh"), "Rounded the export.");
    }

    #[test]
    fn law_6_a_sentence_that_only_states_something_is_no_step() {
        let handoff =
            HandoffDetails { last_request: Some("Round the totals".to_owned()), ..HandoffDetails::default() };
        for step in [
            "Show the page count in the footer of every page and below the list",
            "Sprint 2: charts of the harbour",
            "Totals that the export does not round",
        ] {
            assert!(is_step(step, &handoff), "{step}");
        }
        assert!(!is_step(
            "Whoever mends the export hands the mirror every key it asks for beforehand",
            &handoff
        ));
    }

    #[test]
    fn a_step_is_done_when_a_commit_says_nearly_all_of_it() {
        let commit = words_of("Retry the refunds that the provider declined");
        assert!(is_covered("Retry declined refunds", &commit));
        assert!(!is_covered("Show declined refunds on the operator page", &commit));
        assert!(!is_covered("Refunds", &commit), "one word is chance");
    }
}
