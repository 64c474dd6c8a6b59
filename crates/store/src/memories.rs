//! Writing memories and reading them back whole.
//!
//! Not here: the columns of what they say (`columns`), finding them (`search`), changing them (`revise`), removing them (`forget`).

pub(crate) mod anchors;
pub(crate) mod assertions;
pub(crate) mod columns;
pub(crate) mod distilled;
pub(crate) mod forget;
pub(crate) mod forget_files;
pub(crate) mod forgotten_texts;
pub(crate) mod links;
pub(crate) mod rejections;
pub(crate) mod revise;
pub(crate) mod revisions;
pub(crate) mod session_work;
pub(crate) mod standing;
pub(crate) mod transfer;
pub(crate) mod writers;

use crate::db::codes;
use crate::db::facets::{MemoryReader, MemoryWriter};
use crate::db::open::TxError;
use crate::search::words;
use crate::{Store, StoreError};
use backstory_memory::{
    Checksum, Content, EventId, EvidenceKind, Memory, MemoryId, ProjectId, Redacted, SessionId, Standing,
    StandingReason, Timestamp, Uid, Writer,
};
use columns::{ColumnReader, content_columns, content_parameters};
use rusqlite::{Connection, OptionalExtension, Params, Row, ToSql, params};

/// Selects whole memories, for [`memory_from`].
macro_rules! whole_memories {
    ($which:literal) => {
        concat!(
            "SELECT id, ",
            $crate::memories::columns::content_columns!(),
            ", uid, project_id, session_id, superseded_by, standing, standing_reason, created_at_ms, updated_at_ms,
                 times_seen, times_used, last_used_at_ms, checksum FROM memories ",
            $which
        )
    };
}
pub(crate) use whole_memories;

/// A memory about to be written.
#[derive(Clone, Debug)]
pub struct NewMemory {
    /// Its global name; one is made when there is none.
    pub uid: Option<Uid>,
    /// The project it belongs to.
    pub project: ProjectId,
    /// Where it came from.
    pub origin: MemoryOrigin,
    /// What it says.
    pub content: Redacted<Content>,
    /// When it was first written.
    pub created_at: Timestamp,
}

/// Where a memory came from.
#[derive(Clone, Debug, Default)]
pub struct MemoryOrigin {
    /// The session it was made in.
    pub session: Option<SessionId>,
    /// The events it was distilled from.
    pub events: Vec<EventId>,
    /// What speaks for it beside its words.
    pub evidence: EvidenceKind,
    /// How it stood elsewhere; otherwise that is decided by who said it and what proves it.
    pub standing: Option<(Standing, StandingReason)>,
    /// Who derived it and may write it anew; nobody where a person wrote it.
    pub writer: Option<Writer>,
    /// What it has been through elsewhere; a new memory has been through nothing.
    pub usage: Option<UsageHistory>,
}

/// What a memory went through before it came here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageHistory {
    /// When it last changed.
    pub updated_at: Timestamp,
    /// How often the same thing was seen.
    pub times_seen: u32,
    /// How often it was used.
    pub times_used: u32,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
}

impl UsageHistory {
    /// Starts the history of a memory that was seen once and never used.
    #[must_use]
    pub const fn new(updated_at: Timestamp) -> UsageHistory {
        UsageHistory { updated_at, times_seen: 1, times_used: 0, last_used_at: None }
    }
}

impl MemoryWriter<'_> {
    /// Writes a memory. One that was forgotten is refused: it must not come back by itself.
    pub fn remember(&mut self, memory: &NewMemory) -> Result<MemoryId, StoreError> {
        self.store.write("write a memory", |transaction| {
            forget::refuse_forgotten(transaction, memory.uid.as_ref(), &memory.content)?;
            Ok(insert(transaction, None, memory)?)
        })
    }

    /// Writes many memories in one transaction, passing over those that are known by uid or were forgotten.
    pub fn remember_all(&mut self, memories: &[NewMemory]) -> Result<Vec<InsertOutcome>, StoreError> {
        self.store.write("write memories", |transaction| {
            let mut unindexed = Unindexed::default();
            let kept = memories.iter().map(|memory| keep(transaction, memory, &mut unindexed));
            let kept = kept.collect::<rusqlite::Result<_>>()?;
            unindexed.index(transaction)?;
            Ok(kept)
        })
    }
}

