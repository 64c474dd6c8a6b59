//! A hub as a transport: pushes and pulls one project, and keeps its watermark.

use crate::project_sync::{Inbox, SyncReport};
use crate::transport::Transport;
use crate::{Hub, Pulled, Pushed, SyncError};
use backstory_memory::{SyncBatch, Watermark};
use backstory_store::{SharedProject, Store};

/// A project on a hub.
pub(crate) struct HubTransport<'a> {
    pub(crate) hub: &'a mut Hub,
    pub(crate) shared: &'a SharedProject,
    /// Called whenever the hub has answered.
    pub(crate) on_progress: &'a dyn Fn(),
}

impl Transport for HubTransport<'_> {
    fn push(&mut self, batch: &SyncBatch) -> Result<Pushed, SyncError> {
        Ok(self.hub.push(&self.shared.hub_project, batch, &mut || (self.on_progress)())?)
    }

    fn pull(&mut self, inbox: &mut Inbox<'_>) -> Result<(), SyncError> {
        let since = self.watermark(inbox.store, inbox.report)?;
        let project = inbox.project;
        let retried = inbox.store.sync().unreadable(project)?;
        let had_unreadable = !retried.is_empty();
        let horizon =
            self.hub.pull(&self.shared.hub_project, since, &retried, |pulled| -> Result<(), SyncError> {
                (self.on_progress)();
                match pulled {
                    Pulled::Batch(batch) => {
                        inbox.apply(batch)?;
                        (self.on_progress)();
                    }
                    Pulled::Unreadable(uid) => inbox.report.unreadable.push(uid),
                    Pulled::Checkpoint(watermark) => {
                        // The watermark comes last: a pull that is killed before it reads this window again, and misses nothing.
                        inbox.forget()?;
                        if had_unreadable || !inbox.report.unreadable.is_empty() {
                            inbox.store.sync_mut().set_unreadable(project, &inbox.report.unreadable)?;
                        }
                        inbox.store.sync_mut().set_watermark(project, watermark)?;
                    }
                }
                Ok(())
            })?;
        (self.on_progress)();
        let held_at = self.hub.is_held_back(&self.shared.hub_project, horizon)?.then_some(horizon);
        inbox.report.held_since = inbox.store.sync_mut().note_held_back(project, held_at, inbox.now)?;
        inbox.store.sync_mut().requeue_lost(project)?;
        Ok(())
    }
}

impl HubTransport<'_> {
    /// Returns the watermark to pull from. It is 0 for a restored hub, which numbers its transactions anew and may have lost what was
    /// pushed.
    fn watermark(&mut self, store: &mut Store, report: &mut SyncReport) -> Result<Watermark, SyncError> {
        let horizon = self.hub.horizon()?;
        let shared = self.shared;
        let is_same = shared.epoch.as_deref().is_none_or(|epoch| epoch == self.hub.epoch());
        if is_same && shared.watermark <= horizon {
            if shared.epoch.is_none() {
                store.sync_mut().set_epoch(shared.project, self.hub.epoch())?;
            }
            return Ok(shared.watermark);
        }
        report.resynced = true;
        store.sync_mut().restart_pull(shared.project, self.hub.epoch())?;
        Ok(Watermark::default())
    }
}
