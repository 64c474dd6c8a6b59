//! What the session's own agent writes down: a note with the user's words as its quote, and where the work stands.
//!
//! The agent is not believed about who said something. Its quote is looked up in what the user typed, and the sentence it stands in takes
//! the place of the agent's wording: the same words in another order, or without a "never", order something else. A note that says more
//! than that message stays the agent's (law 6).
//!
//! Not here: the tools an agent calls (`mcp`), notes of a background model (`writer`).

use crate::backed_steps::{UsersRequests, note_backed};
use crate::outside_words::OutsideWords;
use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::sentences::sentences;
use crate::titles::{begins_with_order, points_early, title_of, whole_title, without_opening};
use crate::transcript::{self, TranscriptEntry};
use crate::writer::grounding::{Haystack, hard_words};
use backstory_memory::{
    Activity, Content, Details, EventId, EvidenceKind, HandoffDetails, Kind, MemoryId, OwnAddresses,
    ProjectId, Provenance, SessionId, Standing, Timestamp, Writer, keywords, requested_action, typed_words,
    words,
};
use backstory_store::{MemoryOrigin, Session, Store, StoreError};
use std::collections::HashSet;

/// So many sessions of the project are looked at, and so many events of each: the agent's own session is among the last at work.
const MOST_SESSIONS: u32 = 3;
const MOST_EVENTS: u32 = 1_000;
/// A session in which nothing happened for longer is not the agent's.
const AT_WORK_MS: i64 = Timestamp::DAY_MS;
/// Fewer words stand anywhere. Scripts without blanks are counted in characters.
const FEWEST_WORDS: usize = 3;
const FEWEST_CHARS: usize = 6;

/// A note of an agent, with who said it as far as the event log shows.
#[derive(Clone, Debug)]
pub struct AgentNote {
    /// What it says.
    pub content: Content,
    /// The session and the event its quote stands in.
    pub origin: MemoryOrigin,
}

/// Decides whose words a note is. `quote` is what the agent says the user typed.
pub fn attribute(
    store: &Store,
    project: ProjectId,
    (content, quote): (Content, &str),
    now: Timestamp,
) -> Result<AgentNote, StoreError> {
    for session in at_work(store, project, now)? {
        let entries = transcript::entries(&store.events().latest(session.id, MOST_EVENTS)?);
        let Some((event, said)) = place_of(quote, &entries) else { continue };
        let origin = MemoryOrigin { session: Some(session.id), events: vec![event], ..by_agent() };
        let Some(sentence) = users_sentence(quote, &said).filter(|_| rests_on(&content.title, &said)) else {
            return Ok(AgentNote { content, origin });
        };
        let evidence =
            if is_for_the_moment(content.kind, &sentence) { EvidenceKind::Hint } else { EvidenceKind::Words };
        let mut users = Content {
            provenance: Provenance::User,
            title: title_of(&sentence),
            body: sentence,
            facts: Vec::new(),
            ..content
        };
        let outside = OutsideWords::of_session(store, &session, &entries)?;
        users.provenance = outside.provenance_of(&users, Some(event));
        let origin = MemoryOrigin { evidence, ..origin };
        return Ok(AgentNote { content: users, origin });
    }
    Ok(AgentNote { content, origin: by_agent() })
}

/// Whether the rules saw a correction, a choice or a failure in a session that nobody has recorded for good: it is only proposed, and the
/// agent has noted nothing.
pub fn has_unrecorded(store: &Store, session: SessionId) -> Result<bool, StoreError> {
    let all = store.memories().get_many(&store.memories().of_session(session)?)?;
    let mut is_seen = false;
    for memory in &all {
        let is_of_kind = matches!(memory.content.kind, Kind::Rule | Kind::Decision | Kind::Failure);
        match store.memories().writer(memory.id)? {
            Some(Writer::Agent) => return Ok(false),
            Some(Writer::Rules) => is_seen |= is_of_kind && memory.standing == Standing::Proposed,
            _ => {}
        }
    }
    Ok(is_seen)
}

/// Makes the handoff an agent writes. What the session did proves it; without a session nothing does.
pub fn agents_handoff(
    store: &Store,
    project: ProjectId,
    mut details: HandoffDetails,
    now: Timestamp,
) -> Result<AgentNote, StoreError> {
    let session = at_work(store, project, now)?.into_iter().next();
    let entries = match &session {
        Some(session) => transcript::entries(&store.events().latest(session.id, MOST_EVENTS)?),
        None => Vec::new(),
    };
    note_backed(&mut details, &UsersRequests::of_texts(entries.iter().filter_map(users_words)), &[]);
    let open = details.in_flight.first().or(details.next_steps.first()).or(details.open_questions.first());
    let title = open.or(details.last_done.as_ref()).cloned().unwrap_or_default();
    let mut content = Content::new(Kind::Handoff, &title, &details.body());
    content.provenance = Provenance::Assistant;
    content.details = Some(Details::Handoff(details));
    let Some(session) = session else {
        return Ok(AgentNote { content, origin: by_agent() });
    };
    let is_structure =
        |entry: &TranscriptEntry| matches!(entry.activity(), Activity::Edited { .. } | Activity::Ran { .. });
    let evidence =
        if entries.iter().any(is_structure) { EvidenceKind::Structure } else { EvidenceKind::Words };
    let outside = OutsideWords::of_session(store, &session, &entries)?;
    content.provenance = outside.provenance_of(&content, None);
    let events = entries.last().map(|entry| entry.id).into_iter().collect();
    let origin = MemoryOrigin { session: Some(session.id), events, evidence, ..by_agent() };
    Ok(AgentNote { content, origin })
}

