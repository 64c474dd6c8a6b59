//! The files of a git folder that were refused, for people and programs.

use crate::ui::{Ui, one_line};
use backstory_sync::RefusedFiles;
use serde::Serialize;

/// How many files were refused, and the first of them.
#[derive(Default, Serialize)]
pub(crate) struct RefusedFilesJson {
    #[serde(rename = "refused")]
    pub(crate) count: u64,
    #[serde(rename = "refused_files")]
    files: Vec<RefusedFileJson>,
}

#[derive(Serialize)]
struct RefusedFileJson {
    file: String,
    error: String,
}

impl From<RefusedFiles> for RefusedFilesJson {
    fn from(refused: RefusedFiles) -> RefusedFilesJson {
        let files = refused.files.into_iter();
        let files = files.map(|refused| RefusedFileJson { file: refused.file, error: refused.error });
        RefusedFilesJson { count: refused.count, files: files.collect() }
    }
}

impl RefusedFilesJson {
    /// Prints which files were refused, and why.
    pub(crate) fn print(&self, ui: &Ui) {
        for RefusedFileJson { file, error } in &self.files {
            ui.say(&format!("refused `{}`: {}", one_line(file), one_line(error)));
        }
        let unlisted = self.count.saturating_sub(self.files.len() as u64);
        if unlisted > 0 {
            ui.say(&format!("… and {unlisted} more"));
        }
    }
}
