//! The code map and what sessions did to it: one row a symbol and session, whatever happened in between.

use crate::kit::{KEEP, NOW};
use crate::test_store::{TestHome, TestStore, ask, raw};
use backstory_memory::{
    CodeChange, Digest, ProjectId, Redacted, SessionId, Symbol, SymbolChange, SymbolKind,
};
use backstory_store::{FileMap, FileState, FileUpdate};

fn symbol(name: &str, body: u8) -> Symbol {
    Symbol {
        qualified_name: name.into(),
        kind: SymbolKind::Function,
        signature: format!("fn {name}() // {body}"),
        body_hash: Digest([body; 16]),
        first_line: 1,
        last_line: 2,
    }
}

fn change(change: SymbolChange, name: &str, before: Option<u8>, now: u8) -> CodeChange {
    CodeChange { change, symbol: symbol(name, now), body_before: before.map(|body| Digest([body; 16])) }
}

fn made(name: &str, now: u8) -> CodeChange {
    change(SymbolChange::New, name, None, now)
}

fn modified(name: &str, before: u8, now: u8) -> CodeChange {
    change(SymbolChange::Modified, name, Some(before), now)
}

fn deleted(name: &str, before: u8) -> CodeChange {
    change(SymbolChange::Deleted, name, Some(before), before)
}

fn mapped(path: &str, symbols: Vec<Symbol>, changes: Vec<CodeChange>) -> FileUpdate {
    let map = FileMap { content_hash: Digest([7; 16]), symbols };
    FileUpdate { path: path.into(), state: FileState::Mapped(map), changes }
}

fn unmapped(path: &str, why: &str) -> FileUpdate {
    FileUpdate { path: path.into(), state: FileState::Unmapped(why.into()), changes: vec![] }
}

/// Starts a session in the project at `/home/u/one`.
fn session(store: &mut TestStore, name: &str) -> (ProjectId, SessionId) {
    (store.project(), store.session(name))
}

fn record(store: &mut TestStore, project: ProjectId, session: SessionId, updates: &[FileUpdate]) {
    store.code_mut().record(project, session, &Redacted::vouch(updates.to_vec()), NOW).unwrap();
}

fn symbols(store: &TestStore, project: ProjectId, path: &str) -> Option<Vec<Symbol>> {
    store.code().file_map(project, path).unwrap().map(|map| map.symbols)
}

fn net_changes(store: &TestStore, project: ProjectId, session: Option<SessionId>) -> Vec<String> {
    let changed = store.code().changes(project, session, 100).unwrap();
    changed.iter().map(|it| format!("{} {} {}", it.change.as_str(), it.path, it.signature)).collect()
}

#[test]
fn the_map_of_a_file_is_read_back_as_it_was_kept_and_replaced_whole() {
    let mut store = TestStore::new();
    let (project, session) = session(&mut store, "s");
    assert_eq!(symbols(&store, project, "a.rs"), None);
    // Two of one name: overloads keep their order.
    let overloads = vec![symbol("f", 1), symbol("f", 2), symbol("g", 3)];
    record(&mut store, project, session, &[mapped("a.rs", overloads.clone(), vec![])]);
    let map = store.code().file_map(project, "a.rs").unwrap().unwrap();
    assert_eq!((map.content_hash, map.symbols), (Digest([7; 16]), overloads));
    record(&mut store, project, session, &[mapped("a.rs", vec![symbol("h", 4)], vec![])]);
    assert_eq!(symbols(&store, project, "a.rs"), Some(vec![symbol("h", 4)]));
    record(&mut store, project, session, &[mapped("a.rs", vec![], vec![])]);
    assert_eq!(symbols(&store, project, "a.rs"), Some(vec![]), "empty is not unknown");
    let gone = FileUpdate { path: "a.rs".into(), state: FileState::Gone, changes: vec![] };
    record(&mut store, project, session, &[gone]);
    assert_eq!(symbols(&store, project, "a.rs"), None);
}

#[test]
fn a_file_that_cannot_be_read_keeps_its_map_and_says_why_until_it_can() {
    let mut store = TestStore::new();
    let (project, session) = session(&mut store, "s");
    let readable = mapped("a.rs", vec![symbol("f", 1)], vec![]);
    let unreadable = unmapped("a.rs", "does not parse");
    record(&mut store, project, session, std::slice::from_ref(&readable));
    record(&mut store, project, session, &[unreadable.clone(), unreadable]);
    assert_eq!(store.code().unmapped_files(project).unwrap(), [("a.rs".into(), "does not parse".into())]);
    assert_eq!(symbols(&store, project, "a.rs"), Some(vec![symbol("f", 1)]));
    record(&mut store, project, session, &[readable]);
    assert_eq!(store.code().unmapped_files(project).unwrap(), []);
}

