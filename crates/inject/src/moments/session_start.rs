//! What a session starts with: by recency and durability, because there is no query yet.

use super::Injector;
use crate::{Candidate, GatherResult, Orientation, WorkTreeStatus};
use backstory_capture::git;
use backstory_memory::{ChangedSymbol, Kind, KindGroup};
use std::time::Duration;

/// Git runs while the store is read, and no longer than this.
const TIME_FOR_GIT: Duration = Duration::from_millis(150);
const MOST_PINNED: u32 = 16;
/// Several, because the handoff in force is that of the session last at work, which need not be the one last started.
const HANDOFFS: u32 = 4;
/// The last session, and ten before it.
const SUMMARIES: u32 = 11;
/// Symbols changed lately.
const CODE_CHANGES: u32 = 30;
const KNOWLEDGE: u32 = 20;
const WORK: u32 = 12;

impl Injector<'_> {
    /// Gathers what a session starts from. A part that cannot be read carries its error.
    pub(super) fn orientation(&self) -> Orientation {
        std::thread::scope(|scope| {
            let root = self.recipient.root;
            let git = root.map(|root| scope.spawn(move || git::dirty_files(root, TIME_FOR_GIT)));
            let stored = self.stored_orientation();
            let redact = |name: String| self.redactor.scrub(&name).into_inner();
            let dirty = git.and_then(|git| git.join().ok()).unwrap_or_default();
            let dirty = dirty.into_iter().map(redact).collect();
            let branch = root.and_then(git::branch).map(redact);
            Orientation { work_tree: WorkTreeStatus { branch, dirty, next_steps: Vec::new() }, ..stored }
        })
    }

    /// Gathers the parts that come from the store.
    fn stored_orientation(&self) -> Orientation {
        let project = self.recipient.project;
        let newest = |reason, kinds: &[Kind], limit| {
            self.candidates(reason, |store| store.search().newest_of_kinds(project, kinds, limit))
        };
        let mut summaries = newest("recent session", &[Kind::Summary], SUMMARIES);
        Orientation {
            pinned: self.candidates("pinned", |store| store.search().pinned(project, MOST_PINNED)),
            work_tree: WorkTreeStatus::default(),
            handoff: newest("where the work stands", &[Kind::Handoff], HANDOFFS).map(last_at_work),
            last_summary: take_first(&mut summaries, "last session"),
            sessions: summaries,
            code_changes: self.code_changes(),
            knowledge: self
                .candidates("project knowledge", |store| store.search().most_confident(project, KNOWLEDGE)),
            work: newest("recent work", &Kind::with(|kind| kind.group == KindGroup::Work), WORK),
        }
    }

    fn code_changes(&self) -> GatherResult<Vec<ChangedSymbol>> {
        let read = || self.store.code().changes(self.recipient.project, None, CODE_CHANGES);
        Ok(self.store.read_until(self.until, read)?)
    }
}

fn last_at_work(handoffs: Vec<Candidate>) -> Option<Candidate> {
    handoffs.into_iter().max_by_key(|it| it.memory.updated_at)
}

fn take_first(summaries: &mut GatherResult<Vec<Candidate>>, reason: &str) -> GatherResult<Option<Candidate>> {
    let all = summaries.as_mut().map_err(|error| error.clone())?;
    if all.is_empty() {
        return Ok(None);
    }
    Ok(Some(Candidate { reasons: vec![reason.to_owned()], ..all.remove(0) }))
}
