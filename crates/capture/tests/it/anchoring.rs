//! Whether the code a memory speaks of still stands, and whether memories follow files that are moved.

use crate::workshop::{NOW, Workshop, created};
use backstory_capture::{FreshnessLimit, anchor, follow_renames, freshness};
use backstory_memory::{Content, Freshness, Kind, MemoryId, Redacted};
use backstory_store::{MemoryOrigin, NewMemory};
use std::fs;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(60);
const TWO: &str = "fn f() { 1 }\nfn g() { 2 }\n";

/// Makes a memory of what a turn did to files that are new.
fn remember(workshop: &mut Workshop, files: &[&str]) -> MemoryId {
    let session = workshop.session("s");
    let edited: Vec<_> = files.iter().map(|file| created(file)).collect();
    let readings = workshop.track(session, &edited);
    let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
    let content =
        Content { files: files.clone(), ..Content::new(Kind::Feature, "title", &format!("{files:?}")) };
    let project = workshop.project;
    let new = NewMemory {
        uid: None,
        project,
        origin: MemoryOrigin::default(),
        content: Redacted::vouch(content),
        created_at: NOW,
    };
    let memory = workshop.store.memories_mut().remember(&new).unwrap();
    anchor(&mut workshop.store, memory, &workshop.root, &files, &readings).unwrap();
    memory
}

fn fresh(workshop: &Workshop, memory: MemoryId) -> Freshness {
    freshness(&workshop.store, workshop.project, &workshop.root, &[memory], None).unwrap()[&memory]
}

fn places(workshop: &Workshop, memory: MemoryId) -> Vec<String> {
    let anchors = workshop.store.code().anchors(memory).unwrap();
    let place = |symbol: Option<String>| symbol.map_or_else(String::new, |symbol| format!(" {symbol}"));
    anchors.into_iter().map(|anchor| format!("{}{}", anchor.path, place(anchor.symbol))).collect()
}

#[test]
fn a_memory_is_anchored_in_what_changed_and_in_the_rest_it_names() {
    let mut workshop = Workshop::open();
    workshop.write("a.rs", TWO);
    workshop.write("notes.md", "words");
    let memory = remember(&mut workshop, &["a.rs", "notes.md", "never.rs"]);
    assert_eq!(places(&workshop, memory), ["a.rs f", "a.rs g", "never.rs", "notes.md"]);
    assert_eq!(fresh(&workshop, memory), Freshness::Fresh, "what was never looked at does not count");
    let many: String = (0..50).map(|number| format!("fn f{number}() {{}}\n")).collect();
    workshop.write("many.rs", &many);
    let memory = remember(&mut workshop, &["many.rs"]);
    assert_eq!(places(&workshop, memory).len(), 12);
}

#[test]
fn freshness_is_checked_for_as_many_files_as_patience_allows() {
    let mut workshop = Workshop::open();
    workshop.write("a.rs", TWO);
    workshop.write("b.rs", TWO);
    let memories = [&["a.rs"][..], &["a.rs", "b.rs"], &["b.rs"], &["a.rs"]];
    let memories = memories.map(|files| remember(&mut workshop, files));
    let [first, _, _, last] = memories;
    workshop.remove("a.rs");
    let check = |until, files| {
        let patience = Some(FreshnessLimit { until, files });
        let found =
            freshness(&workshop.store, workshop.project, &workshop.root, &memories, patience).unwrap();
        let mut found: Vec<(MemoryId, Freshness)> = found.into_iter().collect();
        found.sort_by_key(|(memory, _)| *memory);
        found
    };
    let later = Instant::now() + LONG;
    assert_eq!(check(later, 1), [(first, Freshness::Gone), (last, Freshness::Gone)], "one look serves many");
    assert_eq!(check(later, 2).len(), 4);
    assert_eq!(check(Instant::now(), 2), []);
}

#[test]
fn a_memory_is_fresh_until_its_symbols_change_and_gone_when_all_are() {
    let mut workshop = Workshop::open();
    workshop.write("a.rs", TWO);
    let memory = remember(&mut workshop, &["a.rs"]);
    for (text, expected) in [
        (TWO, Freshness::Fresh),
        ("// moved and said\nfn g() { 2 }\n\nfn f() {\n    1\n}\nfn other() {}\n", Freshness::Fresh),
        ("fn f() { 1 }\nfn g() { 3 }\n", Freshness::Changed),
        ("fn f() { 1 }\n", Freshness::Changed),
        ("fn ((((", Freshness::Changed),
        ("fn other() {}\n", Freshness::Gone),
        (TWO, Freshness::Fresh),
    ] {
        workshop.write("a.rs", text);
        assert_eq!(fresh(&workshop, memory), expected, "{text:?}");
    }
    workshop.remove("a.rs");
    assert_eq!(fresh(&workshop, memory), Freshness::Gone);
}

#[test]
fn a_memory_about_a_file_without_symbols_holds_as_long_as_the_file_is_the_same() {
    let mut workshop = Workshop::open();
    workshop.write("config.toml", "a = 1");
    let memory = remember(&mut workshop, &["config.toml"]);
    assert_eq!(fresh(&workshop, memory), Freshness::Fresh);
    workshop.write("config.toml", "a = 2");
    assert_eq!(fresh(&workshop, memory), Freshness::Changed);
    workshop.remove("config.toml");
    assert_eq!(fresh(&workshop, memory), Freshness::Gone);
}

#[test]
fn anchors_follow_files_that_git_sees_renamed_once_or_often() {
    let Some(mut workshop) = Workshop::with_git() else { return };
    let body = |name: &str| format!("fn {name}() {{ {} }}\n", "step();".repeat(40));
    for name in ["staged", "committed", "removed"] {
        workshop.write(&format!("{name}.rs"), &body(name));
    }
    let memories =
        ["staged", "committed", "removed"].map(|name| remember(&mut workshop, &[&format!("{name}.rs")]));
    workshop.commit_all();
    for (from, to) in [("committed.rs", "second.rs"), ("second.rs", "deep/third.rs")] {
        fs::create_dir_all(workshop.root.join("deep")).unwrap();
        workshop.git(&["mv", from, to]);
        workshop.commit_all();
    }
    workshop.git(&["mv", "staged.rs", "unstaged.rs"]);
    workshop.remove("removed.rs");
    let gone = memories.map(|memory| fresh(&workshop, memory));
    assert_eq!(gone, [Freshness::Gone; 3]);
    let redactor = backstory_capture::Redactor::new(backstory_capture::RedactorOptions::default());
    let moved =
        follow_renames(&mut workshop.store, workshop.project, &workshop.root, &redactor, LONG).unwrap();
    assert_eq!(moved.len(), 2, "{moved:?}");
    let now = memories.map(|memory| fresh(&workshop, memory));
    assert_eq!(now, [Freshness::Fresh, Freshness::Fresh, Freshness::Gone]);
    assert_eq!(places(&workshop, memories[1]), ["deep/third.rs committed"]);
    assert!(
        workshop.store.code().file_map(workshop.project, "deep/third.rs").unwrap().is_some(),
        "the map moves too"
    );
}
