//! The name in an override file, with which a person settles what a project is.
//!
//! Not here: the file's other settings, and telling the user that the file is broken (`cli`).

use super::{files, one_line};
use std::path::Path;

const FILE_NAME: &str = ".backstory.toml";
const MAX_BYTES: u64 = 64 * 1024;

/// Returns the project's name if this folder holds an override file that gives one.
pub(super) fn read(folder: &Path) -> Option<String> {
    let text = String::from_utf8(files::read_head(&folder.join(FILE_NAME), MAX_BYTES)?).ok()?;
    let table: toml::Table = text.parse().ok()?;
    one_line(table.get("project")?.as_str()?)
}
