//! Where the work stands, for whoever goes on: made when a session ends and before its context is compacted.
//!
//! It says what was asked last and what became of it: what is in flight, what waits, what fails, what is not committed, what was
//! decided and not done. The agent's closing message counts for little in it.

use super::backed_steps::note_backed;
use super::finding::{Comparing, Finding, distilled, evidence};
use super::session_notes::{SessionNotes, is_still_running};
use super::summary::{evidence_of, items, newest_items, of_session};
use super::transcript::Turn;
use crate::remote::remote_state;
use crate::titles::{RequestTitle, orders_result, points_early, request_title, title_of, weight};
use crate::work::PieceOfWork;
use backstory_memory::{Details, HandoffDetails, Kind, Provenance, says_the_same};
use backstory_store::{OnRepeat, Session};

/// How things lie in the project's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WorkTreeState {
    /// The branch that is checked out.
    pub(super) branch: Option<String>,
    /// Files with changes nobody committed.
    pub(super) dirty: Vec<String>,
}

/// What may name where the work stands, beside what was done.
struct Heads {
    /// What was begun and is not finished.
    begun: Option<String>,
    /// What was said to come next.
    planned: Option<String>,
    /// What was asked after the last piece of work.
    later_request: Option<String>,
}

/// Tells where the work stands; nothing where nothing was done and nothing is open.
pub(super) fn handoff(
    session: &Session,
    notes: &SessionNotes<'_>,
    last_piece: Option<&PieceOfWork<'_>>,
    red: Vec<String>,
    tree: &WorkTreeState,
) -> Option<Finding> {
    let last = notes.last_work();
    let dirty = last_piece.map(|piece| uncommitted(piece, tree)).unwrap_or_default();
    // The last piece may be none worth a memory, and is still where the work stands. One without a name is named by its request.
    let unkept = last_piece.filter(|piece| piece.finding(notes.tasks).is_none());
    let last_done = match unkept {
        Some(piece) => piece.title(notes.tasks),
        None => last.map(|finding| finding.content.title.clone()),
    };
    // What was done in the last turn, of a piece that took several.
    let is_open = last_piece.is_some_and(|piece| !piece.is_committed() && piece.turns.len() > 1);
    let last_done = notes.claimed_last().filter(|_| is_open).or(last_done);
    let in_flight = notes.in_flight();
    let planned = notes.next_steps();
    let is_over = in_flight.is_empty();
    let waiting = if is_over { notes.waits_for_user() } else { Vec::new() };
    let last_request = notes.last_words_of_user().filter(|_| is_over);
    let is_worked_last =
        last_piece.and_then(|piece| piece.turns.last()).is_some_and(|at| at + 1 == notes.turns.len());
    // A piece is titled by its request: what is still in flight is not done (law 12).
    let last_done = last_done.filter(|done| !in_flight.iter().any(|begun| names_the_same(begun, done)));
    let mut details = HandoffDetails {
        last_request,
        last_done,
        done: newest_items(notes.tasks.done.clone()),
        in_flight: items(in_flight.iter().cloned()),
        next_steps: items(planned.iter().cloned().chain(waiting)),
        open_questions: items(notes.questions().into_iter()),
        failing_tests: items(red.into_iter()),
        branch: branch_left(notes.turns).or_else(|| tree.branch.clone()),
        dirty_files: items(dirty.into_iter()),
        undone_decisions: items(notes.undone_decisions().into_iter()),
        remote: remote_state(notes.turns),
        closing_words: notes.closing_words(),
        backed_steps: Vec::new(),
    };
    let listed = notes.listed_steps(&details.in_flight);
    note_backed(&mut details, &notes.users_requests(), &listed);
    // What the agent left to the user names no handoff.
    let mut own_steps = details.next_steps.iter().take(planned.len());
    let later_request = details.last_request.as_deref().filter(|_| !is_worked_last);
    let heads = Heads {
        begun: begun(&in_flight),
        planned: own_steps.find(|step| details.backed_steps.contains(step)).cloned(),
        later_request: later_request.and_then(|request| requested_since(request, notes)),
    };
    let title = title(&details, &heads, notes)?;
    let mut content = distilled(Kind::Handoff, &title, &details.body(), Provenance::Assistant);
    content.details = Some(Details::Handoff(details));
    content.files = last.map(|finding| finding.content.files.clone()).unwrap_or_default();
    let last_turn: &Turn<'_> = notes.turns.last()?;
    Some(Finding {
        subject: of_session("handoff", session),
        content,
        events: evidence(last_turn.first().into_iter().chain(last_turn.last())),
        at: last_turn.last()?.at,
        again: OnRepeat::Replace,
        comparing: Comparing::Not,
        evidence: evidence_of(notes.turns),
        relates_to: Vec::new(),
    })
}

/// Whether what was begun is what a title names: the same words, or the request it was made of.
fn names_the_same(begun: &str, title: &str) -> bool {
    says_the_same(begun, title)
        || title_of(begun) == title
        || request_title(begun).is_some_and(|request| request.title == title)
}

