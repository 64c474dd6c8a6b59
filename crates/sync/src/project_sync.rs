//! The sync of one shared project, the same over every transport: pushes the outbox, and applies what is new on the hub.
//!
//! A memory that is rejected or cannot be read does not stop the others, and is reported.

use crate::transport::Transport;
use crate::{Pushed, SharePolicy, SyncError};
use backstory_memory::{Content, ProjectId, Redacted, SharedMemory, SyncBatch, Timestamp, Uid};
use backstory_store::{InboxReport, OutboxEntry, Store};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How many memories the first batch has.
const FIRST_BATCH: usize = 20;
/// How many memories a batch has at most.
const LARGEST_BATCH: usize = 200;
/// A batch is full after about this many bytes; a larger memory is pushed alone.
const BATCH_BYTES: usize = 512 * 1024;
/// After a batch that took longer than this the next one is smaller; after one that took less than a tenth of it, larger.
const SLOW_BATCH: Duration = Duration::from_secs(5);

/// The result of syncing one project.
#[derive(Clone, Debug, Default)]
pub struct SyncReport {
    /// How many memories and deletions were pushed.
    pub pushed: u64,
    /// How many memories the share policy keeps local.
    pub kept_local: u64,
    /// What was pulled and applied.
    pub pulled: InboxReport,
    /// How many memories of others were left out, because the share policy does not admit their kind.
    pub left_out: u64,
    /// Since when changes of others are held back by a transaction that is open on the hub.
    pub held_since: Option<Timestamp>,
    /// The memories the hub rejected: uid and reason.
    pub rejected_by_hub: BTreeMap<String, String>,
    /// The uids of memories on the hub that this build cannot read.
    pub unreadable: Vec<String>,
    /// How many memories belong to another project of the team.
    pub in_other_project: u64,
    /// Whether the hub was restored, so that everything was pulled again.
    pub resynced: bool,
}

impl SyncReport {
    /// Whether every change was pushed and applied.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.rejected_by_hub.is_empty() && self.unreadable.is_empty() && self.pulled.refused == 0
    }
}

/// Where pulled changes go: the store, through the share policy.
pub(crate) struct Inbox<'a> {
    pub(crate) store: &'a mut Store,
    pub(crate) project: ProjectId,
    pub(crate) report: &'a mut SyncReport,
    policy: &'a SharePolicy,
    /// Deletions that are gathered until [`Inbox::forget`].
    forgotten: Vec<Uid>,
    pub(crate) now: Timestamp,
}

impl Inbox<'_> {
    /// Takes secrets out of a text that is to be stored.
    pub(crate) fn redact(&self, text: &str) -> Redacted<String> {
        self.policy.redact(text)
    }

    /// Applies a batch. Its deletions wait for [`Inbox::forget`], because whether they are many is judged over the whole pull.
    pub(crate) fn apply(&mut self, mut batch: SyncBatch) -> Result<(), SyncError> {
        self.forgotten.append(&mut batch.forgotten);
        let pulled = batch.memories.len();
        let batch = self.policy.incoming(batch);
        self.report.left_out += (pulled - batch.memories.len()) as u64;
        self.report.pulled.add(self.store.sync_mut().apply_batch(self.project, &batch, self.now)?);
        Ok(())
    }

    /// Applies the deletions gathered so far. Must run before the watermark is saved.
    pub(crate) fn forget(&mut self) -> Result<(), SyncError> {
        let forgotten = std::mem::take(&mut self.forgotten);
        let applied = self.store.sync_mut().apply_deletions(self.project, &forgotten, self.now)?;
        self.report.pulled.add(applied);
        Ok(())
    }
}

/// One project that is synced with a team.
pub(crate) struct ProjectSync<'a, T> {
    pub(crate) transport: T,
    pub(crate) project: ProjectId,
    pub(crate) policy: &'a SharePolicy,
    pub(crate) now: Timestamp,
    pub(crate) report: SyncReport,
}

impl<T: Transport> ProjectSync<'_, T> {
    /// Pushes everything in the outbox.
    pub(crate) fn push(&mut self, store: &mut Store) -> Result<(), SyncError> {
        let mut outbox = OutboxReader::new(self.project, FIRST_BATCH);
        while let Some(batch) = outbox.next_batch(store, self.policy)? {
            let began = Instant::now();
            let Pushed { rejected, in_other_project } = send(&mut self.transport, &batch.changes)?;
            outbox.size = next_size(outbox.size, began.elapsed());
            let is_accepted = |uid: &Uid| !rejected.iter().any(|memory| memory.uid == *uid);
            let accepted: Vec<OutboxEntry> =
                batch.outgoing.into_iter().filter(|entry| is_accepted(entry.uid())).collect();
            let sent = batch.changes.memories.len() + batch.changes.forgotten.len();
            self.report.pushed += (sent - rejected.len()) as u64;
            self.report.kept_local += batch.kept_local.len() as u64;
            self.report.in_other_project += in_other_project.len() as u64;
            let rejected = rejected.into_iter().map(|memory| (memory.uid.to_string(), memory.reason));
            self.report.rejected_by_hub.extend(rejected);
            // Marked batch by batch, so that an interrupted sync resumes here.
            store.sync_mut().mark_pushed(self.project, &accepted)?;
            store.sync_mut().mark_kept_local(&batch.kept_local)?;
        }
        Ok(())
    }

    /// Applies everything that is new on the hub.
    pub(crate) fn pull(&mut self, store: &mut Store) -> Result<(), SyncError> {
        let ProjectSync { transport, project, policy, now, report } = self;
        let (project, now, forgotten) = (*project, *now, Vec::new());
        transport.pull(&mut Inbox { store, project, report, policy, forgotten, now })
    }
}

