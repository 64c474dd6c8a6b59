//! One sync of one shared project: what may leave is told, what the team knows is heard.
//!
//! What leaves and what is incoming is decided at the share_policy (`share_policy`). A row that does not fit stops nothing but itself, and is named.

use crate::app::App;
use crate::failure::Failure;
use crate::share_policy::SharePolicy;
use crate::{teams, vector_push};
use backstory_memory::{SyncBatch, Uid, Watermark};
use backstory_store::{InboxReport, OutboxEntry, SharedProject, Store, StoreError};
use backstory_sync::{Hub, HubError, Pulled, Pushed};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How many memories are told at once: at first, and at the most.
const FEWEST_AND_MOST: (usize, usize) = (20, 200);
/// How many bytes are told at once, about; a memory that is larger goes alone.
const BYTES_AT_ONCE: usize = 512 * 1024;
/// A part that took longer than this was too large, one that took a tenth of it could have been larger.
const LONG: Duration = Duration::from_secs(5);

/// What a sync of a project came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct SyncReport {
    pub(crate) pushed: u64,
    pub(crate) kept_local: u64,
    pub(crate) pulled: InboxReport,
    /// What the hub does not take, and why.
    pub(crate) rejected_by_hub: BTreeMap<String, String>,
    /// What the hub told of and this build cannot read.
    pub(crate) unreadable: Vec<String>,
    /// How many stand under another project of the team.
    pub(crate) in_other_project: u64,
    /// Whether the hub is not what it was, and everything was heard again.
    pub(crate) resynced: bool,
}

impl SyncReport {
    /// Whether everything was told and heard.
    pub(crate) fn is_whole(&self) -> bool {
        self.rejected_by_hub.is_empty() && self.unreadable.is_empty() && self.pulled.refused == 0
    }
}

/// What a sync works with.
pub(crate) struct ProjectSync<'a> {
    app: &'a App,
    share_policy: SharePolicy<'a>,
    /// Called whenever the hub has answered.
    on_progress: &'a dyn Fn(),
}

