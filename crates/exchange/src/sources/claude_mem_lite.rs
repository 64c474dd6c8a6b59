//! claude-mem-lite's database. Two programs go by that name; their tables show which one it is.

mod mem_lite;
mod sdsrss;

use crate::imported::ImportItem;
use crate::sources::rows::{locate_database, open_tables};
use crate::sources::{ImportSource, SearchPaths, SourceInstance, UnreadableSource};
use backstory_store::ForeignDatabase;

/// Finds the databases of both. One of them lies where claude-mem's would, by the same name.
pub(crate) fn locate(search: &SearchPaths) -> Vec<SourceInstance> {
    let home = &search.places.home;
    let own = search.named("CLAUDE_MEM_DIR").map_or_else(|| home.join(".claude-mem-lite"), ToOwned::to_owned);
    let own = locate_database(ImportSource::ClaudeMemLite, &own.join("claude-mem-lite.db"));
    let shared = locate_database(ImportSource::ClaudeMemLite, &home.join(".claude-mem/claude-mem.db"));
    let is_ours = |instance: &SourceInstance| {
        let tables = ForeignDatabase::open(&instance.path, instance.limits()).and_then(|db| db.tables());
        tables.is_ok_and(|tables| mem_lite::is_its(&tables))
    };
    own.into_iter().chain(shared.filter(is_ours)).collect()
}

/// Reads the database.
pub(crate) fn read(
    instance: &SourceInstance,
    emit: &mut dyn FnMut(ImportItem),
) -> Result<(), UnreadableSource> {
    let (db, tables) = open_tables(instance)?;
    if mem_lite::is_its(&tables) {
        mem_lite::read(&db, emit);
    } else if sdsrss::is_its(&tables) {
        sdsrss::read(&db, emit);
    } else {
        return Err(UnreadableSource("not a database of claude-mem-lite".to_owned()));
    }
    Ok(())
}
