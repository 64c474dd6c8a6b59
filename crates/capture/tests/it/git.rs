//! Reading git, against repositories that git itself made.

use crate::workshop::Workshop;
use backstory_capture::git::{
    Commit, CommittedFile, FileRename, HistoryDetail, HistoryEnd, branch, count_commits, dirty_files, head,
    head_blobs, history, renames, user_email, work_tree_of,
};
use std::fs;
use std::ops::ControlFlow;
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
}

#[cfg(unix)]
#[test]
fn nobody_waits_for_a_pipe_in_the_place_of_a_repository() {
    let Some(workshop) = Workshop::with_git() else { return };
    workshop.write("odd/.git/objects", "");
    let made = std::process::Command::new("mkfifo").arg(workshop.root.join("odd/.git/HEAD")).status();
    assert!(made.is_ok_and(|status| status.success()));
    assert_eq!(branch(&workshop.root.join("odd")), None);
}

#[test]
fn dirty_files_are_listed_from_the_root_up_to_a_limit() {
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
    let renamed = FileRename { from: "old name.rs".into(), to: "new name.rs".into() };
    assert_eq!(renames(&workshop.root.join("sub"), LONG), [renamed]);
    (0..80).for_each(|number| workshop.write(&format!("{number}.rs"), ""));
    assert_eq!(dirty_files(&workshop.root, LONG).len(), 50);
}

#[cfg(target_os = "linux")]
#[test]
fn names_with_line_breaks_and_escapes_are_on_one_line() {
    let Some(workshop) = Workshop::with_git() else { return };
    workshop.commit_all();
    workshop.write("a\nNext steps: obey\u{1b}[31m\u{2028}.rs", "");
    assert_eq!(dirty_files(&workshop.root, LONG), ["a Next steps: obey .rs"]);
    workshop.write(".git/HEAD", "ref: refs/heads/odd\u{2028}\u{85}name\n");
    assert_eq!(branch(&workshop.root).as_deref(), Some("odd name"));
}

#[test]
fn head_blobs_returns_only_texts_that_head_holds() {
    let Some(workshop) = Workshop::with_git() else { return };
    assert!(head_blobs(&workshop.root, &["a.rs"], LONG).is_empty(), "before the first commit");
    workshop.write("a.rs", "one\n\nHEAD:./b.rs missing\n");
    workshop.write("dir/b.rs", "");
    fs::write(workshop.root.join("binary.rs"), b"\xff\xfe\n").unwrap();
    workshop.commit_all();
    workshop.write("a.rs", "two");
    let paths = ["a.rs", "dir", "none.rs", "binary.rs", "x\ny.rs", "../outside.rs", "dir/b.rs", "", "a.rs"];
    let blobs = head_blobs(&workshop.root, &paths, LONG);
    assert_eq!(blobs.len(), 2, "{blobs:?}");
    assert_eq!((blobs["a.rs"].as_str(), blobs["dir/b.rs"].as_str()), ("one\n\nHEAD:./b.rs missing\n", ""));
    let many: Vec<String> = (0..3000).map(|number| format!("{}{number}.rs", "long/".repeat(20))).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).chain(["a.rs"]).collect();
    assert_eq!(head_blobs(&workshop.root, &many, LONG).len(), 1, "a full pipe stops nobody");
}

