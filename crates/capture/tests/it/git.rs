//! What git is asked, against repositories that git itself made.

use crate::workshop::Workshop;
use backstory_capture::git::{Rename, branch, dirty_files, head_blobs, renames};
use std::fs;
use std::path::Path;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(60);

#[test]
fn the_branch_is_read_from_any_folder_and_work_tree() {
    let Some(workshop) = Workshop::with_git() else { return };
    assert_eq!(branch(&workshop.root).as_deref(), Some("main"), "before the first commit");
    workshop.write("src/deep/a.rs", "");
    workshop.commit_all();
    workshop.git(&["worktree", "add", "--quiet", "-b", "feature/größer", "../tree"]);
    assert_eq!(branch(&workshop.root.join("src/deep")).as_deref(), Some("main"));
    assert_eq!(branch(&workshop.beside("tree")).as_deref(), Some("feature/größer"));
    workshop.git(&["checkout", "--quiet", "--detach"]);
    assert_eq!(branch(&workshop.root), None);
    assert_eq!(branch(&workshop.beside("home")), None);
    workshop.write("odd/.git/objects", "");
    let made = std::process::Command::new("mkfifo").arg(workshop.root.join("odd/.git/HEAD")).status();
    assert!(made.is_ok_and(|status| status.success()));
    assert_eq!(branch(&workshop.root.join("odd")), None, "nobody waits for a pipe");
}

#[test]
fn dirty_files_are_told_from_the_root_and_are_not_many() {
    let Some(workshop) = Workshop::with_git() else { return };
    for name in ["same.rs", "sub/changed.rs", "sub/old name.rs", "top.rs"] {
        workshop.write(name, &format!("{name} {}", "text ".repeat(50)));
    }
    workshop.commit_all();
    assert_eq!(dirty_files(&workshop.root, LONG), [""; 0]);
    workshop.write("sub/changed.rs", "other");
    workshop.write("sub/ü \"new\".rs", "");
    workshop.write("top.rs", "other");
    workshop.git(&["mv", "sub/old name.rs", "sub/new name.rs"]);
    let mut dirty = dirty_files(&workshop.root, LONG);
    dirty.sort();
    assert_eq!(dirty, ["sub/changed.rs", "sub/new name.rs", "sub/ü \"new\".rs", "top.rs"]);
    let mut below = dirty_files(&workshop.root.join("sub"), LONG);
    below.sort();
    assert_eq!(below, ["changed.rs", "new name.rs", "ü \"new\".rs"]);
    let renamed = Rename { from: "old name.rs".into(), to: "new name.rs".into() };
    assert_eq!(renames(&workshop.root.join("sub"), LONG), [renamed]);
    (0..80).for_each(|number| workshop.write(&format!("{number}.rs"), ""));
    assert_eq!(dirty_files(&workshop.root, LONG).len(), 50);
}

#[test]
fn head_tells_the_texts_it_has_and_nothing_else() {
    let Some(workshop) = Workshop::with_git() else { return };
    assert!(head_blobs(&workshop.root, &["a.rs"], LONG).is_empty(), "before the first commit");
    workshop.write("a.rs", "one\n\nHEAD:./b.rs missing\n");
    workshop.write("dir/b.rs", "");
    fs::write(workshop.root.join("binary.rs"), b"\xff\xfe\n").unwrap();
    workshop.commit_all();
    workshop.write("a.rs", "two");
    let asked = ["a.rs", "dir", "none.rs", "binary.rs", "x\ny.rs", "../outside.rs", "dir/b.rs", "", "a.rs"];
    let told = head_blobs(&workshop.root, &asked, LONG);
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!((told["a.rs"].as_str(), told["dir/b.rs"].as_str()), ("one\n\nHEAD:./b.rs missing\n", ""));
    let many: Vec<String> = (0..3000).map(|number| format!("{}{number}.rs", "long/".repeat(20))).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).chain(["a.rs"]).collect();
    assert_eq!(head_blobs(&workshop.root, &many, LONG).len(), 1, "a full pipe stops nobody");
}

#[test]
fn where_there_is_no_repository_there_is_no_answer() {
    let workshop = Workshop::open();
    for root in [workshop.root.as_path(), Path::new("/no/such/place")] {
        assert_eq!(branch(root), None);
        assert_eq!(dirty_files(root, LONG), [""; 0]);
        assert_eq!(renames(root, LONG), []);
        assert!(head_blobs(root, &["a.rs"], LONG).is_empty());
    }
}

/// A repository may name a program of its own for this.
#[test]
fn a_program_that_the_repository_names_is_not_run() {
    let Some(workshop) = Workshop::with_git() else { return };
    workshop.write("a.rs", "one");
    workshop.commit_all();
    let ran = workshop.beside("ran");
    let command = format!("touch '{}'; false", ran.display());
    for key in ["core.fsmonitor", "core.pager", "diff.external", "gpg.program"] {
        workshop.git(&["config", key, &command]);
    }
    workshop.git(&["config", "log.showSignature", "true"]);
    workshop.write("a.rs", "two");
    assert_eq!(dirty_files(&workshop.root, LONG), ["a.rs"]);
    assert_eq!(renames(&workshop.root, LONG), []);
    assert_eq!(head_blobs(&workshop.root, &["a.rs"], LONG).len(), 1);
    assert!(!ran.exists());
}
