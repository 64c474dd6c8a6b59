//! Which memories a query may see: scope, standing, kind, time and file, as SQL and as a test of one row.
//!
//! Testing single rows is faster where few candidates are left: SQL evaluates every condition for every row, even those that were
//! not set, and parses the list of kinds each time. Not here: lists of everything that matches (`search`).

use crate::db::open::TxError;
use backstory_memory::{Kind, MemoryId, ProjectId, Timestamp};
use rusqlite::{CachedStatement, Connection, Row, Statement, named_params};

/// Which projects a query may see (law 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One project, and the user's memories that hold in every project.
    Project(ProjectId),
    /// Every project; only when the user asks for it.
    Everywhere,
}

/// Which standings a query may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandingFilter {
    /// What is in force or waits for somebody to confirm it.
    Live,
    /// Only what is in force: what may be injected unasked.
    Confirmed,
    /// Only what waits for somebody to confirm it.
    Proposed,
    /// Superseded and retired memories too.
    Any,
}

impl Scope {
    /// Returns the number of the one project, to bind to a query; none for every project.
    pub(crate) fn project(self) -> Option<i64> {
        match self {
            Scope::Project(id) => Some(id.0),
            Scope::Everywhere => None,
        }
    }
}

impl StandingFilter {
    /// Returns the standings it lets through, as a JSON list for SQL; none if all pass.
    fn names(self) -> Option<&'static str> {
        match self {
            StandingFilter::Live => Some(r#"["proposed","confirmed"]"#),
            StandingFilter::Confirmed => Some(r#"["confirmed"]"#),
            StandingFilter::Proposed => Some(r#"["proposed"]"#),
            StandingFilter::Any => None,
        }
    }

    fn passes(self, is_superseded: bool, standing: &str) -> bool {
        match self {
            StandingFilter::Any => true,
            // The column keeps how a replaced memory stood before, for when its replacement is forgotten.
            _ if is_superseded => false,
            StandingFilter::Live => standing != "retired",
            StandingFilter::Confirmed => standing == "confirmed",
            StandingFilter::Proposed => standing == "proposed",
        }
    }
}

/// What must hold of a memory to be in the result.
///
/// [`Filter::within`] is the only constructor, so that every query names its scope.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Which projects.
    pub scope: Scope,
    /// Which standings.
    pub standing: StandingFilter,
    /// Which kinds; empty means all.
    pub kinds: Vec<Kind>,
    /// Written at or after.
    pub since: Option<Timestamp>,
    /// Written before.
    pub until: Option<Timestamp>,
    /// Anchored in this file: its whole path, or the end of it.
    pub file: Option<String>,
    /// How many at the most.
    pub limit: u32,
    /// How many to skip.
    pub offset: u32,
}

impl Filter {
    /// Returns a filter that lets through everything that is not retired within a scope.
    #[must_use]
    pub fn within(scope: Scope) -> Filter {
        Filter {
            scope,
            standing: StandingFilter::Live,
            kinds: Vec::new(),
            since: None,
            until: None,
            file: None,
            limit: 20,
            offset: 0,
        }
    }

    fn kinds_text(&self) -> Option<String> {
        let names: Vec<String> = self.kinds.iter().map(|kind| format!("\"{kind}\"")).collect();
        (!names.is_empty()).then(|| format!("[{}]", names.join(",")))
    }

