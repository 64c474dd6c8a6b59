//! The background writer: one request a session that a model may answer, and what becomes of its answer.
//!
//! [`request`] puts what the store knows of a session into a prompt within a budget; [`take_answer`] checks what a model answered against
//! the same record and writes what holds. No model is called here, and none is believed: who said something is derived from where its
//! quote stands, names and numbers must stand in the turns it cites, and a person's own memories are out of reach.
//!
//! Not here: calling a model (`provider`), when that is done and what it may cost (`app`).

mod account;
pub(crate) mod checks;
mod digest;
mod failed_calls;
pub(crate) mod grounding;
mod mended_json;
mod model_answer;
mod notebook;
mod session_record;
mod shorten;
mod title_length;
mod work_lines;

use crate::summary;
use crate::transcript::{self, TranscriptEntry, Turn};
use backstory_capture::Redactor;
use backstory_memory::{
    Activity, Content, EventId, Kind, Memory, MemoryId, Provenance, RejectionReason, SessionId, Timestamp,
    Tokens, estimate,
};
use backstory_store::{Filter, Scope, Session, StandingFilter, Store, StoreError};
use model_answer::ModelAnswer;
use notebook::Notebook;
use session_record::{RecordSource, SessionRecord};
use std::path::Path;

/// What an answer has to look like, as a JSON schema.
pub const SCHEMA: &str = include_str!("writer/schema.json");
const PROMPT: &str = include_str!("writer/prompt.txt");
/// So many tokens of a session are sent unless the user wants less.
pub const DEFAULT_BUDGET: Tokens = Tokens(6_000);
/// More events than this are not read of a session.
const MOST_EVENTS: u32 = 5_000;
/// So many known memories are looked at; far fewer have room.
const MOST_KNOWN: u32 = 200;

const REPLACED_KINDS: [Kind; 5] = [Kind::Rule, Kind::Decision, Kind::Fact, Kind::Discovery, Kind::Failure];

/// Whether what the rules made of a session gives way to a better writer. Their work stays, and failures that a tool printed do; what
/// a host's summary says of failures is a model's word like the new one.
pub(crate) fn gives_way(content: &Content) -> bool {
    REPLACED_KINDS.contains(&content.kind)
        && (content.kind != Kind::Failure || content.provenance == Provenance::Assistant)
}

/// What the writer works with.
pub struct WriterContext<'a> {
    /// Where the project lies; nothing where its folder is not to be looked at.
    pub root: Option<&'a Path>,
    /// Takes out secrets, once more, before anything is sent or written.
    pub redactor: &'a Redactor,
    /// What time it is.
    pub now: Timestamp,
    /// So many tokens of the session are sent at most.
    pub budget: Tokens,
}

/// A session put into words for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterRequest {
    /// The session.
    pub session: SessionId,
    /// Everything the model is to read.
    pub prompt: String,
    /// The schema its answer must follow.
    pub schema: &'static str,
    /// What the prompt costs.
    pub tokens: Tokens,
    /// The newest event of the session that the model gets to know.
    pub last_event: EventId,
}

/// Puts a session into words for a model; nothing where it is not worth a call.
pub fn request(
    store: &Store,
    session: SessionId,
    how: &WriterContext<'_>,
) -> Result<Option<WriterRequest>, StoreError> {
    let Some(session) = store.sessions().get(session)? else { return Ok(None) };
    let entries = transcript::entries(&store.events().latest(session.id, MOST_EVENTS)?);
    let turns = transcript::turns(&entries);
    if !is_worth_a_call(&turns, session.written_to) {
        return Ok(None);
    }
    let record = read_record(store, &session, &turns, (&[StandingFilter::Live], how))?;
    let digest = redacted_digest(&record, how);
    if digest.is_empty() {
        return Ok(None);
    }
    let prompt = format!("{}\n\n{digest}", PROMPT.trim_end());
    let last_event = entries.iter().map(|entry| entry.id).max().unwrap_or(EventId(0));
    let tokens = estimate(&prompt);
    Ok(Some(WriterRequest { session: session.id, tokens, prompt, schema: SCHEMA, last_event }))
}

/// Returns the digest without secrets, within its budget: parts that were harmless apart may show one together, and what takes its place
/// may be longer than it was.
fn redacted_digest(record: &SessionRecord, how: &WriterContext<'_>) -> String {
    const TRIES: usize = 4;
    let mut room = how.budget;
    for _ in 0..TRIES {
        let digest = how.redactor.scrub(&digest::digest(record, room)).into_inner();
        let over = estimate(&digest).0.saturating_sub(how.budget.0);
        if over == 0 {
            return digest;
        }
        room = Tokens(room.0.saturating_sub(over + over / 2));
    }
    String::new()
}

/// What became of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriterReport {
    /// Whether it was taken.
    pub outcome: AnswerOutcome,
    /// What was written, summary and handoff included.
    pub kept: Vec<KeptNote>,
    /// Notes that were written and are only proposed.
    pub demoted: Vec<DemotedNote>,
    /// What was turned down.
    pub rejected: Vec<RejectedNote>,
    /// What the rules had made of the session and no longer holds.
    pub replaced: Vec<MemoryId>,
    /// Known memories that are over.
    pub closed: Vec<MemoryId>,
    /// Known memories that were seen to hold again.
    pub confirmed: Vec<MemoryId>,
}

