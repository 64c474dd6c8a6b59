//! Which teams this home has joined, and which of its projects it shares with them.
//!
//! Not here: what is pushed (`outbox`) and pulled (`inbox`); the hub itself (crate `sync`).

use crate::StoreError;
use crate::db::facets::{SyncReader, SyncWriter};
use crate::db::metadata;
use backstory_memory::{ProjectId, Timestamp, Watermark};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, Params, Row, params};

/// A team this home has joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// Its name here.
    pub name: String,
    /// Its name on the hub.
    pub hub_team: String,
    /// The id of its hub; none before the hub was first reached, and for a team that uses git.
    pub hub_id: Option<String>,
    /// How shared memories travel.
    pub transport: TeamTransport,
    /// Where its hub is; never a password.
    pub url: String,
    /// The user's name in the team.
    pub member: String,
    /// When everything was last pushed and pulled.
    pub synced_at: Option<Timestamp>,
}

/// How the shared memories of a team travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamTransport {
    /// Through a PostgreSQL hub.
    Hub,
    /// Through a folder of the repository.
    Git,
}

impl TeamTransport {
    const fn as_str(self) -> &'static str {
        match self {
            TeamTransport::Hub => "hub",
            TeamTransport::Git => "git",
        }
    }
}

impl FromSql for TeamTransport {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "hub" => Ok(TeamTransport::Hub),
            "git" => Ok(TeamTransport::Git),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

/// A project that is shared with a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedProject {
    /// The project.
    pub project: ProjectId,
    /// The team's name.
    pub team: String,
    /// How shared memories travel.
    pub transport: TeamTransport,
    /// The hub's name for the project.
    pub hub_project: String,
    /// The last change that was pulled.
    pub watermark: Watermark,
    /// The hub's numbering that the watermark belongs to.
    pub epoch: Option<String>,
    /// Since when an open transaction on the hub holds back changes of others.
    pub held_since: Option<Timestamp>,
}

/// The result of joining a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinOutcome {
    /// It is joined.
    Joined,
    /// Another team of this name was joined, on this hub or elsewhere.
    NameTaken {
        /// The URL of that one.
        url: String,
    },
}

