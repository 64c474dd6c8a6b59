//! Whoever has only this repository can look up what is cited: laws, bars, security requirements, and the files of the map.

use crate::places::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What is read for citations, by the ends of names.
const READ: [&str; 8] = ["rs", "md", "sql", "py", "mjs", "js", "toml", "sh"];
/// Numbers from here on are no bar's: tests may make them up.
const MADE_UP: &str = "90";

/// Returns every text of the project, with its path in it.
pub(super) fn texts() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_str().unwrap();
            let is_ours = !name.starts_with('.') && !["target", "node_modules", "samples"].contains(&name);
            if path.is_dir() && is_ours {
                folders.push(path);
            } else if path.extension().is_some_and(|end| READ.iter().any(|read| end == *read)) {
                let name = path.strip_prefix(root()).unwrap().display().to_string();
                found.extend(fs::read_to_string(&path).ok().map(|text| (name, text)));
            }
        }
    }
    found
}

fn page(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// The ids that tables of a page explain: the first cell of each row.
fn rows(page: &str) -> BTreeSet<&str> {
    page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |")).map(|(id, _)| id).collect()
}

/// The numbers of the laws.
fn laws(map: &str) -> BTreeSet<&str> {
    map.lines().filter_map(|line| line.split_once(". **")).map(|(number, _)| number).collect()
}

fn digits(text: &str) -> &str {
    text.split(|letter: char| !letter.is_ascii_digit()).next().unwrap_or_default()
}

/// The numbers that follow a word, whether or not a sentence begins with it.
fn numbers_after<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    let parts = text.match_indices(word).map(move |(at, _)| (&text[..at], digits(&text[at + word.len()..])));
    let begins = |before: &str| !before.ends_with(|letter: char| letter.is_alphanumeric());
    parts.filter(move |(before, number)| begins(before) && !number.is_empty()).map(|(_, number)| number)
}

/// The bars a text names: a letter and two digits, as a word of their own.
fn bars(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| match word.as_bytes() {
        [b'A' | b'R' | b'S' | b'X', tens, ones] => {
            tens.is_ascii_digit() && ones.is_ascii_digit() && word[1..] < *MADE_UP
        }
        _ => false,
    })
}

#[test]
fn every_law_bar_and_requirement_that_is_cited_is_explained() {
    let (map, security, torture) =
        (page("ARCHITECTURE.md"), page("docs/security.md"), page("docs/torture.md"));
    let (laws, requirements, known) = (laws(&map), rows(&security), rows(&torture));
    assert_eq!(laws.len(), 12, "{laws:?}");
    for (name, text) in texts() {
        for word in ["law ", "Law "] {
            numbers_after(&text, word).for_each(|law| assert!(laws.contains(law), "{name} cites law {law}"));
        }
        for number in numbers_after(&text, "SEC-") {
            assert!(requirements.contains(&*format!("SEC-{number}")), "{name} cites SEC-{number}");
        }
        bars(&text).for_each(|bar| assert!(known.contains(bar), "{name} cites the bar {bar}"));
    }
}

#[test]
fn every_law_has_a_test_of_its_name() {
    let texts = texts();
    for law in laws(&page("ARCHITECTURE.md")) {
        let is_shown = texts
            .iter()
            .any(|(name, text)| name.starts_with("crates/") && text.contains(&format!("fn law_{law}_")));
        assert!(is_shown, "no test is named after law {law}");
    }
}

/// What a page names in backticks that must be a file or a folder.
fn named_paths(line: &str) -> Vec<&str> {
    let named = line.split('`').skip(1).step_by(2);
    let is_path = |name: &&str| {
        let ends_like_one = [".rs", ".md", ".toml", ".txt", ".js"].iter().any(|end| name.ends_with(end));
        (name.contains('/') || ends_like_one) && !name.contains([' ', '<', '~']) && !name.contains("NAME")
    };
    named.filter(is_path).collect()
}

/// Writes out `a/{b,c}.rs`.
fn spelt_out(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (choices, after) = rest.split_once('}').unwrap();
    choices.split(',').map(|choice| format!("{before}{choice}{after}")).collect()
}

/// A path is of the project, of its crates, or lies beside or below one that was named before it in the same line.
#[test]
fn every_file_the_map_names_is_there() {
    for line in page("ARCHITECTURE.md").lines() {
        let mut places = vec![root(), root().join("crates")];
        for path in named_paths(line).into_iter().flat_map(spelt_out) {
            let found = places.iter().map(|place| place.join(&path)).find(|path| path.exists());
            let found = found
                .unwrap_or_else(|| panic!("ARCHITECTURE.md names `{path}`, which is not there:\n{line}"));
            places.extend(around(&found));
        }
    }
}

fn around(path: &Path) -> [PathBuf; 2] {
    [path.parent().unwrap().to_owned(), path.with_extension("")]
}

#[test]
fn what_is_cited_is_read_as_it_is_written() {
    assert_eq!(numbers_after("Law 5, (law 11); flaw 3; law and order", "law ").collect::<Vec<_>>(), ["11"]);
    assert_eq!(bars("R01, `S12`; RFC 12, R1, AR15, R99").collect::<Vec<_>>(), ["R01", "S12"]);
    assert_eq!(named_paths("`a/{b,c}.rs`, `d.md`, `Scope::All`, `x | y/z`"), ["a/{b,c}.rs", "d.md"]);
    assert_eq!(spelt_out("a/{b,c}.rs"), ["a/b.rs", "a/c.rs"]);
}
