//! How what is shared is written in the hub's columns, and read back.
//!
//! What comes from there was written by somebody else: what does not fit is said, and nothing is taken on trust.

use crate::HubError;
use backstory_memory::{Category, Confidence, Draft, Importance, Scope, SharedRevision, Timestamp, Uid};
use postgres::Row;
use std::str::FromStr;

/// The columns of a revision, in the order [`revision`] reads them, after those of its memory.
macro_rules! revision_columns {
    () => {
        "r.uid, m.created_at_ms, r.at_ms, r.author::text, r.kind, r.category, r.title, r.body, r.facts, r.concepts, r.files, r.importance,
         r.confidence, r.trust, r.valid_from_ms, r.valid_to_ms, r.superseded_by"
    };
}
pub(crate) use revision_columns;

pub(crate) fn uid(text: &str) -> Result<Uid, HubError> {
    Uid::parse(text).map_err(|error| HubError::BadRow(format!("{text:?}: {error}")))
}

pub(crate) fn code<T: FromStr>(text: &str) -> Result<T, HubError> {
    text.parse().map_err(|_| HubError::BadRow(format!("{text:?}")))
}

/// Reads a revision from a row of [`revision_columns!`].
pub(crate) fn revision(row: &Row) -> Result<SharedRevision, HubError> {
    let time = |column: usize| row.get::<_, Option<i64>>(column).map(Timestamp);
    let content = Draft {
        kind: code(row.get(4))?,
        category: row.get::<_, Option<String>>(5).map(Category),
        title: row.get(6),
        body: row.get(7),
        facts: row.get(8),
        concepts: row.get(9),
        files: row.get(10),
        importance: Importance::new(row.get::<_, i16>(11).into()),
        confidence: Confidence::new(row.get(12)),
        trust: code(row.get(13))?,
        scope: Scope::Project,
        pinned: false,
        valid_from: time(14),
        valid_to: time(15),
    };
    let superseded_by: Option<&str> = row.get(16);
    Ok(SharedRevision {
        content,
        superseded_by: superseded_by.map(uid).transpose()?,
        at: Timestamp(row.get(2)),
        author: row.get(3),
    })
}
