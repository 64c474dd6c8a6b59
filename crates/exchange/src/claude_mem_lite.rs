//! claude-mem-lite's database. Two programs go by that name; their tables tell which one it is.

mod mem_lite;
mod sdsrss;

use crate::values::find_database;
use crate::{Find, Found, Source, Unreadable, Whereabouts};
use backstory_store::Foreign;

/// Finds the databases of both. One of them lies where claude-mem's would, by the same name.
pub(crate) fn find(around: &Whereabouts) -> Vec<Find> {
    let home = &around.places.home;
    let own = around.named("CLAUDE_MEM_DIR").map_or_else(|| home.join(".claude-mem-lite"), ToOwned::to_owned);
    let own = find_database(Source::ClaudeMemLite, &own.join("claude-mem-lite.db"));
    let shared = find_database(Source::ClaudeMemLite, &home.join(".claude-mem/claude-mem.db"));
    let is_ours = |find: &Find| {
        let tables = Foreign::open(&find.path).and_then(|db| db.tables());
        tables.is_ok_and(|tables| mem_lite::is_its(&tables))
    };
    own.into_iter().chain(shared.filter(is_ours)).collect()
}

/// Reads the database.
pub(crate) fn read(find: &Find, tell: &mut dyn FnMut(Found)) -> Result<(), Unreadable> {
    let db = Foreign::open(&find.path).map_err(|error| Unreadable(error.to_string()))?;
    let tables = db.tables().map_err(|error| Unreadable(error.to_string()))?;
    if mem_lite::is_its(&tables) {
        mem_lite::read(&db, tell);
    } else if sdsrss::is_its(&tables) {
        sdsrss::read(&db, tell);
    } else {
        return Err(Unreadable("not a database of claude-mem-lite".to_owned()));
    }
    Ok(())
}
