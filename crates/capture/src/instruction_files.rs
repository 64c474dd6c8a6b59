//! The files in which a project says what agents are to do: read, bounded, and never written.

use crate::codemap::source_text;
use backstory_memory::cap;
use std::fs;
use std::path::Path;

const NAMES: [&str; 6] = [
    "CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    ".github/copilot-instructions.md",
    ".windsurfrules",
];
/// A folder of such files, which some agents keep.
const MEMORY_BANK: &str = "memory-bank";
const MOST_BANK_FILES: usize = 12;
/// Longer files are read to here.
const MOST_BYTES: usize = 64 << 10;

/// Returns the name and the text of each instruction file at a project's root. A link that leads out of it is not followed.
#[must_use]
pub fn instruction_files(root: &Path) -> Vec<(String, String)> {
    let names = NAMES.iter().map(|name| (*name).to_owned()).chain(bank_files(root));
    let read = |name: String| source_text(root, &name).map(|text| (name, cap(&text, MOST_BYTES).text));
    names.filter_map(read).collect()
}

/// Returns the name and the text of the README at a project's root. It tells people about the project and orders agents nothing.
#[must_use]
pub fn readme(root: &Path) -> Option<(String, String)> {
    let names = ["README.md", "README", "README.rst", "README.txt", "readme.md"];
    names
        .into_iter()
        .find_map(|name| Some((name.to_owned(), cap(&source_text(root, name)?, MOST_BYTES).text)))
}

fn bank_files(root: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(root.join(MEMORY_BANK)) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("{MEMORY_BANK}/{name}")).collect();
    names.sort();
    names.truncate(MOST_BANK_FILES);
    names
}
