//! Project identity against repositories that git itself made.
//!
//! Without git on the machine these are skipped, loudly.

use super::{identify_project, proven_project_ref};
use crate::{Redactor, RedactorOptions};
use backstory_memory::{KnownProject, ProjectId, ProjectKey, ProjectRef};
use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A home for one test, with a git that does not know the machine it runs on.
struct ScratchFolders {
    home: PathBuf,
    _keep: TempDir,
}

impl ScratchFolders {
    fn open() -> Option<ScratchFolders> {
        let found =
            Command::new("git").arg("--version").stdout(Stdio::null()).status().is_ok_and(|it| it.success());
        if !found {
            eprintln!(
                "SKIPPED: there is no git on this machine, so project identity was not tested against it"
            );
            return None;
        }
        let keep = tempfile::tempdir().unwrap();
        Some(ScratchFolders { home: keep.path().canonicalize().unwrap(), _keep: keep })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.join(name)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "git needs the machine's PATH, and nothing else of its environment"
    )]
    fn git(&self, folder: &str, arguments: &[&str]) {
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
    }

    /// Makes a repository with one commit that no other repository has.
    fn repository(&self, name: &str) -> ProjectRef {
        fs::create_dir_all(self.path(name)).unwrap();
        self.git(name, &["init", "--quiet"]);
        self.git(name, &["commit", "--quiet", "--allow-empty", "--message", &format!("begin {name}")]);
        self.identify_project(name)
    }

    fn clone(&self, from: &str, to: &str) -> ProjectRef {
        self.git(".", &["clone", "--quiet", from, to]);
        self.identify_project(to)
    }

    fn set_origin(&self, name: &str, url: &str) -> ProjectRef {
        self.git(name, &["config", "remote.origin.url", url]);
        self.identify_project(name)
    }

    /// With all the proof there is.
    fn identify_project(&self, name: &str) -> ProjectRef {
        let redactor = Redactor::new(RedactorOptions::default());
        proven_project_ref(&self.path(name), &redactor, Duration::from_secs(60), |_| true).into_inner()
    }

    fn root(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }
}

/// Whether a reference belongs to the same project as an earlier one.
fn is_same(later: &ProjectRef, earlier: &ProjectRef) -> bool {
    let known = KnownProject { project: ProjectId(1), keys: earlier.keys.clone() };
    let owners = |key: &ProjectKey| {
        Ok::<_, Infallible>(known.keys.contains(key).then(|| known.clone()).into_iter().collect())
    };
    later.claim(owners).unwrap().is_some()
}

fn remote(project_ref: &ProjectRef) -> Option<&str> {
    match project_ref.keys.first() {
        Some(ProjectKey::Remote(remote)) => Some(remote),
        _ => None,
    }
}

#[test]
fn a_subfolder_and_a_worktree_are_the_repository_they_belong_to() {
    let Some(workshop) = ScratchFolders::open() else { return };
    let main = workshop.repository("app");
    fs::create_dir_all(workshop.path("app/packages/web")).unwrap();
    workshop.git("app", &["worktree", "add", "--quiet", "../elsewhere/feature"]);
    assert_eq!(workshop.identify_project("app/packages/web"), main);
    assert_eq!(identify_project(&workshop.path("app/.git/hooks")), identify_project(&workshop.path("app")));
    let worktree = workshop.identify_project("elsewhere/feature");
    assert_eq!((&worktree.keys, worktree.name.as_str()), (&main.keys, "app"));
    assert_eq!((main.root, worktree.root), (workshop.root("app"), workshop.root("elsewhere/feature")));
    assert!(main.keys.contains(&ProjectKey::Path(workshop.root("app"))));
}

#[test]
fn worktrees_of_a_hidden_bare_repository_are_one_project() {
    let Some(workshop) = ScratchFolders::open() else { return };
    workshop.repository("seed");
    workshop.git(".", &["clone", "--quiet", "--bare", "seed", "app/.bare"]);
    workshop.git("app/.bare", &["remote", "remove", "origin"]);
    workshop.git("app/.bare", &["worktree", "add", "--quiet", "../main"]);
    fs::write(workshop.path("app/.git"), "gitdir: ./.bare\n").unwrap();
    assert_eq!(workshop.identify_project("app").keys, workshop.identify_project("app/main").keys);
    assert_eq!(workshop.identify_project("app/main").name, "app");
}

