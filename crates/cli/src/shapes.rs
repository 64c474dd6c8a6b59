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
pub(crate) struct HitShape {
    #[serde(flatten)]
    pub(crate) head: HeadShape,
    pub(crate) score: f64,
}

/// What is told of a memory wherever it appears.
#[derive(Debug, Serialize)]
pub(crate) struct HeadShape {
    pub(crate) id: i64,
    pub(crate) uid: String,
    pub(crate) kind: String,
    pub(crate) title: String,
    pub(crate) project: String,
    pub(crate) created_at: String,
    pub(crate) session: Option<i64>,
    pub(crate) host_session: Option<String>,
    pub(crate) provenance: String,
    pub(crate) standing: &'static str,
    pub(crate) superseded_by: Option<i64>,
    pub(crate) pinned: bool,
    pub(crate) importance: u8,
    pub(crate) confidence: f64,
    pub(crate) tokens: u32,
}

/// One memory of `show --json`, whole.
#[derive(Debug, Serialize)]
pub(crate) struct MemoryShape {
    #[serde(flatten)]
    pub(crate) head: HeadShape,
    pub(crate) body: String,
    pub(crate) category: Option<String>,
    pub(crate) facts: Vec<String>,
    pub(crate) concepts: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) scope: &'static str,
    pub(crate) updated_at: String,
    pub(crate) valid_from: Option<String>,
    pub(crate) valid_to: Option<String>,
    pub(crate) times_seen: u32,
    pub(crate) times_used: u32,
    pub(crate) last_used_at: Option<String>,
    pub(crate) intact: bool,
    pub(crate) freshness: Option<&'static str>,
    pub(crate) evidence: Vec<i64>,
    pub(crate) links: Vec<LinkShape>,
    pub(crate) revisions: Vec<RevisionShape>,
}

/// How a memory relates to another.
#[derive(Debug, Serialize)]
pub(crate) struct LinkShape {
    pub(crate) from: i64,
    pub(crate) relation: &'static str,
    pub(crate) to: i64,
}

/// What a memory said before.
#[derive(Debug, Serialize)]
pub(crate) struct RevisionShape {
    pub(crate) revision: u32,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) until: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) author: Option<String>,
}

/// One session of `sessions --json`.
#[derive(Debug, Serialize)]
pub(crate) struct SessionShape {
    pub(crate) id: i64,
    pub(crate) project: String,
    pub(crate) host: String,
    pub(crate) host_session: String,
    pub(crate) started_at: String,
    pub(crate) last_event_at: String,
    pub(crate) ended_at: Option<String>,
    pub(crate) events: u64,
    pub(crate) memories: u64,
}

/// A symbol a session changed.
#[derive(Debug, Serialize)]
pub(crate) struct CodeChangeShape {
    pub(crate) path: String,
    pub(crate) symbol: String,
    pub(crate) kind: &'static str,
    pub(crate) change: &'static str,
    pub(crate) signature: String,
    pub(crate) at: String,
}

/// Tells of a symbol a session changed.
pub(crate) fn code_change(changed: &ChangedSymbol) -> CodeChangeShape {
    CodeChangeShape {
        path: changed.path.clone(),
        symbol: changed.qualified_name.clone(),
        kind: changed.kind.as_str(),
        change: changed.change.as_str(),
        signature: changed.signature.clone(),
        at: times::iso(changed.at),
    }
}

/// The answer of a command that changes memories, when it did not.
#[derive(Debug, Serialize)]
pub(crate) struct RefusalShape {
    pub(crate) ok: bool,
    pub(crate) error: String,
    pub(crate) existing_id: Option<i64>,
}

/// Tells what is told of a memory wherever it appears.
pub(crate) fn head(store: &Store, memory: &Memory) -> Result<HeadShape, StoreError> {
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
pub(crate) fn hit(store: &Store, hit: &Hit) -> Result<HitShape, StoreError> {
    Ok(HitShape { head: head(store, &hit.memory)?, score: (hit.score * 10_000.0).round() / 10_000.0 })
}

/// Tells the whole of a memory.
pub(crate) fn memory(store: &Store, memory: &Memory) -> Result<MemoryShape, StoreError> {
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
pub(crate) fn root_of(store: &Store, memory: &Memory) -> Result<Option<PathBuf>, StoreError> {
    let roots = store.project(memory.project)?.map(|project| project.roots).unwrap_or_default();
    Ok(roots.into_iter().map(PathBuf::from).find(|root| root.is_dir()))
}

/// Says in a word whether code still stands.
pub(crate) fn freshness_word(freshness: Freshness) -> &'static str {
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
