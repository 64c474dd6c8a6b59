//! The code map and what sessions did to it: one row a symbol and session, whatever happened in between.

use crate::kit::{KEEP, NOW, TestHome, arrival, ask, project, raw};
use backstory_memory::{CodeChange, Digest, ProjectId, SessionId, Symbol, SymbolChange, SymbolKind};
use backstory_store::{FileMap, FileState, FileUpdate, Store};

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

/// Starts a session in the project at `/home/u/one`.
fn session(store: &mut Store, name: &str) -> (ProjectId, SessionId) {
    store.events_mut().record(&arrival(name, 1)).unwrap();
    let project = project(store, "/home/u/one");
    let found = store.sessions().list(Some(project), 100, 0).unwrap();
    (project, found.iter().map(|summary| summary.session.id).max().unwrap())
}

fn told(store: &Store, project: ProjectId, session: Option<SessionId>) -> Vec<String> {
    let changed = store.code().changes(project, session, 100).unwrap();
    changed.iter().map(|it| format!("{} {} {}", it.change.as_str(), it.path, it.signature)).collect()
}

#[test]
fn the_map_of_a_file_is_read_back_as_it_was_kept_and_replaced_whole() {
    let test = TestHome::new();
    let mut store = test.open();
    let (project, session) = session(&mut store, "s");
    assert_eq!(store.code().file_map(project, "a.rs").unwrap(), None);
    // Two of one name: overloads keep their order.
    let symbols = vec![symbol("f", 1), symbol("f", 2), symbol("g", 3)];
    store.code_mut().record(project, session, &[mapped("a.rs", symbols.clone(), vec![])], NOW).unwrap();
    let map = store.code().file_map(project, "a.rs").unwrap().unwrap();
    assert_eq!((map.content_hash, map.symbols), (Digest([7; 16]), symbols));
    store.code_mut().record(project, session, &[mapped("a.rs", vec![symbol("h", 4)], vec![])], NOW).unwrap();
    assert_eq!(store.code().file_map(project, "a.rs").unwrap().unwrap().symbols, [symbol("h", 4)]);
    store.code_mut().record(project, session, &[mapped("a.rs", vec![], vec![])], NOW).unwrap();
    assert_eq!(store.code().file_map(project, "a.rs").unwrap().unwrap().symbols, [], "empty is not unknown");
    let gone = FileUpdate { path: "a.rs".into(), state: FileState::Gone, changes: vec![] };
    store.code_mut().record(project, session, &[gone], NOW).unwrap();
    assert_eq!(store.code().file_map(project, "a.rs").unwrap(), None);
}

#[test]
fn a_file_that_cannot_be_read_keeps_its_map_and_says_why_until_it_can() {
    let test = TestHome::new();
    let mut store = test.open();
    let (project, session) = session(&mut store, "s");
    let readable = mapped("a.rs", vec![symbol("f", 1)], vec![]);
    let unreadable = FileUpdate {
        path: "a.rs".into(),
        state: FileState::Unmapped("does not parse".into()),
        changes: vec![],
    };
    store.code_mut().record(project, session, std::slice::from_ref(&readable), NOW).unwrap();
    store.code_mut().record(project, session, &[unreadable.clone(), unreadable], NOW).unwrap();
    assert_eq!(store.code().unmapped_files(project).unwrap(), [("a.rs".into(), "does not parse".into())]);
    assert_eq!(store.code().file_map(project, "a.rs").unwrap().unwrap().symbols, [symbol("f", 1)]);
    store.code_mut().record(project, session, &[readable], NOW).unwrap();
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
        let test = TestHome::new();
        let mut store = test.open();
        let (project, session) = session(&mut store, "s");
        for step in &steps {
            store
                .code_mut()
                .record(project, session, &[mapped("a.rs", vec![], vec![step.clone()])], NOW)
                .unwrap();
        }
        assert_eq!(told(&store, project, None), net, "{steps:?}");
    }
}