#[test]
fn a_submodule_is_its_own_project_and_names_the_one_that_holds_it() {
    let Some(workshop) = ScratchFolders::open() else { return };
    workshop.repository("library");
    workshop.repository("app");
    workshop.git("app", &["submodule", "--quiet", "add", "../library", "vendor/library"]);
    workshop.set_origin("app/vendor/library", "https://example.org/library.git");
    let app = workshop.identify_project("app");
    let submodule = workshop.identify_project("app/vendor/library");
    assert_eq!((submodule.name.as_str(), remote(&submodule)), ("library", Some("example.org/library")));
    assert_eq!(submodule.parent.as_deref(), Some(&app));
    assert!(!is_same(&submodule, &app));
    // The same in a worktree of the superproject, where git clones the submodule anew.
    workshop.git("app", &["commit", "--quiet", "--message", "hold the library"]);
    workshop.git("app", &["worktree", "add", "--quiet", "../feature"]);
    workshop.git("feature", &["submodule", "--quiet", "update", "--init"]);
    let parent = workshop.identify_project("feature/vendor/library").parent.unwrap();
    assert_eq!((parent.keys, parent.root), (app.keys, workshop.root("feature")));
}

#[test]
fn clones_are_one_project_however_their_remote_is_spelled() {
    let Some(workshop) = ScratchFolders::open() else { return };
    workshop.repository("one");
    workshop.clone("one", "two");
    let one = workshop.set_origin("one", "https://someone:hunter2@github.com/Team/App.git");
    let two = workshop.set_origin("two", "git@github.com:team/app.git");
    assert!(is_same(&two, &one) && is_same(&one, &two));
    assert_eq!((one.name.as_str(), two.name.as_str()), ("App", "app"));
    assert!(!format!("{one:?}").contains("hunter2"));
    assert!(!is_same(&workshop.set_origin("two", "https://example.org/fork.git"), &one));
}

#[test]
fn a_local_origin_is_one_project_with_its_clones_and_their_clones() {
    let Some(workshop) = ScratchFolders::open() else { return };
    let origin = workshop.repository("origin");
    let clone = workshop.clone("origin", "a clone");
    let file_url = format!("file://{}", workshop.root("a clone").replace(' ', "%20"));
    let second = workshop.clone(&file_url, "second");
    for (a, b) in [(&clone, &origin), (&origin, &clone), (&second, &origin), (&second, &clone)] {
        assert!(is_same(a, b), "{a:#?} {b:#?}");
    }
    assert_eq!((clone.name.as_str(), second.name.as_str()), ("origin", "a clone"));
    workshop.git(".", &["clone", "--quiet", "--bare", "origin", "shared.git"]);
    let bare = workshop.identify_project("shared.git");
    assert_eq!((&bare.root, bare.name.as_str()), (&workshop.root("shared.git"), "origin"));
}

#[test]
fn a_renamed_folder_keeps_its_project() {
    let Some(workshop) = ScratchFolders::open() else { return };
    let before = workshop.repository("before");
    fs::rename(workshop.path("before"), workshop.path("after")).unwrap();
    let after = workshop.identify_project("after");
    assert!(is_same(&after, &before));
    assert_eq!(after.name, "after");
}

#[test]
fn a_repository_that_stands_where_another_stood_is_another_project() {
    let Some(workshop) = ScratchFolders::open() else { return };
    let old = workshop.repository("app");
    fs::remove_dir_all(workshop.path("app/.git")).unwrap();
    let plain = workshop.identify_project("app");
    assert!(is_same(&plain, &old), "without its repository the folder is all there is");
    workshop.git("app", &["init", "--quiet"]);
    workshop.git("app", &["commit", "--quiet", "--allow-empty", "--message", "begin again"]);
    assert!(!is_same(&workshop.identify_project("app"), &old));
}

#[test]
fn a_folder_stays_one_project_through_its_first_commit_and_its_first_remote() {
    let Some(workshop) = ScratchFolders::open() else { return };
    fs::create_dir(workshop.path("app")).unwrap();
    let mut before = workshop.identify_project("app");
    let steps: [&[&str]; 3] = [
        &["init", "--quiet"],
        &["commit", "--quiet", "--allow-empty", "--message", "begin"],
        &["remote", "add", "origin", "https://example.org/app.git"],
    ];
    for step in steps {
        workshop.git("app", step);
        let after = workshop.identify_project("app");
        assert!(is_same(&after, &before), "{step:?}");
        before = after;
    }
}