/// Whether an answer was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerOutcome {
    /// It was taken.
    #[default]
    Taken,
    /// It holds no answer that can be read.
    Unreadable,
    /// None of its notes holds: only its summary and handoff were taken, as far as they do, and what the rules know stays.
    NothingHolds,
    /// The session, or its events, are gone.
    NoSession,
}

/// A note that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptNote {
    /// The memory that holds it.
    pub memory: MemoryId,
    /// Its kind.
    pub kind: Kind,
    /// Its title.
    pub title: String,
}

/// A note that was written and is only proposed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemotedNote {
    /// Its title.
    pub title: String,
    /// Why.
    pub reason: RejectionReason,
}

/// A note, or a change of a known memory, that was turned down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedNote {
    /// What it would have become.
    pub kind: Kind,
    /// Its title, or what it would have changed.
    pub title: String,
    /// Why.
    pub reason: RejectionReason,
    /// What the reason speaks of.
    pub detail: Option<String>,
}

/// Takes what a model answered for a session, as far as it holds. Taking the same answer again changes nothing.
pub fn take_answer(
    store: &mut Store,
    session: SessionId,
    answer: &str,
    how: &WriterContext<'_>,
) -> Result<WriterReport, StoreError> {
    take_up_to(store, (session, EventId(i64::MAX)), answer, how)
}

/// Takes what a model answered to a request. What happened in the session since is not what the model knew: it stays for the next one.
pub fn take_answer_to(
    store: &mut Store,
    request: &WriterRequest,
    answer: &str,
    how: &WriterContext<'_>,
) -> Result<WriterReport, StoreError> {
    take_up_to(store, (request.session, request.last_event), answer, how)
}

fn take_up_to(
    store: &mut Store,
    (session, last_event): (SessionId, EventId),
    answer: &str,
    how: &WriterContext<'_>,
) -> Result<WriterReport, StoreError> {
    let not_taken = |outcome| WriterReport { outcome, ..WriterReport::default() };
    let Some(answer) = ModelAnswer::read(answer) else { return Ok(not_taken(AnswerOutcome::Unreadable)) };
    store.transaction(|store| {
        let Some(session) = store.sessions().get(session)? else {
            return Ok(not_taken(AnswerOutcome::NoSession));
        };
        // The same events as the model was sent, so that its turns have the same numbers.
        let events = store.events().latest_up_to((session.id, last_event), MOST_EVENTS)?;
        let entries = transcript::entries(&events);
        let turns = transcript::turns(&entries);
        if turns.is_empty() {
            return Ok(not_taken(AnswerOutcome::NoSession));
        }
        // Also what no longer holds: an answer may be taken late, or twice.
        let standings = [StandingFilter::Live, StandingFilter::Any];
        let record = read_record(store, &session, &turns, (&standings, how))?;
        Notebook { session: &session, entries: &entries, turns: &turns, record: &record, how }
            .take(store, &answer)
    })
}

/// Whether something happened after an event that a note could come from: words of the user, or a commit.
fn is_worth_a_call(turns: &[Turn<'_>], since: EventId) -> bool {
    let did_anything = turns.iter().any(|turn| turn.did_something() || turn.closing().is_some());
    let is_from_user = |entry: &TranscriptEntry| match entry.activity() {
        Activity::Prompted { text } | Activity::Interjected { text } => !text.trim().is_empty(),
        Activity::Answered { .. } | Activity::Rejected { .. } | Activity::PlanDecided { .. } => true,
        _ => false,
    };
    let has_words =
        turns.iter().flat_map(|turn| turn.entries).any(|entry| entry.id > since && is_from_user(entry));
    let has_commit =
        turns.iter().flat_map(Turn::commands).any(|(entry, ran)| entry.id > since && ran.commit().is_some());
    did_anything && (has_words || has_commit)
}

fn read_record(
    store: &Store,
    session: &Session,
    turns: &[Turn<'_>],
    (standings, how): (&[StandingFilter], &WriterContext<'_>),
) -> Result<SessionRecord, StoreError> {
    let project = store.projects().get(session.project)?.map(|project| project.name).unwrap_or_default();
    let handoff = store.memories().with_subject(session.project, summary::of_session("handoff", session))?;
    let source =
        RecordSource { project, known: known(store, session, standings)?, handoff, redactor: how.redactor };
    Ok(SessionRecord::read(turns, source))
}

/// What a writer is to know of, the newest of each standing first: what holds in the project, apart from what the rules made of this session.
fn known(store: &Store, session: &Session, standings: &[StandingFilter]) -> Result<Vec<Memory>, StoreError> {
    let kinds = vec![Kind::Rule, Kind::Decision, Kind::Fact, Kind::Failure, Kind::Goal];
    let filter = Filter { kinds, limit: MOST_KNOWN, ..Filter::within(Scope::Project(session.project)) };
    let mut ids: Vec<MemoryId> = Vec::new();
    for standing in standings {
        let listed: Vec<MemoryId> = store.search().list(&Filter { standing: *standing, ..filter.clone() })?;
        ids.extend(listed.into_iter().filter(|id| !ids.contains(id)).collect::<Vec<_>>());
    }
    let replaced = store.memories().replaceable(session.id, &REPLACED_KINDS)?;
    let known = store.memories().get_many(&ids)?.into_iter();
    Ok(known.filter(|memory| !(gives_way(&memory.content) && replaced.contains(&memory.id))).collect())
}
