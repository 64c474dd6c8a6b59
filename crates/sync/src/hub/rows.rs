//! Reads shared memories from rows of the hub. Somebody else wrote them: a value that does not fit is an error, never a guess.

use crate::HubError;
use backstory_memory::{
    Category, Confidence, Content, Details, Importance, MemoryScope, SharedRevision, Timestamp, Uid,
};
use postgres::Row;
use postgres::row::RowIndex;
use postgres::types::FromSql;
use std::fmt::Display;
use std::str::FromStr;

/// The columns of a revision, in the order [`revision`] reads them, after those of its memory.
macro_rules! revision_columns {
    () => {
        "r.uid, m.created_at_ms, r.revised_at_ms, r.author::text, r.kind, r.category, r.title, r.body, r.facts, r.concepts, r.files, r.importance,
         r.confidence, r.provenance, r.valid_from_ms, r.valid_to_ms, r.superseded_by, r.details"
    };
}
pub(crate) use revision_columns;

pub(crate) fn uid(text: &str) -> Result<Uid, HubError> {
    Uid::parse(text).map_err(|error| HubError::BadRow(format!("{text:?}: {error}")))
}

pub(crate) fn code<T: FromStr>(text: &str) -> Result<T, HubError> {
    text.parse().map_err(|_| HubError::BadRow(format!("{text:?}")))
}

/// Reads one column.
pub(crate) fn column<'a, T: FromSql<'a>>(row: &'a Row, at: impl RowIndex + Display) -> Result<T, HubError> {
    row.try_get(at).map_err(|error| HubError::BadRow(error.to_string()))
}

/// Reads a revision from a row of [`revision_columns!`].
pub(crate) fn revision(row: &Row) -> Result<SharedRevision, HubError> {
    let time = |at: usize| column::<Option<i64>>(row, at).map(|time| time.map(Timestamp));
    let content = Content {
        kind: code(column(row, 4)?)?,
        category: column::<Option<String>>(row, 5)?.map(Category),
        title: column(row, 6)?,
        body: column(row, 7)?,
        facts: column(row, 8)?,
        concepts: column(row, 9)?,
        files: column(row, 10)?,
        details: column::<Option<&str>>(row, 17)?.and_then(Details::from_json),
        importance: Importance::new(column::<i16>(row, 11)?.into()),
        confidence: Confidence::new(column(row, 12)?),
        provenance: code(column(row, 13)?)?,
        scope: MemoryScope::Project,
        pinned: false,
        valid_from: time(14)?,
        valid_to: time(15)?,
    };
    let superseded_by: Option<&str> = column(row, 16)?;
    Ok(SharedRevision {
        content,
        superseded_by: superseded_by.map(uid).transpose()?,
        at: Timestamp(column(row, 2)?),
        author: column(row, 3)?,
    })
}
