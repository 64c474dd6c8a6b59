//! What a session begins with: by recency and durability, there is no question yet (S4.A1).

use super::Injecting;
use backstory_capture::git;
use backstory_inject::{Candidate, GatherError, Gathered, Orientation, WorkTreeState};
use backstory_memory::Kind;
use std::time::Duration;

/// Git is asked while the store is read, and no longer than this.
const TIME_FOR_GIT: Duration = Duration::from_millis(150);
const MOST_PINNED: u32 = 16;
/// The newest handoff is that of the session that was last at work, which need not have begun last.
const HANDOFFS: u32 = 4;
/// The last session, and ten before it.
const SUMMARIES: u32 = 11;
/// Symbols changed lately.
const CODE_CHANGES: u32 = 30;
const KNOWLEDGE: u32 = 20;
const WORK: u32 = 12;
const WORK_DONE: [Kind; 5] = [Kind::Feature, Kind::Bugfix, Kind::Refactor, Kind::Change, Kind::Discovery];

impl Injecting<'_> {
    /// Gathers what a session is oriented by; what cannot be read is left out and said so.
    pub(super) fn orientation(&self) -> Orientation {
        std::thread::scope(|scope| {
            let asking = self.to.root.map(|root| scope.spawn(move || git::dirty_files(root, TIME_FOR_GIT)));
            let known = self.known();
            let dirty = asking.and_then(|asking| asking.join().ok()).unwrap_or_default();
            let branch = self.to.root.and_then(git::branch);
            Orientation { work_tree: WorkTreeState { branch, dirty, next_steps: Vec::new() }, ..known }
        })
    }

    fn known(&self) -> Orientation {
        let project = self.to.project;
        let newest = |reason, kinds: &[Kind], limit| {
            self.relevant(reason, |store| store.newest_of_kinds(project, kinds, limit))
        };
        let mut summaries = newest("recent session", &[Kind::Summary], SUMMARIES);
        Orientation {
            pinned: self.relevant("pinned", |store| store.pinned(project, MOST_PINNED)),
            work_tree: WorkTreeState::default(),
            handoff: newest("where the work stands", &[Kind::Handoff], HANDOFFS).map(last_at_work),
            last_summary: take_first(&mut summaries, "last session"),
            sessions: summaries,
            code_changes: self.code_changes(),
            knowledge: self.relevant("project knowledge", |store| store.most_confident(project, KNOWLEDGE)),
            work: newest("recent work", &WORK_DONE, WORK),
        }
    }

    fn code_changes(&self) -> Gathered<Vec<backstory_memory::ChangedSymbol>> {
        let read = || self.store.code_changes(self.to.project, None, CODE_CHANGES);
        let changes = self.store.read_until(self.until, read);
        changes.map_err(|error| GatherError::from_error(&error))
    }
}

fn last_at_work(handoffs: Vec<Candidate>) -> Option<Candidate> {
    handoffs.into_iter().max_by_key(|it| it.memory.updated_at)
}

fn take_first(summaries: &mut Gathered<Vec<Candidate>>, reason: &str) -> Gathered<Option<Candidate>> {
    let all = summaries.as_mut().map_err(|why| why.clone())?;
    if all.is_empty() {
        return Ok(None);
    }
    Ok(Some(Candidate { reasons: vec![reason.to_owned()], ..all.remove(0) }))
}