impl SyncWriter<'_> {
    /// Joins a team, or updates the address of its hub. Another team of the same name is never overwritten.
    pub fn join_team(&mut self, team: &Team, now: Timestamp) -> Result<JoinOutcome, StoreError> {
        self.store.write("join a team", |db| {
            let Some(known) = read_teams(db, "WHERE name = ?1", params![team.name])?.pop() else {
                let sql = "INSERT INTO teams (name, transport, url, member, joined_at_ms, hub_team, hub_id)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
                let Team { name, hub_team, hub_id, url, member, .. } = team;
                db.execute(
                    sql,
                    params![name, team.transport.as_str(), url, member, now.0, hub_team, hub_id],
                )?;
                return Ok(JoinOutcome::Joined);
            };
            // The id of a hub is learnt when it is first reached. Until then only its address can be compared.
            let is_same_hub = match &known.hub_id {
                Some(_) => known.hub_id == team.hub_id,
                None => known.url == team.url,
            };
            if !is_same_hub || known.hub_team != team.hub_team || known.transport != team.transport {
                return Ok(JoinOutcome::NameTaken { url: known.url });
            }
            let sql = "UPDATE teams SET url = ?2, member = ?3, hub_id = ?4 WHERE name = ?1";
            db.execute(sql, params![team.name, team.url, team.member, team.hub_id])?;
            if known.member != team.member {
                // Pins belong to a member: those pulled so far belong to another one.
                db.execute("UPDATE shared_projects SET watermark = 0 WHERE team = ?1", [&team.name])?;
            }
            Ok(JoinOutcome::Joined)
        })
    }

    /// Sets the id of a team's hub, unless it is already set.
    pub fn set_hub_id(&mut self, team: &str, hub_id: &str) -> Result<(), StoreError> {
        self.store.write("note a hub", |db| {
            let sql = "UPDATE teams SET hub_id = ?2 WHERE name = ?1 AND hub_id IS NULL";
            Ok(db.execute(sql, [team, hub_id]).map(drop)?)
        })
    }

    /// Leaves a team. Pulled memories stay. Returns whether it had been joined.
    pub fn leave_team(&mut self, name: &str) -> Result<bool, StoreError> {
        self.store
            .write("leave a team", |db| Ok(db.execute("DELETE FROM teams WHERE name = ?1", [name])? == 1))
    }

    /// Sets the URL of a hub this user owns.
    pub fn set_owned_hub(&mut self, team: &str, url: &str) -> Result<(), StoreError> {
        self.store.write("note a hub", |db| Ok(metadata::note(db, &owned_hub(team), &url)?))
    }

    /// Notes that a pull is held back at a watermark, or that it is not. Returns since when it is held back there.
    pub fn note_held_back(
        &mut self,
        project: ProjectId,
        at: Option<Watermark>,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, StoreError> {
        self.store.write("note what is held back", |db| {
            let sql = "UPDATE shared_projects SET held_at = ?2,
                     held_since_ms = CASE WHEN ?2 IS NULL THEN NULL WHEN held_at = ?2 THEN held_since_ms ELSE ?3 END
                 WHERE project_id = ?1 RETURNING held_since_ms";
            let values = params![project.0, at.map(|at| at.0), now.0];
            let since: Option<i64> = db.prepare_cached(sql)?.query_row(values, |row| row.get(0))?;
            Ok(since.map(Timestamp))
        })
    }

    /// Records when everything was pushed to and pulled from a team.
    pub fn mark_synced(&mut self, team: &str, now: Timestamp) -> Result<(), StoreError> {
        self.store.write("note a sync", |db| {
            db.execute("UPDATE teams SET synced_at_ms = ?2 WHERE name = ?1", params![team, now.0])?;
            Ok(())
        })
    }

    /// Shares a project with a team and queues all its memories.
    pub fn share_project(
        &mut self,
        project: ProjectId,
        team: &str,
        hub_project: &str,
    ) -> Result<(), StoreError> {
        self.store.write("share a project", |db| {
            // If it was shared with another team before, sync starts over.
            db.execute("DELETE FROM shared_projects WHERE project_id = ?1 AND (team, hub_project) <> (?2, ?3)", params![
                project.0,
                team,
                hub_project
            ])?;
            let sql = "INSERT INTO shared_projects (project_id, team, hub_project, watermark) VALUES (?1, ?2, ?3, 0) ON CONFLICT DO NOTHING";
            db.execute(sql, params![project.0, team, hub_project])?;
            let all = "INSERT INTO sync_outbox (uid, project_id) SELECT uid, project_id FROM memories
                 WHERE project_id = ?1 AND uid NOT IN (SELECT uid FROM synced_memories) ON CONFLICT DO NOTHING";
            db.execute(all, [project.0])?;
            Ok(())
        })
    }

    /// Stops sharing a project. Pulled memories stay here, pushed ones stay with the team. Returns whether it was shared.
    pub fn unshare_project(&mut self, project: ProjectId) -> Result<bool, StoreError> {
        self.store.write("stop sharing a project", |db| {
            Ok(db.execute("DELETE FROM shared_projects WHERE project_id = ?1", [project.0])? == 1)
        })
    }

    /// Sets the hub's numbering that a project's watermark belongs to.
    pub fn set_epoch(&mut self, project: ProjectId, epoch: &str) -> Result<(), StoreError> {
        self.store.write("note a hub's epoch", |db| {
            let sql = "UPDATE shared_projects SET epoch = ?2 WHERE project_id = ?1";
            Ok(db.execute(sql, params![project.0, epoch]).map(drop)?)
        })
    }

    /// Pulls a project from the start again, because its hub was restored or replaced and may have lost what was pushed.
    pub fn restart_pull(&mut self, project: ProjectId, epoch: &str) -> Result<(), StoreError> {
        self.store.write("restart the pull of a project", |db| {
            let sql = "UPDATE shared_projects SET epoch = ?2, watermark = 0 WHERE project_id = ?1";
            db.execute(sql, params![project.0, epoch])?;
            let sql = "UPDATE synced_memories SET is_confirmed = 0, vectors_pushed = 0 WHERE project_id = ?1";
            Ok(db.execute(sql, [project.0]).map(drop)?)
        })
    }

    /// Queues what the hub has lost, after everything it has was pulled. Other members push their own memories; their sync state is
    /// kept, so that forgetting one here is still pushed.
    pub fn requeue_lost(&mut self, project: ProjectId) -> Result<u64, StoreError> {
        self.store.write("queue what a hub has lost", |db| {
            let lost = "SELECT s.uid FROM synced_memories s JOIN memories m USING (uid)
                 WHERE s.project_id = ?1 AND s.is_confirmed = 0 AND m.provenance NOT LIKE 'team:%'";
            let sql = format!(
                // `WHERE true`: SQLite would otherwise read ON CONFLICT as the condition of a join.
                "INSERT INTO sync_outbox (uid, project_id) SELECT uid, ?1 FROM ({lost}) WHERE true ON CONFLICT DO NOTHING"
            );
            Ok(db.execute(&sql, [project.0])? as u64)
        })
    }

    /// Replaces the list of pulled memories that could not be read.
    pub fn set_unreadable(&mut self, project: ProjectId, uids: &[String]) -> Result<(), StoreError> {
        self.store.write("note what could not be read", |db| {
            db.execute("DELETE FROM unreadable_memories WHERE project_id = ?1", [project.0])?;
            let sql = "INSERT OR IGNORE INTO unreadable_memories (uid, project_id) VALUES (?1, ?2)";
            let mut statement = db.prepare_cached(sql)?;
            uids.iter().try_for_each(|uid| Ok(statement.execute(params![uid, project.0]).map(drop)?))
        })
    }
}

