//! Teams in JSON: who is in them, what is shared with them, what was pushed and pulled.

use crate::explain::SumShape;
use crate::times;
use crate::words::{memories, one_line};
use backstory_memory::Timestamp;
use backstory_sync::{Revocation, SyncReport, VectorSupport};
use serde::Serialize;

/// What `team join --json` answers.
#[derive(Debug, Serialize)]
pub struct JoinShape {
    pub version: u32,
    pub team: String,
    pub member: String,
}

/// What `team leave --json` answers.
#[derive(Debug, Serialize)]
pub struct LeaveShape {
    pub version: u32,
    pub team: String,
}

/// What `team init --json` answers.
#[derive(Debug, Serialize)]
pub struct TeamInitShape {
    pub version: u32,
    pub team: String,
    pub is_new: bool,
    pub database: String,
    /// The schema before; 0 if there was no hub.
    pub schema_before: i32,
    pub schema: i32,
    pub vectors: &'static str,
    #[serde(skip)]
    pub vector_support: VectorSupport,
}

/// What `team invite --json` answers.
#[derive(Debug, Serialize)]
pub struct InviteShape {
    pub version: u32,
    pub team: String,
    pub member: String,
    /// The file with their password, if they got one.
    pub passfile: Option<String>,
    /// What they join.
    pub url: String,
}

/// What `team revoke --json` answers.
#[derive(Debug, Serialize)]
pub struct RevokeShape {
    pub version: u32,
    pub team: String,
    pub member: String,
    /// Whether they were a member.
    pub revoked: bool,
    pub login: Option<&'static str>,
    #[serde(skip)]
    pub revocation: Revocation,
}

/// What `team --json` answers.
#[derive(Debug, Serialize)]
pub struct TeamListShape {
    pub version: u32,
    pub teams: Vec<TeamShape>,
}

/// A team that was joined.
#[derive(Debug, Serialize)]
pub struct TeamShape {
    pub name: String,
    pub url: String,
    pub member: String,
    pub synced_at: Option<String>,
    /// Its members, if the hub answers.
    pub members: Option<Vec<String>>,
    pub problem: Option<String>,
    /// Whether the hub did not answer in time.
    #[serde(skip)]
    pub is_silent: bool,
    pub projects: Vec<SharedProjectShape>,
    /// What others share and this home does not.
    pub also_shared: Vec<String>,
}

/// A project that is shared with a team.
#[derive(Debug, Serialize)]
pub struct SharedProjectShape {
    pub project: String,
    pub shared_as: String,
    pub to_push: u64,
    /// Since when an open transaction on the hub's server holds back what others pushed.
    pub held_since: Option<String>,
}

/// What `team held --json` answers.
#[derive(Debug, Serialize)]
pub struct HeldShape {
    pub version: u32,
    pub held: Vec<HeldMemoryShape>,
}

/// A memory that others forgot and that can be restored.
#[derive(Debug, Serialize)]
pub struct HeldMemoryShape {
    /// What `team restore` calls it.
    pub number: i64,
    pub project: String,
    pub kind: String,
    pub title: String,
    pub body: String,
    pub held_since: String,
    pub until: String,
}

/// What `team restore --json` and `team discard --json` answer.
#[derive(Debug, Serialize)]
pub struct RestoredShape {
    pub version: u32,
    /// The numbers the restored memories have now.
    pub restored: Vec<i64>,
    /// How many were forgotten for good.
    pub discarded: u64,
    /// Files that could not be changed and may still hold traces.
    pub remains_in: Vec<String>,
}

/// What `project share --json` answers.
#[derive(Debug, Serialize)]
pub struct ShareShape {
    pub version: u32,
    pub project: String,
    pub team: String,
    pub shared_as: String,
    /// How many memories wait to be pushed.
    pub to_push: u64,
}

/// What `project unshare --json` answers.
#[derive(Debug, Serialize)]
pub struct UnshareShape {
    pub version: u32,
    /// Whether it was shared.
    pub unshared: bool,
}

/// What `search --team --json` found.
#[derive(Debug, Serialize)]
pub struct TeamSearchShape {
    pub version: u32,
    pub team: String,
    pub hits: Vec<TeamHitShape>,
}

/// One hit on a hub.
#[derive(Debug, Serialize)]
pub struct TeamHitShape {
    /// Its number here, if it was pulled.
    pub id: Option<i64>,
    pub uid: String,
    pub kind: String,
    pub title: String,
    pub body: String,
    pub project: String,
    pub provenance: String,
    pub updated_at: String,
    pub score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<SumShape>,
}

