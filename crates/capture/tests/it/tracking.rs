//! Which symbols a turn changed, derived from files on disk, their last map, the edits, and HEAD.

use crate::workshop::{Workshop, change_lines, created, edited, replaced};
use backstory_capture::{EditedFile, changes, edited_files};
use backstory_memory::{Activity, Digest, Hunk, Redacted, Symbol, SymbolKind};
use backstory_store::{FileMap, FileState, FileUpdate};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;

const TWO: &str = "fn f() { 1 }\nfn g() { 2 }\n";

fn unmapped(workshop: &Workshop) -> Vec<(String, String)> {
    workshop.store.code().unmapped_files(workshop.project).unwrap()
}

#[test]
fn a_new_file_is_all_new_and_later_compared_with_its_map() {
    let mut workshop = Workshop::open();
    workshop.write("a.rs", TWO);
    assert_eq!(workshop.tracked(&[created("a.rs")]), ["new a.rs f", "new a.rs g"]);
    workshop.write("a.rs", "fn g() { 3 }\nfn h() {}\n");
    assert_eq!(workshop.tracked(&[edited("a.rs")]), ["modified a.rs g", "new a.rs h", "deleted a.rs f"]);
    assert_eq!(workshop.kept(), ["new a.rs h", "new a.rs g"], "what it made and removed again never was");
    assert_eq!(workshop.tracked(&[edited("a.rs")]), [""; 0], "a second look finds nothing more");
}

#[test]
fn a_file_never_seen_is_compared_with_head() {
    let Some(mut workshop) = Workshop::with_git() else { return };
    for (path, text) in
        [("src/a.rs", TWO), ("src/b.py", "def f():\n    return 1\n"), ("src/c.rs", "fn c() {}\n")]
    {
        workshop.write(path, text);
    }
    workshop.commit_all();
    workshop.write("src/a.rs", "fn g() { 3 }\nfn h() {}\n");
    workshop.write("src/b.py", "def f():\n    # only said\n    return 1\n");
    workshop.remove("src/c.rs");
    workshop.write("src/d.rs", "fn d() {}\n");
    let all = ["src/a.rs", "src/b.py", "src/c.rs", "src/d.rs"].map(edited);
    assert_eq!(
        workshop.tracked(&all),
        ["modified src/a.rs g", "new src/a.rs h", "deleted src/a.rs f", "deleted src/c.rs c"],
        "what HEAD does not have and nobody called new is learnt in silence"
    );
    assert!(workshop.store.code().file_map(workshop.project, "src/d.rs").unwrap().is_some());
}

#[test]
fn a_root_below_the_top_of_the_repository_is_compared_with_head_too() {
    let Some(mut workshop) = Workshop::with_git() else { return };
    workshop.write("inner/a.rs", TWO);
    workshop.commit_all();
    workshop.write("inner/a.rs", "fn f() { 1 }\n");
    workshop.root.push("inner");
    assert_eq!(workshop.tracked(&[edited("a.rs")]), ["deleted a.rs g"]);
}

#[test]
fn without_map_and_repository_a_file_is_compared_with_its_undone_edits() {
    let mut workshop = Workshop::open();
    workshop.write("a.rs", TWO);
    assert_eq!(workshop.tracked(&[replaced("a.rs", "{ 0 }", "{ 1 }")]), ["modified a.rs f"]);
    workshop.write("b.rs", TWO);
    assert_eq!(workshop.tracked(&[replaced("b.rs", "x", "not there any more")]), [""; 0]);
    workshop.write("b.rs", "fn g() { 2 }\n");
    assert_eq!(workshop.tracked(&[edited("b.rs")]), ["deleted b.rs f"], "its map was learnt all the same");
}

/// A pull, the user, or another work tree of the project.
#[test]
fn changes_by_others_since_the_last_map_are_not_this_turns() {
    let mut workshop = Workshop::open();
    workshop.write("a.rs", TWO);
    workshop.tracked(&[created("a.rs")]);
    workshop.write("a.rs", "fn f() { 1 }\nfn g() { 2 }\nfn theirs() {}\nfn h() { 7 }\n");
    assert_eq!(workshop.tracked(&[replaced("a.rs", "fn h() {}", "fn h() { 7 }")]), ["modified a.rs h"]);
}

#[test]
fn edits_that_were_cut_short_do_not_count_against_the_map() {
    let mut workshop = Workshop::open();
    let many: String = (0..40).map(|number| format!("fn f{number}() {{}}\n")).collect();
    workshop.write("a.rs", &format!("{many}fn g() {{}}\n"));
    workshop.tracked(&[created("a.rs")]);
    workshop.write("a.rs", &many.replace("f7() {}", "f7() { 7 }"));
    let cut = backstory_memory::cap(&format!("{many}fn g() {{}}\n"), 200).text;
    let changes = workshop.tracked(&[replaced("a.rs", &cut, &many.replace("f7() {}", "f7() { 7 }"))]);
    assert_eq!(changes, ["modified a.rs f7", "deleted a.rs g"]);
}