    /// Binds the named parameters of [`where_matching!`].
    pub(crate) fn bind(&self, statement: &mut Statement<'_>) -> rusqlite::Result<()> {
        let values = named_params! {
            ":project": self.scope.project(),
            ":standings": self.standing.names(),
            ":kinds": self.kinds_text(),
            ":since": self.since.map(|time| time.0),
            ":until": self.until.map(|time| time.0),
            ":file": self.file,
            ":file_end": self.file.as_deref().map(|file| format!("/{file}")),
        };
        values.iter().try_for_each(|(name, value)| statement.raw_bind_parameter(*name, value))
    }
}

/// Adds the conditions of a filter to a query over `memories m`. The end of a path is compared by `substr`: in LIKE, its `_` and `%`
/// would be wildcards.
macro_rules! where_matching {
    ($before:expr, $after:literal) => {
        concat!(
            $before,
            " (:project IS NULL OR m.project_id = :project OR m.scope = 'user')
              AND (:standings IS NULL OR m.superseded_by IS NULL AND m.standing IN (SELECT value FROM json_each(:standings)))
              AND (:kinds IS NULL OR m.kind IN (SELECT value FROM json_each(:kinds)))
              AND (:since IS NULL OR m.created_at_ms >= :since) AND (:until IS NULL OR m.created_at_ms < :until)
              AND (:file IS NULL OR EXISTS (SELECT 1 FROM anchors a WHERE a.memory_id = m.id
                   AND (a.path = :file OR substr(a.path, -length(:file_end)) = :file_end))) ",
            $after
        )
    };
}

pub(crate) use where_matching;

/// The columns [`matching_id`] reads; they come first in the row.
macro_rules! filter_columns {
    () => {
        "m.id, m.project_id, m.scope = 'user', m.superseded_by IS NOT NULL, m.standing, m.kind, m.created_at_ms"
    };
}
pub(crate) use filter_columns;

/// Tests one memory after the other against a filter.
pub(crate) struct RowFilter<'db> {
    db: &'db Connection,
    filter: &'db Filter,
    row: CachedStatement<'db>,
}

impl<'db> RowFilter<'db> {
    pub(crate) fn new(db: &'db Connection, filter: &'db Filter) -> rusqlite::Result<RowFilter<'db>> {
        let row =
            db.prepare_cached(concat!("SELECT ", filter_columns!(), " FROM memories m WHERE m.id = ?1"))?;
        Ok(RowFilter { db, filter, row })
    }

    /// Returns whether the memory exists and matches.
    pub(crate) fn fits(&mut self, id: MemoryId) -> Result<bool, TxError> {
        let mut rows = self.row.query([id.0])?;
        let fits = rows.next()?.map(|row| matching_id(self.db, row, self.filter)).transpose()?;
        Ok(fits.flatten().is_some())
    }
}

/// Returns the memory of a row that begins with [`filter_columns!`], if it matches the filter.
pub(crate) fn matching_id(
    db: &Connection,
    row: &Row<'_>,
    filter: &Filter,
) -> Result<Option<MemoryId>, TxError> {
    let id = MemoryId(row.get(0)?);
    let is_in_scope = match filter.scope {
        Scope::Project(project) => row.get::<_, i64>(1)? == project.0 || row.get(2)?,
        Scope::Everywhere => true,
    };
    let has_standing = filter.standing.passes(row.get(3)?, text(row, 4)?);
    if !is_in_scope || !has_standing {
        return Ok(None);
    }
    let (kind, at) = (text(row, 5)?, row.get::<_, i64>(6)?);
    let is_of_kind = filter.kinds.is_empty() || filter.kinds.iter().any(|wanted| wanted.as_str() == kind);
    let is_in_time =
        filter.since.is_none_or(|since| at >= since.0) && filter.until.is_none_or(|until| at < until.0);
    let is_of_file = match &filter.file {
        Some(path) => speaks_of(db, id, path)?,
        None => true,
    };
    Ok((is_of_kind && is_in_time && is_of_file).then_some(id))
}

/// Returns whether a memory is anchored in a file.
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

/// Returns whether a path equals another one, or ends with it after a slash.
pub(crate) fn is_path_end(path: &str, end: &str) -> bool {
    !end.is_empty() && path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// Borrows a column's text.
pub(crate) fn text<'row>(row: &'row Row<'_>, column: usize) -> rusqlite::Result<&'row str> {
    Ok(row.get_ref(column)?.as_str()?)
}