#[test]
fn a_remote_renamed_in_place_is_the_same_project_and_a_copy_with_another_remote_is_not() {
    let Some(workshop) = ScratchFolders::open() else { return };
    workshop.repository("app");
    let before = workshop.set_origin("app", "https://example.org/app.git");
    workshop.git(".", &["init", "--quiet", "copy"]);
    for file in ["logs/HEAD", "HEAD"] {
        fs::create_dir_all(workshop.path("copy/.git/logs")).unwrap();
        fs::copy(workshop.path("app/.git").join(file), workshop.path("copy/.git").join(file)).unwrap();
    }
    let copy = workshop.set_origin("copy", "https://example.org/fork.git");
    assert_eq!(copy.keys.get(1), before.keys.get(1), "the copy has the same birth");
    assert!(!is_same(&copy, &before));
    assert!(is_same(&workshop.set_origin("app", "https://example.org/renamed.git"), &before));
}

#[test]
fn two_repositories_of_one_name_are_two_projects() {
    let Some(workshop) = ScratchFolders::open() else { return };
    let (one, two) = (workshop.repository("x/app"), workshop.repository("y/app"));
    assert_eq!(one.name, two.name);
    assert!(!is_same(&one, &two));
}

#[test]
fn the_nearest_override_file_gives_the_name_up_to_the_root_of_the_repository() {
    let Some(workshop) = ScratchFolders::open() else { return };
    let name = |project_ref: &ProjectRef| match project_ref.keys.first() {
        Some(ProjectKey::Named(name)) => Some(name.clone()),
        _ => None,
    };
    fs::write(workshop.path(".backstory.toml"), "project = 'outside'").unwrap();
    let app = workshop.repository("app");
    assert_eq!(name(&app), None, "a file above the repository");
    fs::create_dir_all(workshop.path("app/tools/deep")).unwrap();
    fs::write(workshop.path("app/.backstory.toml"), "project = ' The  App '\n[recall]\nx = 1").unwrap();
    fs::write(workshop.path("app/tools/.backstory.toml"), "[recall]\nx = 1").unwrap();
    let whole = workshop.identify_project("app/tools/deep");
    assert_eq!((name(&whole).as_deref(), &whole.root), (Some("The App"), &workshop.root("app")));
    assert_eq!(whole.name, "The App");
    assert!(is_same(&whole, &app), "a name does not move a folder to another project");
    for broken in
        ["project = ", "project = 7", "project = ''", "project = \"\u{0}\"", "project = \"\\u202e\""]
    {
        fs::write(workshop.path("app/.backstory.toml"), broken).unwrap();
        assert_eq!(workshop.identify_project("app"), app, "{broken}");
    }
    fs::create_dir(workshop.path("plain")).unwrap();
    assert_eq!(name(&workshop.identify_project("plain")), None, "a file above a plain folder");
    assert_eq!(name(&workshop.identify_project(".")).as_deref(), Some("outside"));
}

#[test]
fn a_named_part_of_a_repository_is_a_project_of_its_own_in_every_clone_and_worktree() {
    let Some(workshop) = ScratchFolders::open() else { return };
    fs::create_dir_all(workshop.path("app/tools")).unwrap();
    fs::write(workshop.path("app/tools/.backstory.toml"), "project = 'tools'").unwrap();
    workshop.git("app", &["init", "--quiet"]);
    workshop.git("app", &["add", "--all"]);
    workshop.git("app", &["commit", "--quiet", "--message", "begin"]);
    let (app, tools) = (workshop.identify_project("app"), workshop.identify_project("app/tools"));
    assert_eq!((tools.name.as_str(), &tools.root), ("tools", &workshop.root("app/tools")));
    assert!(!is_same(&tools, &app) && !is_same(&app, &tools));
    workshop.git("app", &["worktree", "add", "--quiet", "../tree"]);
    workshop.clone("app", "clone");
    for other in ["tree/tools", "clone/tools"] {
        assert!(is_same(&workshop.identify_project(other), &tools), "{other}");
    }
    workshop.set_origin("clone", "https://example.org/fork.git");
    assert!(!is_same(&workshop.identify_project("clone/tools"), &tools), "a part of a fork");
}

