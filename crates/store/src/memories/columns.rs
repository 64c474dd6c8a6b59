//! The columns of what a memory says. `memories` and `revisions` both have them.
//!
//! A new one is added to the schema and to the four lists of this file, always in the same order. Not here: what else a memory has.

use crate::db::codes;
use crate::db::open::TxError;
use backstory_memory::{Category, Confidence, Content, Details, Importance, Timestamp};
use rusqlite::types::FromSql;
use rusqlite::{Row, Statement, ToSql, params, params_from_iter};

/// Names the columns.
macro_rules! content_columns {
    () => {
        "kind, category, title, body, facts, concepts, files, details, importance, confidence, provenance, scope, pinned, \
         valid_from_ms, valid_to_ms"
    };
}
pub(crate) use content_columns;

/// Writes one parameter for each column.
macro_rules! content_parameters {
    () => {
        "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
    };
}
pub(crate) use content_parameters;

/// Runs a statement with the values of the columns, followed by the rest of its parameters.
pub(crate) fn execute(
    statement: &mut Statement<'_>,
    content: &Content,
    rest: &[&dyn ToSql],
) -> rusqlite::Result<()> {
    let said = params![
        content.kind.as_str(),
        content.category.as_ref().map(|category| &category.0),
        content.title,
        content.body,
        codes::list_text(&content.facts),
        codes::list_text(&content.concepts),
        codes::list_text(&content.files),
        content.details.as_ref().map(Details::to_json),
        content.importance.get(),
        content.confidence.get(),
        content.provenance.to_string(),
        content.scope.as_str(),
        content.pinned,
        content.valid_from.map(|time| time.0),
        content.valid_to.map(|time| time.0),
    ];
    statement.execute(params_from_iter(said.iter().chain(rest))).map(drop)
}

/// Reads the columns. `what` names the row in an error.
pub(crate) fn read(column: &mut ColumnReader<'_, '_>, what: &str) -> Result<Content, TxError> {
    Ok(Content {
        kind: codes::code(what, column.text()?)?,
        category: column.read::<Option<String>>()?.map(Category),
        title: column.read()?,
        body: column.read()?,
        facts: codes::list(what, column.text()?)?,
        concepts: codes::list(what, column.text()?)?,
        files: codes::list(what, column.text()?)?,
        details: column.read::<Option<String>>()?.as_deref().and_then(Details::from_json),
        importance: Importance::new(column.read()?),
        confidence: Confidence::new(column.read()?),
        provenance: codes::code(what, column.text()?)?,
        scope: codes::code(what, column.text()?)?,
        pinned: column.read()?,
        valid_from: column.time()?,
        valid_to: column.time()?,
    })
}

/// The columns of a row, one after the other: looking each up by its name takes longer than reading it.
pub(crate) struct ColumnReader<'row, 'statement> {
    row: &'row Row<'statement>,
    next: usize,
}

impl<'row, 'statement> ColumnReader<'row, 'statement> {
    /// Starts at the first column of a row.
    pub(crate) fn new(row: &'row Row<'statement>) -> ColumnReader<'row, 'statement> {
        ColumnReader { row, next: 0 }
    }

    /// Reads the next column.
    pub(crate) fn read<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        self.next += 1;
        self.row.get(self.next - 1)
    }

    /// Reads the next column as text, without a copy.
    pub(crate) fn text(&mut self) -> rusqlite::Result<&'row str> {
        self.next += 1;
        Ok(self.row.get_ref(self.next - 1)?.as_str()?)
    }

    /// Reads the next column as a time.
    pub(crate) fn time(&mut self) -> rusqlite::Result<Option<Timestamp>> {
        Ok(self.read::<Option<i64>>()?.map(Timestamp))
    }
}
