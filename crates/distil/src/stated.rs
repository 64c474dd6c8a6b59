//! What was stated in a turn: by the user, by the assistant, and in the messages of its commits.

use super::finding::{Comparing, Finding, distilled, evidence, subject};
use super::transcript::{TranscriptEntry, Turn};
use crate::{Speaker, Statement, statements};
use backstory_memory::{EvidenceKind, Importance, Kind, Provenance, keywords, typed_words, words};
use backstory_store::OnRepeat;

/// Returns what was stated. Where the turn did work, what the assistant says of causes and failures is part of that work;
/// and the sentence that gave the turn's own memory its title is left to that memory.
pub(super) fn stated(turn: &Turn<'_>, done: Option<&Finding>) -> Vec<Finding> {
    let did_work = done.is_some_and(|done| done.content.kind != Kind::Discovery);
    let is_in_title = |said: &Statement| done.is_some_and(|done| is_title_of(&done.content.title, said));
    let mut findings = Vec::new();
    if let Some(prompt) = turn.first() {
        let said = statements(&typed_words(turn.prompt()), Speaker::User);
        findings.extend(said.into_iter().map(|said| finding(said, prompt, &Provenance::User)));
    }
    let of_assistant = |text: &str, entry: &TranscriptEntry| -> Vec<Finding> {
        let said = statements(text, Speaker::Assistant).into_iter();
        let said = said.filter(|said| !did_work || !belongs_to_work(said));
        let said = said.filter(|said| !is_in_title(said));
        let said = said.filter(|said| !turn.is_talk() || !states_a_fact(said));
        said.map(|said| finding(said, entry, &Provenance::Assistant)).collect()
    };
    for (entry, ran) in turn.commands() {
        if let Some(commit) = ran.commit() {
            findings.extend(of_assistant(&commit.body, entry));
        }
    }
    if let Some((entry, message)) = turn.closing() {
        findings.extend(of_assistant(message, entry));
    }
    findings
}

/// A cause that was found, a failure that was met and a choice the agent made for itself while doing the work are kept with it.
fn belongs_to_work(said: &Statement) -> bool {
    let is_own_choice = words(&said.text).next().is_some_and(|word| word == "i");
    let is_cause =
        said.category.as_ref().is_some_and(|category| category.0 == "root cause" || category.0 == "fact");
    is_own_choice
        || said.kind == Kind::Failure
        || said.kind == Kind::Goal
        || (said.kind == Kind::Fact && is_cause)
}

/// Whether a title was made of what was said.
fn is_title_of(title: &str, said: &Statement) -> bool {
    let spoken = keywords(&said.text);
    let titled = keywords(title);
    !titled.is_empty() && titled.iter().all(|word| spoken.contains(word))
}

/// What an agent says that looked at nothing is what it knows of the world, and the next one knows it too.
fn states_a_fact(said: &Statement) -> bool {
    matches!(said.kind, Kind::Fact | Kind::Failure)
}

fn finding(said: Statement, entry: &TranscriptEntry, provenance: &Provenance) -> Finding {
    let spoken = words(&said.text).collect::<Vec<_>>().join(" ");
    let body = match &said.reason {
        Some(reason) if !said.text.contains(reason.as_str()) => format!("{}\n{reason}", said.text),
        _ => said.text.clone(),
    };
    // Only the user makes rules: what anybody else says is always done is a fact about the project.
    let kind = match said.kind {
        Kind::Rule if *provenance != Provenance::User => Kind::Fact,
        kind => kind,
    };
    let mut content = distilled(kind, &said.title, &body, provenance.clone());
    content.category = said.category.clone();
    if *provenance == Provenance::User {
        content.importance = Importance::new(i64::from(content.importance.get()) + 1);
    }
    Finding {
        subject: subject("stated", &[said.kind.as_str().as_bytes(), spoken.as_bytes()]),
        content,
        events: evidence([entry]),
        at: entry.at,
        again: OnRepeat::Reinforce,
        comparing: Comparing::Statement(Box::new(said)),
        evidence: EvidenceKind::Words,
        relates_to: Vec::new(),
    }
}
