//! The JSON other programs read and write: stable, documented in `docs/json.md`, and converted here from the domain's own types.

use crate::app::project_name;
use crate::times;
use backstory_memory::{ChangedSymbol, Freshness, Link, Memory, MemoryId, Standing};
use backstory_recall::Hit;
use backstory_store::{Revision, Session, Store, StoreError};
use serde::Serialize;
use std::path::PathBuf;

/// One hit of `search --json`.
#[derive(Debug, Serialize)]
pub struct HitShape {
    #[serde(flatten)]
    pub head: HeadShape,
    pub score: f64,
}

/// What is told of a memory wherever it appears.
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
    pub body: String,
    pub category: Option<String>,
    pub facts: Vec<String>,
    pub concepts: Vec<String>,
    pub files: Vec<String>,
    pub scope: &'static str,
    pub updated_at: String,
    pub valid_from: Option<String>,
    pub valid_to: Option<String>,
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
    pub revision: u32,
    pub title: String,
    pub body: String,
    pub until: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
}

/// One session of `sessions --json`.
#[derive(Debug, Serialize)]
pub struct SessionShape {
    pub id: i64,
    pub project: String,
    pub host: String,
    pub host_session: String,
    pub started_at: String,
    pub last_event_at: String,
    pub ended_at: Option<String>,
    pub events: u64,
    pub memories: u64,
}

/// A symbol a session changed.
#[derive(Debug, Serialize)]
pub struct CodeChangeShape {
    pub path: String,
    pub symbol: String,
    pub kind: &'static str,
    pub change: &'static str,
    pub signature: String,
    pub at: String,
}

/// Tells of a symbol a session changed.
pub fn code_change(changed: &ChangedSymbol) -> CodeChangeShape {
    CodeChangeShape {
        path: changed.path.clone(),
        symbol: changed.qualified_name.clone(),
        kind: changed.kind.as_str(),
        change: changed.change.as_str(),
        signature: changed.signature.clone(),
        at: times::iso(changed.at),
    }
}

/// The answer of a command that failed.
#[derive(Debug, Serialize)]
pub struct RefusalShape {
    pub ok: bool,
    pub code: &'static str,
    pub error: String,
    pub hints: Vec<String>,
    pub existing_id: Option<i64>,
}

/// Tells what is told of a memory wherever it appears.
pub fn head(store: &Store, memory: &Memory) -> Result<HeadShape, StoreError> {
    let content = &memory.content;
    let project = project_name(store, memory.project)?;
    let session: Option<Session> = match memory.session {
        Some(id) => store.session(id)?,
        None => None,
    };
    let superseded_by = match memory.standing {
        Standing::Confirmed => None,
        Standing::Superseded(MemoryId(by)) => Some(by),
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
        standing: if superseded_by.is_some() { "superseded" } else { "live" },
        superseded_by,
        pinned: content.pinned,
        importance: content.importance.get(),
        confidence: content.confidence.get(),
        tokens: content.tokens().0,
    })
}

/// Tells of a hit.
pub fn hit(store: &Store, hit: &Hit) -> Result<HitShape, StoreError> {
    Ok(HitShape { head: head(store, &hit.memory)?, score: (hit.score * 10_000.0).round() / 10_000.0 })
}

/// Tells the whole of a memory.
pub fn memory(store: &Store, memory: &Memory) -> Result<MemoryShape, StoreError> {
    let content = &memory.content;
    Ok(MemoryShape {
        head: head(store, memory)?,
        body: content.body.clone(),
        category: content.category.as_ref().map(|category| category.0.clone()),
        facts: content.facts.clone(),
        concepts: content.concepts.clone(),
        files: content.files.clone(),
        scope: content.scope.as_str(),
        updated_at: times::iso(memory.updated_at),
        valid_from: content.valid_from.map(times::iso),
        valid_to: content.valid_to.map(times::iso),
        times_seen: memory.times_seen,
        times_used: memory.times_used,
        last_used_at: memory.last_used_at.map(times::iso),
        intact: memory.is_intact(),
        freshness: freshness(store, memory)?,
        evidence: store.evidence(memory.id)?.iter().map(|id| id.0).collect(),
        links: store.links(memory.id)?.into_iter().map(link).collect(),
        revisions: store.revisions(memory.id)?.into_iter().map(revision).collect(),
    })
}

/// Tells whether the code a memory speaks of still stands; nothing where it speaks of none or its folder is not here.
fn freshness(store: &Store, memory: &Memory) -> Result<Option<&'static str>, StoreError> {
    let Some(root) = root_of(store, memory)? else { return Ok(None) };
    if store.anchors_of(memory.id)?.iter().all(|anchor| anchor.hash.is_none()) {
        return Ok(None);
    }
    let told = backstory_capture::freshness(store, memory.project, &root, &[memory.id], None)?;
    Ok(told.get(&memory.id).copied().map(freshness_word))
}

/// Returns the folder of a memory's project, where it is here.
pub fn root_of(store: &Store, memory: &Memory) -> Result<Option<PathBuf>, StoreError> {
    let roots = store.project(memory.project)?.map(|project| project.roots).unwrap_or_default();
    Ok(roots.into_iter().map(PathBuf::from).find(|root| root.is_dir()))
}

/// Says in a word whether code still stands.
pub fn freshness_word(freshness: Freshness) -> &'static str {
    match freshness {
        Freshness::Fresh => "fresh",
        Freshness::Changed => "changed",
        Freshness::Gone => "gone",
    }
}

fn link(link: Link) -> LinkShape {
    LinkShape { from: link.from.0, relation: link.relation.as_str(), to: link.to.0 }
}

fn revision(revision: Revision) -> RevisionShape {
    RevisionShape {
        revision: revision.revision,
        title: revision.title,
        body: revision.body,
        until: times::iso(revision.until),
        author: revision.author,
    }
}
