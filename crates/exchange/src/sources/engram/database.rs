//! engram's database.

use super::{EngramFields, EngramIndex, OBSERVATION, SESSION};
use crate::imported::ImportItem;
use crate::sources::rows::{each_row, item_from, look_up, open_tables, reason, skip_rows, wanted};
use crate::sources::{SourceInstance, UnreadableSource};
use backstory_store::{ForeignDatabase, ForeignRow, RowQuery};
use std::collections::HashMap;

pub(super) fn read(
    instance: &SourceInstance,
    emit: &mut dyn FnMut(ImportItem),
) -> Result<(), UnreadableSource> {
    let (db, tables) = open_tables(instance)?;
    if !["observations", "sessions"].iter().all(|name| tables.iter().any(|table| table == name)) {
        return Err(UnreadableSource("not a database of engram".to_owned()));
    }
    let mut known = EngramIndex::default();
    relations(&db, &mut known);
    // Sessions have names, not numbers: the order of the table is the order in which they began.
    let sessions = RowQuery { table: "sessions", columns: SESSION, ..RowQuery::default() };
    look_up(&db, sessions, |row| {
        if let Some(summary) = known.session(&fields(row, SESSION)) {
            emit(item_from(summary));
        }
    });
    each_row(&db, wanted("observations", OBSERVATION), emit, |row| {
        known.observation(&fields(row, OBSERVATION))
    });
    skip_rows(&db, wanted("user_prompts", &["id"]), reason::PROMPT, emit);
    Ok(())
}

fn fields(row: &ForeignRow, names: &[&'static str]) -> EngramFields {
    names.iter().filter_map(|name| Some((*name, row.text(name)?.to_owned()))).collect()
}

/// Reads the relations that were judged; the others are guesses of the program.
fn relations(db: &ForeignDatabase, known: &mut EngramIndex) {
    let mut numbers = HashMap::new();
    look_up(db, wanted("observations", &["id", "sync_id"]), |row| {
        if let (Some(id), Some(name)) = (row.text("id"), row.text("sync_id")) {
            numbers.insert(name.to_owned(), id.to_owned());
        }
    });
    let columns = &["id", "source_id", "target_id", "relation"];
    let judged = RowQuery { only: &[("judgment_status", "judged")], ..wanted("memory_relations", columns) };
    look_up(db, judged, |row| {
        let of = match row.text("relation") {
            Some("supersedes") => &mut known.replaces,
            Some("related" | "compatible" | "scoped" | "conflicts_with") => &mut known.relates,
            _ => return,
        };
        let to = row.text("target_id").and_then(|name| numbers.get(name));
        if let (Some(from), Some(to)) = (row.text("source_id"), to) {
            of.entry(from.to_owned()).or_default().push(to.clone());
        }
    });
}