#[test]
fn an_unreadable_file_is_noted_and_keeps_its_map() {
    let mut workshop = Workshop::open();
    workshop.write("a.rs", TWO);
    workshop.tracked(&[created("a.rs")]);
    workshop.write("a.rs", &format!("fn f() {{}}\n// {}\n", "x".repeat(256 * 1024)));
    workshop.write("broken.rs", "fn ((((");
    fs::write(workshop.root.join("binary.py"), b"\x7fELF\0\xff").unwrap();
    workshop.write("notes.md", "# no code");
    let all = ["a.rs", "broken.rs", "binary.py", "notes.md"].map(edited);
    let session = workshop.session("s");
    let readings = workshop.track(session, &all);
    assert!(readings.iter().all(|reading| matches!(reading.state, FileState::Unmapped(_))), "{readings:?}");
    let reasons: Vec<(String, String)> = unmapped(&workshop);
    let expected =
        [("a.rs", "longer than 256 KB"), ("binary.py", "not text"), ("broken.rs", "does not parse")];
    assert_eq!(reasons, expected.map(|(path, reason)| (path.to_owned(), reason.to_owned())));
    workshop.write("a.rs", "fn f() { 1 }\n");
    assert_eq!(workshop.tracked(&[edited("a.rs")]), ["deleted a.rs g"]);
    assert_eq!(unmapped(&workshop).len(), 2);
}

#[test]
fn files_beyond_the_limit_of_a_turn_are_noted() {
    let mut workshop = Workshop::open();
    let names: Vec<String> = (0..70).map(|number| format!("m{number}.py")).collect();
    names.iter().for_each(|name| workshop.write(name, "def a():\n    pass\n"));
    let edited: Vec<EditedFile> = names.iter().map(|name| created(name)).collect();
    workshop.tracked(&edited);
    assert_eq!(unmapped(&workshop).len(), 6);
}

#[test]
fn a_deleted_file_deletes_its_symbols() {
    let mut workshop = Workshop::open();
    workshop.write("a.rs", TWO);
    let (one, two) = (workshop.session("one"), workshop.session("two"));
    workshop.track(one, &[created("a.rs")]);
    workshop.remove("a.rs");
    assert_eq!(change_lines(&workshop.track(two, &[edited("a.rs")])), ["deleted a.rs f", "deleted a.rs g"]);
    assert_eq!(workshop.store.code().file_map(workshop.project, "a.rs").unwrap(), None);
    assert_eq!(workshop.kept().len(), 4, "each session has its own row");
}