impl<'a> ProjectSync<'a> {
    pub(crate) fn new(app: &'a App, on_progress: &'a dyn Fn()) -> ProjectSync<'a> {
        ProjectSync { app, share_policy: SharePolicy::from_app(app), on_progress }
    }

    /// Tells and hears what is new of a project.
    pub(crate) fn sync(
        &self,
        store: &mut Store,
        hub: &mut Hub,
        shared: &SharedProject,
    ) -> Result<SyncReport, Failure> {
        let mut synced = SyncReport::default();
        self.push_changes(store, hub, shared, &mut synced)?;
        self.pull_changes(store, hub, shared, &mut synced)?;
        // What was forgotten elsewhere may have been what replaced something here.
        self.push_changes(store, hub, shared, &mut synced)?;
        vector_push::push(store, hub, shared, self.app, self.on_progress)?;
        Ok(synced)
    }

    /// Tells what was forgotten, and nothing else.
    pub(crate) fn push_deletions(
        &self,
        store: &mut Store,
        hub: &mut Hub,
        shared: &SharedProject,
    ) -> Result<(), Failure> {
        let mut after = None;
        loop {
            let untold = store.outbox(shared.project, after.as_ref(), FEWEST_AND_MOST.1)?;
            let Some(last) = untold.last().map(|untold| untold.uid().clone()) else { return Ok(()) };
            let gone: Vec<OutboxEntry> =
                untold.into_iter().filter(|untold| matches!(untold, OutboxEntry::Deleted(_))).collect();
            let forgotten = gone.iter().map(|untold| untold.uid().clone()).collect();
            self.push(hub, shared, &SyncBatch { forgotten, ..SyncBatch::default() })?;
            store.mark_pushed(shared.project, &gone)?;
            after = Some(last);
        }
    }

    /// Returns what would leave, and how many memories would stay.
    pub(crate) fn outgoing(
        &self,
        store: &Store,
        shared: &SharedProject,
    ) -> Result<(SyncBatch, u64), Failure> {
        let (mut all, mut kept_local, mut after) = (SyncBatch::default(), 0, None);
        while let Some(batch) = self.batch(store, shared, after.as_ref(), FEWEST_AND_MOST.1)? {
            kept_local += batch.kept_local.len() as u64;
            all.memories.extend(batch.changes.memories);
            all.forgotten.extend(batch.changes.forgotten);
            after = Some(batch.last);
        }
        Ok((all, kept_local))
    }

    fn push_changes(
        &self,
        store: &mut Store,
        hub: &mut Hub,
        shared: &SharedProject,
        synced: &mut SyncReport,
    ) -> Result<(), Failure> {
        let (mut after, mut most) = (None, FEWEST_AND_MOST.0);
        while let Some(batch) = self.batch(store, shared, after.as_ref(), most)? {
            let began = Instant::now();
            let Pushed { refused, elsewhere } = self.push(hub, shared, &batch.changes)?;
            synced.in_other_project += elsewhere.len() as u64;
            most = paced(most, began.elapsed());
            let is_taken = |uid: &Uid| !refused.iter().any(|refusal| refusal.uid == *uid);
            let taken: Vec<OutboxEntry> =
                batch.outgoing.into_iter().filter(|untold| is_taken(untold.uid())).collect();
            synced.pushed +=
                (batch.changes.memories.len() + batch.changes.forgotten.len() - refused.len()) as u64;
            synced.kept_local += batch.kept_local.len() as u64;
            synced
                .rejected_by_hub
                .extend(refused.into_iter().map(|refusal| (refusal.uid.to_string(), refusal.why)));
            store.mark_pushed(shared.project, &taken)?;
            store.mark_kept_local(&batch.kept_local)?;
            after = Some(batch.last);
        }
        Ok(())
    }

    fn push(&self, hub: &mut Hub, shared: &SharedProject, changes: &SyncBatch) -> Result<Pushed, Failure> {
        if changes.is_empty() {
            return Ok(Pushed::default());
        }
        let pushed = hub.push(&shared.hub_project, changes, &mut || (self.on_progress)());
        pushed.map_err(|error| teams::failure(&error))
    }

    fn pull_changes(
        &self,
        store: &mut Store,
        hub: &mut Hub,
        shared: &SharedProject,
        synced: &mut SyncReport,
    ) -> Result<(), Failure> {
        let since = self.since(store, hub, shared, synced)?;
        let member = hub.member().to_owned();
        let again = store.unreadable(shared.project)?;
        let had_unreadable = !again.is_empty();
        let each = |pulled: Pulled| -> Result<(), PullError> {
            (self.on_progress)();
            match pulled {
                Pulled::Batch(changes) => {
                    let changes = self.share_policy.incoming(changes, &member);
                    synced.pulled.add(store.apply_batch(shared.project, &changes, self.app.now)?);
                    (self.on_progress)();
                }
                Pulled::Unreadable(uid) => synced.unreadable.push(uid),
                Pulled::Checkpoint(watermark) => {
                    if had_unreadable || !synced.unreadable.is_empty() {
                        store.set_unreadable(shared.project, &synced.unreadable)?;
                    }
                    store.set_watermark(shared.project, watermark)?;
                }
            }
            Ok(())
        };
        hub.pull(&shared.hub_project, since, &again, each).map_err(Failure::from)?;
        (self.on_progress)();
        store.requeue_lost(shared.project)?;
        Ok(())
    }

    /// Returns from where on to hear. A hub that was restored counts anew, and may have lost what it was told.
    fn since(
        &self,
        store: &mut Store,
        hub: &mut Hub,
        shared: &SharedProject,
        synced: &mut SyncReport,
    ) -> Result<Watermark, Failure> {
        let horizon = hub.horizon().map_err(|error| teams::failure(&error))?;
        let is_same = shared.epoch.as_deref().is_none_or(|epoch| epoch == hub.epoch());
        if is_same && shared.watermark <= horizon {
            if shared.epoch.is_none() {
                store.set_epoch(shared.project, hub.epoch())?;
            }
            return Ok(shared.watermark);
        }
        synced.resynced = true;
        store.restart_pull(shared.project, hub.epoch())?;
        Ok(Watermark::default())
    }

    /// Returns some of what is to be told, as much as goes at once.
    fn batch(
        &self,
        store: &Store,
        shared: &SharedProject,
        after: Option<&Uid>,
        most: usize,
    ) -> Result<Option<OutgoingBatch>, Failure> {
        let untold = store.outbox(shared.project, after, most)?;
        let Some(last) = untold.last().map(|untold| untold.uid().clone()) else { return Ok(None) };
        let mut batch = OutgoingBatch {
            changes: SyncBatch::default(),
            outgoing: Vec::new(),
            kept_local: Vec::new(),
            last,
        };
        let mut bytes = 0;
        for untold in untold {
            match &untold {
                OutboxEntry::Changed(saying) => match self.share_policy.outgoing(saying) {
                    None => {
                        batch.kept_local.push(untold);
                        continue;
                    }
                    Some(changes) => {
                        bytes += changes.memories.iter().map(size).sum::<usize>();
                        batch.changes.memories.extend(changes.memories);
                        batch.changes.links.extend(changes.links);
                        batch.changes.pins.extend(changes.pins);
                    }
                },
                OutboxEntry::Deleted(uid) => batch.changes.forgotten.push(uid.clone()),
            }
            let uid = untold.uid().clone();
            batch.outgoing.push(untold);
            if bytes > BYTES_AT_ONCE {
                batch.last = uid;
                break;
            }
        }
        Ok(Some(batch))
    }
}