#[test]
fn symbols_of_one_name_are_told_as_one() {
    let test = TestHome::new();
    let mut store = test.open();
    let (project, session) = session(&mut store, "s");
    let changes = vec![made("f", 1), made("g", 1), made("f", 2), deleted("g", 3), modified("h", 1, 2)];
    store.code_mut().record(project, session, &[mapped("a.rs", vec![], changes)], NOW).unwrap();
    assert_eq!(
        told(&store, project, None),
        ["modified a.rs fn h() // 2", "modified a.rs fn g() // 1", "new a.rs fn f() // 1"]
    );
}

#[test]
fn changes_are_read_by_session_or_project_the_last_changed_first() {
    let test = TestHome::new();
    let mut store = test.open();
    let (project, one) = session(&mut store, "one");
    let (_, two) = session(&mut store, "two");
    let step = |change| [mapped("a.rs", vec![], vec![change])];
    store.code_mut().record(project, one, &step(made("f", 1)), NOW).unwrap();
    store.code_mut().record(project, two, &step(modified("f", 1, 2)), NOW).unwrap();
    store.code_mut().record(project, one, &step(made("g", 1)), NOW).unwrap();
    store.code_mut().record(project, one, &step(modified("f", 2, 3)), NOW).unwrap();
    assert_eq!(told(&store, project, Some(one)), ["new a.rs fn f() // 3", "new a.rs fn g() // 1"]);
    assert_eq!(told(&store, project, Some(two)), ["modified a.rs fn f() // 2"]);
    assert_eq!(store.code().changes(project, None, 2).unwrap().len(), 2);
    assert_eq!(told(&store, project, None).len(), 3);
}

#[test]
fn merged_projects_share_the_map_and_the_changes() {
    let test = TestHome::new();
    let mut store = test.open();
    let (from, session) = session(&mut store, "s");
    let into = project(&mut store, "/home/u/two");
    let unreadable =
        FileUpdate { path: "c.rs".into(), state: FileState::Unmapped("binary".into()), changes: vec![] };
    let readings = [
        mapped("a.rs", vec![symbol("f", 1)], vec![made("f", 1)]),
        mapped("b.rs", vec![symbol("g", 1)], vec![]),
        unreadable,
    ];
    store.code_mut().record(from, session, &readings, NOW).unwrap();
    store.code_mut().record(into, session, &[mapped("b.rs", vec![symbol("h", 2)], vec![])], NOW).unwrap();
    store.projects_mut().merge(from, into).unwrap();
    let names = |path| store.code().file_map(into, path).unwrap().unwrap().symbols;
    assert_eq!((names("a.rs"), names("b.rs")), (vec![symbol("f", 1)], vec![symbol("h", 2)]));
    assert_eq!(told(&store, into, None), ["new a.rs fn f() // 1"]);
    assert_eq!(store.code().unmapped_files(into).unwrap().len(), 1);
    assert_eq!(ask(&test.home, "SELECT count(*) FROM symbols"), 2);
    assert_eq!(ask(&test.home, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

#[test]
fn what_is_known_of_code_does_not_grow_without_bound() {
    let test = TestHome::new();
    let mut store = test.open();
    let (project, _) = session(&mut store, "s");
    let (other, session) = (crate::kit::project(&mut store, "/home/u/two"), session(&mut store, "t").1);
    store
        .code_mut()
        .record(other, session, &[mapped("z.rs", vec![symbol("f", 1)], vec![made("f", 1)])], NOW)
        .unwrap();
    raw(&test.home)
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
    store.upkeep_mut().maintain(KEEP, NOW).unwrap();
    for (table, kept) in
        [("code_changes", 5001), ("mapped_files", 5001), ("symbols", 5001), ("unmapped_files", 5000)]
    {
        assert_eq!(ask(&test.home, &format!("SELECT count(*) FROM {table}")), kept, "{table}");
    }
    let changed = store.code().changes(project, None, 9999).unwrap();
    assert_eq!((changed.len(), changed[0].qualified_name.as_str()), (5000, "f6000"), "the newest stay");
    assert_eq!(told(&store, other, None), ["new z.rs fn f() // 1"], "another project is left alone");
}
