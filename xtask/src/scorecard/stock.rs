//! A world that holds the documents of a set as memories, and knows each of them again when it comes up.

use super::Outcome;
use super::sets::{Document, Query, Set, Sets, list};
use super::world::World;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// How many hits are asked for.
pub(crate) const HITS: &str = "10";

/// The documents of a set, in a store.
pub(crate) struct Stock<'a> {
    pub(crate) world: World,
    /// Which document a memory is, by the memory's number.
    documents: BTreeMap<i64, &'a Document>,
}

/// What an injection held.
pub(crate) struct Given {
    pub(crate) text: String,
    pub(crate) tokens: u64,
    pub(crate) budget: u64,
    pub(crate) memories: Vec<i64>,
}

impl<'a> Stock<'a> {
    /// Writes the documents of a set into a new world, each changed as told.
    pub(crate) fn new(sets: &Sets, set: &'a Set, line: impl Fn(&Document) -> Value) -> Outcome<Stock<'a>> {
        let world = sets.world();
        let lines: Vec<Value> = set.documents.iter().map(line).collect();
        world.import(&lines)?;
        let by_uid: HashMap<&str, &Document> =
            set.documents.iter().filter_map(|it| Some((it.uid()?, it))).collect();
        let all = world.ask(&["search", "--all-projects", "--superseded", "-n", "100000", "--json"])?;
        let numbered = |hit: &Value| Some((number(hit)?, *by_uid.get(hit.get("uid")?.as_str()?)?));
        let documents = list(&all, "hits").iter().filter_map(numbered).collect();
        Ok(Stock { world, documents })
    }

    /// Returns the numbers of documents, and the documents.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (i64, &'a Document)> {
        self.documents.iter().map(|(id, document)| (*id, *document))
    }

    /// Returns the document a memory is.
    pub(crate) fn document(&self, id: i64) -> Option<&'a Document> {
        self.documents.get(&id).copied()
    }

    /// Asks questions as an agent does, and returns the index each is answered with.
    pub(crate) fn search(&self, queries: &[&Query]) -> Outcome<Vec<String>> {
        let call = |query: &&Query| json!({"query": query.text, "project": query.project, "limit": 10});
        self.world.call("search", &queries.iter().map(call).collect::<Vec<_>>())
    }

    /// Returns what an agent would be given beside a prompt.
    pub(crate) fn prompt(&self, query: &Query) -> Outcome<Given> {
        let prompt = format!("--prompt={}", query.text);
        given(&self.world.ask(&["context", &prompt, "--project", &query.project, "--json"])?)
    }

    /// Returns what an agent would be given when a session begins.
    pub(crate) fn session_start(&self, project: &str) -> Outcome<Given> {
        given(&self.world.ask(&["context", "--project", project, "--json"])?)
    }
}

/// Returns the number of a hit.
pub(crate) fn number(hit: &Value) -> Option<i64> {
    hit.get("id")?.as_i64()
}

/// Reads the bill of an injection.
pub(crate) fn given(bill: &Value) -> Outcome<Given> {
    let count = |key| bill.get(key).and_then(Value::as_u64).ok_or_else(|| format!("no `{key}` in {bill}"));
    Ok(Given {
        text: super::sets::text(bill, "context"),
        tokens: count("tokens")?,
        budget: count("budget")?,
        memories: list(bill, "memories").iter().filter_map(number).collect(),
    })
}

/// Returns the numbers an index names, in order: each line begins with one.
pub(crate) fn numbers(index: &str) -> Vec<i64> {
    let number = |line: &str| line.strip_prefix('#')?.split(' ').next()?.parse().ok();
    index.lines().filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_names_a_number_a_line() {
        assert_eq!(
            numbers("<fence>\n#12 note A title · 1d\n#7 decision B · 2d\nmore: offset 10\n</fence>"),
            [12, 7]
        );
    }
}
