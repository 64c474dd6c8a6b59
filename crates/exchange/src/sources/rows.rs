//! Rows of other programs' databases: where the database is, each row in turn, and why one is skipped.

use super::{ImportSource, SourceInstance, UnreadableSource};
use crate::imported::{ImportItem, ImportedMemory};
use backstory_memory::{Timestamp, foreign_time};
use backstory_store::{ForeignDatabase, ForeignRow, RowQuery, StoreError};
use std::ops::ControlFlow;
use std::path::Path;

/// Opens the database of a source instance, and lists its tables.
pub(crate) fn open_tables(
    instance: &SourceInstance,
) -> Result<(ForeignDatabase, Vec<String>), UnreadableSource> {
    let unreadable = |error: backstory_store::StoreError| UnreadableSource(error.to_string());
    let db = ForeignDatabase::open(&instance.path, instance.limits()).map_err(unreadable)?;
    let tables = db.tables().map_err(unreadable)?;
    Ok((db, tables))
}

/// Why something is skipped.
pub(crate) mod reason {
    pub(crate) const PROMPT: &str = "a prompt";
    pub(crate) const NEVER_COMPRESSED: &str = "never compressed";
    pub(crate) const DELETED: &str = "deleted";
    pub(crate) const RETRACTED: &str = "retracted";
    pub(crate) const NO_NAME: &str = "no name";
    pub(crate) const NO_WORDS: &str = "no words";
    pub(crate) const NO_DATE: &str = "no date";
    pub(crate) const DAMAGED: &str = "a damaged table";
    pub(crate) const OVER_LIMIT: &str = "over the limits of an import";
    pub(crate) const IMPOSSIBLE_TIME: &str = "of an impossible time";
}

/// Finds a database at a path, or by one of these names in the folder there.
pub(crate) fn database_at(source: ImportSource, path: &Path, names: &[&str]) -> Option<SourceInstance> {
    if !path.is_dir() {
        return locate_database(source, path);
    }
    names.iter().find_map(|name| locate_database(source, &path.join(name)))
}

/// Finds a database. Its fingerprint covers its write-ahead log too: a program that runs writes there first.
pub(crate) fn locate_database(source: ImportSource, path: &Path) -> Option<SourceInstance> {
    let mut instance = SourceInstance::at(source, path).filter(|_| path.is_file())?;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if let Some(log) = SourceInstance::at(source, Path::new(&log)) {
        instance.fingerprint = format!("{} {}", instance.fingerprint, log.fingerprint);
    }
    Some(instance)
}

/// Asks for all rows of a table, in the order of their numbers.
pub(crate) fn wanted<'a>(table: &'a str, columns: &'a [&'a str]) -> RowQuery<'a> {
    RowQuery { table, columns, order: &["id"], ..RowQuery::default() }
}

/// Emits what `take` makes of each wanted row. Reading ends where the table is damaged or over a limit; the rest counts as one thing
/// skipped.
pub(crate) fn each_row(
    db: &ForeignDatabase,
    wanted: RowQuery<'_>,
    emit: &mut dyn FnMut(ImportItem),
    mut take: impl FnMut(&ForeignRow) -> Result<ImportedMemory, &'static str>,
) {
    let read = db.each(wanted, |row| {
        emit(item_from(take(&row)));
        ControlFlow::Continue(())
    });
    match read {
        Ok(()) => {}
        Err(StoreError::OverLimit { .. }) => emit(ImportItem::Skipped(reason::OVER_LIMIT)),
        Err(_) => emit(ImportItem::Skipped(reason::DAMAGED)),
    }
}

/// Counts the rows of a table that are skipped for the same reason.
pub(crate) fn skip_rows(
    db: &ForeignDatabase,
    wanted: RowQuery<'_>,
    why: &'static str,
    emit: &mut dyn FnMut(ImportItem),
) {
    each_row(db, wanted, emit, |_| Err(why));
}

/// Calls `take` with the wanted rows of a lookup table; damaged rows are missing.
pub(crate) fn look_up(db: &ForeignDatabase, wanted: RowQuery<'_>, mut take: impl FnMut(&ForeignRow)) {
    // Not reported: damage in the table of the memories themselves is, and these rows only add to it.
    drop(db.each(wanted, |row| {
        take(&row);
        ControlFlow::Continue(())
    }));
}

/// Returns the item of a row that was read or skipped.
pub(crate) fn item_from(taken: Result<ImportedMemory, &'static str>) -> ImportItem {
    match taken {
        Ok(memory) => ImportItem::Memory(Box::new(memory)),
        Err(why) => ImportItem::Skipped(why),
    }
}

/// Returns the first of several columns that holds a point in time.
pub(crate) fn first_moment(row: &ForeignRow, columns: &[&str]) -> Option<Timestamp> {
    columns.iter().find_map(|column| foreign_time(row.text(column)?))
}