/// Some of what is to be told.
struct OutgoingBatch {
    changes: SyncBatch,
    outgoing: Vec<OutboxEntry>,
    kept_local: Vec<OutboxEntry>,
    last: Uid,
}

/// Returns how many to tell at once, after so many took so long: what is told is kept part by part, however slow the hub is.
fn paced(most: usize, took: Duration) -> usize {
    if took > LONG {
        (most / 2).max(1)
    } else if took < LONG / 10 {
        (most * 2).min(FEWEST_AND_MOST.1)
    } else {
        most
    }
}

/// Returns about how many bytes travel with a memory.
fn size(memory: &backstory_memory::SharedMemory) -> usize {
    let text = |list: &[String]| list.iter().map(String::len).sum::<usize>();
    let of = |content: &backstory_memory::Content| {
        content.title.len()
            + content.body.len()
            + text(&content.facts)
            + text(&content.concepts)
            + text(&content.files)
    };
    memory.revisions.iter().map(|said| of(&said.content)).sum()
}

/// What can go wrong while hearing: there, or here.
enum PullError {
    Hub(HubError),
    Store(StoreError),
}

impl From<HubError> for PullError {
    fn from(error: HubError) -> Self {
        PullError::Hub(error)
    }
}

impl From<StoreError> for PullError {
    fn from(error: StoreError) -> Self {
        PullError::Store(error)
    }
}

impl From<PullError> for Failure {
    fn from(trouble: PullError) -> Self {
        match trouble {
            PullError::Hub(error) => teams::failure(&error),
            PullError::Store(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_hub_gets_smaller_batches_and_a_fast_one_larger() {
        let slow = std::iter::successors(Some(200), |most| Some(paced(*most, LONG * 2)));
        assert_eq!(slow.take(9).collect::<Vec<_>>(), [200, 100, 50, 25, 12, 6, 3, 1, 1]);
        let quick = std::iter::successors(Some(1), |most| Some(paced(*most, Duration::ZERO)));
        assert_eq!(quick.take(10).collect::<Vec<_>>(), [1, 2, 4, 8, 16, 32, 64, 128, 200, 200]);
        assert_eq!(paced(50, LONG / 2), 50);
    }
}
