//! Summary and handoff as an answer gives them, put right by what is known of the end: tasks, the last message, git, failing tests.
//!
//! Not here: the notes (`checks`), the summary and handoff of the rules.

use super::checks::CheckedNote;
use super::grounding::{Haystack, hard_words};
use super::model_answer::{AnswerHandoff, AnswerSummary, WorkState};
use super::session_record::{RecordTurn, SessionRecord, Voice};
use crate::backed_steps::{UsersRequests, harmless_tasks, note_backed};
use crate::finding::distilled;
use crate::sentences::sentences;
use crate::session_notes::still_running;
use crate::summary::{items, newest_items};
use crate::titles::title_of;
use backstory_memory::{Content, Details, HandoffDetails, Kind, Provenance, SummaryDetails};

/// What an answer says of the session as a whole, as far as the record bears it out.
pub(super) struct SessionAccount {
    pub(super) summary: Option<Content>,
    pub(super) handoff: Option<Content>,
}

impl SessionAccount {
    pub(super) fn check(
        record: &SessionRecord,
        (summary, handoff): (Option<&AnswerSummary>, Option<&AnswerHandoff>),
        notes: &[CheckedNote],
    ) -> SessionAccount {
        let all: Vec<String> = record.turns.iter().map(RecordTurn::text).collect();
        let ends = [&record.end.tasks.done, &record.end.tasks.started, &record.end.tasks.open];
        let ends = ends.into_iter().chain([&record.branches, &record.end.remote]).flatten().cloned();
        let known = Haystack::new(&all.into_iter().chain(ends).collect::<Vec<_>>().join("\n"));
        let handoff = handoff.and_then(|it| checked_handoff(record, it, &known));
        let next_steps = handoff.as_ref().map(|handoff| handoff.next_steps.clone()).unwrap_or_default();
        let summary = summary.and_then(|it| checked_summary(it, notes, next_steps, &known));
        let topic = summary.as_ref().map(|summary| summary.title.as_str());
        SessionAccount { handoff: handoff.and_then(|it| handoff_content(it, topic, record)), summary }
    }
}

/// The sentences of a text whose names and numbers stand in the record.
fn grounded(text: &str, known: &Haystack) -> String {
    let holds =
        |sentence: &&str| hard_words(sentence).iter().all(|name| !name.is_strong || known.holds(&name.text));
    sentences(text).into_iter().filter(holds).collect::<Vec<_>>().join(" ")
}

fn grounded_items(list: &[String], known: &Haystack) -> Vec<String> {
    let kept = list.iter().map(|item| grounded(item, known)).filter(|item| !item.is_empty());
    items(kept.map(|item| item.trim_end_matches('.').to_owned()))
}

fn checked_summary(
    answer: &AnswerSummary,
    notes: &[CheckedNote],
    next_steps: Vec<String>,
    known: &Haystack,
) -> Option<Content> {
    let title = Some(grounded(&answer.title, known)).filter(|title| !title.is_empty())?;
    let titles = |kinds: &[Kind]| -> Vec<String> {
        let notes = notes.iter().filter(|note| kinds.contains(&note.content.kind) && note.demoted.is_none());
        items(notes.map(|note| note.content.title.clone()))
    };
    let one = |text: &str| items(Some(grounded(text, known)).filter(|text| !text.is_empty()).into_iter());
    let details = SummaryDetails {
        requests: one(&answer.request),
        investigated: Vec::new(),
        learned: titles(&[Kind::Fact, Kind::Failure]),
        completed: one(&answer.done),
        decisions: titles(&[Kind::Decision, Kind::Rule]),
        next_steps,
    };
    let mut content = distilled(Kind::Summary, &title_of(&title), &details.body(), Provenance::Assistant);
    content.details = Some(Details::Summary(details));
    Some(content)
}

