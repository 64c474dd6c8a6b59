//! The sync of everything that is shared with one team through its hub, and of its deletions alone.

use crate::hub_timeout::with_hub_timeout;
use crate::hub_transport::HubTransport;
use crate::project_sync::{ProjectSync, push_outbox_deletions};
use crate::vector_push::VectorPush;
use crate::{Hub, HubAccess, SharePolicy, SyncError, SyncLock, SyncReport};
use backstory_memory::{ProjectId, Timestamp};
use backstory_store::{Home, Purpose, SharedProject, Store};
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// The sync of everything that is shared with one team.
pub struct TeamSync {
    /// How to get to the hub.
    pub access: HubAccess,
    /// The projects.
    pub projects: Vec<SharedProject>,
    /// What may be shared.
    pub policy: SharePolicy,
    /// The home of the store, which the sync opens for itself.
    pub home: Home,
    /// The file of vectors, where they are pushed too.
    pub vectors: Option<PathBuf>,
    /// How long a silent hub is waited for.
    pub timeout: Duration,
    /// The time.
    pub now: Timestamp,
    /// Held as long as anything here runs: also a thread that was left behind with a silent hub keeps others from syncing.
    pub lock: Arc<SyncLock>,
}

impl TeamSync {
    /// Pushes and pulls every project. Returns what came of each that was finished, and whether all were.
    pub fn run(self) -> (Vec<(ProjectId, SyncReport)>, Result<(), SyncError>) {
        let (sender, finished) = mpsc::channel();
        let outcome = with_hub_timeout(self.timeout, move |on_progress| {
            let mut hub = self.access.connect()?;
            on_progress();
            let mut store = Store::open(&self.home, Purpose::Command, self.now)?;
            if self.access.hub_id.is_none() {
                store.sync_mut().set_hub_id(&self.access.name, hub.id())?;
            }
            for shared in &self.projects {
                let report = self.sync_project(&mut store, &mut hub, shared, on_progress)?;
                // Nobody listens any more if this thread was left behind.
                drop(sender.send((shared.project, report)));
            }
            Ok(())
        });
        (finished.try_iter().collect(), outcome)
    }

    fn sync_project(
        &self,
        store: &mut Store,
        hub: &mut Hub,
        shared: &SharedProject,
        on_progress: &dyn Fn(),
    ) -> Result<SyncReport, SyncError> {
        let transport = HubTransport { hub, shared, on_progress };
        let mut sync = ProjectSync {
            transport,
            project: shared.project,
            policy: &self.policy,
            now: self.now,
            report: SyncReport::default(),
        };
        sync.push(store)?;
        sync.pull(store)?;
        // The pull may have forgotten a replacement: the memory it had replaced is in force again, and the team must hear of it.
        sync.push(store)?;
        let report = sync.report;
        if let Some(file) = &self.vectors {
            VectorPush { hub, shared, policy: &self.policy, file, on_progress }.run(store)?;
        }
        Ok(report)
    }
}

/// Pushes the deletions of a project, and nothing else.
pub fn push_deletions(
    store: &mut Store,
    hub: &mut Hub,
    shared: &SharedProject,
    on_progress: &dyn Fn(),
) -> Result<(), SyncError> {
    let mut transport = HubTransport { hub, shared, on_progress };
    push_outbox_deletions(store, shared.project, &mut transport)
}
