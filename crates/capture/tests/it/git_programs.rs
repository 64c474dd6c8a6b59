//! Ways in which a repository can make git run a program of its choice. None may work when we ask git.

use crate::workshop::Workshop;
use backstory_capture::git::{
    GitRefusal, HistoryDetail, count_commits, dirty_files, first_commit, head, head_blobs, history,
    refuses_dirty_files, renames, user_email, user_name,
};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(20);

/// A repository with a commit and a changed file, and a program that leaves a mark when it runs.
struct Trap {
    workshop: Workshop,
    program: PathBuf,
    mark: PathBuf,
}

impl Trap {
    fn open() -> Option<Trap> {
        let workshop = Workshop::with_git()?;
        let (program, mark) = (workshop.beside("program"), workshop.beside("mark"));
        fs::write(&program, format!("#!/bin/sh\ntouch '{}'\nexit 1\n", mark.display())).unwrap();
        backstory_platform::make_executable(&program).unwrap();
        workshop.write("a.rs", "one\n");
        workshop.write("b.rs", "one\n");
        workshop.commit_all();
        workshop.write("a.rs", "two\n");
        Some(Trap { workshop, program, mark })
    }

    fn set(&self, settings: &[&str]) {
        let program = self.program.to_str().unwrap();
        settings.iter().for_each(|name| self.workshop.git(&["config", name, program]));
    }

    fn set_to(&self, name: &str, value: &str) {
        self.workshop.git(&["config", name, value]);
    }

    /// What git itself says, as the user who does not think of it would ask.
    #[expect(clippy::disallowed_methods, reason = "git needs the machine's PATH, and nothing else of it")]
    fn ask_plainly(&self, folder: &Path, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .env("HOME", self.workshop.beside("home"))
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn filter(&self, setting: &str) {
        self.workshop.write(".gitattributes", "* filter=odd diff=odd\n");
        self.set(&[setting]);
    }

    /// Takes the file's content out of the repository, and leaves a remote that could bring it back.
    fn leave_out_a_blob(&self, url: &str) {
        let blob = self.ask_plainly(&self.workshop.root, &["rev-parse", "HEAD:b.rs"]);
        for (name, value) in [
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.url", url),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialCloneFilter", "blob:none"),
            ("protocol.allow", "always"),
            ("protocol.ext.allow", "always"),
        ] {
            self.set_to(name, value);
        }
        let (folder, file) = blob.split_at(2);
        fs::remove_file(self.workshop.root.join(".git/objects").join(folder).join(file)).unwrap();
    }

    fn ask_everything(&self, folder: &Path) {
        let files =
            (dirty_files(folder, LONG), renames(folder, LONG), head_blobs(folder, &["a.rs", "b.rs"], LONG));
        let read = history(folder, HistoryDetail::Files, LONG, &mut |_| ControlFlow::Continue(()));
        let commits = (head(folder, LONG), count_commits(folder, LONG), first_commit(folder, LONG));
        // What git answers does not matter here.
        drop((files, read, commits, user_email(folder, LONG), user_name(folder, LONG)));
    }
}