/// Corrects a state that the record contradicts: what is open, unanswered or asked is not done.
fn true_state(record: &SessionRecord, claimed: WorkState) -> WorkState {
    let tasks = &record.end.tasks;
    let last = record.turns.last();
    let closing = last.and_then(|turn| turn.closing.as_ref()).map(|line| line.text.trim_end());
    match claimed {
        WorkState::Done if closing.is_none() => WorkState::InProgress,
        WorkState::Done if !record.end.running.is_empty() => WorkState::InProgress,
        WorkState::Done if !tasks.started.is_empty() || !tasks.open.is_empty() => WorkState::InProgress,
        WorkState::Done if closing.is_some_and(|text| text.ends_with('?')) => WorkState::WaitingForUser,
        state => state,
    }
}

fn checked_handoff(
    record: &SessionRecord,
    answer: &AnswerHandoff,
    known: &Haystack,
) -> Option<CheckedHandoff> {
    let place = Some(grounded(&answer.place, known)).filter(|place| !place.is_empty());
    let handoff = CheckedHandoff {
        state: true_state(record, answer.state),
        place,
        next_steps: grounded_items(&answer.next_steps, known),
        open_questions: grounded_items(&answer.open_questions, known),
    };
    let says_something = handoff.place.is_some() || !handoff.next_steps.is_empty();
    says_something.then_some(handoff)
}

struct CheckedHandoff {
    state: WorkState,
    place: Option<String>,
    next_steps: Vec<String>,
    open_questions: Vec<String>,
}

/// What the user typed in the session.
fn users_requests(record: &SessionRecord) -> UsersRequests {
    let lines = record.turns.iter().flat_map(|turn| &turn.user);
    let passages = lines.flat_map(|line| &line.passages).filter(|passage| passage.voice == Voice::User);
    UsersRequests::of_texts(passages.map(|passage| &passage.text))
}

/// The handoff, titled by what the session was about or what comes next: where it stands begins with a branch, which names nothing.
fn handoff_content(handoff: CheckedHandoff, topic: Option<&str>, record: &SessionRecord) -> Option<Content> {
    let found = &record.end.found;
    let is_open = handoff.state == WorkState::InProgress;
    let tasks = &record.end.tasks;
    let mut in_flight: Vec<String> =
        if is_open { handoff.place.iter().chain(&tasks.started).cloned().collect() } else { Vec::new() };
    in_flight.extend(record.end.running.iter().map(|call| still_running(call)));
    let mut next_steps = handoff.next_steps;
    next_steps.extend(tasks.open.iter().cloned());
    let mut details = HandoffDetails {
        last_request: found.last_request.clone(),
        last_done: handoff.place.clone().filter(|_| !is_open),
        done: newest_items(tasks.done.clone()),
        in_flight: items(in_flight.into_iter()),
        next_steps: items(next_steps.into_iter()),
        open_questions: handoff.open_questions,
        // What git and the tests said at the end is no opinion.
        failing_tests: found.failing_tests.clone(),
        branch: found.branch.clone(),
        dirty_files: found.dirty_files.clone(),
        undone_decisions: Vec::new(),
        remote: found.remote.clone(),
        closing_words: None,
        backed_steps: Vec::new(),
    };
    let listed: Vec<String> = harmless_tasks(&tasks.open).chain(harmless_tasks(&tasks.started)).collect();
    let running = record.end.running.iter().map(|call| still_running(call));
    note_backed(
        &mut details,
        &users_requests(record),
        &listed.into_iter().chain(running).collect::<Vec<_>>(),
    );
    let next = details.next_steps.first().map(String::as_str);
    let question = details.open_questions.first().map(String::as_str);
    let place = handoff.place.as_deref().and_then(|place| sentences(place).into_iter().next());
    let (lead, what) = match handoff.state {
        WorkState::Done => ("Done", topic),
        WorkState::Dropped => ("Dropped", topic),
        WorkState::WaitingForUser => ("Waiting for an answer", question.or(topic)),
        // What was done so far is not what is in progress.
        WorkState::InProgress if next.is_some() => ("Next", next),
        WorkState::InProgress => ("In progress", place),
    };
    let title = title_of(&format!("{lead}: {}", what.or(place).or(next)?));
    let mut content = distilled(Kind::Handoff, &title, &details.body(), Provenance::Assistant);
    content.files.clone_from(&record.end.edited_since_commit);
    content.details = Some(Details::Handoff(details));
    Some(content)
}