impl MemoryReader<'_> {
    /// Reads memories by number, in the order asked for. Numbers nobody has are left out.
    pub fn get_many(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError> {
        let found: Result<Vec<_>, _> = ids.iter().map(|id| self.store.memories().get(*id)).collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// Reads one memory.
    pub fn get(&self, id: MemoryId) -> Result<Option<Memory>, StoreError> {
        self.store.read("read a memory", |db| read_where(db, whole_memories!("WHERE id = ?1"), id.0))
    }

    /// Reads the memory with a global name.
    pub fn by_uid(&self, uid: &Uid) -> Result<Option<Memory>, StoreError> {
        self.store.read("read a memory", |db| read_uid(db, uid))
    }

    /// Returns the memory in force of a project that says the same word for word, case and punctuation aside.
    pub fn with_text(&self, project: ProjectId, content: &Content) -> Result<Option<MemoryId>, StoreError> {
        self.store.read("look for the same words", |db| {
            let sql =
                "SELECT id FROM memories WHERE fingerprint = ?1 AND project_id = ?2 AND superseded_by IS NULL
                 AND standing <> 'retired' LIMIT 1";
            let found = db
                .prepare_cached(sql)?
                .query_row(params![content.fingerprint().0, project.0], |row| row.get(0).map(MemoryId));
            Ok(found.optional()?)
        })
    }

    /// Calls `each` with every memory, oldest first, without holding them all.
    pub fn for_each(&self, mut each: impl FnMut(Memory)) -> Result<(), StoreError> {
        self.store.read("read the memories", |db| {
            let mut statement = db.prepare(whole_memories!("ORDER BY id"))?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                each(memory_from(row)?);
            }
            Ok(())
        })
    }

    /// Returns how many memories there are.
    pub fn count(&self) -> Result<u64, StoreError> {
        self.store.read("count the memories", |db| {
            Ok(db.query_row("SELECT count(*) FROM memories", [], |row| row.get(0))?)
        })
    }
}

impl Store {
    /// Runs a query that selects numbers of memories.
    pub(crate) fn memory_ids(
        &self,
        doing: &'static str,
        sql: &str,
        values: impl Params,
    ) -> Result<Vec<MemoryId>, StoreError> {
        self.read(doing, |db| {
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map(values, |row| row.get(0).map(MemoryId))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// Refuses a number nobody has.
pub(crate) fn refuse_unknown(db: &Connection, id: MemoryId) -> Result<(), TxError> {
    let is_known = db.prepare_cached("SELECT 1 FROM memories WHERE id = ?1")?.exists([id.0])?;
    if is_known { Ok(()) } else { Err(StoreError::NoSuchMemory(id).into()) }
}

/// Reads one memory inside a transaction that is already open.
pub(crate) fn read(db: &Connection, id: MemoryId) -> Result<Memory, TxError> {
    let found = read_where(db, whole_memories!("WHERE id = ?1"), id.0)?;
    found.ok_or_else(|| StoreError::NoSuchMemory(id).into())
}

/// Reads the memory with a global name, inside a transaction that is already open.
pub(crate) fn read_uid(db: &Connection, uid: &Uid) -> Result<Option<Memory>, TxError> {
    read_where(db, whole_memories!("WHERE uid = ?1"), uid.as_str())
}

fn read_where(db: &Connection, sql: &str, value: impl ToSql) -> Result<Option<Memory>, TxError> {
    db.prepare_cached(sql)?.query([value])?.next()?.map(memory_from).transpose()
}

/// What became of a memory that was to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertOutcome {
    /// It is new.
    Written(MemoryId),
    /// A memory of this uid is here already.
    Known(MemoryId),
    /// It was forgotten on purpose and stays out.
    Forgotten,
}

/// Memories whose rows are written and whose words are not in the index yet. Any other statement makes FTS5 write out the words it
/// has gathered, so the words of a batch are added together, after all rows.
#[derive(Default)]
pub(crate) struct Unindexed<'a>(Vec<(MemoryId, &'a NewMemory)>);

impl<'a> Unindexed<'a> {
    /// Writes all of a memory but its place in the word index.
    pub(crate) fn insert(&mut self, db: &Connection, memory: &'a NewMemory) -> rusqlite::Result<MemoryId> {
        let id = insert_unindexed(db, None, memory)?;
        self.0.push((id, memory));
        Ok(id)
    }