/// What `sync --json` answers.
#[derive(Debug, Serialize)]
pub struct SyncShape {
    pub version: u32,
    pub projects: Vec<ProjectSyncShape>,
    /// The teams that could not be synced, and why.
    pub problems: Vec<SyncProblemShape>,
}

/// A team that could not be synced.
#[derive(Debug, Serialize)]
pub struct SyncProblemShape {
    pub team: String,
    pub error: String,
}

/// What was pushed and pulled of one project.
#[derive(Debug, Serialize)]
pub struct ProjectSyncShape {
    pub project: String,
    pub team: String,
    pub pushed: u64,
    pub kept_local: u64,
    /// Memories of others that were left out, because `[team] kinds` does not list their kind.
    pub left_out: u64,
    pub written: u64,
    pub revised: u64,
    pub forgotten: u64,
    /// How many of the forgotten can be restored with `team restore`.
    pub held: u64,
    /// Memories the hub rejected.
    pub rejected_by_hub: Vec<RejectedShape>,
    /// The uids of memories on the hub that this build cannot read.
    pub unreadable: Vec<String>,
    /// How many pulled changes were refused here: the memory is not the team's to change, or cannot be stored.
    pub refused: u64,
    /// How many belong to another project of the team.
    pub in_other_project: u64,
    /// Whether the hub was restored, so that everything was pulled again.
    pub resynced: bool,
    /// Since when an open transaction on the hub's server holds back what others pushed.
    pub held_since: Option<String>,
}

/// A memory the hub rejected.
#[derive(Debug, Serialize)]
pub struct RejectedShape {
    pub uid: String,
    pub why: String,
}

/// Why a pull is held back, and who can end it.
pub const HELD_BACK: &str = "a transaction is open on the hub's server; its owner finds it in pg_stat_activity (the oldest xact_start) and ends it";

/// How long a pull must be held back to be reported: every push of others holds it back for a moment.
const HELD_LONG_MS: i64 = 2 * 60 * 1000;

/// Returns since when a pull is held back, if that is longer than others take to push.
pub(crate) fn held_since(since: Option<Timestamp>, now: Timestamp) -> Option<String> {
    since.filter(|since| now.0 - since.0 >= HELD_LONG_MS).map(times::iso)
}

impl ProjectSyncShape {
    pub(crate) fn new(project: String, team: String, synced: SyncReport, now: Timestamp) -> ProjectSyncShape {
        let rejected = synced.rejected_by_hub.into_iter().map(|(uid, why)| RejectedShape { uid, why });
        ProjectSyncShape {
            project,
            team,
            pushed: synced.pushed,
            kept_local: synced.kept_local,
            left_out: synced.left_out,
            written: synced.pulled.written,
            revised: synced.pulled.revised,
            forgotten: synced.pulled.forgotten,
            held: synced.pulled.held,
            rejected_by_hub: rejected.collect(),
            unreadable: synced.unreadable,
            refused: synced.pulled.refused,
            in_other_project: synced.in_other_project,
            resynced: synced.resynced,
            held_since: held_since(synced.held_since, now),
        }
    }

    /// Whether every change was pushed and applied.
    pub fn is_complete(&self) -> bool {
        self.rejected_by_hub.is_empty() && self.unreadable.is_empty() && self.refused == 0
    }

    /// Says what did not go as it should, each on a line.
    pub fn mishaps(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.resynced {
            lines.push("the hub was restored, so everything was pulled again".to_owned());
        }
        for RejectedShape { uid, why } in &self.rejected_by_hub {
            lines.push(format!("the hub rejects {}: {}", one_line(uid), one_line(why)));
        }
        for uid in &self.unreadable {
            lines.push(format!("{} cannot be read; a newer version of Backstory may", one_line(uid)));
        }
        if let Some(since) = &self.held_since {
            lines.push(format!("what others pushed is held back since {since}: {HELD_BACK}"));
        }
        if self.held > 0 {
            let count = memories(self.held);
            lines.push(format!("others forgot {count} of yours, or many at once: `backstory team held` shows them for 30 days"));
        }
        if self.refused > 0 {
            lines.push(format!("{} refused: not the team's to change", memories(self.refused)));
        }
        if self.in_other_project > 0 {
            let count = memories(self.in_other_project);
            lines.push(format!("{count} belong to another project of the team, and were pushed there"));
        }
        let project = one_line(&self.project);
        lines.iter().map(|line| format!("{project} with {}: {line}", self.team)).collect()
    }
}
