//! A repository made for a test, by a git that knows nothing of this machine.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub(crate) struct TestRepository {
    pub(crate) root: PathBuf,
    keep: TempDir,
    /// Minutes pass from one command to the next, so that commits have an order.
    minutes: Cell<u32>,
}

impl TestRepository {
    /// Makes an empty one, of a user with the address `me@example.org`; nothing where there is no git.
    #[expect(clippy::print_stderr, reason = "whoever runs the tests should know what they did not try")]
    pub(crate) fn make() -> Option<TestRepository> {
        let found = Command::new("git").arg("--version").stdout(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            eprintln!("SKIPPED: there is no git on this machine");
            return None;
        }
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap().join("project");
        fs::create_dir(&root).unwrap();
        let repository = TestRepository { root, keep, minutes: Cell::new(0) };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.git(&["config", "user.email", "me@example.org"]);
        repository.git(&["config", "user.name", "Me"]);
        Some(repository)
    }

    #[expect(clippy::disallowed_methods, reason = "git needs the machine's PATH, and nothing else of it")]
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.minutes.set(self.minutes.get() + 1);
        let time = format!("{} +0000", 1_710_000_000 + self.minutes.get() * 60);
        let output = Command::new("git")
            .args(arguments)
            .current_dir(&self.root)
            .env_clear()
            .envs([("HOME", self.keep.path().as_os_str()), ("GIT_CONFIG_NOSYSTEM", "1".as_ref())])
            .env("GIT_COMMITTER_DATE", time)
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Adds a line to each file and commits that; returns the commit's name.
    pub(crate) fn commit(&self, message: &str, files: &[&str]) -> String {
        self.commit_by("Me <me@example.org>", message, files)
    }

    pub(crate) fn commit_by(&self, author: &str, message: &str, files: &[&str]) -> String {
        for file in files {
            let path = self.root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let before = fs::read_to_string(&path).unwrap_or_default();
            fs::write(path, format!("{before}{message}\n")).unwrap();
        }
        self.git(&["add", "--all"]);
        let day = self.git(&["rev-list", "--all", "--count"]).parse::<u32>().unwrap() % 28 + 1;
        let date = format!("2024-02-{day:02}T10:00:00Z");
        self.git(&[
            "commit",
            "--quiet",
            "--allow-empty",
            "--allow-empty-message",
            "--author",
            author,
            "--date",
            &date,
            "--message",
            message,
        ]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// A folder beside the repository.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.keep.path().canonicalize().unwrap().join(name)
    }
}
