//! The background writer: one request a session that a model may answer, and what becomes of its answer.
//!
//! [`request`] puts what the store knows of a session into a prompt within a budget; [`take_answer`] checks what a model answered against
//! the same record and writes what holds. No model is called here, and none is believed: who said something is derived from where its
//! quote stands, names and numbers must stand in the turns it cites, and a person's own memories are out of reach.
//!
//! Not here: calling a model (`provider`), when that is done and what it may cost (`app`).

mod digest;
mod session_record;
mod shorten;
mod work_lines;

use crate::transcript::{self, TranscriptEntry, Turn};
use crate::{
    summary,
    writer::session_record::{RecordSource, SessionRecord},
};
use backstory_capture::Redactor;
use backstory_memory::{Activity, EventId, Kind, Memory, MemoryId, SessionId, Timestamp, Tokens, estimate};
use backstory_store::{Filter, Scope, Session, StandingFilter, Store, StoreError};
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
    if !is_worth_a_call(&turns, EventId(0)) {
        return Ok(None);
    }
    let record = read_record(store, &session, &turns, how)?;
    let digest = digest::digest(&record, how.budget);
    if digest.is_empty() {
        return Ok(None);
    }
    // Parts that were harmless apart may show a secret together.
    let digest = how.redactor.scrub(&digest).into_inner();
    let prompt = format!("{}\n\n{digest}", PROMPT.trim_end());
    Ok(Some(WriterRequest { session: session.id, tokens: estimate(&prompt), prompt, schema: SCHEMA }))
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
    how: &WriterContext<'_>,
) -> Result<SessionRecord, StoreError> {
    let project = store.projects().get(session.project)?.map(|project| project.name).unwrap_or_default();
    let handoff = store.memories().with_subject(session.project, summary::of_session("handoff", session))?;
    let source = RecordSource { project, known: known(store, session)?, handoff, redactor: how.redactor };
    Ok(SessionRecord::read(turns, source))
}

/// What a writer is to know of, the newest first: what holds in the project, apart from what the rules made of this session.
fn known(store: &Store, session: &Session) -> Result<Vec<Memory>, StoreError> {
    let kinds = vec![Kind::Rule, Kind::Decision, Kind::Fact, Kind::Failure, Kind::Goal];
    let filter = Filter {
        kinds,
        limit: MOST_KNOWN,
        standing: StandingFilter::Live,
        ..Filter::within(Scope::Project(session.project))
    };
    let ids: Vec<MemoryId> = store.search().list(&filter)?;
    store.memories().get_many(&ids)
}