#[test]
fn outside_a_repository_git_answers_nothing() {
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

fn whole_history(root: &Path) -> Vec<Commit> {
    let mut commits = Vec::new();
    let read = history(root, HistoryDetail::Files, LONG, &mut |commit| {
        commits.push(commit);
        ControlFlow::Continue(())
    });
    assert_eq!(read, HistoryEnd::Read);
    commits
}

#[test]
fn a_history_holds_message_and_files_of_each_commit() {
    let Some(workshop) = Workshop::with_git() else { return };
    workshop.write("a.rs", &"line\n".repeat(30));
    workshop.write("odd/1\t2\tü \n.rs", "one\n");
    fs::write(workshop.root.join("picture.png"), b"\0\x01").unwrap();
    workshop.git(&["add", "--all"]);
    let message = "Begin\n\nWith a why: 1\t2\tthree\n\n0123456789012345678901234567890123456789";
    workshop.git(&["commit", "--quiet", "--message", message, "--date", "2020-01-02T03:04:05Z"]);
    workshop.git(&["mv", "a.rs", "b.rs"]);
    workshop.git(&["commit", "--quiet", "--message", "Rename a", "--author", "Ünal <u@example.org>"]);
    workshop.git(&["commit", "--quiet", "--allow-empty", "--allow-empty-message", "--message", ""]);
    workshop.git(&["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    workshop.write("side.rs", "");
    workshop.commit_all();
    workshop.git(&["merge", "--quiet", "--no-ff", "--message", "Merge it", "main"]);

    let commits = whole_history(&workshop.root.join("odd"));
    assert_eq!(head(&workshop.root, LONG).as_deref(), commits.first().map(|commit| commit.id.as_str()));
    assert_eq!(count_commits(&workshop.root, LONG), Some(5));
    let merges: Vec<bool> = commits.iter().map(|commit| commit.is_merge).collect();
    assert_eq!(merges, [true, false, false, false, false]);
    assert!(commits[0].changes.is_empty() && commits[0].message.starts_with("Merge it"));
    let first = commits.last().unwrap();
    assert_eq!((first.message.trim_end(), first.at.0), (message, 1_577_934_245_000));
    assert_eq!((first.author.as_str(), first.email.as_str()), ("Someone", "someone@example.org"));
    let changed = |path: &str, lines| CommittedFile { path: path.to_owned(), lines };
    let expected = [changed("a.rs", 30), changed("odd/1\t2\tü \n.rs", 1), changed("picture.png", 0)];
    assert_eq!((first.changes.as_slice(), first.file_count), (&expected[..], 3));
    let renamed = commits.iter().find(|commit| commit.message.starts_with("Rename a")).unwrap();
    assert_eq!((renamed.changes.as_slice(), renamed.author.as_str()), (&[changed("b.rs", 0)][..], "Ünal"));
}

#[test]
fn reading_a_history_runs_no_other_program_and_ignores_git_settings() {
    let Some(workshop) = Workshop::with_git() else { return };
    workshop.write("a.rs", "one\n");
    workshop.write(".gitattributes", "*.rs diff=odd\n");
    workshop.commit_all();
    let before = whole_history(&workshop.root);
    let called = workshop.root.join("called");
    let program = format!("touch {}; cat", called.display());
    for (name, value) in [
        ("core.pager", program.as_str()),
        ("pager.log", "true"),
        ("diff.external", &program),
        ("diff.odd.textconv", &program),
        ("diff.odd.command", &program),
        ("gpg.program", &program),
        ("core.fsmonitor", &program),
        ("log.showSignature", "true"),
        ("log.showRoot", "false"),
        ("log.decorate", "full"),
        ("log.diffMerges", "on"),
        ("diff.relative", "true"),
        ("format.pretty", "oneline"),
        ("color.ui", "always"),
        ("i18n.logOutputEncoding", "UTF-16"),
    ] {
        workshop.git(&["config", name, value]);
    }
    assert_eq!(whole_history(&workshop.root), before);
    assert!(!called.exists());
    assert_eq!(before[0].changes.len(), 2);
}

#[test]
fn a_history_stops_on_request_and_cuts_long_messages() {
    let Some(workshop) = Workshop::with_git() else { return };
    workshop.write("message", &format!("Long\n\n{}", "word ".repeat(200_000)));
    workshop.git(&["commit", "--quiet", "--allow-empty", "--file", "message"]);
    (0..3).for_each(|_| workshop.commit_all());
    let mut seen = 0;
    let read = history(&workshop.root, HistoryDetail::Files, LONG, &mut |_| {
        seen += 1;
        if seen < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!((seen, read), (2, HistoryEnd::Read));
    let longest = whole_history(&workshop.root).into_iter().map(|commit| commit.message.len()).max();
    assert!(longest.is_some_and(|bytes| (100_000..200_000).contains(&bytes)), "{longest:?}");
    assert_eq!(
        history(&workshop.root, HistoryDetail::Files, Duration::ZERO, &mut |_| ControlFlow::Continue(())),
        HistoryEnd::CutShort
    );
}

#[test]
fn work_trees_of_one_repository_are_recognised_as_one() {
    let Some(workshop) = Workshop::with_git() else { return };
    workshop.write("sub/a.rs", "");
    workshop.commit_all();
    workshop.git(&["worktree", "add", "--quiet", "-b", "other", "../tree"]);
    workshop.git(&["config", "user.email", "me@example.org"]);
    let (main, linked) =
        (work_tree_of(&workshop.root.join("sub")).unwrap(), work_tree_of(&workshop.beside("tree")).unwrap());
    assert_eq!((&main.root, &main.common_dir), (&workshop.root, &linked.common_dir));
    assert_eq!(linked.root, workshop.beside("tree"));
    assert_ne!(
        user_email(&linked.root, LONG).as_deref(),
        Some("me@example.org"),
        "not a repository's to say"
    );
    assert_eq!(work_tree_of(&workshop.beside("home")), None);
    assert_eq!(
        (head(&workshop.beside("home"), LONG), whole_history(&workshop.beside("home"))),
        (None, vec![])
    );
}
