//! `cargo xtask census [DIR] [--against DIR]`: counts the source of a checkout, and compares it with another state of it.
//!
//! It reads formatted code line by line, which is exact enough for a table. Not here: judging the numbers.

use crate::places::root;
use crate::tidy::source_files;
use crate::{TaskResult, say};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// Prints the table of a checkout, this one or the one in a folder; with `--against`, of two: before and after.
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (checkout, before) = match arguments.as_slice() {
        [] => (root(), None),
        ["--against", before] => (root(), Some(before)),
        [folder] => (PathBuf::from(folder), None),
        [folder, "--against", before] => (PathBuf::from(folder), Some(before)),
        _ => return Err("usage: cargo xtask census [DIR] [--against DIR]".into()),
    };
    let after = counted(&checkout)?;
    let rows = match before {
        None => after.iter().map(|(name, census)| row(name, &census.cells())).collect(),
        Some(before) => compared(&counted(Path::new(before))?, &after),
    };
    say(
        "| crate | source | tests | files | most in a folder | public items | comments/100 | docs/100 | functions p50/p90/p99/max | names of types shared |",
    );
    say("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    rows.iter().for_each(|row| say(row));
    Ok(())
}

/// Counts the crates of a checkout, and all of them together, last.
fn counted(checkout: &Path) -> Result<Vec<(String, Census)>, Box<dyn Error>> {
    let mut crates: BTreeMap<String, Census> = BTreeMap::new();
    for path in source_files(checkout, &["rs"]) {
        let name = path.strip_prefix(checkout)?.to_string_lossy().into_owned();
        let text = fs::read_to_string(&path)?;
        crates.entry(crate_of(&name)).or_default().add(Path::new(&name), &text);
    }
    let mut total = Census::default();
    for census in crates.values() {
        total.merge(census);
    }
    Ok(crates.into_iter().chain([("all".to_owned(), total)]).collect())
}

/// Returns the rows of two states: each cell as it was and as it is, a crate that one of them lacks with a dash.
fn compared(before: &[(String, Census)], after: &[(String, Census)]) -> Vec<String> {
    let cells = |states: &[(String, Census)], wanted: &str| {
        let state = states.iter().find(|(name, _)| name == wanted);
        state.map_or_else(|| std::array::from_fn(|_| "–".to_owned()), |(_, census)| census.cells())
    };
    let gone = before.iter().filter(|(name, _)| !after.iter().any(|(other, _)| other == name));
    let names = gone.chain(after).map(|(name, _)| name);
    let change = |(before, after): (String, String)| match before == after {
        true => after,
        false => format!("{before} → {after}"),
    };
    names
        .map(|name| {
            let pairs = cells(before, name).into_iter().zip(cells(after, name));
            row(name, &pairs.map(change).collect::<Vec<_>>())
        })
        .collect()
}

fn row(name: &str, cells: &[String]) -> String {
    format!("| {name} | {} |", cells.join(" | "))
}

/// The columns beside the name of the crate.
const CELLS: usize = 9;

/// Returns the crate a file belongs to: the folder below `crates`, or the first one.
fn crate_of(file: &str) -> String {
    let file = file.strip_prefix("crates/").unwrap_or(file);
    file.split('/').next().unwrap_or_default().to_owned()
}

/// What was counted in some files.
#[derive(Default)]
struct Census {
    source: usize,
    tests: usize,
    code: usize,
    comments: usize,
    docs: usize,
    public: usize,
    folders: BTreeMap<PathBuf, usize>,
    functions: Vec<usize>,
    types: BTreeMap<String, usize>,
}

impl Census {
    fn add(&mut self, file: &Path, text: &str) {
        *self.folders.entry(file.parent().unwrap_or(file).to_owned()).or_default() += 1;
        let lines: Vec<&str> = text.lines().collect();
        // Unit tests stand at the end of their file.
        let tests_at =
            lines.iter().position(|line| *line == "#[cfg(test)]" || line.starts_with("#![cfg(test)]"));
        let is_test_file = file
            .components()
            .any(|part| ["tests", "benches", "tests.rs"].iter().any(|it| part.as_os_str() == *it));
        let source =
            lines.get(..if is_test_file { 0 } else { tests_at.unwrap_or(lines.len()) }).unwrap_or_default();
        self.source += source.len();
        self.tests += lines.len() - source.len();
        for (at, line) in source.iter().enumerate() {
            self.add_line(line, source.get(at..).unwrap_or_default());
        }
    }

