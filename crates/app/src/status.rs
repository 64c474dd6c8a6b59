//! How the store is doing: what it holds, whether hooks run, and what a model did.

use crate::app::App;
use crate::config::Provider;
use crate::doctor::{connected_hosts, receipts};
use crate::error::AppError;
use backstory_hosts::Host;
use backstory_store::{
    LossCounter, LostEvents, Receipt, Store, StoreStatus, Totals, Usefulness, WriterStatus,
};

/// How many of the newest hook runs a report shows.
const HOOKS_SHOWN: usize = 10;
/// How many are looked at to see whether a host still works: all hosts share them.
const HOOKS_LOOKED_AT: u32 = 500;

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
    /// The hosts that are connected.
    pub connected: Vec<Host>,
    /// Those whose newest hooks show that something does not work any more.
    pub failing: Vec<Host>,
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
        let mut hooks = store.injections().receipts(HOOKS_LOOKED_AT)?;
        let failing = failing_hosts(&hooks);
        hooks.truncate(HOOKS_SHOWN);
        Ok(StatusReport {
            problem,
            connected: connected_hosts(self),
            failing,
            status,
            lost: LossCounter::new(&self.home).read(self.now),
            // A store that can only be read may have an older schema, without this table.
            vectors_waiting: store.vectors().count_stale().unwrap_or(0),
            hooks,
            usefulness: store.injections().usefulness()?,
            questions: self.project_questions(store)?,
            writer: (self.config.writer.provider != Provider::None || writer.stored.calls > 0)
                .then_some(writer),
        })
    }
}

/// Returns the hosts whose newest receipts, newest first, show a fault.
fn failing_hosts(all: &[Receipt]) -> Vec<Host> {
    let of_host = |host: &Host| -> Vec<Receipt> {
        let newest = all.iter().filter(|receipt| receipt.host == host.as_str());
        newest.take(receipts::NEWEST as usize).cloned().collect()
    };
    let is_failing = |host: &Host| {
        let newest = of_host(host);
        !newest.is_empty() && receipts::is_failing(*host, &newest)
    };
    Host::ALL.into_iter().filter(is_failing).collect()
}
