//! Pushes a batch to the hub. Pushing it twice changes nothing.
//!
//! Not here: what may be shared (`share_policy`), vectors (`hub_vectors`).

use super::hub_answers::{Pushed, RejectedMemory};
use super::sql_error::Doing;
use crate::{Hub, HubError};
use backstory_memory::{SharedMemory, SharedRevision, SyncBatch, Uid};
use postgres::types::ToSql;
use postgres::{Statement, Transaction};

/// How often a transaction is tried that collides with those of others.
const TRIES: usize = 5;
const DOING: &str = "take a push";

impl Hub {
    /// Pushes a batch of a project. `on_progress` is called whenever the hub has answered.
    ///
    /// Memories, links with pins, and deletions are three transactions, each in the order of uids: members who push at the same time wait
    /// for each other, and those who collide all the same try again.
    pub fn push(
        &mut self,
        project: &str,
        batch: &SyncBatch,
        on_progress: &mut dyn FnMut(),
    ) -> Result<Pushed, HubError> {
        let mut memories: Vec<&SharedMemory> = batch.memories.iter().collect();
        memories.sort_by(|a, b| a.uid.cmp(&b.uid));
        let mut pushed = Pushed::default();
        self.push_memories(project, &memories, &mut pushed, on_progress)?;
        retry_collisions(|| self.push_links_and_pins(batch, on_progress))?;
        retry_collisions(|| self.push_deletions(batch, on_progress))?;
        Ok(pushed)
    }

    /// Pushes memories. If the hub rejects them, pushes each half, and so on until it is known which it rejects.
    fn push_memories(
        &mut self,
        project: &str,
        memories: &[&SharedMemory],
        pushed: &mut Pushed,
        on_progress: &mut dyn FnMut(),
    ) -> Result<(), HubError> {
        if memories.is_empty() {
            return Ok(());
        }
        match (retry_collisions(|| self.push_in_one_transaction(project, memories, on_progress)), memories) {
            (Err(HubError::Rejected { detail }), [one]) => {
                pushed.rejected.push(RejectedMemory { uid: one.uid.clone(), reason: detail });
                Ok(())
            }
            (Err(HubError::Rejected { .. }), several) => {
                let (first, second) = several.split_at(several.len() / 2);
                self.push_memories(project, first, pushed, on_progress)?;
                self.push_memories(project, second, pushed, on_progress)
            }
            (pushed_now, _) => {
                pushed.in_other_project.extend(pushed_now?);
                Ok(())
            }
        }
    }

    /// Pushes memories in one transaction. Returns those that belong to another project: the memory's row decides, not who pushes.
    fn push_in_one_transaction(
        &mut self,
        project: &str,
        memories: &[&SharedMemory],
        on_progress: &mut dyn FnMut(),
    ) -> Result<Vec<Uid>, HubError> {
        let team = self.team.to_string();
        let mut transaction = self.write()?;
        let memory = "INSERT INTO backstory.memories (team, project_key, uid, created_at_ms) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
        let memory = transaction.prepare(memory).doing(DOING)?;
        let revision = transaction.prepare(REVISION).doing(DOING)?;
        for shared in memories {
            let values: [&(dyn ToSql + Sync); 4] =
                [&team, &project, &shared.uid.as_str(), &shared.created_at.0];
            transaction.execute(&memory, &values).doing(DOING)?;
            on_progress();
        }
        for shared in memories {
            for revised in &shared.revisions {
                insert(&mut transaction, &revision, (&team, shared.uid.as_str()), revised)?;
                on_progress();
            }
        }
        let uids: Vec<&str> = memories.iter().map(|shared| shared.uid.as_str()).collect();
        let sql =
            "SELECT uid FROM backstory.memories WHERE team = $1 AND project_key <> $2 AND uid = ANY ($3)";
        let rows = transaction.query(sql, &[&team, &project, &uids]).doing(DOING)?;
        transaction.commit().doing(DOING)?;
        on_progress();
        rows.iter().map(|row| super::rows::uid(row.get(0))).collect()
    }