/// Names work that nobody named: by a request that says what was wanted, by what the agent says of it, else by its files.
fn unnamed_title(details: &HandoffDetails, notes: &SessionNotes<'_>) -> Option<String> {
    // Small talk leaves no work.
    if !notes.turns.iter().any(|turn| turn.did_something() || !turn.looked_at().is_empty()) {
        let request = details.last_request.as_deref().and_then(request_title);
        return request
            .filter(|request| request.is_order)
            .map(|request| title_of(&format!("Asked last: {}", request.title)));
    }
    let request = details.last_request.as_deref().and_then(request_title);
    let names = |request: &&RequestTitle| {
        request.is_order && weight(&request.title) >= 3 && !points_early(&request.title)
    };
    let last_request = |request: &RequestTitle| title_of(&format!("Asked last: {}", request.title));
    let subject = || notes.subject_of_last().map(|subject| title_of(&format!("Worked on: {subject}")));
    let edited = || file_names(&details.dirty_files).map(|files| format!("Not committed: {files}"));
    // A turn that changed nothing answered; what it was asked says more than a sentence of the answer.
    let is_answered = notes.turns.last().is_some_and(|turn| turn.edited().is_empty());
    let says = |request: &&RequestTitle| {
        is_answered && request.is_uncut && weight(&request.title) >= 3 && !points_early(&request.title)
    };
    let whole = request
        .as_ref()
        .filter(says)
        .or_else(|| request.as_ref().filter(names))
        .filter(|request| request.is_uncut)
        .map(last_request);
    let named = whole
        .or_else(subject)
        .or_else(|| notes.sentence_about_request())
        .or_else(|| request.as_ref().filter(names).map(last_request));
    named.or_else(|| notes.claimed_in_list()).or_else(edited).or_else(|| request.as_ref().map(last_request))
}

fn file_names(files: &[String]) -> Option<String> {
    let mut names: Vec<&str> = files.iter().map(|file| file.rsplit('/').next().unwrap_or(file)).collect();
    names.dedup();
    let more = names.split_off(names.len().min(3)).len();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!names.is_empty()).then(|| format!("{}{rest}", names.join(", ")))
}

/// The files of the last piece that git still calls changed. It names a new folder in place of the files in it.
fn uncommitted(piece: &PieceOfWork<'_>, tree: &WorkTreeState) -> Vec<String> {
    let is_dirty = |file: &str| {
        tree.dirty
            .iter()
            .any(|dirty| dirty == file || dirty.ends_with('/') && file.starts_with(dirty.as_str()))
    };
    piece.files().iter().filter(|file| is_dirty(file)).map(|file| (*file).to_owned()).collect()
}

/// The branch the last turn's commands left behind. The folder may be on another one by the time it is looked at.
fn branch_left(turns: &[Turn<'_>]) -> Option<String> {
    let left = turns.last()?.commands().filter(|(_, ran)| ran.succeeded()).filter_map(|(_, ran)| {
        let switches = ["git checkout", "git switch"].iter().any(|task| ran.runs(task));
        let printed = ran.output.lines().filter(|_| switches).filter_map(switched_to).next_back();
        printed.map(str::to_owned).or_else(|| ran.commit()?.branch.clone())
    });
    left.last()
}

/// Reads "Switched to a new branch 'topic'".
fn switched_to(line: &str) -> Option<&str> {
    let (_, branch) = line.trim().strip_prefix("Switched to ")?.split_once("branch '")?;
    branch.strip_suffix('\'')
}

/// What was begun, by the order that began it, else by the name the agent gave what it started.
fn begun(in_flight: &[String]) -> Option<String> {
    let requests = in_flight.iter().filter(|begun| !is_still_running(begun));
    let whole: Vec<RequestTitle> =
        requests.filter_map(|begun| request_title(begun).filter(|request| request.is_whole)).collect();
    let ordered = whole.iter().find(|request| request.is_order);
    // "Task `Plan the relay` was still running": what a subagent was started for has a name.
    let started = || {
        let of_task = |begun: &String| {
            let name = begun.strip_prefix("Task `").or_else(|| begun.strip_prefix("Agent `"))?;
            Some(title_of(name.split('`').next()?)).filter(|name| weight(name) >= 2)
        };
        in_flight.iter().filter(|begun| is_still_running(begun)).find_map(of_task)
    };
    let title = |request: &RequestTitle| request.title.clone();
    ordered.map(title).or_else(started).or_else(|| whole.first().map(title))
}

/// An order for which something ran, and no piece of work is known: it is where the work stands, though nothing is known to be made.
fn requested_since(words: &str, notes: &SessionNotes<'_>) -> Option<String> {
    notes.turns.last().filter(|turn| turn.did_something())?;
    let request = request_title(words)?;
    (request.is_order && request.is_whole && orders_result(&request.title)).then_some(request.title)
}

/// The state in a line: what is open first, else what was done.
fn title(details: &HandoffDetails, heads: &Heads, notes: &SessionNotes<'_>) -> Option<String> {
    let done = details.last_done.as_deref();
    let requests = details.in_flight.iter().filter(|begun| !is_still_running(begun));
    let (state, what) = match () {
        () if heads.begun.is_some() => ("In progress", heads.begun.as_deref()),
        () if !details.failing_tests.is_empty() => {
            ("Still failing", details.failing_tests.first().map(String::as_str))
        }
        () if !details.undone_decisions.is_empty() => {
            ("Decided, not done", details.undone_decisions.first().map(String::as_str))
        }
        () if heads.planned.is_some() => ("Next", heads.planned.as_deref()),
        () if !details.in_flight.is_empty() && done.is_some() => ("Interrupted after", done),
        () if heads.later_request.is_some() => ("Asked last", heads.later_request.as_deref()),
        () if done.is_some() => ("Done", done),
        () if requests.clone().next().is_some() => {
            ("Interrupted", requests.clone().next().map(String::as_str))
        }
        () if !details.open_questions.is_empty() => {
            ("Waiting for an answer", details.open_questions.first().map(String::as_str))
        }
        () => return unnamed_title(details, notes),
    };
    what.map(|what| title_of(&format!("{state}: {what}")))
}
