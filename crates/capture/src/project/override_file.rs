//! The name in an override file, by which a person decides what a project is.
//!
//! Not here: the file's other settings, and the warning that the file is broken (`cli`).

use super::{files, one_line};
use std::path::Path;

const FILE_NAME: &str = ".backstory.toml";
const MAX_BYTES: u64 = 64 * 1024;

/// Returns the project's name, if this folder has an override file that sets one.
pub(super) fn read(folder: &Path) -> Option<String> {
    let text = String::from_utf8(files::read_head(&folder.join(FILE_NAME), MAX_BYTES)?).ok()?;
    let table: toml::Table = text.parse().ok()?;
    one_line(table.get("project")?.as_str()?)
}