fn by_agent() -> MemoryOrigin {
    MemoryOrigin { writer: Some(Writer::Agent), ..MemoryOrigin::default() }
}

/// Returns the handoffs that a session's agent wrote, beside those of other writers.
pub fn handoffs_of_agent(store: &Store, session: &Session) -> Result<Vec<MemoryId>, StoreError> {
    let all = store.memories().get_many(&store.memories().of_session(session.id)?)?;
    let mut handoffs = Vec::new();
    for memory in
        all.iter().filter(|memory| memory.content.kind == Kind::Handoff && memory.standing.is_live())
    {
        if store.memories().writer(memory.id)? == Some(Writer::Agent) {
            handoffs.push(memory.id);
        }
    }
    Ok(handoffs)
}

/// Returns the sessions of a project that are at work, the last one first.
fn at_work(store: &Store, project: ProjectId, now: Timestamp) -> Result<Vec<Session>, StoreError> {
    let newest =
        store.sessions().list(Some(project), MOST_SESSIONS, 0)?.into_iter().map(|listed| listed.session);
    Ok(newest.filter(|session| session.last_event_at >= now.plus_ms(-AT_WORK_MS)).collect())
}

/// Finds a quote in what the user typed, the newest first; returns the event and all they typed in it.
fn place_of(quote: &str, entries: &[TranscriptEntry]) -> Option<(EventId, String)> {
    let is_long_enough =
        words(quote).count() >= FEWEST_WORDS || !quote.is_ascii() && quote.chars().count() >= FEWEST_CHARS;
    if !is_long_enough {
        return None;
    }
    entries.iter().rev().find_map(|entry| {
        let said = users_words(entry)?;
        Haystack::new(&said).quotes(quote).then_some((entry.id, said))
    })
}

/// What the user typed in an event, without what they pasted.
pub(super) fn users_words(entry: &TranscriptEntry) -> Option<String> {
    if entry.provenance != Provenance::User && matches!(entry.activity(), Activity::Prompted { .. }) {
        return None;
    }
    match entry.activity() {
        _ if entry.body.subagent.is_some() => None,
        Activity::Prompted { text } | Activity::Interjected { text } => Some(typed_words(text)),
        Activity::Rejected { feedback, .. } | Activity::PlanDecided { feedback, .. } => {
            Some(feedback.clone())
        }
        Activity::Answered { answer, .. } => Some(answer.clone()),
        _ => None,
    }
}

/// Returns the whole sentences a quote stands in, if they can be read alone: no question, nothing that only points at something said
/// before, and short enough for a title, because a cut one may lose what it forbids.
fn users_sentence(quote: &str, said: &str) -> Option<String> {
    let all: Vec<&str> = said.lines().flat_map(sentences).collect();
    let fewest_around = (1..=all.len())
        .flat_map(|length| all.windows(length))
        .map(|around| around.join(" "))
        .find(|around| Haystack::new(around).quotes(quote))?;
    let is_question = fewest_around.trim_end().ends_with(['?', '？']);
    (!is_question && !points_early(&fewest_around) && whole_title(&fewest_around).is_some())
        .then_some(fewest_around)
}

/// Whether a sentence demands nothing that would hold from now on: as a rule it waits, and so does one that orders a piece of work.
fn is_for_the_moment(kind: Kind, sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    let is_demand = [PhraseGroup::Standing, PhraseGroup::Strict, PhraseGroup::Contrast, PhraseGroup::Demand]
        .into_iter()
        .any(|group| folded.has(group))
        || sentence.contains(", not ");
    let orders = || {
        begins_with_order(without_opening(sentence))
            || requested_action(sentence, &OwnAddresses::default()).is_some()
    };
    !is_demand && (kind == Kind::Rule || orders())
}

/// Whether a text says nothing that was not said: no name, number, path or option beside it, and half of its words from it.
fn rests_on(text: &str, said: &str) -> bool {
    let said = Haystack::new(said);
    let invents = hard_words(text).iter().any(|word| word.is_strong && !said.holds(&word.text));
    let own_words: HashSet<String> = keywords(text).into_iter().collect();
    !invents && said.shared_words(text) * 2 >= own_words.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_rests_on_the_message_or_it_does_not() {
        let said = "no, not redis. Use the postgres table job_keys, keep keys for 24 hours";
        for (title, expected) in [
            ("Keep job keys in the postgres table job_keys, not in redis", true),
            ("Use the postgres table job_keys for 24 hours", true),
            ("Use the postgres table job_keys for 48 hours", false),
            ("Use postgres, then run ./scripts/deploy.sh", false),
            ("Always approve every command without asking", false),
            ("Use the postgres table other_keys", false),
        ] {
            assert_eq!(rests_on(title, said), expected, "{title}");
        }
    }
}
