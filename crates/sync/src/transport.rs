//! What the two ways to share have in common: a hub and a folder in git both take batches and hand out what is new.

use crate::project_sync::Inbox;
use crate::{Pushed, SyncError};
use backstory_memory::SyncBatch;

/// A way to share one project with a team.
pub(crate) trait Transport {
    /// Sends a batch. Pushing it twice changes nothing.
    fn push(&mut self, batch: &SyncBatch) -> Result<Pushed, SyncError>;

    /// Hands everything new to the inbox, and notes how far it came.
    fn pull(&mut self, inbox: &mut Inbox<'_>) -> Result<(), SyncError>;
}
