//! Whether a memory fits a filter, judged row by row.
//!
//! In SQL every part of a filter that was not asked for is asked of every row all the same, and a list of kinds is parsed anew for
//! each: here a row costs one look. Not here: lists of everything that fits (`search`), which SQL can cut short by its indexes.

use crate::open::Stop;
use crate::{Filter, Scope, StandingFilter};
use backstory_memory::MemoryId;
use rusqlite::{CachedStatement, Connection, Row};

/// What a row is judged by. It begins every row that is.
macro_rules! judged {
    () => {
        "m.id, m.project_id, m.scope = 'user', m.superseded_by IS NULL, m.kind, m.created_at_ms"
    };
}
pub(crate) use judged;

/// Judges one memory after the other.
pub(crate) struct Judge<'db> {
    db: &'db Connection,
    filter: &'db Filter,
    row: CachedStatement<'db>,
}

impl<'db> Judge<'db> {
    pub(crate) fn of(db: &'db Connection, filter: &'db Filter) -> rusqlite::Result<Judge<'db>> {
        let row = db.prepare_cached(concat!("SELECT ", judged!(), " FROM memories m WHERE m.id = ?1"))?;
        Ok(Judge { db, filter, row })
    }

    /// Whether there is such a memory, and it fits.
    pub(crate) fn fits(&mut self, id: MemoryId) -> Result<bool, Stop> {
        let mut rows = self.row.query([id.0])?;
        let fits = rows.next()?.map(|row| fitting(self.db, row, self.filter)).transpose()?;
        Ok(fits.flatten().is_some())
    }
}

/// Returns the memory of a row that begins with [`judged!`], where it fits the filter.
pub(crate) fn fitting(db: &Connection, row: &Row<'_>, filter: &Filter) -> Result<Option<MemoryId>, Stop> {
    let id = MemoryId(row.get(0)?);
    let is_in_reach = match filter.reach {
        Scope::Project(project) => row.get::<_, i64>(1)? == project.0 || row.get(2)?,
        Scope::Everywhere => true,
    };
    let is_of_life = filter.standing == StandingFilter::Any || row.get(3)?;
    if !is_in_reach || !is_of_life {
        return Ok(None);
    }
    let (kind, at) = (text(row, 4)?, row.get::<_, i64>(5)?);
    let is_of_kind = filter.kinds.is_empty() || filter.kinds.iter().any(|wanted| wanted.as_str() == kind);
    let is_in_time =
        filter.since.is_none_or(|since| at >= since.0) && filter.until.is_none_or(|until| at < until.0);
    let is_of_file = match &filter.file {
        Some(path) => speaks_of(db, id, path)?,
        None => true,
    };
    Ok((is_of_kind && is_in_time && is_of_file).then_some(id))
}

/// Whether a memory speaks of a file.
fn speaks_of(db: &Connection, id: MemoryId, end: &str) -> rusqlite::Result<bool> {
    let mut statement = db.prepare_cached("SELECT path FROM anchors WHERE memory_id = ?1")?;
    let mut rows = statement.query([id.0])?;
    while let Some(row) = rows.next()? {
        if is_path_end(text(row, 0)?, end) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a path is the other one, or ends with it at the border of a folder.
pub(crate) fn is_path_end(path: &str, end: &str) -> bool {
    !end.is_empty() && path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// Lends a column's text.
pub(crate) fn text<'row>(row: &'row Row<'_>, column: usize) -> rusqlite::Result<&'row str> {
    Ok(row.get_ref(column)?.as_str()?)
}
