//! Which commits of a history are work that sessions were seen to do: one piece of work is one memory, whoever reports it.
//!
//! A commit is recognised by its hash; by its title if it was amended or rebased since; by its files and its time if the session did
//! the work and somebody else committed it. Not here: reading either (`sources`, `store`).

use backstory_memory::{Content, Details, MemoryId, ProjectId, Timestamp};
use backstory_store::{SessionWork, Store, StoreError};
use std::collections::HashMap;

/// A shorter hash may be any commit's.
const SHORTEST_HASH: usize = 7;
/// An amended commit keeps its title; the same title later is other work.
const SAME_TITLE_MS: i64 = 2 * 24 * 3_600_000;
/// How long after a session its work may be committed by hand.
const LATE_COMMIT_MS: i64 = 12 * 3_600_000;

/// The work of sessions, by project, read when it is first asked for.
#[derive(Default)]
pub(crate) struct KnownSessionWork(HashMap<ProjectId, Vec<SessionWork>>);

impl KnownSessionWork {
    /// Returns the memory of the work that a commit holds; nothing for other content.
    pub(crate) fn find(
        &mut self,
        store: &Store,
        project: ProjectId,
        (content, at): (&Content, Timestamp),
    ) -> Result<Option<MemoryId>, StoreError> {
        let Some(Details::WorkDone(commit)) = &content.details else { return Ok(None) };
        let known = match self.0.entry(project) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(none) => {
                none.insert(store.memories().session_work(project)?)
            }
        };
        let holds = |work: &&SessionWork| {
            commit.commits.iter().any(|hash| work.commits.iter().any(|known| is_same_hash(hash, known)))
                || is_same_title(work, content, at)
                || is_made_there(work, content, at)
        };
        Ok(known.iter().find(holds).map(|work| work.memory))
    }
}

/// Whether two hashes, each perhaps shortened, are of one commit.
fn is_same_hash(one: &str, other: &str) -> bool {
    one.len().min(other.len()) >= SHORTEST_HASH && (one.starts_with(other) || other.starts_with(one))
}

fn is_same_title(work: &SessionWork, content: &Content, at: Timestamp) -> bool {
    let is_near = (work.to.0 - at.0).abs() <= SAME_TITLE_MS;
    let shares_file = work.files.is_empty() || content.files.iter().any(|file| work.files.contains(file));
    is_near && shares_file && work.title.to_lowercase() == content.title.to_lowercase()
}

/// Whether a commit holds only files that a session changed, and was made in it, or soon after where the session committed nothing.
fn is_made_there(work: &SessionWork, content: &Content, at: Timestamp) -> bool {
    let late = if work.commits.is_empty() { LATE_COMMIT_MS } else { 0 };
    let is_then = work.from <= at && at.0 <= work.to.0 + late;
    is_then && !content.files.is_empty() && content.files.iter().all(|file| work.files.contains(file))
}
