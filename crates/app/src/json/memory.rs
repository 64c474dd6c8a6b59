//! A memory in JSON: its head, wherever it appears, and the whole of it.

use crate::app::{folder_of_project, project_name};
use crate::forget::ForgetResponse;
use crate::show::ShowResponse;
use crate::times;
use backstory_memory::{ContentRecord, Freshness, Link, Memory, MemoryId, Standing};
use backstory_store::{Revision, Session, Store, StoreError};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What is in a memory that was written, for other programs.
#[derive(Debug, Serialize)]
pub struct WrittenShape {
    pub ok: bool,
    pub id: i64,
    pub kind: &'static str,
    pub uid: String,
}

/// Whether a memory is pinned now.
#[derive(Debug, Serialize)]
pub struct PinShape {
    pub ok: bool,
    pub id: i64,
    pub pinned: bool,
}

/// Memories of `show --json`, whole.
#[derive(Debug, Serialize)]
pub struct ShowShape {
    pub version: u32,
    pub memories: Vec<MemoryShape>,
    pub missing: Vec<i64>,
}

/// What the user said of memories, and how they stand now.
#[derive(Debug, Serialize)]
pub struct JudgedShape {
    pub ok: bool,
    pub memories: Vec<HeadShape>,
}

/// Memories that wait for the user's word, newest first.
#[derive(Debug, Serialize)]
pub struct ReviewShape {
    pub version: u32,
    pub memories: Vec<WaitingShape>,
}

/// A memory that waits for the user's word: what it says, and why it waits, in plain words.
#[derive(Debug, Serialize)]
pub struct WaitingShape {
    #[serde(flatten)]
    pub head: HeadShape,
    pub body: String,
    pub why: &'static str,
}

/// The rules of a project and of the user, newest first.
#[derive(Debug, Serialize)]
pub struct RulesShape {
    pub version: u32,
    pub rules: Vec<RuleShape>,
}

/// A rule, and whether it holds in every project.
#[derive(Debug, Serialize)]
pub struct RuleShape {
    #[serde(flatten)]
    pub head: HeadShape,
    pub body: String,
    pub scope: &'static str,
    /// The file of the project that says otherwise, as a remark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradicted_by: Option<String>,
}

/// What became of the rules in a file.
#[derive(Debug, Serialize)]
pub struct RulesFileShape {
    pub ok: bool,
    pub file: String,
    pub changed: bool,
}

/// Memories before and after another, oldest first.
#[derive(Debug, Serialize)]
pub struct TimelineShape {
    pub version: u32,
    pub anchor: Option<i64>,
    pub memories: Vec<HeadShape>,
}

/// What became of memories that were to be forgotten.
#[derive(Debug, Serialize)]
pub struct ForgetShape {
    pub ok: bool,
    pub forgotten: Vec<i64>,
    pub events: u64,
    pub revived: Vec<i64>,
    pub mentioned_in: Vec<i64>,
    pub remains_in: Vec<String>,
}

/// What every list says of a memory.
#[derive(Debug, Serialize)]
pub struct HeadShape {
    pub id: i64,
    pub uid: String,
    pub kind: String,
    pub title: String,
    pub project: String,
    pub created_at: String,
    pub session: Option<i64>,
    pub host_session: Option<String>,
    pub provenance: String,
    pub standing: &'static str,
    pub standing_reason: &'static str,
    pub superseded_by: Option<i64>,
    pub pinned: bool,
    pub importance: u8,
    pub confidence: f64,
    pub tokens: u32,
}

/// One memory of `show --json`, whole.
#[derive(Debug, Serialize)]
pub struct MemoryShape {
    #[serde(flatten)]
    pub head: HeadShape,
    /// What it says beyond the head.
    #[serde(flatten)]
    pub content: Map<String, Value>,
    pub updated_at: String,
    pub times_seen: u32,
    pub times_used: u32,
    pub last_used_at: Option<String>,
    pub intact: bool,
    pub freshness: Option<&'static str>,
    pub evidence: Vec<i64>,
    pub links: Vec<LinkShape>,
    pub revisions: Vec<RevisionShape>,
}

/// How a memory relates to another.
#[derive(Debug, Serialize)]
pub struct LinkShape {
    pub from: i64,
    pub relation: &'static str,
    pub to: i64,
}

/// What a memory said before.
#[derive(Debug, Serialize)]
pub struct RevisionShape {
    pub revision: usize,
    #[serde(flatten)]
    pub content: ContentRecord,
    pub until: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
}

/// Says what was written.
pub fn written(memory: &Memory) -> WrittenShape {
    let (kind, uid) = (memory.content.kind.as_str(), memory.uid.to_string());
    WrittenShape { ok: true, id: memory.id.0, kind, uid }
}

/// Returns fetched memories whole.
pub fn show(store: &Store, response: &ShowResponse) -> Result<ShowShape, StoreError> {
    let memories = response.memories.iter().map(|one| memory(store, one)).collect::<Result<_, _>>()?;
    Ok(ShowShape { version: 1, memories, missing: numbers(&response.missing) })
}

/// Returns a part of the timeline.
pub fn timeline(
    store: &Store,
    anchor: Option<MemoryId>,
    memories: &[Memory],
) -> Result<TimelineShape, StoreError> {
    Ok(TimelineShape { version: 1, anchor: anchor.map(|id| id.0), memories: heads(store, memories)? })
}

