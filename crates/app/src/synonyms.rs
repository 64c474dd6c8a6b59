//! The user's list of synonyms: where it is, and what holds with it. It is read anew each time, so that a change counts at once.

use crate::env_vars::Environment;
use backstory_recall::{MOST_SYNONYM_BYTES, Synonyms};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Returns the synonyms in use, and a note on each line of the user's list that could not be used.
pub fn synonyms(environment: &Environment) -> (Synonyms, Vec<String>) {
    match environment.synonyms_file().map_or(Ok(None), |path| own(&path)) {
        Ok(Some(text)) => {
            let synonyms = Synonyms::with(&text);
            let notes = synonyms.notes().to_vec();
            (synonyms, notes)
        }
        Ok(None) => (Synonyms::built_in(), Vec::new()),
        Err(error) => (Synonyms::built_in(), vec![format!("cannot be read: {error}")]),
    }
}

/// Reads the user's list up to the longest that is used; none if there is no list.
fn own(path: &Path) -> io::Result<Option<String>> {
    // Opening a pipe would wait until somebody writes into it.
    if !path.is_file() {
        return if path.exists() { Err(io::Error::other("it is not a file")) } else { Ok(None) };
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_SYNONYM_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
