//! The house rules a compiler does not know. They are tests, so `cargo test` checks them; `cargo xtask tidy` runs only them.
//!
//! `rules`: which crate may depend on which, and the shape of files. `dialect`: names. `citations`: what documentation cites must exist.

#[cfg(test)]
mod citations;
mod dialect;
mod lexer;
#[cfg(test)]
mod rules;

use crate::places::root;
use crate::{TaskResult, cargo};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders with sources of ours.
const SOURCES: [&str; 4] = ["crates", "xtask", "fuzz", "calibrate"];

/// Runs the checks, or writes the list of known violations.
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    match arguments {
        [] => cargo(&["test", "--quiet", "--package", "xtask", "tidy::"]),
        [only] if only == "--write-known" => dialect::write_known(),
        _ => Err("usage: cargo xtask tidy [--write-known]".into()),
    }
}

/// Returns the source files with one of these extensions, in order.
fn repository_files(extensions: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = SOURCES.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let has_extension =
                |wanted: &&str| path.extension().is_some_and(|extension| extension == *wanted);
            if path.is_dir() && !["target", "samples"].contains(&stem(&path).as_str()) {
                folders.push(path);
            } else if extensions.iter().any(has_extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
