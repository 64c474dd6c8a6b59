//! Which teams this home has joined, and which of its projects it shares with them.
//!
//! Not here: what is told (`telling`) and heard (`hearing`); the hub itself (`hub`).

use crate::{Store, StoreError};
use backstory_memory::{ProjectId, Timestamp, Watermark};
use rusqlite::{OptionalExtension, Row, params};

/// A team this home has joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// Its name.
    pub name: String,
    /// Where its hub is; never a password.
    pub url: String,
    /// Who we are to it.
    pub member: String,
    /// When everything was last told and heard.
    pub synced_at: Option<Timestamp>,
}

/// A project that is shared with a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedProject {
    /// The project.
    pub project: ProjectId,
    /// The team's name.
    pub team: String,
    /// What the hub calls the project.
    pub hub_project: String,
    /// How far its news have been read.
    pub watermark: Watermark,
}

impl Store {
    /// Joins a team, or notes that its hub has moved.
    pub fn join_team(&mut self, team: &Team, now: Timestamp) -> Result<(), StoreError> {
        self.write("join a team", |db| {
            let sql = "INSERT INTO teams (name, url, member, joined_at_ms) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET url = excluded.url, member = excluded.member";
            db.execute(sql, params![team.name, team.url, team.member, now.0])?;
            Ok(())
        })
    }

    /// Leaves a team: nothing is told or heard any more. What was heard stays. Returns whether it had been joined.
    pub fn leave_team(&mut self, name: &str) -> Result<bool, StoreError> {
        self.write("leave a team", |db| Ok(db.execute("DELETE FROM teams WHERE name = ?1", [name])? == 1))
    }

    /// Lists the teams this home has joined.
    pub fn teams(&self) -> Result<Vec<Team>, StoreError> {
        self.read("list the teams", |db| {
            let mut statement =
                db.prepare("SELECT name, url, member, synced_at_ms FROM teams ORDER BY name")?;
            let rows = statement.query_map([], |row| {
                Ok(Team {
                    name: row.get(0)?,
                    url: row.get(1)?,
                    member: row.get(2)?,
                    synced_at: row.get::<_, Option<i64>>(3)?.map(Timestamp),
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Notes where the hub of a team is that we own.
    pub fn note_owned_hub(&mut self, team: &str, url: &str) -> Result<(), StoreError> {
        self.write("note a hub", |db| {
            let sql = "INSERT INTO facts_of_the_store (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2";
            Ok(db.execute(sql, params![owned_hub(team), url]).map(drop)?)
        })
    }

    /// Returns where the hub of a team is that we own.
    pub fn owned_hub(&self, team: &str) -> Result<Option<String>, StoreError> {
        self.read("look for a hub", |db| {
            let sql = "SELECT value FROM facts_of_the_store WHERE name = ?1";
            Ok(db.query_row(sql, [owned_hub(team)], |row| row.get(0)).optional()?)
        })
    }

    /// Notes that everything has been told to a team, and heard from it.
    pub fn note_synced(&mut self, team: &str, now: Timestamp) -> Result<(), StoreError> {
        self.write("note a sync", |db| {
            db.execute("UPDATE teams SET synced_at_ms = ?2 WHERE name = ?1", params![team, now.0])?;
            Ok(())
        })
    }

    /// Shares a project: from now on what is in it is told to the team, and what the team knows of it is heard.
    pub fn share_project(
        &mut self,
        project: ProjectId,
        team: &str,
        hub_project: &str,
    ) -> Result<(), StoreError> {
        self.write("share a project", |db| {
            // Shared with another team before, it begins anew.
            db.execute("DELETE FROM shared_projects WHERE project_id = ?1 AND (team, hub_project) <> (?2, ?3)", params![
                project.0,
                team,
                hub_project
            ])?;
            let sql = "INSERT INTO shared_projects (project_id, team, hub_project, watermark) VALUES (?1, ?2, ?3, 0) ON CONFLICT DO NOTHING";
            db.execute(sql, params![project.0, team, hub_project])?;
            let all = "INSERT INTO untold_memories (uid, project_id) SELECT uid, project_id FROM memories
                 WHERE project_id = ?1 AND uid NOT IN (SELECT uid FROM synced_memories) ON CONFLICT DO NOTHING";
            db.execute(all, [project.0])?;
            Ok(())
        })
    }

    /// Shares a project no longer. What was heard stays here, what was told stays with the team. Returns whether it was shared.
    pub fn unshare_project(&mut self, project: ProjectId) -> Result<bool, StoreError> {
        self.write("share a project no longer", |db| {
            Ok(db.execute("DELETE FROM shared_projects WHERE project_id = ?1", [project.0])? == 1)
        })
    }

    /// Lists the projects that are shared.
    pub fn shared_projects(&self) -> Result<Vec<SharedProject>, StoreError> {
        self.read("list what is shared", |db| {
            let sql = "SELECT project_id, team, hub_project, watermark FROM shared_projects ORDER BY team, project_id";
            let mut statement = db.prepare(sql)?;
            let rows = statement.query_map([], shared_project)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns how many memories of a project the team is still to be told of.
    pub fn count_untold(&self, project: ProjectId) -> Result<u64, StoreError> {
        self.read("count what is to be told", |db| {
            let sql = "SELECT count(*) FROM untold_memories WHERE project_id = ?1";
            Ok(db.prepare_cached(sql)?.query_row([project.0], |row| row.get(0))?)
        })
    }
}

fn owned_hub(team: &str) -> String {
    format!("hub of the team {team}")
}

fn shared_project(row: &Row<'_>) -> rusqlite::Result<SharedProject> {
    Ok(SharedProject {
        project: ProjectId(row.get(0)?),
        team: row.get(1)?,
        hub_project: row.get(2)?,
        watermark: Watermark(row.get(3)?),
    })
}
