//! Repositories that pretend to be another project of the user, and those that really are.

use backstory_capture::{Redactor, RedactorOptions, proven_project_ref};
use backstory_memory::{KnownProject, ProjectId, ProjectKey, ProjectRef};
use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const REMOTE: &str = "https://example.org/team/secret.git";

/// A machine on which the user works on `secret`, has a worktree and a submodule of it, and meets a folder called `forged`.
struct Machine {
    home: PathBuf,
    secret: ProjectRef,
    _keep: TempDir,
}

impl Machine {
    fn open() -> Option<Machine> {
        let git = Command::new("git").arg("--version").stdout(Stdio::null()).status();
        if !git.is_ok_and(|status| status.success()) {
            eprintln!("SKIPPED: there is no git on this machine");
            return None;
        }
        let keep = tempfile::tempdir().unwrap();
        let home = keep.path().canonicalize().unwrap();
        let nobody = ProjectRef { keys: Vec::new(), name: String::new(), root: String::new(), parent: None };
        let mut machine = Machine { home, secret: nobody, _keep: keep };
        for name in ["secret", "library", "forged"] {
            machine.write(&format!("{name}/file"), name);
            machine.git(name, &["init", "--quiet"]);
            machine.commit(name, &format!("begin {name}"));
        }
        machine.write("secret/.backstory.toml", "project = \"secret\"\n");
        machine.git("secret", &["submodule", "--quiet", "add", "../library", "vendor/library"]);
        machine.commit("secret", "hold the library");
        machine.git("secret", &["remote", "add", "origin", REMOTE]);
        machine.git("secret", &["worktree", "add", "--quiet", "../tree"]);
        machine.secret = machine.identify("secret");
        assert!(machine.secret.keys.len() == 5, "{:?}", machine.secret);
        Some(machine)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.join(name)
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn commit(&self, folder: &str, message: &str) {
        self.git(folder, &["add", "--all"]);
        self.git(folder, &["commit", "--quiet", "--message", message]);
    }

    #[expect(clippy::disallowed_methods, reason = "git needs the machine's PATH, and nothing else of it")]
    fn git(&self, folder: &str, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=Someone", "-c", "user.email=someone@example.org"])
            .args(["-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(self.path(folder))
            .env_clear()
            .envs([("HOME", self.home.as_os_str()), ("GIT_CONFIG_NOSYSTEM", "1".as_ref())])
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// What a folder says of itself, with all the proof there is.
    fn identify(&self, name: &str) -> ProjectRef {
        let redactor = Redactor::new(RedactorOptions::default());
        proven_project_ref(&self.path(name), &redactor, Duration::from_secs(60), |_| true).into_inner()
    }

    /// Whether a folder is taken for the user's project.
    fn is_secret(&self, name: &str) -> bool {
        let known = KnownProject { project: ProjectId(1), keys: self.secret.keys.clone() };
        let owners = |key: &ProjectKey| {
            Ok::<_, Infallible>(known.keys.contains(key).then(|| known.clone()).into_iter().collect())
        };
        self.identify(name).claim(owners).unwrap().is_some()
    }

    fn forget_repository(&self) {
        fs::remove_dir_all(self.path("forged/.git")).unwrap();
    }

    fn point_at(&self, target: &str) {
        self.forget_repository();
        self.write("forged/.git", &format!("gitdir: {}\n", self.path(target).display()));
    }

    /// The commit that the user's project begins with.
    fn first_commit(&self) -> String {
        self.git("secret", &["rev-list", "--max-parents=0", "HEAD"])
    }
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) {
    if to.is_dir() {
        fs::remove_dir_all(to).unwrap();
    }
    fs::remove_file(to).ok();
    std::os::unix::fs::symlink(from, to).unwrap();
}

/// A way to forge, and the folder in which the user stands then.
type Forgery = (&'static str, fn(&Machine) -> &'static str);

const FORGERIES: [Forgery; 11] = [
    ("a name", |machine| {
        machine.write("forged/.backstory.toml", "project = \"secret\"");
        "forged"
    }),
    ("a remote", |machine| {
        machine.git("forged", &["remote", "add", "origin", REMOTE]);
        "forged"
    }),
    ("a remote on this machine", |machine| {
        machine.git("forged", &["remote", "add", "origin", machine.path("secret").to_str().unwrap()]);
        "forged"
    }),
    ("name, remote and log at once", |machine| {
        machine.git("forged", &["remote", "add", "origin", REMOTE]);
        machine.write("forged/.backstory.toml", "project = \"secret\"");
        fs::copy(machine.path("secret/.git/logs/HEAD"), machine.path("forged/.git/logs/HEAD")).unwrap();
        "forged"
    }),
    ("a file of the folder above", |machine| {
        machine.write("bundle/.backstory.toml", "project = \"secret\"");
        fs::create_dir(machine.path("bundle/plain")).unwrap();
        "bundle/plain"
    }),
    ("a bare repository in the work tree", |machine| {
        machine.git(".", &["clone", "--quiet", "--bare", "secret", "forged/vendor"]);
        fs::copy(machine.path("secret/.git/config"), machine.path("forged/vendor/config")).unwrap();
        "forged/vendor"
    }),
    ("a `.git` that names the repository", |machine| {
        machine.point_at("secret/.git");
        "forged"
    }),
    ("a `.git` that names the entry of another work tree", |machine| {
        machine.point_at("secret/.git/worktrees/tree");
        "forged"
    }),
    ("a `.git` that names an entry of its own making", |machine| {
        machine.point_at("forged/entries/worktrees/x");
        machine.write("forged/entries/worktrees/x/HEAD", "ref: refs/heads/main\n");
        let common_dir = format!("{}\n", machine.path("secret/.git").display());
        machine.write("forged/entries/worktrees/x/commondir", &common_dir);
        let back = format!("{}\n", machine.path("forged/.git").display());
        machine.write("forged/entries/worktrees/x/gitdir", &back);
        "forged"
    }),
    ("a directory that names the repository as its own", |machine| {
        machine.write("forged/.git/commondir", &format!("{}\n", machine.path("secret/.git").display()));
        "forged"
    }),
    ("a commit under the id of the first one", |machine| {
        let (first, own) = (machine.first_commit(), machine.git("forged", &["rev-parse", "HEAD"]));
        let object = |id: &str| format!("forged/.git/objects/{}/{}", &id[..2], &id[2..]);
        machine.write(&object(&first), "");
        fs::copy(machine.path(&object(&own)), machine.path(&object(&first))).unwrap();
        machine.write("forged/.git/HEAD", &first);
        machine.git("forged", &["remote", "add", "origin", REMOTE]);
        "forged"
    }),
];

#[test]
fn law_8_a_repository_cannot_take_the_identity_of_another() {
    let mut held = 0;
    for (form, forge) in FORGERIES {
        let Some(machine) = Machine::open() else { return };
        let stands_in = forge(&machine);
        assert!(!machine.is_secret(stands_in), "{form}");
        assert!(machine.is_secret("secret") && machine.is_secret("tree"), "{form}");
        held += 1;
    }
    assert_eq!(held, FORGERIES.len());
    backstory_testkit::held("A03", 3, held, "forged identities are refused");
}

/// Archives carry links, too.
#[cfg(unix)]
#[test]
fn law_8_a_repository_cannot_borrow_the_history_of_another() {
    let borrow: [Forgery; 5] = [
        ("a link to the repository", |machine| {
            link(&machine.path("secret/.git"), &machine.path("forged/.git"));
            "forged"
        }),
        ("links to all its files", |machine| {
            for name in ["HEAD", "config", "objects", "refs", "logs"] {
                link(&machine.path("secret/.git").join(name), &machine.path("forged/.git").join(name));
            }
            "forged"
        }),
        ("links to its objects and branches", |machine| {
            for name in ["objects", "refs"] {
                let theirs = fs::read_dir(machine.path("secret/.git").join(name)).unwrap();
                for entry in theirs.map(Result::unwrap) {
                    link(&entry.path(), &machine.path("forged/.git").join(name).join(entry.file_name()));
                }
            }
            "forged"
        }),
        ("its objects as alternates", |machine| {
            let objects = format!("{}\n", machine.path("secret/.git/objects").display());
            machine.write("forged/.git/objects/info/alternates", &objects);
            machine.write("forged/.git/HEAD", &machine.first_commit());
            "forged"
        }),
        ("a `.git` that names a submodule", |machine| {
            machine.point_at("secret/.git/modules/vendor/library");
            "forged"
        }),
    ];
    for (form, forge) in borrow {
        let Some(machine) = Machine::open() else { return };
        let library = machine.identify("secret/vendor/library");
        let stands_in = forge(&machine);
        assert!(!machine.is_secret(stands_in), "{form}");
        assert_ne!(machine.identify(stands_in).place(), library.place(), "{form}");
        assert!(
            !machine.identify(stands_in).keys.iter().any(|key| matches!(key, ProjectKey::Commit(_))),
            "{form}"
        );
    }
    backstory_testkit::held("A03", 3, borrow.len(), "borrowed histories are refused");
}

#[test]
fn worktrees_clones_and_moved_folders_are_still_one_project() {
    let Some(machine) = Machine::open() else { return };
    assert!(machine.is_secret("tree"));
    machine.git("secret", &["worktree", "add", "--quiet", "--detach", "../moved before"]);
    machine.git("secret", &["worktree", "move", "../moved before", "../moved"]);
    assert!(machine.is_secret("moved"), "a worktree that git moved");
    machine.git(".", &["clone", "--quiet", "secret", "clone"]);
    machine.git("clone", &["remote", "set-url", "origin", "git@example.org:team/secret.git"]);
    assert!(machine.is_secret("clone"));
    fs::remove_dir_all(machine.path("clone/.git/logs")).unwrap();
    fs::remove_file(machine.path("clone/.backstory.toml")).unwrap();
    assert!(machine.is_secret("clone"), "without log and name");
    let library = machine.identify("secret/vendor/library");
    assert_eq!(library.parent.as_deref(), Some(&machine.secret));
    assert!(library.root.ends_with("secret/vendor/library") && !machine.is_secret("secret/vendor/library"));
    fs::rename(machine.path("secret"), machine.path("renamed")).unwrap();
    assert!(machine.is_secret("renamed"));
    assert!(!machine.is_secret("tree"), "git itself has to repair the links of a worktree first");
    machine.git("renamed", &["worktree", "repair"]);
    assert!(machine.is_secret("tree"));
}