/// A way, what sets it up, and the plain command that falls for it; the command is empty where it takes a terminal.
type Way = (&'static str, fn(&Trap) -> PathBuf, &'static [&'static str]);

fn root(trap: &Trap) -> PathBuf {
    trap.workshop.root.clone()
}

const WAYS: [Way; 17] = [
    (
        "a clean filter",
        |trap| {
            trap.filter("filter.odd.clean");
            root(trap)
        },
        &["status"],
    ),
    (
        "a filter process",
        |trap| {
            trap.filter("filter.odd.process");
            root(trap)
        },
        &["status"],
    ),
    (
        "a smudge filter",
        |trap| {
            trap.filter("filter.odd.smudge");
            root(trap)
        },
        &["checkout", "b.rs", "a.rs"],
    ),
    (
        "a filter for attributes outside of the tree",
        |trap| {
            trap.set(&["filter.odd.clean"]);
            trap.workshop.write(".git/info/attributes", "* filter=odd\n");
            root(trap)
        },
        &["status"],
    ),
    (
        "a filter in included settings",
        |trap| {
            trap.workshop.write(".gitattributes", "* filter=odd\n");
            let settings = format!("[filter \"odd\"]\nclean = {}\n", trap.program.display());
            trap.workshop.write("settings", &settings);
            trap.set_to("include.path", "../settings");
            root(trap)
        },
        &["status"],
    ),
    (
        "a filter in settings included on a condition",
        |trap| {
            trap.workshop.write(".gitattributes", "* filter=odd\n");
            let settings = format!("[filter \"odd\"]\nclean = {}\n", trap.program.display());
            trap.workshop.write("settings", &settings);
            trap.set_to("includeIf.gitdir:/.path", "../settings");
            root(trap)
        },
        &["status"],
    ),
    (
        "a filter in the settings of the work tree",
        |trap| {
            trap.workshop.write(".gitattributes", "* filter=odd\n");
            trap.set_to("extensions.worktreeConfig", "true");
            trap.workshop.git(&["config", "--worktree", "filter.odd.clean", trap.program.to_str().unwrap()]);
            root(trap)
        },
        &["status"],
    ),
    (
        "a file monitor",
        |trap| {
            trap.set(&["core.fsmonitor"]);
            root(trap)
        },
        &["status"],
    ),
    (
        "hooks",
        |trap| {
            trap.workshop.write("hooks/none", "");
            for name in ["post-index-change", "post-checkout", "pre-auto-gc", "fsmonitor-watchman"] {
                fs::copy(&trap.program, trap.workshop.root.join("hooks").join(name)).unwrap();
            }
            trap.set_to("core.hooksPath", "hooks");
            trap.workshop.write("b.rs", "one\n");
            root(trap)
        },
        &["status"],
    ),
    (
        "programs for differences",
        |trap| {
            trap.workshop.write(".gitattributes", "* diff=odd\n");
            trap.set(&["diff.external", "diff.odd.command", "diff.odd.textconv"]);
            root(trap)
        },
        &["diff"],
    ),
    (
        "pagers and aliases",
        |trap| {
            trap.set(&["core.pager", "pager.status", "pager.log", "pager.config", "core.editor"]);
            let shell = format!("!{}", trap.program.display());
            ["status", "log", "rev-list", "rev-parse", "config"].iter().for_each(|name| {
                trap.set_to(&format!("alias.{name}"), &shell);
            });
            root(trap)
        },
        &[],
    ),
    (
        "a program for signatures",
        |trap| {
            let commit = trap.ask_plainly(&trap.workshop.root, &["cat-file", "commit", "HEAD"]);
            let (headers, message) = commit.split_once("\n\n").unwrap();
            let begin =
                format!("gpgsig -----BEGIN PGP {}-----\n \n eA==\n -----END PGP {0}-----", "SIGNATURE");
            trap.workshop.write("commit", &format!("{headers}\n{begin}\n\n{message}\n"));
            let id = trap.ask_plainly(&trap.workshop.root, &["hash-object", "-t", "commit", "-w", "commit"]);
            trap.workshop.git(&["update-ref", "HEAD", &id]);
            trap.set(&["gpg.program", "gpg.openpgp.program", "gpg.ssh.program", "gpg.x509.program"]);
            trap.set_to("log.showSignature", "true");
            root(trap)
        },
        &["log"],
    ),
    (
        "a bare repository in the work tree",
        |trap| {
            trap.workshop.git(&["clone", "--quiet", "--bare", ".", "vendor"]);
            let vendor = trap.workshop.root.join("vendor");
            for (name, value) in
                [("core.bare", "false"), ("core.worktree", ".."), ("core.fsmonitor", "PROGRAM")]
            {
                let value = if value == "PROGRAM" { trap.program.to_str().unwrap() } else { value };
                trap.ask_plainly(&vendor, &["config", name, value]);
            }
            vendor
        },
        &["status"],
    ),
    (
        "a `.git` that leads into the tree",
        |trap| {
            fs::rename(trap.workshop.root.join(".git"), trap.workshop.root.join("hidden")).unwrap();
            trap.workshop.write(".git", "gitdir: hidden\n");
            trap.filter("filter.odd.clean");
            root(trap)
        },
        &["status"],
    ),
    (
        "the settings of a submodule",
        |trap| {
            let (git, root) = (|arguments: &[&str]| trap.workshop.git(arguments), root(trap));
            git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./.", "inner"]);
            trap.workshop.write("inner/b.rs", "changed\n");
            let program = trap.program.to_str().unwrap();
            trap.ask_plainly(&root.join("inner"), &["config", "core.fsmonitor", program]);
            trap.set_to("status.submoduleSummary", "true");
            root
        },
        &["status"],
    ),
    (
        "a remote that is a program",
        |trap| {
            trap.leave_out_a_blob(&format!("ext::{}", trap.program.display()));
            root(trap)
        },
        &["cat-file", "-p", "HEAD:b.rs"],
    ),
    (
        "programs that reach a remote",
        |trap| {
            trap.leave_out_a_blob("ssh://nobody@localhost/x");
            trap.set(&["core.sshCommand", "core.askPass", "credential.helper", "remote.origin.uploadpack"]);
            root(trap)
        },
        &["cat-file", "-p", "HEAD:b.rs"],
    ),
];

#[test]
fn git_runs_no_program_that_a_repository_names() {
    let mut held = 0;
    for (way, set_up, falls_for_it) in WAYS {
        let Some(trap) = Trap::open() else { return };
        let folder = set_up(&trap);
        // Setting it up may have run the program, too.
        fs::remove_file(&trap.mark).ok();
        trap.ask_everything(&folder);
        assert!(!trap.mark.exists(), "{way}");
        if !falls_for_it.is_empty() {
            trap.ask_plainly(&folder, falls_for_it);
            assert!(trap.mark.exists(), "{way}: plain git runs it, or this proves nothing");
        }
        held += 1;
    }
    assert_eq!(held, WAYS.len());
    backstory_testkit::held("A02", 2, WAYS.len(), "ways to have git run a program run none");
}

#[test]
fn where_filters_are_defined_only_the_dirty_files_are_unknown() {
    let Some(trap) = Trap::open() else { return };
    let root = &trap.workshop.root;
    assert_eq!((refuses_dirty_files(root), dirty_files(root, LONG)), (None, vec!["a.rs".to_owned()]));
    trap.set(&["filter.odd.clean"]);
    assert_eq!((refuses_dirty_files(root), dirty_files(root, LONG)), (Some(GitRefusal::Filters), vec![]));
    assert_eq!(head_blobs(root, &["a.rs", "b.rs"], LONG).len(), 2);
    assert_eq!(count_commits(root, LONG), Some(1));
    fs::write(root.join(".git/config"), format!("[core]\n{}", "# more\n".repeat(200_000))).unwrap();
    assert_eq!(refuses_dirty_files(root), Some(GitRefusal::Filters), "nobody reads that far");
}

#[test]
fn another_work_tree_in_the_settings_is_not_looked_at() {
    let Some(trap) = Trap::open() else { return };
    let other = trap.workshop.beside("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("private name"), "").unwrap();
    trap.set_to("core.worktree", other.to_str().unwrap());
    assert_eq!(dirty_files(&trap.workshop.root, LONG), ["a.rs"]);
}