    fn add_line(&mut self, line: &str, rest: &[&str]) {
        let text = line.trim_start();
        match text {
            "" => return,
            _ if text.starts_with("///") || text.starts_with("//!") => self.docs += 1,
            _ if text.starts_with("//") => self.comments += 1,
            _ => self.code += 1,
        }
        let item =
            text.strip_prefix("pub(crate) ").or_else(|| text.strip_prefix("pub(super) ")).unwrap_or(text);
        let item = item.strip_prefix("pub ").unwrap_or(item);
        let (word, name) = item.split_once(' ').unwrap_or((item, ""));
        let is_field = word.ends_with(':');
        self.public += usize::from(text.starts_with("pub ") && word != "use" && !is_field);
        if ["struct", "enum", "trait", "union", "type"].contains(&word) && line.len() == text.len() {
            let name = name.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
            *self.types.entry(name.to_owned()).or_default() += 1;
        }
        if ["fn", "const", "unsafe", "async", "extern"].contains(&word) && item.contains("fn ") {
            self.functions.extend(function_length(&line[..line.len() - text.len()], rest));
        }
    }

    fn merge(&mut self, other: &Census) {
        self.source += other.source;
        self.tests += other.tests;
        self.code += other.code;
        self.comments += other.comments;
        self.docs += other.docs;
        self.public += other.public;
        self.folders.extend(other.folders.clone());
        self.functions.extend(&other.functions);
        for (name, count) in &other.types {
            *self.types.entry(name.clone()).or_default() += count;
        }
    }

    fn cells(&self) -> [String; CELLS] {
        let per_100 = |count: usize| count as f64 * 100.0 / self.code.max(1) as f64;
        let mut lengths = self.functions.clone();
        lengths.sort_unstable();
        let at = |share: f64| {
            lengths.get((lengths.len() as f64 * share) as usize).or(lengths.last()).copied().unwrap_or(0)
        };
        [
            self.source.to_string(),
            self.tests.to_string(),
            self.folders.values().sum::<usize>().to_string(),
            self.folders.values().max().unwrap_or(&0).to_string(),
            self.public.to_string(),
            format!("{:.1}", per_100(self.comments)),
            format!("{:.1}", per_100(self.docs)),
            format!("{}/{}/{}/{}", at(0.5), at(0.9), at(0.99), at(1.0)),
            format!("{:.1} %", self.shared_types()),
        ]
    }

    /// Returns the share of definitions whose name another definition has, too, in percent.
    fn shared_types(&self) -> f64 {
        let all: usize = self.types.values().sum();
        let shared: usize = self.types.values().filter(|count| **count > 1).sum();
        shared as f64 * 100.0 / all.max(1) as f64
    }
}

/// Returns how many lines a function has that begins on the first of `lines`; none for a declaration without a body.
fn function_length(indent: &str, lines: &[&str]) -> Option<usize> {
    let signature = lines.iter().position(|line| line.ends_with(['{', '}', ';']))?;
    match lines.get(signature)?.chars().last()? {
        ';' => None,
        '}' => Some(signature + 1),
        // Formatted code closes a function at the indentation it began with.
        _ => lines.iter().position(|line| line.strip_prefix(indent) == Some("}")).map(|end| end + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_states_stand_side_by_side() {
        let state = |name: &str, text: &str| {
            let mut census = Census::default();
            census.add(Path::new("crates/a/src/lib.rs"), text);
            vec![(name.to_owned(), census)]
        };
        let rows = compared(&state("a", "struct A;\n"), &state("a", "struct A;\nstruct B;\n"));
        assert_eq!(rows, ["| a | 1 → 2 | 0 | 1 | 1 | 0 | 0.0 | 0.0 | 0/0/0/0 | 0.0 % |"]);
        let moved = compared(&state("a", ""), &state("b", ""));
        assert!(moved[0].starts_with("| a | 0 → – |") && moved[1].starts_with("| b | – → 0 |"), "{moved:?}");
    }

    #[test]
    fn lines_functions_and_types_are_counted() {
        let text = "//! A file.\n\n/// A type.\npub struct A;\nstruct B(u8);\n\n// Why.\npub(crate) fn f() {\n    if x {\n        y();\n    }\n}\n\n#[cfg(test)]\nmod tests {}\n";
        let mut census = Census::default();
        census.add(Path::new("crates/a/src/lib.rs"), text);
        census.add(Path::new("crates/a/tests/it/main.rs"), "struct A;\n");
        assert_eq!((census.source, census.tests, census.docs, census.comments), (13, 3, 2, 1));
        assert_eq!((census.public, census.types.len(), census.functions.as_slice()), (1, 2, [5].as_slice()));
        census.add(Path::new("crates/b/src/lib.rs"), "enum A {}\n");
        assert!((census.shared_types() - 200.0 / 3.0).abs() < 1e-9);
    }
}
