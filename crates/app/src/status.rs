//! How the store is doing: what it holds, whether hooks run, and what a model did.

use crate::app::App;
use crate::config::Provider;
use crate::doctor::connected_hosts;
use crate::error::AppError;
use backstory_hosts::Host;
use backstory_store::{
    LossCounter, LostEvents, Receipt, Store, StoreStatus, Totals, Usefulness, WriterStatus,
};

/// How many of the newest hook runs a report shows.
const HOOKS_SHOWN: u32 = 10;

/// How the store is doing.
#[derive(Debug)]
pub struct StatusReport {
    /// Why the store can only be read; none if it can be written.
    pub problem: Option<String>,
    /// What it holds.
    pub status: StoreStatus,
    /// How many memories have no vector yet.
    pub vectors_waiting: u64,
    /// Events that could be kept nowhere, lately.
    pub lost: Option<LostEvents>,
    /// The newest runs of hooks.
    pub hooks: Vec<Receipt>,
    /// How much of what was injected was used.
    pub usefulness: Vec<Usefulness>,
    /// Questions about projects that wait for the user.
    pub questions: Vec<String>,
    /// The hosts that are connected, looked for only where nothing was captured yet.
    pub connected: Vec<Host>,
    /// What the background writer did, if one is configured or a model was ever called.
    pub writer: Option<WriterStatus>,
}

/// The store in numbers.
#[derive(Debug)]
pub struct StoreStats {
    /// What it holds.
    pub status: StoreStatus,
    /// Memories by kind and project, and what was injected and used.
    pub totals: Totals,
}

impl App {
    /// Counts what the store holds.
    pub fn stats(&self, store: &Store) -> Result<StoreStats, AppError> {
        Ok(StoreStats { status: store.upkeep().status()?, totals: store.browse().totals()? })
    }

    /// Reports how an open store is doing; `problem` is why it can only be read.
    pub fn status(&self, store: &Store, problem: Option<String>) -> Result<StatusReport, AppError> {
        let writer = store.jobs().writer_status(self.now)?;
        let status = store.upkeep().status()?;
        let is_unused = status.last_event_at.is_none();
        Ok(StatusReport {
            problem,
            connected: if is_unused { connected_hosts(self) } else { Vec::new() },
            status,
            lost: LossCounter::new(&self.home).read(self.now),
            // A store that can only be read may have an older schema, without this table.
            vectors_waiting: store.vectors().count_stale().unwrap_or(0),
            hooks: store.injections().receipts(HOOKS_SHOWN)?,
            usefulness: store.injections().usefulness()?,
            questions: self.project_questions(store)?,
            writer: (self.config.writer.provider != Provider::None || writer.stored.calls > 0)
                .then_some(writer),
        })
    }
}
