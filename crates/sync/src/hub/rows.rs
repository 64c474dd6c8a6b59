//! Reads shared memories from rows of the hub. Somebody else wrote them: a value that does not fit is an error, never a guess.

use crate::HubError;
use backstory_memory::{
    Content, ContentRecord, SharedRevision, Timestamp, Uid, parse_shared_record, shared_record,
};
use postgres::Row;
use postgres::row::RowIndex;
use postgres::types::FromSql;
use serde_json::Value;
use std::fmt::Display;
use std::str::FromStr;

/// The columns of a revision, in the order [`revision`] reads them, after those of its memory.
macro_rules! revision_columns {
    () => {
        "r.uid, m.created_at_ms, r.revised_at_ms, r.author::text, r.superseded_by, r.kind, r.title, r.body, r.facts, r.concepts, r.files,
         r.attributes::text"
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
    row.try_get(at).map_err(bad)
}

/// Reads a revision from a row of [`revision_columns!`].
pub(crate) fn revision(row: &Row) -> Result<SharedRevision, HubError> {
    let attributes: Value = serde_json::from_str(column(row, 11)?).map_err(bad)?;
    let record = ContentRecord {
        kind: Some(column(row, 5)?),
        title: Some(column(row, 6)?),
        body: Some(column(row, 7)?),
        facts: column(row, 8)?,
        concepts: column(row, 9)?,
        files: column(row, 10)?,
        ..parse_shared_record(&attributes).map_err(bad)?
    };
    Ok(SharedRevision {
        content: record.into_whole().map_err(bad)?,
        superseded_by: column::<Option<&str>>(row, 4)?.map(uid).transpose()?,
        at: Timestamp(column(row, 2)?),
        author: column(row, 3)?,
    })
}

/// Returns what of a revision's content is no column of its own, as [`revision`] reads it.
pub(crate) fn attributes(content: &Content) -> Result<String, HubError> {
    let rest = ContentRecord {
        kind: None,
        title: None,
        body: None,
        facts: Vec::new(),
        concepts: Vec::new(),
        files: Vec::new(),
        ..shared_record(content)
    };
    serde_json::to_string(&rest).map_err(bad)
}

fn bad(error: impl Display) -> HubError {
    HubError::BadRow(error.to_string())
}