/// Pushes the deletions in the outbox of a project, and nothing else.
pub(crate) fn push_outbox_deletions(
    store: &mut Store,
    project: ProjectId,
    transport: &mut impl Transport,
) -> Result<(), SyncError> {
    let mut after = None;
    loop {
        let entries = store.sync().outbox(project, after.as_ref(), LARGEST_BATCH)?;
        let Some(last) = entries.last().map(|entry| entry.uid().clone()) else { return Ok(()) };
        let deleted: Vec<OutboxEntry> =
            entries.into_iter().filter(|entry| matches!(entry, OutboxEntry::Deleted(_))).collect();
        let forgotten = deleted.iter().map(|entry| entry.uid().clone()).collect();
        send(transport, &SyncBatch { forgotten, ..SyncBatch::default() })?;
        store.sync_mut().mark_pushed(project, &deleted)?;
        after = Some(last);
    }
}

fn send(transport: &mut impl Transport, batch: &SyncBatch) -> Result<Pushed, SyncError> {
    if batch.is_empty() { Ok(Pushed::default()) } else { transport.push(batch) }
}

/// Returns what a push of a project would send, and how many memories it would keep local.
pub fn outgoing(
    store: &Store,
    project: ProjectId,
    policy: &SharePolicy,
) -> Result<(SyncBatch, u64), SyncError> {
    let (mut all, mut kept_local) = (SyncBatch::default(), 0);
    let mut outbox = OutboxReader::new(project, LARGEST_BATCH);
    while let Some(batch) = outbox.next_batch(store, policy)? {
        kept_local += batch.kept_local.len() as u64;
        all.memories.extend(batch.changes.memories);
        all.forgotten.extend(batch.changes.forgotten);
    }
    Ok((all, kept_local))
}

/// One batch of the outbox.
#[derive(Default)]
struct OutgoingBatch {
    changes: SyncBatch,
    outgoing: Vec<OutboxEntry>,
    kept_local: Vec<OutboxEntry>,
}

/// Reads the outbox of a project batch by batch, in the order of uids.
struct OutboxReader {
    project: ProjectId,
    after: Option<Uid>,
    /// How many memories the next batch has at most.
    size: usize,
}

impl OutboxReader {
    fn new(project: ProjectId, size: usize) -> OutboxReader {
        OutboxReader { project, after: None, size }
    }

    /// Returns the next batch; none at the end of the outbox.
    fn next_batch(
        &mut self,
        store: &Store,
        policy: &SharePolicy,
    ) -> Result<Option<OutgoingBatch>, SyncError> {
        let entries = store.sync().outbox(self.project, self.after.as_ref(), self.size)?;
        if entries.is_empty() {
            return Ok(None);
        }
        let (mut batch, mut bytes) = (OutgoingBatch::default(), 0);
        for entry in entries {
            self.after = Some(entry.uid().clone());
            match &entry {
                OutboxEntry::Deleted(uid) => batch.changes.forgotten.push(uid.clone()),
                OutboxEntry::Changed(memory) => match policy.outgoing(memory) {
                    None => {
                        batch.kept_local.push(entry);
                        continue;
                    }
                    Some(changes) => {
                        bytes += changes.memories.iter().map(size_of_memory).sum::<usize>();
                        batch.changes.memories.extend(changes.memories);
                        batch.changes.links.extend(changes.links);
                        batch.changes.pins.extend(changes.pins);
                    }
                },
            }
            batch.outgoing.push(entry);
            if bytes > BATCH_BYTES {
                break;
            }
        }
        Ok(Some(batch))
    }
}

/// Returns the size of the next batch. Progress is saved after each batch, so a slow hub gets smaller ones.
fn next_size(size: usize, took: Duration) -> usize {
    if took > SLOW_BATCH {
        (size / 2).max(1)
    } else if took < SLOW_BATCH / 10 {
        (size * 2).min(LARGEST_BATCH)
    } else {
        size
    }
}

/// Returns about how many bytes a memory takes to send.
fn size_of_memory(memory: &SharedMemory) -> usize {
    let list = |items: &[String]| items.iter().map(String::len).sum::<usize>();
    let size = |content: &Content| {
        let lists = list(&content.facts) + list(&content.concepts) + list(&content.files);
        content.title.len() + content.body.len() + lists
    };
    memory.revisions.iter().map(|revision| size(&revision.content)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_hub_gets_smaller_batches_and_a_fast_one_larger() {
        let slow = std::iter::successors(Some(200), |size| Some(next_size(*size, SLOW_BATCH * 2)));
        assert_eq!(slow.take(9).collect::<Vec<_>>(), [200, 100, 50, 25, 12, 6, 3, 1, 1]);
        let fast = std::iter::successors(Some(1), |size| Some(next_size(*size, Duration::ZERO)));
        assert_eq!(fast.take(10).collect::<Vec<_>>(), [1, 2, 4, 8, 16, 32, 64, 128, 200, 200]);
        assert_eq!(next_size(50, SLOW_BATCH / 2), 50);
    }
}