#[test]
fn a_folder_without_a_repository_is_known_by_its_path() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().canonicalize().unwrap().join("notes");
    fs::create_dir(&folder).unwrap();
    let root = folder.to_str().unwrap().to_owned();
    let expected =
        ProjectRef { keys: vec![ProjectKey::Path(root.clone())], name: "notes".into(), root, parent: None };
    assert_eq!(identify_project(&folder), expected);
    assert_eq!(identify_project(&folder.join("../notes/.")), expected);
    fs::remove_dir(&folder).unwrap();
    assert_eq!(identify_project(&folder), expected, "a folder that is gone is known by the path it had");
    assert_eq!(identify_project(&folder.join("./x/..")), expected);
    assert_eq!(identify_project(Path::new("/")).name, "/");
    assert!(!identify_project(Path::new("")).keys.is_empty());
}

#[test]
fn a_deleted_folder_of_a_repository_still_belongs_to_it() {
    let Some(workshop) = ScratchFolders::open() else { return };
    let app = workshop.repository("app");
    assert_eq!(workshop.identify_project("app/gone/for/good"), app);
}

#[test]
fn a_broken_repository_is_a_folder_and_never_an_error() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().canonicalize().unwrap();
    let dot_git = folder.join(".git");
    fs::create_dir(folder.join("src")).unwrap();
    let path = vec![ProjectKey::Path(folder.to_str().unwrap().to_owned())];
    for content in ["", "gitdir: /no/such/place", "gitdir: .", "\u{0}\u{1}", "gitdir:"] {
        fs::write(&dot_git, content).unwrap();
        assert_eq!(identify_project(&folder.join("src")).keys, path, "{content:?}");
    }
    fs::remove_file(&dot_git).unwrap();
    fs::create_dir(&dot_git).unwrap();
    assert_eq!(identify_project(&folder.join("src")).keys, path, "an empty directory");
    fs::create_dir(dot_git.join("objects")).unwrap();
    fs::write(dot_git.join("HEAD"), "").unwrap();
    fs::write(dot_git.join("config"), b"[remote \"origin\"\nurl = \xff\xfe\n[[[").unwrap();
    fs::create_dir_all(dot_git.join("logs/HEAD")).unwrap();
    assert_eq!(identify_project(&folder.join("src")).keys, path, "nothing in it can be read");
}

#[cfg(unix)]
#[test]
fn symlinks_and_pipes_neither_mislead_nor_hang() {
    use std::os::unix::fs::symlink;
    let Some(workshop) = ScratchFolders::open() else { return };
    let app = workshop.repository("app");
    symlink(workshop.path("app"), workshop.path("link")).unwrap();
    assert_eq!(workshop.identify_project("link"), app);
    fs::create_dir_all(workshop.path("dangling/src")).unwrap();
    symlink("/no/such/place", workshop.path("dangling/.git")).unwrap();
    assert_eq!(workshop.identify_project("dangling/src").root, workshop.root("dangling"));
    for name in ["app/.backstory.toml", "app/.git/commondir", "dangling/.backstory.toml"] {
        let made = Command::new("mkfifo").arg(workshop.path(name)).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo {name}");
    }
    assert!(is_same(&workshop.identify_project("app"), &app));
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_may_be_called_anything() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let Some(workshop) = ScratchFolders::open() else { return };
    let mut seen = Vec::new();
    let names: [&[u8]; 6] =
        [b"\xff\xfe", br"\xff\xfe", b"a\nb\x1b[31m", "数 \u{202e}x".as_bytes(), b"\n", b"-rf '$(x)"];
    for name in names {
        let folder = workshop.home.join(OsStr::from_bytes(name));
        fs::create_dir(&folder).unwrap();
        workshop.git(".", &["init", "--quiet", "plain"]);
        fs::rename(workshop.path("plain"), folder.join("inner")).unwrap();
        fs::write(
            folder.join("inner/.git/config"),
            [b"[remote \"origin\"]\nurl = \"../../origin-of-", name, b"\"\n"].concat(),
        )
        .unwrap();
        for project_ref in [identify_project(&folder), identify_project(&folder.join("inner"))] {
            assert!(
                !project_ref.name.is_empty() && !project_ref.name.contains(char::is_control),
                "{project_ref:?}"
            );
            assert!(!seen.contains(&project_ref.keys), "{project_ref:?}");
            seen.push(project_ref.keys);
        }
    }
}
