//! Checks the store and every host, and repairs what can be repaired.

mod hosts;
pub mod receipts;
mod report;
mod run_hook;

pub(crate) use hosts::connected_hosts;
pub use report::{Finding, HookTrialShape, HostFileShape, HostReportShape, LastHookShape, Level};

use crate::app::App;
use crate::error::AppError;
use crate::json::{LostEventsShape, lost_events};
use crate::vectors;
use backstory_embed::MiniLm;
use backstory_hosts::Host;
use backstory_recall::requeue_missing_vectors;
use backstory_store::{CheckDepth, CheckReport, LossCounter, LostEvents, RepairReport, Store};
use serde::Serialize;

/// What to check.
#[derive(Clone, Copy, Debug)]
pub struct DoctorRequest {
    /// How thoroughly the store is checked.
    pub depth: CheckDepth,
    /// The only host to look at; without one, all that are here or connected.
    pub host: Option<Host>,
}

/// What was checked and repaired.
#[derive(Debug)]
pub struct DoctorReport {
    /// What is wrong with the settings.
    pub faults: Vec<AppError>,
    /// What was repaired before the check.
    pub repaired: Option<RepairReport>,
    /// From how many memories the word index was rebuilt, if it had to be.
    pub reindexed: Option<u64>,
    /// What the check found.
    pub store: CheckReport,
    /// How many memories have no vector yet.
    pub vectors_waiting: u64,
    /// Questions that wait for the user, and what should be known about this folder. They are not faults.
    pub notes: Vec<String>,
    /// Events that could be kept nowhere, lately.
    pub lost: Option<LostEvents>,
    /// How each host is doing.
    pub hosts: Vec<HostReportShape>,
}

impl App {
    /// Repairs the store, then checks it and the hosts.
    pub fn doctor(&self, request: DoctorRequest) -> Result<DoctorReport, AppError> {
        let repaired = Store::repair(&self.home, self.now)?;
        let mut store = self.store()?;
        let mut report = store.upkeep().check(request.depth)?;
        let mut reindexed = repaired.as_ref().and_then(|repair| repair.reindexed);
        if report.file.is_empty() && report.words.is_some() {
            // The word index is derived: it is rebuilt, never repaired.
            reindexed = Some(store.upkeep_mut().rebuild_word_index(|_| {})?);
            report.words = store.upkeep().check(request.depth)?.words;
        }
        if request.depth == CheckDepth::Full && self.config.recall.vectors {
            let looked = requeue_missing_vectors(&mut store, &MiniLm::load());
            vectors::note_failure(&self.home, self.now, looked);
        }
        Ok(DoctorReport {
            faults: self.faults.clone(),
            repaired,
            reindexed,
            vectors_waiting: store.vectors().count_stale()?,
            notes: [self.project_questions(&store)?, self.folder_notes()].concat(),
            lost: LossCounter::new(&self.home).read(self.now),
            hosts: hosts::examine(request.host, &store, self)?,
            store: report,
        })
    }
}

impl DoctorReport {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_well(&self) -> bool {
        let is_broken = self.hosts.iter().any(HostReportShape::is_broken);
        self.faults.is_empty() && self.store.is_sound() && !is_broken
    }
}

/// The report in JSON.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the fields are the JSON keys; docs/json.md explains them")]
pub struct DoctorShape {
    pub version: u32,
    pub ok: bool,
    pub config: Vec<String>,
    pub repaired: Option<RepairShape>,
    pub file: Vec<String>,
    pub word_index: Option<String>,
    pub schema: Vec<String>,
    pub damaged: Vec<i64>,
    pub looked_at: u64,
    pub vectors_waiting: u64,
    pub notes: Vec<String>,
    pub lost_events: Option<LostEventsShape>,
    pub hosts: Vec<HostReportShape>,
}

/// What was repaired, in JSON.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the fields are the JSON keys; docs/json.md explains them")]
pub struct RepairShape {
    pub quarantine: Option<String>,
    pub restored_from: Option<String>,
    pub mirrored: u64,
    pub salvaged: u64,
    pub mended: u64,
}

impl From<DoctorReport> for DoctorShape {
    fn from(report: DoctorReport) -> DoctorShape {
        DoctorShape {
            version: 1,
            ok: report.is_well(),
            config: report.faults.iter().map(AppError::line).collect(),
            repaired: report.repaired.map(|repair| RepairShape {
                quarantine: repair.quarantine.map(|path| path.display().to_string()),
                restored_from: repair.restored_from.map(|path| path.display().to_string()),
                mirrored: repair.mirrored,
                salvaged: repair.salvaged,
                mended: repair.mended,
            }),
            file: report.store.file,
            word_index: report.store.words,
            schema: report.store.schema,
            damaged: report.store.damaged.iter().map(|id| id.0).collect(),
            looked_at: report.store.checked,
            vectors_waiting: report.vectors_waiting,
            notes: report.notes,
            lost_events: report.lost.map(lost_events),
            hosts: report.hosts,
        }
    }
}
