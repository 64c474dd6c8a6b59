//! The house rules a compiler does not know. They are tests, so `cargo test` checks them; `cargo xtask tidy` runs only them.
//!
//! `rules`: which crate may depend on which, and the shape of files. `dialect`: names, `scripts` those of scripts and style sheets.
//! `citations`: what documentation cites must exist.

#[cfg(test)]
mod citations;
#[cfg(test)]
mod dialect;
#[cfg(test)]
mod lexer;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod scripts;

#[cfg(test)]
use crate::places::root;
use crate::{TaskResult, cargo};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders with sources of ours.
const SOURCES: [&str; 7] = ["crates", "xtask", "fuzz", "calibrate", "tests", "plugins", "scripts"];

/// Runs the checks.
pub(crate) fn run() -> TaskResult {
    cargo(&["test", "--quiet", "--package", "xtask", "tidy::"])
}

/// Returns the source files of this checkout with one of these extensions, in order.
#[cfg(test)]
fn repository_files(extensions: &[&str]) -> Vec<PathBuf> {
    source_files(&root(), extensions)
}

/// Returns the source files of a checkout with one of these extensions, in order.
pub(crate) fn source_files(checkout: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = SOURCES.iter().map(|folder| checkout.join(folder)).collect();
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