    /// Adds their words to the index.
    pub(crate) fn index(&mut self, db: &Connection) -> rusqlite::Result<()> {
        self.0.drain(..).try_for_each(|(id, memory)| words::add(db, id, memory.project, &memory.content))
    }
}

/// Writes a memory, unless it is known by its uid or was forgotten.
pub(crate) fn keep<'a>(
    db: &Connection,
    memory: &'a NewMemory,
    unindexed: &mut Unindexed<'a>,
) -> rusqlite::Result<InsertOutcome> {
    if let Some(uid) = &memory.uid
        && let Some(id) = id_of(db, uid)?
    {
        return Ok(InsertOutcome::Known(id));
    }
    if forget::tombstone_for(db, memory.uid.as_ref(), &memory.content)?.is_some() {
        return Ok(InsertOutcome::Forgotten);
    }
    unindexed.insert(db, memory).map(InsertOutcome::Written)
}

/// Returns the number here of the memory with a global name.
pub(crate) fn id_of(db: &Connection, uid: &Uid) -> rusqlite::Result<Option<MemoryId>> {
    db.prepare_cached("SELECT id FROM memories WHERE uid = ?1")?
        .query_row([uid.as_str()], |row| row.get(0).map(MemoryId))
        .optional()
}

/// Writes the row, its anchors, its evidence and its words; under the number `id`, where it had that one before.
pub(crate) fn insert(
    db: &Connection,
    id: Option<MemoryId>,
    memory: &NewMemory,
) -> rusqlite::Result<MemoryId> {
    let id = insert_unindexed(db, id, memory)?;
    words::add(db, id, memory.project, &memory.content)?;
    Ok(id)
}

fn insert_unindexed(db: &Connection, id: Option<MemoryId>, memory: &NewMemory) -> rusqlite::Result<MemoryId> {
    let content = &memory.content;
    let uid = memory.uid.clone().unwrap_or_else(|| fresh_uid(memory.created_at));
    let usage = memory.origin.usage.unwrap_or(UsageHistory::new(memory.created_at));
    let (stands, why) = standing::first(db, memory)?;
    let mut statement = db.prepare_cached(concat!(
        "INSERT INTO memories (",
        content_columns!(),
        ", tokens, fingerprint, checksum, uid, project_id, session_id, standing, standing_reason, created_at_ms, updated_at_ms,
            times_seen, times_used, last_used_at_ms, writer, id) VALUES (",
        content_parameters!(),
        ", ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    ))?;
    let rest = params![
        content.tokens().0,
        content.fingerprint().0,
        Checksum::of_content(content).0.0,
        uid.as_str(),
        memory.project.0,
        memory.origin.session.map(|id| id.0),
        stands.as_str(),
        why.as_str(),
        memory.created_at.0,
        usage.updated_at.0,
        usage.times_seen,
        usage.times_used,
        usage.last_used_at.map(|time| time.0),
        memory.origin.writer.map(Writer::as_str),
        id.map(|id| id.0),
    ];
    columns::execute(&mut statement, content, rest)?;
    let id = MemoryId(db.last_insert_rowid());
    anchors::insert_files(db, id, &content.files)?;
    distilled::link_evidence(db, id, &memory.origin.events)?;
    Ok(id)
}

fn fresh_uid(at: Timestamp) -> Uid {
    let mut random = [0; 10];
    // Without randomness two memories of one millisecond could collide; the UNIQUE column would then refuse the second.
    if getrandom::fill(&mut random).is_err() {
        random = [0; 10];
    }
    Uid::from_parts(at.0, random)
}

/// Reads a whole memory from a row of [`whole_memories!`].
pub(crate) fn memory_from(row: &Row<'_>) -> Result<Memory, TxError> {
    let mut column = ColumnReader::new(row);
    let id = MemoryId(column.read()?);
    let what = format!("memory #{id}");
    let content = columns::read(&mut column, &what)?;
    let uid = codes::uid(&what, column.text()?)?;
    let project = ProjectId(column.read()?);
    let session = column.read::<Option<i64>>()?.map(SessionId);
    let superseded_by = column.read::<Option<i64>>()?.map(|by| Standing::Superseded(MemoryId(by)));
    let standing: Standing = codes::code(&what, column.text()?)?;
    Ok(Memory {
        id,
        content,
        uid,
        project,
        session,
        standing: superseded_by.unwrap_or(standing),
        standing_reason: codes::code(&what, column.text()?)?,
        created_at: Timestamp(column.read()?),
        updated_at: Timestamp(column.read()?),
        times_seen: column.read()?,
        times_used: column.read()?,
        last_used_at: column.time()?,
        checksum: codes::checksum(&what, &column.read::<Vec<u8>>()?)?,
    })
}
