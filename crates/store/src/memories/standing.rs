//! How memories stand: decided when they are written, and again when their words change, changed by the user and by repetition.
//!
//! Not here: the rule itself (`memory`), who may change it (`app`).

use crate::db::facets::{MemoryReader, MemoryWriter, ProjectReader};
use crate::memories::{self, writers};
use crate::{Filter, NewMemory, StandingFilter, StoreError};
use backstory_memory::{
    Content, EvidenceKind, Memory, MemoryId, OwnAddresses, ProjectId, Standing, StandingReason, Timestamp,
    first_standing,
};
use rusqlite::{Connection, params};

/// What the user says of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Confirm,
    /// It does not hold any more.
    Retire,
}

impl MemoryWriter<'_> {
    /// Writes down what the user says of a memory; returns how it stood before. What another memory replaced stays replaced.
    pub fn record_verdict(
        &mut self,
        id: MemoryId,
        verdict: Verdict,
        now: Timestamp,
    ) -> Result<Standing, StoreError> {
        self.store.write("record a verdict", |transaction| {
            let before = memories::read(transaction, id)?;
            let standing = match verdict {
                Verdict::Confirm => Standing::Confirmed,
                Verdict::Retire => Standing::Retired,
            };
            set(transaction, id, (standing, StandingReason::User), now)?;
            writers::take_over(transaction, id)?;
            Ok(before.standing)
        })
    }

    /// Retires memories that no longer hold. What the user said for good, confirmed or pinned stays: only the user retires it.
    pub fn retire(
        &mut self,
        ids: &[MemoryId],
        reason: StandingReason,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.store.write("retire memories", |transaction| {
            for id in ids {
                let memory = memories::read(transaction, *id)?;
                let is_unclear = memory.standing_reason == StandingReason::Unclear;
                let is_users = memory.is_users_own() && !is_unclear || memory.content.pinned;
                if !is_users && memory.standing.is_live() {
                    set(transaction, *id, (Standing::Retired, reason), now)?;
                }
            }
            Ok(())
        })
    }
}

impl ProjectReader<'_> {
    /// Returns the addresses that texts of a project may name.
    pub fn own_addresses(&self, project: ProjectId) -> Result<OwnAddresses, StoreError> {
        self.store.read("read a project's remotes", |db| Ok(own_addresses(db, project)?))
    }
}

impl MemoryReader<'_> {
    /// Returns proposed memories within a filter, newest first.
    pub fn proposed(&self, filter: &Filter) -> Result<Vec<Memory>, StoreError> {
        let filter = Filter { standing: StandingFilter::Proposed, ..filter.clone() };
        let ids: Vec<MemoryId> = self.store.search().list(&filter)?;
        self.get_many(&ids)
    }
}

/// Decides how a new memory stands.
pub(crate) fn first(db: &Connection, memory: &NewMemory) -> rusqlite::Result<(Standing, StandingReason)> {
    match memory.origin.standing {
        Some(known) => Ok(known),
        None => decide(db, memory.project, &memory.content, memory.origin.evidence),
    }
}

fn decide(
    db: &Connection,
    project: ProjectId,
    content: &Content,
    evidence: EvidenceKind,
) -> rusqlite::Result<(Standing, StandingReason)> {
    Ok(first_standing(content, evidence, &own_addresses(db, project)?))
}

/// Returns the evidence a memory was judged by, for new words that come without any of their own.
pub(crate) fn known_evidence(memory: &Memory) -> EvidenceKind {
    match memory.standing_reason {
        StandingReason::Structure => EvidenceKind::Structure,
        StandingReason::Unclear => EvidenceKind::Hint,
        _ => EvidenceKind::Words,
    }
}

/// Decides again how a memory stands after its words changed, by the evidence for the new words: a confirmation of the old words
/// says nothing about the new.
pub(crate) fn reassess(
    db: &Connection,
    before: &Memory,
    (content, evidence): (&Content, EvidenceKind),
    now: Timestamp,
) -> rusqlite::Result<()> {
    // Equal words from a less trusted source are judged again, too.
    let says_the_same = before.content.fingerprint() == content.fingerprint()
        && before.content.facts == content.facts
        && before.content.kind == content.kind
        && before.content.provenance <= content.provenance;
    if says_the_same || before.standing == Standing::Retired {
        return Ok(());
    }
    set(db, before.id, decide(db, before.project, content, evidence)?, now)
}

/// Confirms a memory that lacked nothing but a second source. What strangers said, or what asks for an action, waits for the user.
pub(crate) fn confirm_unproven(
    db: &Connection,
    memory: &Memory,
    reason: StandingReason,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let lacks_only_a_witness =
        matches!(memory.standing_reason, StandingReason::Unproven | StandingReason::Unclear);
    if memory.standing == Standing::Proposed && lacks_only_a_witness {
        set(db, memory.id, (Standing::Confirmed, reason), now)?;
    }
    Ok(())
}

/// Puts a fixed failure back in force, because it has come back.
pub(crate) fn reopen(
    db: &Connection,
    memory: &Memory,
    evidence: EvidenceKind,
    now: Timestamp,
) -> rusqlite::Result<()> {
    set(db, memory.id, decide(db, memory.project, &memory.content, evidence)?, now)
}

/// Confirms a memory that an agent fetched and acted on, if it asks for nothing and comes from an agent or a tool. Everything else
/// waits for the user, however often it is used: what the user may have meant for the moment, what strangers said, what asks for
/// an action.
pub(crate) fn confirm_used(db: &Connection, memory: &Memory, now: Timestamp) -> rusqlite::Result<()> {
    let describes = memory.standing_reason == StandingReason::Unproven;
    if memory.standing == Standing::Proposed && describes {
        set(db, memory.id, (Standing::Confirmed, StandingReason::Use), now)?;
    }
    Ok(())
}

/// Retires memories whose own end of validity has passed.
pub(crate) fn retire_expired(db: &Connection, now: Timestamp) -> rusqlite::Result<()> {
    let sql = "UPDATE memories SET standing = 'retired', standing_reason = 'over', updated_at_ms = max(updated_at_ms, ?1)
         WHERE valid_to_ms <= ?1 AND standing <> 'retired' AND superseded_by IS NULL";
    db.execute(sql, [now.0]).map(drop)
}

/// Sets a standing. `max` keeps the time of a change from going back with the clock.
pub(crate) fn set(
    db: &Connection,
    id: MemoryId,
    (standing, reason): (Standing, StandingReason),
    now: Timestamp,
) -> rusqlite::Result<()> {
    let sql = "UPDATE memories SET standing = ?2, standing_reason = ?3, updated_at_ms = max(updated_at_ms, ?4) WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![id.0, standing.as_str(), reason.as_str(), now.0]).map(drop)
}

/// Returns the addresses that texts of a project may name.
pub(crate) fn own_addresses(db: &Connection, project: ProjectId) -> rusqlite::Result<OwnAddresses> {
    // From the 8th character on, after `remote:`.
    let sql = "SELECT substr(key, 8) FROM project_keys WHERE project_id = ?1 AND key LIKE 'remote:%'";
    let remotes: Vec<String> =
        db.prepare_cached(sql)?.query_map([project.0], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(OwnAddresses::new(remotes))
}
