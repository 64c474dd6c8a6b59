//! Patches in the words of OpenAI's models: several files in one text, each with what goes and what comes.

use backstory_memory::{Activity, Hunk};
use std::path::Path;

/// Returns what a patch does to each file. What it says about files nobody can make out is skipped.
pub(super) fn edits_in(patch: &str, cwd: Option<&str>) -> Vec<Activity> {
    let mut edits: Vec<PatchedFile> = Vec::new();
    for line in patch.lines() {
        if let Some(edit) = PatchedFile::beginning(line) {
            edits.push(edit);
        } else if let Some(edit) = edits.last_mut() {
            edit.read(line);
        }
    }
    edits.into_iter().map(|edit| edit.activity(cwd)).collect()
}

/// Returns the first file a patch is about.
pub(super) fn first_file(patch: &str, cwd: Option<&str>) -> Option<String> {
    patch.lines().find_map(PatchedFile::beginning).map(|edit| absolute(&edit.file, cwd))
}

struct PatchedFile {
    file: String,
    is_new: bool,
    hunks: Vec<Hunk>,
}

impl PatchedFile {
    fn beginning(line: &str) -> Option<PatchedFile> {
        let named = |prefix| line.strip_prefix(prefix).map(str::trim).filter(|file: &&str| !file.is_empty());
        let (file, is_new) =
            match (named("*** Add File: "), named("*** Update File: "), named("*** Delete File: ")) {
                (Some(file), _, _) => (file, true),
                (_, Some(file), _) | (_, _, Some(file)) => (file, false),
                _ => return None,
            };
        Some(PatchedFile { file: file.to_owned(), is_new, hunks: Vec::new() })
    }

    fn read(&mut self, line: &str) {
        if let Some(moved) = line.strip_prefix("*** Move to: ") {
            moved.trim().clone_into(&mut self.file);
        } else if line.starts_with("@@") {
            self.hunks.push(Hunk::default());
        } else if !line.starts_with("***") {
            // The first place need not be announced.
            if self.hunks.is_empty() {
                self.hunks.push(Hunk::default());
            }
            let Some(hunk) = self.hunks.last_mut() else { return };
            let (sign, text) = line.split_at(usize::from(line.starts_with(['+', '-', ' '])));
            if sign != "+" {
                put_line(&mut hunk.before, text);
            }
            if sign != "-" {
                put_line(&mut hunk.after, text);
            }
        }
    }

    fn activity(self, cwd: Option<&str>) -> Activity {
        Activity::Edited { file: absolute(&self.file, cwd), is_new: self.is_new, hunks: self.hunks }
    }
}

fn put_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// A patch names files from where the agent is.
fn absolute(file: &str, cwd: Option<&str>) -> String {
    match cwd {
        Some(cwd) if !Path::new(file).has_root() => format!("{}/{file}", cwd.trim_end_matches('/')),
        _ => file.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_of_a_patch_is_an_edit() {
        let patch = "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n one\n-two\n+2\n@@\n-x\n*** Add File: /b\n+new\n\
                     *** Delete File: c\n*** Update File: d\n*** Move to: e\n-1\n*** End Patch";
        let hunk = |before: &str, after: &str| Hunk { before: before.into(), after: after.into() };
        let edited = |file: &str, is_new, hunks| Activity::Edited { file: file.into(), is_new, hunks };
        assert_eq!(
            edits_in(patch, Some("/p/")),
            [
                edited("/p/a.py", false, vec![hunk("one\ntwo\n", "one\n2\n"), hunk("x\n", "")]),
                edited("/b", true, vec![hunk("", "new\n")]),
                edited("/p/c", false, vec![]),
                edited("/p/e", false, vec![hunk("1\n", "")]),
            ]
        );
        assert_eq!(first_file(patch, None).as_deref(), Some("a.py"));
        assert_eq!(edits_in("what is this?", None), []);
    }
}
