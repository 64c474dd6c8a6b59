//! Which crate may depend on which, and the shape of files.

use super::{repository_files, stem};
use crate::places::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Which crates of ours each crate may use beside `platform`, which everything may use. Nobody may use `testkit` outside tests.
const ARROWS: [(&str, &[&str]); 18] = [
    ("platform", &[]),
    ("memory", &[]),
    ("embed", &[]),
    ("store", &["memory"]),
    ("hosts", &["memory"]),
    ("sync", &["memory", "store", "capture", "embed"]),
    ("provider", &["memory"]),
    ("inject", &["memory", "store", "capture", "distil", "recall"]),
    ("recall", &["memory", "store", "embed"]),
    ("capture", &["memory", "store"]),
    ("distil", &["memory", "store", "capture"]),
    ("exchange", &["memory", "store", "capture", "distil", "hosts"]),
    (
        "app",
        &[
            "memory", "store", "capture", "distil", "embed", "recall", "inject", "hosts", "sync", "exchange",
            "provider",
        ],
    ),
    // `cli`, `mcp`, `server` and `tui` are the ways in, and none calls another for an answer. `cli` only starts the others.
    ("mcp", &["app", "memory", "store", "recall", "inject"]),
    ("server", &["app", "memory", "store", "recall"]),
    ("tui", &["app", "memory", "store"]),
    // `store`, `recall`, `inject` and `hosts` for the types in the answers that it prints.
    ("cli", &["app", "memory", "store", "recall", "inject", "hosts", "mcp", "server", "tui"]),
    ("testkit", &[]),
];

/// Outside crates that only one of ours may use.
const OWNED: [(&str, &str); 8] = [
    ("rusqlite", "store"),
    ("tokio", "server"),
    ("hyper", "server"),
    ("clap", "cli"),
    ("crossterm", "tui"),
    ("ratatui-core", "tui"),
    ("ureq", "provider"),
    ("postgres", "sync"),
];

/// Who may use one all the same: `sync` the traits of a stream, to limit how much a hub can send; `platform` what the worker listens with, which
/// is another thing on each system.
const ALSO_ALLOWED: [(&str, &str); 2] = [("tokio", "sync"), ("tokio", "platform")];

const LONGEST_FILE: usize = 600;

fn manifest(name: &str) -> toml::Table {
    let path = root().join("crates").join(name).join("Cargo.toml");
    fs::read_to_string(&path).unwrap().parse().unwrap()
}

fn crates() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn dependencies(manifest: &toml::Table) -> BTreeSet<String> {
    manifest
        .get("dependencies")
        .and_then(toml::Value::as_table)
        .map(|table| table.keys().cloned().collect())
        .unwrap_or_default()
}

#[test]
fn crates_use_only_what_the_design_lets_them_use() {
    for name in crates() {
        let allowed = ARROWS.iter().find(|(of, _)| *of == name).map(|(_, allowed)| *allowed);
        let allowed = allowed.unwrap_or_else(|| panic!("crate `{name}` is not in the design"));
        for used in dependencies(&manifest(&name)) {
            if let Some(used) = used.strip_prefix("backstory-") {
                let is_allowed = allowed.contains(&used) || used == "platform" && name != "memory";
                assert!(is_allowed, "`{name}` must not use `{used}`");
            }
        }
    }
}

/// What the cells of a row of a table name in backticks.
fn named(cell: &str) -> BTreeSet<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_design_shows_the_arrows_as_they_are() {
    let design = fs::read_to_string(root().join("docs/design/0016-the-second-house.md")).unwrap();
    let rows = design.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        let (name, uses) = (cells.next()?.trim_end_matches('`'), cells.nth(1)?);
        Some((name, named(uses)))
    });
    let shown: BTreeMap<&str, BTreeSet<&str>> = rows.collect();
    let arrows = ARROWS.iter().map(|(name, uses)| (*name, uses.iter().copied().collect()));
    assert_eq!(shown, arrows.collect());
}

/// Returns the facets of the store, as they are declared there: "memories", "search" …
fn facets() -> Vec<String> {
    let declared = fs::read_to_string(root().join("crates/store/src/db/facets.rs")).unwrap();
    let (_, declared) = declared.split_once("\nfacets! {\n").unwrap();
    let names = declared.lines().filter_map(|line| line.split_once("\": ")?.1.split_once(" -> "));
    let names: Vec<String> = names.map(|(name, _)| name.to_owned()).collect();
    assert!(names.len() > 9, "the facets are declared otherwise: {names:?}");
    names
}

