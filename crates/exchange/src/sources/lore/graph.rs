//! The graph's edges between records, and how often each record was looked up.

use super::{LoreRecord, lore_files};
use crate::imported::ImportedMemory;
use crate::sources::rows::look_up;
use backstory_memory::Timestamp;
use backstory_memory::foreign_time;
use backstory_store::{ForeignDatabase, ForeignLimits, RowQuery, UsageHistory};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// Links the records to each other.
pub(super) fn link(root: &Path, limits: ForeignLimits, memories: &mut [ImportedMemory]) {
    let places: HashMap<String, usize> =
        memories.iter().enumerate().map(|(at, memory)| (memory.name.clone(), at)).collect();
    for edge in edges(root) {
        let (Some(from), true) = (places.get(&edge.from), places.contains_key(&edge.to)) else { continue };
        let Some(memory) = memories.get_mut(*from).filter(|memory| memory.name != edge.to) else { continue };
        let others = if edge.replaces { &mut memory.replaces } else { &mut memory.relates };
        if !others.contains(&edge.to) {
            others.push(edge.to);
        }
    }
    for (name, uses) in uses(root, limits) {
        if let Some(memory) = places.get(&name).and_then(|at| memories.get_mut(*at)) {
            let history = memory.history.unwrap_or(UsageHistory::new(memory.created_at));
            memory.history =
                Some(UsageHistory { times_used: uses.times, last_used_at: uses.last, ..history });
        }
    }
}

struct LoreEdge {
    from: String,
    to: String,
    replaces: bool,
}

/// Reads the edges of the graph whose ends both stand for a record.
fn edges(root: &Path) -> Vec<LoreEdge> {
    let graph = lore_files::whole(&root.join("graph/data/graph.json")).unwrap_or_default();
    let graph: LoreRecord = serde_json::from_str(&graph).unwrap_or_default();
    let nodes = graph.get("nodes").and_then(Value::as_object).into_iter().flatten();
    let names: HashMap<&str, &str> =
        nodes.filter_map(|(key, node)| Some((key.as_str(), record_of(node)?))).collect();
    let edges = graph.get("edges").and_then(Value::as_array).into_iter().flatten();
    let edge = |edge: &Value| {
        let end = |field: &str| names.get(edge.get(field)?.as_str()?).map(|name| (*name).to_owned());
        let relation = edge.get("relation")?.as_str()?;
        Some(LoreEdge { from: end("from")?, to: end("to")?, replaces: relation == "supersedes" })
    };
    edges.filter_map(edge).collect()
}

/// Returns the name of the record a node stands for.
fn record_of(node: &Value) -> Option<&str> {
    let data = node.get("data");
    let ids = ["journal_id", "pattern_id", "failure_id", "goal_id", "observation_id", "session_id", "id"];
    let id = ids.iter().find_map(|field| data?.get(field)?.as_str());
    id.or_else(|| node.get("name")?.as_str())
}

#[derive(Default)]
struct LoreUses {
    times: u32,
    last: Option<Timestamp>,
}

/// Reads how often each record was looked up.
fn uses(root: &Path, limits: ForeignLimits) -> HashMap<String, LoreUses> {
    let mut uses: HashMap<String, LoreUses> = HashMap::new();
    let path = root.join("search.db");
    let Some(db) = path.is_file().then(|| ForeignDatabase::open(&path, limits).ok()).flatten() else {
        return uses;
    };
    let columns = &["record_id", "accessed_at"];
    let log = RowQuery { table: "access_log", columns, order: columns, ..RowQuery::default() };
    look_up(&db, log, |row| {
        let Some(name) = row.text("record_id") else { return };
        let uses = uses.entry(name.to_owned()).or_default();
        uses.times = uses.times.saturating_add(1);
        uses.last = uses.last.max(row.text("accessed_at").and_then(foreign_time));
    });
    uses
}
