//! Vectors of memories, where the server has pgvector: pushed as the bytes their author's machine stores, and searched on the hub.
//!
//! Not a numbered migration: whether the server has pgvector may change. Without it, `search` goes by words.

use super::hub_answers::VectorSupport;
use super::hub_requests::MemoryVectors;
use super::migrate;
use super::sql_error::Doing;
use crate::{Hub, HubError};
use postgres::{Client, GenericClient};

const STEP: &str = include_str!("hub_vectors.sql");

/// Adds vectors to a hub, where the server has pgvector.
pub(crate) fn add_vectors(client: &mut Client) -> Result<VectorSupport, HubError> {
    const DOING: &str = "add vectors to the hub";
    if is_there(client)? {
        return Ok(VectorSupport::Used);
    }
    let available = "SELECT FROM pg_available_extensions WHERE name = 'vector'";
    if client.query_opt(available, &[]).doing(DOING)?.is_none() {
        return Ok(VectorSupport::Absent);
    }
    // Outside of the transaction below, which a refusal would end.
    if client.batch_execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA backstory").is_err() {
        return Ok(VectorSupport::NotAllowed);
    }
    let indexed = "SELECT FROM pg_am WHERE amname = 'hnsw'";
    if client.query_opt(indexed, &[]).doing(DOING)?.is_none() {
        return Ok(VectorSupport::TooOld);
    }
    let mut transaction = client.transaction().doing(DOING)?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&migrate::LOCK]).doing(DOING)?;
    // Another owner may have added them while this one waited for the lock.
    if is_there(&mut transaction)? {
        return Ok(VectorSupport::Used);
    }
    let schema = "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'vector'";
    let schema: String = transaction.query_one(schema, &[]).doing(DOING)?.get(0);
    transaction.batch_execute(&STEP.replace("{schema}", &schema)).doing(DOING)?;
    transaction.commit().doing(DOING)?;
    Ok(VectorSupport::Used)
}

/// Whether the hub has vectors.
pub(crate) fn is_there(client: &mut impl GenericClient) -> Result<bool, HubError> {
    let sql = "SELECT to_regclass('backstory.vectors') IS NOT NULL";
    Ok(client.query_one(sql, &[]).doing("look for vectors")?.get(0))
}

impl Hub {
    /// Whether the hub is also searched by vectors.
    pub fn has_vectors(&mut self) -> Result<bool, HubError> {
        is_there(&mut self.client)
    }

    /// Pushes vectors. Pushing them twice changes nothing, and those of revisions the hub does not have are skipped.
    pub fn push_vectors(
        &mut self,
        model: &str,
        memories: &[MemoryVectors],
        on_progress: &mut dyn FnMut(),
    ) -> Result<(), HubError> {
        const DOING: &str = "take vectors";
        let mut transaction = self.write()?;
        let sql = "INSERT INTO backstory.vectors (team, project_key, uid, revised_at_ms, content_digest, model, part_number, quantised)
             SELECT team, project_key, uid, revised_at_ms, content_digest, $3, $4, $5 FROM backstory.revisions
             WHERE team = (SELECT backstory.current_team()) AND uid = $1 AND content_digest = $2 ON CONFLICT DO NOTHING";
        let statement = transaction.prepare(sql).doing(DOING)?;
        for memory in memories {
            for (part, bytes) in (0i16..).zip(&memory.parts) {
                let digest = memory.content_digest.0.as_slice();
                transaction
                    .execute(&statement, &[&memory.uid.as_str(), &digest, &model, &part, bytes])
                    .doing(DOING)?;
                on_progress();
            }
        }
        transaction.commit().doing(DOING)
    }
}
