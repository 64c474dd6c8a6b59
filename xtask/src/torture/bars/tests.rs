//! The table is complete: every bar and every test it names exists, and every test with a larger size belongs to a bar.

use super::*;
use std::fs;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("crates")
}

/// Reads the source file of a test.
fn source(package: &str, name: &str) -> String {
    let folder = crates().join(package.strip_prefix("backstory-").unwrap());
    let segments: Vec<&str> = name.split("::").collect();
    // The longest path of modules that is a file: `db::migrate::tests::x` is in `src/db/migrate.rs`.
    let modules = (1..segments.len()).rev().map(|count| segments[..count].join("/"));
    let mut paths = modules.flat_map(|module| [format!("tests/it/{module}.rs"), format!("src/{module}.rs")]);
    paths.find_map(|path| fs::read_to_string(folder.join(path)).ok()).unwrap_or_default()
}

fn tests() -> impl Iterator<Item = (&'static str, &'static str)> {
    all().flat_map(|bar| bar.proofs).flat_map(|proof| {
        let (package, names): (&str, &[&str]) = match proof {
            Tests(package, names) | Units(package, names) => (package, names),
            Browser(_) => ("", &[]),
        };
        names.iter().map(move |name| (package, *name))
    })
}

#[test]
fn every_bar_is_documented() {
    let page = fs::read_to_string(crates().with_file_name("docs/torture.md")).unwrap();
    for Bar { id, promise, .. } in all() {
        let row = format!("| {id} | {promise} |");
        assert!(page.contains(&row), "docs/torture.md lacks this line:\n{row}");
    }
}

#[test]
fn every_bar_is_here_once_and_in_order() {
    let wanted = (1..=34).map(|number| format!("R{number:02}"));
    let wanted = wanted.chain((1..=17).map(|number| format!("S{number:02}")));
    let wanted: Vec<String> = wanted.chain((1..=9).map(|number| format!("A{number:02}"))).collect();
    let ids: Vec<&str> = all().map(|bar| bar.id).filter(|id| !id.starts_with('X')).collect();
    assert_eq!(ids, wanted);
}

#[test]
fn every_test_that_is_named_exists() {
    for (package, name) in tests() {
        let function = name.rsplit("::").next().unwrap();
        assert!(source(package, name).contains(&format!("fn {function}(")), "{package} has no `{name}`");
    }
}

/// What the page on security claims is shown by tests that exist, bars, or a word for what shows it.
#[test]
fn every_claim_of_security_names_what_shows_it() {
    let page = fs::read_to_string(crates().with_file_name("docs/security.md")).unwrap();
    let claims: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| SEC-"))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    assert!(claims.len() >= 16, "{claims:?}");
    for claim in claims {
        let [id, _, shown] = claim[..] else { panic!("{claim:?} is not a row of three cells") };
        assert!(!shown.is_empty(), "{id} names nothing that shows it");
        for name in shown.split('`').skip(1).step_by(2).filter(|name| name.contains("::")) {
            let (package, test) = name.split_once("::").unwrap();
            let function = format!("fn {}(", name.rsplit("::").next().unwrap());
            let is_there = source(&format!("backstory-{package}"), test).contains(&function);
            assert!(is_there, "{id}: there is no test `{name}`");
        }
    }
}

/// Whether a text calls `size` with numbers; a source it reads may have a function of that name.
fn has_sizes(text: &str) -> bool {
    text.split("size(").skip(1).any(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Splits a file into its tests, each with its name, and what is not one of them.
fn split_tests(text: &str) -> (Vec<(&str, &str)>, String) {
    let mut parts = text.split("\n#[test]\n");
    let mut rest = parts.next().unwrap_or_default().to_owned();
    let tests = parts.map(|part| {
        let (test, after) = part.split_once("\n}\n").unwrap_or((part, ""));
        rest += after;
        let name = test.split_once("fn ").and_then(|(_, after)| after.split_once('(')).unwrap().0;
        (name, test)
    });
    (tests.collect(), rest)
}

/// A test with a larger size is named by a bar; for a function that several tests share, one test of the file is enough.
#[test]
fn every_test_with_a_larger_size_proves_a_bar() {
    for package in [CLI, STORE, CAPTURE, DISTIL, INJECT, SYNC, SERVER] {
        let folder = crates().join(package.strip_prefix("backstory-").unwrap()).join("tests/it");
        let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        for file in files.filter(|path| path.is_file()) {
            let module = file.file_stem().unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(&file).unwrap();
            let proven: Vec<&str> = tests()
                .filter(|(of, _)| *of == package)
                .filter_map(|(_, name)| name.strip_prefix(&module)?.strip_prefix("::"))
                .collect();
            let (functions, rest) = split_tests(&text);
            for (name, body) in functions {
                assert!(
                    proven.contains(&name) || !has_sizes(body),
                    "no bar runs {module}::{name} at its larger size"
                );
            }
            assert!(
                !proven.is_empty() || !has_sizes(&rest),
                "no bar runs {} at its larger size",
                file.display()
            );
        }
    }
}