impl SyncReader<'_> {
    /// Lists the teams this home has joined.
    pub fn teams(&self) -> Result<Vec<Team>, StoreError> {
        self.store.read("list the teams", |db| Ok(read_teams(db, "", [])?))
    }

    /// Returns the URL of a hub this user owns.
    pub fn owned_hub(&self, team: &str) -> Result<Option<String>, StoreError> {
        self.store.read("look for a hub", |db| Ok(metadata::text(db, &owned_hub(team))?))
    }

    /// Returns the pulled memories of a project that could not be read.
    pub fn unreadable(&self, project: ProjectId) -> Result<Vec<String>, StoreError> {
        self.store.read("list what could not be read", |db| {
            let sql = "SELECT uid FROM unreadable_memories WHERE project_id = ?1";
            let mut statement = db.prepare_cached(sql)?;
            let uids = statement.query_map([project.0], |row| row.get(0))?;
            Ok(uids.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns how many deletions are still to be pushed.
    pub fn count_outbox_deletions(&self, project: ProjectId) -> Result<u64, StoreError> {
        self.store.read("count the pending deletions", |db| {
            let sql = "SELECT count(*) FROM sync_outbox JOIN synced_memories s USING (uid)
                 WHERE s.project_id = ?1 AND uid NOT IN (SELECT uid FROM memories)";
            Ok(db.prepare_cached(sql)?.query_row([project.0], |row| row.get(0))?)
        })
    }

    /// Lists the projects that are shared.
    pub fn shared_projects(&self) -> Result<Vec<SharedProject>, StoreError> {
        self.store.read("list what is shared", |db| {
            let sql = "SELECT s.project_id, s.team, s.hub_project, s.watermark, s.epoch, t.transport, s.held_since_ms
                 FROM shared_projects s JOIN teams t ON t.name = s.team ORDER BY s.team, s.project_id";
            let mut statement = db.prepare(sql)?;
            let rows = statement.query_map([], shared_project)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns how many changes of a project are still to be pushed.
    pub fn count_outbox(&self, project: ProjectId) -> Result<u64, StoreError> {
        self.store.read("count the pending changes", |db| {
            let sql = "SELECT count(*) FROM sync_outbox WHERE project_id = ?1";
            Ok(db.prepare_cached(sql)?.query_row([project.0], |row| row.get(0))?)
        })
    }
}

fn read_teams(db: &Connection, which: &str, values: impl Params) -> rusqlite::Result<Vec<Team>> {
    let sql = format!(
        "SELECT name, hub_team, hub_id, url, member, synced_at_ms, transport FROM teams {which} ORDER BY name"
    );
    let team = |row: &Row<'_>| {
        Ok(Team {
            name: row.get(0)?,
            hub_team: row.get(1)?,
            hub_id: row.get(2)?,
            url: row.get(3)?,
            member: row.get(4)?,
            synced_at: row.get::<_, Option<i64>>(5)?.map(Timestamp),
            transport: row.get(6)?,
        })
    };
    db.prepare(&sql)?.query_map(values, team)?.collect()
}

/// Returns the metadata key of an owned hub's URL.
fn owned_hub(team: &str) -> String {
    format!("hub of the team {team}")
}

fn shared_project(row: &Row<'_>) -> rusqlite::Result<SharedProject> {
    Ok(SharedProject {
        project: ProjectId(row.get(0)?),
        team: row.get(1)?,
        hub_project: row.get(2)?,
        watermark: Watermark(row.get(3)?),
        epoch: row.get(4)?,
        transport: row.get(5)?,
        held_since: row.get::<_, Option<i64>>(6)?.map(Timestamp),
    })
}
