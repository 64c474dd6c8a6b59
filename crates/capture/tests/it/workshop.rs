//! A folder of a project with a store beside it and, where a test wants one, a git that knows nothing of this machine.

use backstory_capture::{EditedFile, Redactor, RedactorOptions, TrackingContext, track};
use backstory_memory::{
    Event, EventKind, Hunk, IdempotencyKey, ProjectId, Provenance, Redacted, SessionId, Timestamp,
};
use backstory_store::{FileUpdate, Home, IncomingEvent, Purpose, Store};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub(crate) const NOW: Timestamp = Timestamp(1_800_000_000_000);

pub(crate) struct Workshop {
    pub(crate) root: PathBuf,
    pub(crate) store: Store,
    pub(crate) project: ProjectId,
    redactor: Redactor,
    keep: TempDir,
}

impl Workshop {
    pub(crate) fn open() -> Workshop {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap().join("project");
        fs::create_dir(&root).unwrap();
        let home = Home::new(keep.path().join("home"));
        let mut store = Store::open(&home, Purpose::Command, NOW).unwrap();
        let project = store
            .projects_mut()
            .find_or_create(&Redacted::vouch(backstory_capture::identify_project(&root)), NOW)
            .unwrap();
        Workshop { root, store, project, redactor: Redactor::new(RedactorOptions::default()), keep }
    }

    /// With a repository in it; nothing where there is no git.
    pub(crate) fn with_git() -> Option<Workshop> {
        let found =
            Command::new("git").arg("--version").stdout(Stdio::null()).status().is_ok_and(|it| it.success());
        if !found {
            eprintln!("SKIPPED: there is no git on this machine");
            return None;
        }
        let workshop = Workshop::open();
        workshop.git(&["init", "--quiet"]);
        Some(workshop)
    }

    #[expect(clippy::disallowed_methods, reason = "git needs the machine's PATH, and nothing else of it")]
    pub(crate) fn git(&self, arguments: &[&str]) {
        let output = Command::new("git")
            .args(["-c", "user.name=Someone", "-c", "user.email=someone@example.org"])
            .args(["-c", "init.defaultBranch=main"])
            .args(arguments)
            .current_dir(&self.root)
            .env_clear()
            .envs([("HOME", self.keep.path().as_os_str()), ("GIT_CONFIG_NOSYSTEM", "1".as_ref())])
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    pub(crate) fn commit_all(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "so far"]);
    }

    /// A folder beside the project.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.keep.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.root.join(path)).unwrap();
    }

    pub(crate) fn session(&mut self, name: &str) -> SessionId {
        let event = Event {
            key: IdempotencyKey::new("test", name, EventKind::Prompt, "", ""),
            host: "test".into(),
            host_session: name.into(),
            kind: EventKind::Prompt,
            tool: None,
            at: NOW,
            provenance: Provenance::User,
            payload: "{}".into(),
            truncated: false,
        };
        let project_ref = backstory_capture::identify_project(&self.root);
        self.store
            .events_mut()
            .record(&IncomingEvent {
                event: Redacted::vouch(event),
                project_ref: Redacted::vouch(project_ref),
            })
            .unwrap();
        let sessions = self.store.sessions().list(None, 100, 0).unwrap();
        sessions.iter().map(|summary| summary.session.id).max().unwrap()
    }

    pub(crate) fn track(&mut self, session: SessionId, edited: &[EditedFile]) -> Vec<FileUpdate> {
        let place = TrackingContext {
            project: self.project,
            root: &self.root,
            redactor: &self.redactor,
            until: None,
        };
        track(&mut self.store, place, session, edited, NOW).unwrap()
    }

    /// The same in one session, written as `new a.rs f`.
    pub(crate) fn tracked(&mut self, edited: &[EditedFile]) -> Vec<String> {
        let session = self.session("s");
        change_lines(&self.track(session, edited))
    }

    /// What the store says all sessions did: `new a.rs f`.
    pub(crate) fn kept(&self) -> Vec<String> {
        let changed = self.store.code().changes(self.project, None, 100).unwrap();
        changed.iter().map(|it| format!("{} {} {}", it.change.as_str(), it.path, it.qualified_name)).collect()
    }
}

pub(crate) fn change_lines(readings: &[FileUpdate]) -> Vec<String> {
    let each = readings.iter().flat_map(|reading| {
        let path = &reading.path;
        reading
            .changes
            .iter()
            .map(move |it| format!("{} {path} {}", it.change.as_str(), it.symbol.qualified_name))
    });
    each.collect()
}

pub(crate) fn edited(path: &str) -> EditedFile {
    EditedFile { path: path.into(), ..EditedFile::default() }
}

pub(crate) fn created(path: &str) -> EditedFile {
    EditedFile { is_new: true, ..edited(path) }
}

pub(crate) fn replaced(path: &str, before: &str, after: &str) -> EditedFile {
    EditedFile { hunks: vec![Hunk { before: before.into(), after: after.into() }], ..edited(path) }
}