#[test]
fn no_way_in_asks_the_store_for_what_app_answers() {
    let ways_in = ["crates/cli/src/", "crates/mcp/src/", "crates/server/src/", "crates/tui/src/"];
    let asks =
        facets().into_iter().flat_map(|facet| [format!("store.{facet}()"), format!("store.{facet}_mut()")]);
    let asks: Vec<String> = asks.chain(["Store::open(".to_owned()]).collect();
    for path in repository_files(&["rs"]) {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        if !ways_in.iter().any(|way_in| name.starts_with(way_in)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for ask in &asks {
            assert!(!text.contains(ask), "{name} says `{ask}`: make it a request of `app`");
        }
    }
}

#[test]
fn sql_async_and_arguments_each_have_one_owner() {
    for name in crates() {
        for used in dependencies(&manifest(&name)) {
            if ALSO_ALLOWED.contains(&(used.as_str(), name.as_str())) {
                continue;
            }
            if let Some((_, owner)) = OWNED.iter().find(|(owned, _)| *owned == used) {
                assert_eq!(name, *owner, "only `{owner}` may use `{used}`");
            }
        }
    }
}

/// Code that has to say which system it is for and stays where it is: unsafe advice about mapped memory, which only `embed` may give.
const SYSTEM_CODE_OF_EMBED: [&str; 2] =
    ["crates/embed/src/minilm/pages.rs", "crates/embed/src/vector_file/map.rs"];

#[test]
fn only_platform_knows_the_operating_system() {
    // Split, so that this file does not say them.
    let words = [
        concat!("os::un", "ix"),
        concat!("os::win", "dows"),
        concat!("os::", "fd"),
        concat!("rus", "tix"),
        concat!("signal_", "hook"),
        concat!("target_", "os"),
        concat!("target_", "family"),
        concat!("(un", "ix)"),
        concat!("(win", "dows)"),
    ];
    let is_product = |name: &str| name.starts_with("crates/") && name.contains("/src/");
    // Tests may look at modes and links; `testkit` is for tests.
    let is_for_tests = |name: &str| name.contains("/tests") || name.starts_with("crates/testkit/");
    for path in repository_files(&["rs"]) {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        if !is_product(&name) || is_for_tests(&name) || name.starts_with("crates/platform/") {
            continue;
        }
        if SYSTEM_CODE_OF_EMBED.contains(&name.as_str()) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        // What follows is for tests: the module of them closes a file.
        let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let product = product.split("#[cfg(all(test,").next().unwrap_or_default();
        for word in words {
            assert!(!product.contains(word), "{name} says `{word}`: put it behind a function of `platform`");
        }
    }
}

#[test]
fn every_crate_takes_the_workspace_lints() {
    // `embed` holds the SIMD kernels and says so in lints of its own.
    for name in crates().iter().filter(|name| *name != "embed") {
        let lints = manifest(name)
            .get("lints")
            .and_then(|lints| lints.get("workspace"))
            .and_then(toml::Value::as_bool);
        assert_eq!(lints, Some(true), "`{name}` must set `[lints] workspace = true`");
    }
}

#[test]
fn every_file_says_what_it_is_for_and_stays_readable() {
    let listed = fs::read_to_string(root().join("xtask/large-files.txt")).unwrap();
    for path in repository_files(&["rs"]) {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//!"), "{name} does not open with what it is for");
        let lines = text.lines().count();
        let excused = listed.lines().any(|line| line.split_whitespace().next() == Some(&name));
        assert!(lines <= LONGEST_FILE || excused, "{name} has {lines} lines");
        assert!(stem(&path) != "mod", "{name}: name the file after its module");
    }
}

#[test]
fn no_test_is_ignored_or_sleeps() {
    let forbidden = [concat!("#[ig", "nore"), concat!("thread::sl", "eep")];
    for path in repository_files(&["rs"]) {
        let text = fs::read_to_string(&path).unwrap();
        for word in forbidden {
            assert!(!text.contains(word), "{} holds `{word}`", path.display());
        }
    }
}

#[test]
fn the_map_names_every_crate() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for name in crates() {
        assert!(map.contains(&format!("`crates/{name}`")), "ARCHITECTURE.md does not name `crates/{name}`");
    }
    assert!(map.lines().count() <= 170, "a map must fit in a head");
}

#[test]
fn a_row_of_where_to_add_things_is_read_at_a_glance() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, rows) = map.split_once("\n| to add | touch |\n").unwrap();
    let rows = rows.lines().take_while(|line| line.starts_with('|'));
    let rows = rows.filter_map(|row| row.trim_end_matches(" |").split_once(" | "));
    let long: Vec<&str> =
        rows.filter(|(_, touch)| touch.split_whitespace().count() > 40).map(|(name, _)| name).collect();
    assert!(long.is_empty(), "longer than 40 words: {long:?}");
}

/// Who may vouch that something was redacted: `capture` redacts, `store` reads back what it took, `memory` defines it.
const VOUCHING: [&str; 3] = ["crates/capture/src/", "crates/store/src/", "crates/memory/src/redacted.rs"];

#[test]
fn law_7_only_capture_and_store_vouch_that_text_was_redacted() {
    let needle = concat!("::", "vouch");
    for path in repository_files(&["rs"]) {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        let is_product = name.starts_with("crates/") && name.contains("/src/");
        if !is_product
            || name.starts_with("crates/testkit/")
            || VOUCHING.iter().any(|may| name.starts_with(may))
        {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        assert!(!product.contains(needle), "{name} must not vouch for text: let `capture` redact it");
    }
}
