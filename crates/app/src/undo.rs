//! Undoing the user's last change: the memory becomes what it was, and what was written in between stays as history.
//!
//! Forgetting cannot be undone, because nothing is kept. A front end that offers to undo it waits before it forgets.

use crate::app::App;
use crate::error::AppError;
use backstory_capture::prepare;
use backstory_memory::{Memory, MemoryId};
use backstory_store::{Store, Verdict};

impl App {
    /// Puts a memory back as it was before the user confirmed, retired, pinned, revised or superseded it. A replacement is retired, not
    /// forgotten: what the user wrote stays as history.
    ///
    /// `before` must be what this store held, so that provenance rises to what it was and no higher (law 6).
    pub fn undo_change(
        &self,
        store: &mut Store,
        before: &Memory,
        replacement: Option<MemoryId>,
    ) -> Result<Memory, AppError> {
        self.refuse_agent("undo a change")?;
        let content = prepare(before.content.clone(), &self.redactor());
        let standing = (before.standing, before.standing_reason);
        store.memories_mut().put_back(before.id, &content, standing, self.now)?;
        if let Some(replacement) = replacement {
            store.memories_mut().record_verdict(replacement, Verdict::Retire, self.now)?;
        }
        self.memory(store, before.id)
    }
}