/// On Windows few may make a link, and no pipe lies in a folder.
#[cfg(unix)]
#[test]
fn nothing_outside_the_root_is_read_whatever_a_path_says() {
    let mut workshop = Workshop::open();
    let outside = workshop.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.rs"), TWO).unwrap();
    symlink(outside.join("secret.rs"), workshop.root.join("link.rs")).unwrap();
    symlink(&outside, workshop.root.join("dir")).unwrap();
    symlink("/no/such/place.rs", workshop.root.join("dangling.rs")).unwrap();
    fs::create_dir(workshop.root.join("folder.rs")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(workshop.root.join("pipe.rs")).status();
    assert!(made.is_ok_and(|status| status.success()));
    let absolute = outside.join("secret.rs").to_str().unwrap().to_owned();
    let names = [
        "../outside/secret.rs",
        "x/../../outside/secret.rs",
        "link.rs",
        "dir/secret.rs",
        "dir/gone.rs",
        "dangling.rs",
        "folder.rs",
        "pipe.rs",
        &absolute,
        "",
        "/",
        "..",
        "\0.rs",
        "a.rs/b.rs",
    ];
    workshop.write("a.rs", "");
    assert_eq!(workshop.tracked(&names.map(created)), [""; 0]);
    for name in names.iter().filter(|name| **name != "a.rs/b.rs") {
        assert_eq!(workshop.store.code().file_map(workshop.project, name).unwrap(), None, "{name:?}");
    }
    assert_eq!(unmapped(&workshop), []);
}

#[test]
fn a_file_may_be_called_anything() {
    let Some(mut workshop) = Workshop::with_git() else { return };
    let names =
        ["-rf $(x).rs", "a\nb.rs", "'\";--.rs", "数 \u{202e}x.rs", "HEAD:a.rs", "x/./y.rs", ":(glob)*.rs"];
    for name in names {
        workshop.write(name, TWO);
    }
    workshop.commit_all();
    for name in names {
        workshop.write(name, "fn f() { 1 }\n");
    }
    let changes = workshop.tracked(&names.map(edited));
    // Git reads its questions by lines: of a name that holds one nothing is known.
    let expected = names.iter().filter(|name| !name.contains('\n')).map(|name| format!("deleted {name} g"));
    assert_eq!(changes, expected.collect::<Vec<_>>());
}

/// Law 7.
#[test]
fn no_secret_in_a_signature_reaches_the_store() {
    let mut workshop = Workshop::open();
    let secret = format!("gh{}_{}", "p", "a1B2c3D4e5F6g7H8i9J0".repeat(2).get(..36).unwrap());
    workshop.write("a.rs", &format!("const TOKEN: &str = \"{secret}\";\nfn f() {{}}\n"));
    let readings = {
        let session = workshop.session("s");
        workshop.track(session, &[created("a.rs")])
    };
    assert!(!format!("{readings:?}").contains(&secret), "{readings:?}");
    assert!(
        !format!("{:?}", workshop.store.code().changes(workshop.project, None, 9).unwrap()).contains(&secret)
    );
    let map = workshop.store.code().file_map(workshop.project, "a.rs").unwrap().unwrap();
    assert_eq!(map.symbols.len(), 2);
    assert!(!format!("{map:?}").contains(&secret), "{map:?}");
    // And comparing with what was scrubbed finds no change where there is none.
    workshop.write("a.rs", &format!("const TOKEN: &str = \"{secret}\";\n// said\nfn f() {{}}\n"));
    assert_eq!(workshop.tracked(&[edited("a.rs")]), [""; 0]);
}

/// Law 7: a signature is cut, and half a secret is one no rule knows.
#[test]
fn no_half_of_a_secret_in_a_signature_reaches_the_store() {
    let mut workshop = Workshop::open();
    let secret = format!("gh{}_{}", "p", "a1B2c3D4e5F6g7H8i9J0".repeat(2).get(..36).unwrap());
    for before in 90..160 {
        let name = format!("a{before}.py");
        workshop.write(
            &name,
            &format!(
                "def f(a=\"{}\", key=\"{secret}\", b=\"{}\"):\n    pass\n",
                "x".repeat(before),
                "y".repeat(80)
            ),
        );
        workshop.tracked(&[created(&name)]);
        let map = workshop.store.code().file_map(workshop.project, &name).unwrap().unwrap();
        assert!(!format!("{map:?}").contains("p_a1B2"), "{map:?}");
    }
}

#[test]
fn a_symbol_beyond_the_end_of_a_full_map_is_neither_new_nor_deleted() {
    let mut workshop = Workshop::open();
    let many = |range: std::ops::Range<usize>| -> String {
        range.map(|number| format!("fn f{number}() {{}}\n")).collect()
    };
    workshop.write("a.rs", &many(1..600));
    assert_eq!(workshop.tracked(&[created("a.rs")]).len(), 500);
    workshop.write("a.rs", &many(0..600));
    assert_eq!(workshop.tracked(&[edited("a.rs")]), [""; 0]);
}

#[test]
fn edits_of_one_file_are_gathered_in_their_order() {
    let edit = |file: &str, is_new, before: &str, after: &str| Activity::Edited {
        file: file.into(),
        is_new,
        hunks: vec![Hunk { before: before.into(), after: after.into() }],
    };
    let turn = [
        edit("a.rs", true, "", "one"),
        Activity::Looked { at: "c.rs".into(), words: None },
        edit("b.rs", false, "x", "y"),
        edit("a.rs", false, "one", "two"),
    ];
    let hunk = |before: &str, after: &str| Hunk { before: before.into(), after: after.into() };
    assert_eq!(
        edited_files(&turn),
        [
            EditedFile { hunks: vec![hunk("", "one"), hunk("one", "two")], ..created("a.rs") },
            EditedFile { hunks: vec![hunk("x", "y")], ..edited("b.rs") },
        ]
    );
}

/// What a file holds: a body for each name.
type Sketch = BTreeMap<u8, u8>;

fn sketched(sketch: &Sketch) -> Vec<Symbol> {
    let symbol = |(name, body): (&u8, &u8)| Symbol {
        qualified_name: format!("f{name}"),
        kind: SymbolKind::Function,
        signature: format!("fn f{name}()"),
        body_hash: Digest([*body; 16]),
        first_line: 1,
        last_line: 1,
    };
    sketch.iter().map(symbol).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn changes_of_a_session_compare_its_first_and_last_state(
        states in proptest::collection::vec(proptest::collection::btree_map(0u8..4, 0u8..3, 0..4), 2..7),
    ) {
        let mut workshop = Workshop::open();
        let session = workshop.session("s");
        let maps: Vec<Vec<Symbol>> = states.iter().map(sketched).collect();
        for pair in maps.windows(2) {
            let map = FileMap { content_hash: Digest([0; 16]), symbols: pair[1].clone() };
            let changes = changes(&pair[0], &pair[1]);
            let reading = FileUpdate { path: "a.rs".into(), state: FileState::Mapped(map), changes };
            workshop.store.code_mut().record(workshop.project, session, &Redacted::vouch(vec![reading]), crate::workshop::NOW).unwrap();
        }
        let between = changes(&maps[0], &maps[maps.len() - 1]);
        let expected: BTreeSet<String> = between
            .iter()
            .map(|change| format!("{} a.rs {}", change.change.as_str(), change.symbol.qualified_name))
            .collect();
        prop_assert_eq!(workshop.kept().into_iter().collect::<BTreeSet<_>>(), expected);
    }
}