    /// Pushes how memories relate, and what this member has pinned.
    fn push_links_and_pins(
        &mut self,
        batch: &SyncBatch,
        on_progress: &mut dyn FnMut(),
    ) -> Result<(), HubError> {
        if batch.links.is_empty() && batch.pins.is_empty() {
            return Ok(());
        }
        let team = self.team.to_string();
        let mut transaction = self.write()?;
        // Only between memories the hub has: others are not shared, or forgotten.
        let link = "INSERT INTO backstory.links (team, project_key, uid, relation, target_uid)
             SELECT team, project_key, uid, $3, $4 FROM backstory.memories WHERE team = $1 AND uid = $2
                 AND EXISTS (SELECT FROM backstory.memories WHERE team = $1 AND uid = $4) ON CONFLICT DO NOTHING";
        let link = transaction.prepare(link).doing(DOING)?;
        for shared in &batch.links {
            let (from, to) = (shared.from.as_str(), shared.to.as_str());
            transaction.execute(&link, &[&team, &from, &shared.relation.as_str(), &to]).doing(DOING)?;
            on_progress();
        }
        let pin = "INSERT INTO backstory.pins (team, project_key, uid, is_pinned)
             SELECT team, project_key, uid, $3 FROM backstory.memories WHERE team = $1 AND uid = $2 ON CONFLICT DO NOTHING";
        let pin = transaction.prepare(pin).doing(DOING)?;
        for (uid, pinned) in &batch.pins {
            transaction.execute(&pin, &[&team, &uid.as_str(), pinned]).doing(DOING)?;
            on_progress();
        }
        transaction.commit().doing(DOING)
    }

    fn push_deletions(&mut self, batch: &SyncBatch, on_progress: &mut dyn FnMut()) -> Result<(), HubError> {
        const DOING: &str = "forget";
        if batch.forgotten.is_empty() {
            return Ok(());
        }
        let team = self.team.to_string();
        let mut uids: Vec<&str> = batch.forgotten.iter().map(Uid::as_str).collect();
        uids.sort_unstable();
        let mut transaction = self.write()?;
        let sql = "INSERT INTO backstory.tombstones (team, project_key, uid)
             SELECT team, project_key, uid FROM backstory.memories WHERE team = $1 AND uid = $2 ON CONFLICT DO NOTHING";
        let statement = transaction.prepare(sql).doing(DOING)?;
        for uid in uids {
            transaction.execute(&statement, &[&team, &uid]).doing(DOING)?;
            on_progress();
        }
        transaction.commit().doing(DOING)
    }
}

/// Tries again what collided with a transaction of another member.
fn retry_collisions<T>(mut attempt: impl FnMut() -> Result<T, HubError>) -> Result<T, HubError> {
    for _ in 1..TRIES {
        match attempt() {
            Err(HubError::Collided { .. }) => {}
            done => return done,
        }
    }
    attempt()
}

const REVISION: &str = "INSERT INTO backstory.revisions (team, project_key, uid, revised_at_ms, content_digest, superseded_by, kind, title,
        body, facts, concepts, files, attributes)
     SELECT team, project_key, uid, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::text::jsonb
     FROM backstory.memories WHERE team = $1 AND uid = $2 ON CONFLICT DO NOTHING";

fn insert(
    transaction: &mut Transaction<'_>,
    statement: &Statement,
    (team, uid): (&str, &str),
    revised: &SharedRevision,
) -> Result<(), HubError> {
    let (content, digest) = (&revised.content, revised.content_digest());
    let values: [&(dyn ToSql + Sync); 12] = [
        &team,
        &uid,
        &revised.at.0,
        &digest.0.as_slice(),
        &revised.superseded_by.as_ref().map(Uid::as_str),
        &content.kind.as_str(),
        &content.title,
        &content.body,
        &content.facts,
        &content.concepts,
        &content.files,
        &super::rows::attributes(content)?,
    ];
    transaction.execute(statement, &values).doing(DOING).map(drop)
}
