//! A world with the documents of a set as memories; maps memory ids back to documents.

use super::sets::{EvalSets, ScoredDocument, ScoredQuery, ScoredSet, list};
use super::world::ScorecardWorld;
use crate::TaskResult;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// Hits per search.
pub(crate) const HITS: &str = "10";

/// The documents of a set, in a store.
pub(crate) struct ScoredStore<'a> {
    pub(crate) world: ScorecardWorld,
    /// Documents by memory id.
    documents: BTreeMap<i64, &'a ScoredDocument>,
}

/// One injection with its bill.
pub(crate) struct InjectedBlock {
    pub(crate) text: String,
    pub(crate) tokens: u64,
    pub(crate) budget: u64,
    pub(crate) memories: Vec<i64>,
}

impl<'a> ScoredStore<'a> {
    /// Imports the documents of a set into a new world; `line` may change each.
    pub(crate) fn new(
        sets: &EvalSets,
        set: &'a ScoredSet,
        line: impl Fn(&ScoredDocument) -> Value,
    ) -> TaskResult<ScoredStore<'a>> {
        let world = sets.world();
        let lines: Vec<Value> = set.documents.iter().map(line).collect();
        world.import(&lines)?;
        let by_uid: HashMap<&str, &ScoredDocument> =
            set.documents.iter().filter_map(|it| Some((it.uid()?, it))).collect();
        let all = world.json(&["search", "--all-projects", "--superseded", "-n", "100000", "--json"])?;
        let numbered = |hit: &Value| Some((memory_id(hit)?, *by_uid.get(hit.get("uid")?.as_str()?)?));
        let documents = list(&all, "hits").iter().filter_map(numbered).collect();
        Ok(ScoredStore { world, documents })
    }

    /// Returns every memory id with its document.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (i64, &'a ScoredDocument)> {
        self.documents.iter().map(|(id, document)| (*id, *document))
    }

    /// Returns the document of a memory.
    pub(crate) fn document(&self, id: i64) -> Option<&'a ScoredDocument> {
        self.documents.get(&id).copied()
    }

    /// Runs queries over MCP, and returns the index of hits for each.
    pub(crate) fn search(&self, queries: &[&ScoredQuery]) -> TaskResult<Vec<String>> {
        let call = |query: &&ScoredQuery| json!({"query": query.text, "project": query.project, "limit": 10});
        self.world.call("search", &queries.iter().map(call).collect::<Vec<_>>())
    }

    /// Returns the injection at a prompt.
    pub(crate) fn prompt(&self, query: &ScoredQuery) -> TaskResult<InjectedBlock> {
        let prompt = format!("--prompt={}", query.text);
        parse_injection(&self.world.json(&["context", &prompt, "--project", &query.project, "--json"])?)
    }

    /// Returns the injection at session start.
    pub(crate) fn session_start(&self, project: &str) -> TaskResult<InjectedBlock> {
        parse_injection(&self.world.json(&["context", "--project", project, "--json"])?)
    }
}

/// Returns the memory id of a hit.
pub(crate) fn memory_id(hit: &Value) -> Option<i64> {
    hit.get("id")?.as_i64()
}

/// Parses the JSON of `context`.
pub(crate) fn parse_injection(bill: &Value) -> TaskResult<InjectedBlock> {
    let count = |key| bill.get(key).and_then(Value::as_u64).ok_or_else(|| format!("no `{key}` in {bill}"));
    Ok(InjectedBlock {
        text: super::sets::text(bill, "context"),
        tokens: count("tokens")?,
        budget: count("budget")?,
        memories: list(bill, "memories").iter().filter_map(memory_id).collect(),
    })
}

/// Returns the memory ids of an index in order: each line begins with one.
pub(crate) fn memory_ids(index: &str) -> Vec<i64> {
    let id = |line: &str| line.strip_prefix('#')?.split(' ').next()?.parse().ok();
    index.lines().filter_map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_has_one_id_per_line() {
        assert_eq!(
            memory_ids("<fence>\n#12 note A title · 1d\n#7 decision B · 2d\nmore: offset 10\n</fence>"),
            [12, 7]
        );
    }
}
