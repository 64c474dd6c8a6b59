//! What the files say that a host gives to its agent by itself, and the README: nothing of it is worth a memory.

use crate::sentences::sentences;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

const FILES: [&str; 4] = ["CLAUDE.md", "AGENTS.md", "GEMINI.md", "README.md"];
/// So much of each is read.
const MOST_BYTES: u64 = 64 * 1024;

/// Returns the sentences of a project's own files; none where its folder is not to be looked at.
pub(super) fn sentences_of(root: Option<&Path>) -> Vec<String> {
    let texts = root.into_iter().flat_map(|root| FILES.iter().filter_map(|name| beginning(&root.join(name))));
    texts
        .flat_map(|text| text.lines().flat_map(sentences).map(str::to_owned).collect::<Vec<_>>())
        .filter(|sentence| sentence.split_whitespace().count() > 2)
        .collect()
}

/// Returns the beginning of a file; nothing where there is none: a project need not have one.
fn beginning(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