#[test]
fn a_session_leaves_one_row_a_symbol_with_the_net_of_what_it_did() {
    for (steps, net) in [
        (vec![made("f", 1)], vec!["new a.rs fn f() // 1"]),
        (vec![made("f", 1), made("f", 1)], vec!["new a.rs fn f() // 1"]),
        (vec![made("f", 1), modified("f", 1, 2)], vec!["new a.rs fn f() // 2"]),
        (vec![made("f", 1), deleted("f", 1)], vec![]),
        (vec![made("f", 1), modified("f", 1, 2), deleted("f", 2)], vec![]),
        (vec![modified("f", 1, 2), modified("f", 2, 3)], vec!["modified a.rs fn f() // 3"]),
        (vec![modified("f", 1, 2), modified("f", 2, 1)], vec![]),
        (vec![modified("f", 1, 2), modified("f", 2, 3), modified("f", 3, 1)], vec![]),
        (vec![modified("f", 1, 2), deleted("f", 2)], vec!["deleted a.rs fn f() // 2"]),
        (vec![deleted("f", 1), made("f", 1)], vec![]),
        (vec![deleted("f", 1), made("f", 2)], vec!["modified a.rs fn f() // 2"]),
        (vec![modified("f", 1, 2), deleted("f", 2), made("f", 1)], vec![]),
        (vec![made("f", 1), deleted("f", 1), made("f", 2)], vec!["new a.rs fn f() // 2"]),
    ] {
        let mut store = TestStore::new();
        let (project, session) = session(&mut store, "s");
        for step in &steps {
            record(&mut store, project, session, &[mapped("a.rs", vec![], vec![step.clone()])]);
        }
        assert_eq!(net_changes(&store, project, None), net, "{steps:?}");
    }
}

#[test]
fn symbols_of_one_name_count_as_one() {
    let mut store = TestStore::new();
    let (project, session) = session(&mut store, "s");
    let changes = vec![made("f", 1), made("g", 1), made("f", 2), deleted("g", 3), modified("h", 1, 2)];
    record(&mut store, project, session, &[mapped("a.rs", vec![], changes)]);
    assert_eq!(
        net_changes(&store, project, None),
        ["modified a.rs fn h() // 2", "modified a.rs fn g() // 1", "new a.rs fn f() // 1"]
    );
}

#[test]
fn changes_are_read_by_session_or_project_the_last_changed_first() {
    let mut store = TestStore::new();
    let (project, one) = session(&mut store, "one");
    let (_, two) = session(&mut store, "two");
    let step = |change| [mapped("a.rs", vec![], vec![change])];
    record(&mut store, project, one, &step(made("f", 1)));
    record(&mut store, project, two, &step(modified("f", 1, 2)));
    record(&mut store, project, one, &step(made("g", 1)));
    record(&mut store, project, one, &step(modified("f", 2, 3)));
    assert_eq!(net_changes(&store, project, Some(one)), ["new a.rs fn f() // 3", "new a.rs fn g() // 1"]);
    assert_eq!(net_changes(&store, project, Some(two)), ["modified a.rs fn f() // 2"]);
    assert_eq!(store.code().changes(project, None, 2).unwrap().len(), 2);
    assert_eq!(net_changes(&store, project, None).len(), 3);
}

#[test]
fn merged_projects_share_the_map_and_the_changes() {
    let mut store = TestStore::new();
    let (from, session) = session(&mut store, "s");
    let into = store.project_at("/home/u/two");
    let updates = [
        mapped("a.rs", vec![symbol("f", 1)], vec![made("f", 1)]),
        mapped("b.rs", vec![symbol("g", 1)], vec![]),
        unmapped("c.rs", "binary"),
    ];
    record(&mut store, from, session, &updates);
    record(&mut store, into, session, &[mapped("b.rs", vec![symbol("h", 2)], vec![])]);
    store.projects_mut().merge(from, into).unwrap();
    let merged = ["a.rs", "b.rs"].map(|path| symbols(&store, into, path).unwrap());
    assert_eq!(merged, [[symbol("f", 1)], [symbol("h", 2)]]);
    assert_eq!(net_changes(&store, into, None), ["new a.rs fn f() // 1"]);
    assert_eq!(store.code().unmapped_files(into).unwrap().len(), 1);
    assert_eq!(ask(store.home(), "SELECT count(*) FROM symbols"), 2);
    assert_eq!(ask(store.home(), "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

#[test]
fn what_is_known_of_code_does_not_grow_without_bound() {
    let test = TestHome::new();
    let mut store = test.open();
    let (project, _) = session(&mut store, "s");
    let (other, session) = (store.project_at("/home/u/two"), session(&mut store, "t").1);
    record(&mut store, other, session, &[mapped("z.rs", vec![symbol("f", 1)], vec![made("f", 1)])]);
    raw(&test)
        .execute_batch(&format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
             INSERT INTO code_changes (project_id, session_id, path, qualified_name, kind, change, signature, at_ms)
                 SELECT {0}, NULL, 'a.rs', 'f' || i, 'function', 'new', 'fn f' || i, -i FROM n;
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
             INSERT INTO mapped_files SELECT {0}, i || '.rs', x'00', i FROM n;
             INSERT INTO symbols SELECT {0}, path, 0, 'f', 'function', '', x'00', 1, 1 FROM mapped_files WHERE project_id = {0};
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
             INSERT INTO unmapped_files SELECT {0}, i || '.rs', '', i FROM n;",
            project.0
        ))
        .unwrap();
    store.maintain(KEEP, NOW);
    for (table, kept) in
        [("code_changes", 5001), ("mapped_files", 5001), ("symbols", 5001), ("unmapped_files", 5000)]
    {
        assert_eq!(ask(&test, &format!("SELECT count(*) FROM {table}")), kept, "{table}");
    }
    let changed = store.code().changes(project, None, 9999).unwrap();
    assert_eq!((changed.len(), changed[0].qualified_name.as_str()), (5000, "f6000"), "the newest stay");
    assert_eq!(net_changes(&store, other, None), ["new z.rs fn f() // 1"], "another project is left alone");
}