/// Says what became of memories that were to be forgotten.
pub fn forget(response: &ForgetResponse) -> ForgetShape {
    ForgetShape {
        ok: true,
        forgotten: numbers(&response.forgotten),
        events: response.events,
        revived: numbers(&response.revived),
        mentioned_in: numbers(&response.mentioned_in),
        remains_in: response.remains_in.iter().map(|path| path.display().to_string()).collect(),
    }
}

/// Returns memories by their numbers.
pub fn numbers(ids: &[MemoryId]) -> Vec<i64> {
    ids.iter().map(|id| id.0).collect()
}

/// Returns what every list says of memories.
pub fn heads(store: &Store, memories: &[Memory]) -> Result<Vec<HeadShape>, StoreError> {
    memories.iter().map(|memory| head(store, memory)).collect()
}

/// Returns memories that wait for the user's word.
pub fn review(store: &Store, waiting: &[Memory]) -> Result<ReviewShape, StoreError> {
    let shape = |memory: &Memory| {
        let (body, why) = (memory.content.body.clone(), memory.standing_reason.explanation());
        Ok(WaitingShape { head: head(store, memory)?, body, why })
    };
    Ok(ReviewShape { version: 1, memories: waiting.iter().map(shape).collect::<Result<_, StoreError>>()? })
}

/// Returns the rules of a project and of the user.
pub fn rules(
    store: &Store,
    rules: &[Memory],
    contradicted: &BTreeMap<MemoryId, String>,
) -> Result<RulesShape, StoreError> {
    let shape = |rule: &Memory| {
        let (scope, body) = (rule.content.scope.as_str(), rule.content.body.clone());
        let contradicted_by = contradicted.get(&rule.id).cloned();
        Ok(RuleShape { head: head(store, rule)?, body, scope, contradicted_by })
    };
    Ok(RulesShape { version: 1, rules: rules.iter().map(shape).collect::<Result<_, StoreError>>()? })
}

/// Returns what every list says of a memory.
pub fn head(store: &Store, memory: &Memory) -> Result<HeadShape, StoreError> {
    let content = &memory.content;
    let project = project_name(store, memory.project)?;
    let session: Option<Session> = match memory.session {
        Some(id) => store.sessions().get(id)?,
        None => None,
    };
    let superseded_by = match memory.standing {
        Standing::Superseded(MemoryId(by)) => Some(by),
        Standing::Proposed | Standing::Confirmed | Standing::Retired => None,
    };
    Ok(HeadShape {
        id: memory.id.0,
        uid: memory.uid.to_string(),
        kind: content.kind.to_string(),
        title: content.title.clone(),
        project,
        created_at: times::iso(memory.created_at),
        session: memory.session.map(|id| id.0),
        host_session: session.map(|session| session.host_session),
        provenance: content.provenance.to_string(),
        standing: memory.standing.as_str(),
        standing_reason: memory.standing_reason.as_str(),
        superseded_by,
        pinned: content.pinned,
        importance: content.importance.get(),
        confidence: content.confidence.get(),
        tokens: content.tokens().0,
    })
}

/// Returns the whole of a memory.
pub fn memory(store: &Store, memory: &Memory) -> Result<MemoryShape, StoreError> {
    // Numbered from the oldest, so that a revision keeps its number when newer ones are added; listed newest first.
    let revisions = store.memories().revisions(memory.id)?.into_iter().rev();
    let mut revisions: Vec<RevisionShape> =
        (1..).zip(revisions).map(|(number, said)| revision(number, said)).collect();
    revisions.reverse();
    Ok(MemoryShape {
        head: head(store, memory)?,
        content: beyond_head(memory),
        updated_at: times::iso(memory.updated_at),
        times_seen: memory.times_seen,
        times_used: memory.times_used,
        last_used_at: memory.last_used_at.map(times::iso),
        intact: memory.is_intact(),
        freshness: freshness(store, memory)?,
        evidence: store.memories().evidence(memory.id)?.iter().map(|id| id.0).collect(),
        links: store.memories().links(memory.id)?.into_iter().map(link).collect(),
        revisions,
    })
}

/// Says whether the code a memory is about still stands; none if it names no code, or its folder is not here.
fn freshness(store: &Store, memory: &Memory) -> Result<Option<&'static str>, StoreError> {
    let Some(root) = folder_of_project(store, memory.project)? else { return Ok(None) };
    if store.code().anchors(memory.id)?.iter().all(|anchor| anchor.hash.is_none()) {
        return Ok(None);
    }
    let states = backstory_capture::freshness(store, memory.project, &root, &[memory.id], None)?;
    Ok(states.get(&memory.id).copied().map(freshness_word))
}

/// Says in a word whether code still stands.
pub fn freshness_word(freshness: Freshness) -> &'static str {
    match freshness {
        Freshness::Fresh => "fresh",
        Freshness::Changed => "changed",
        Freshness::Gone => "gone",
    }
}

/// Returns how a memory relates to another.
pub fn link(link: Link) -> LinkShape {
    LinkShape { from: link.from.0, relation: link.relation.as_str(), to: link.to.0 }
}

/// Returns what a memory says, without what its head says already.
fn beyond_head(memory: &Memory) -> Map<String, Value> {
    let mut content = ContentRecord::from_content(&memory.content).to_all_fields();
    for field in ["kind", "title", "provenance", "pinned", "importance", "confidence"] {
        content.remove(field);
    }
    content
}

fn revision(number: usize, revision: Revision) -> RevisionShape {
    RevisionShape {
        revision: number,
        content: ContentRecord::from_content(&revision.content),
        until: times::iso(revision.until),
        author: revision.author,
    }
}
