//! Homes that cannot be used: not there, not ours, not writable, too new.

use crate::support::{
    HOOK, Times, answer, bar, count, database, exits, harmless, lock, program, prompt, remember, rendered,
    run, send, send_with, set_schema, spooled, titles, world,
};
use backstory_testkit::{ProgramOutput, TestEnv};
use insta::assert_snapshot;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn without_a_home_directory_a_command_is_refused_and_a_hook_is_silent() {
    let env = world();
    let homeless = |arguments: &[&str]| run(&env, arguments).without("HOME");
    assert_snapshot!(rendered(&homeless(&["status"]).output()), @r"
        exit 2
        --- err
        error: cannot tell where to keep memories

        hint: set `HOME` or `BACKSTORY_HOME` to a directory
        ");
    harmless(&homeless(&HOOK).output());
    assert_eq!(homeless(&["completions", "bash"]).output().code, Some(0));
    let named = homeless(&["remember", "x"]).var("BACKSTORY_HOME", env.home()).output();
    assert_eq!(named.code, Some(0), "`BACKSTORY_HOME` is enough");
}

#[test]
fn a_relative_home_is_refused_and_not_created() {
    let env = world();
    assert_snapshot!(rendered(&at_home(&env, Path::new("rel"), &["remember", "x"])), @r"
        exit 2
        --- err
        error: memories cannot be kept in `rel`: not an absolute path

        hint: set `BACKSTORY_HOME`, or `HOME`, to a path that begins with `/`
        ");
    send_with(&env, ("BACKSTORY_HOME", "rel"), prompt("s", "not kept"));
    assert!(!env.project().join("rel").exists() && !env.home().exists());
}

fn at_home(env: &TestEnv, home: &Path, arguments: &[&str]) -> ProgramOutput {
    run(env, arguments).var("BACKSTORY_HOME", home).output()
}

#[test]
fn a_home_that_is_a_link_or_a_file_is_refused_and_not_written() {
    let env = world();
    let (real, link, plain) = (env.world().join("real"), env.world().join("link"), env.world().join("plain"));
    fs::create_dir(&real).unwrap();
    symlink(&real, &link).unwrap();
    fs::write(&plain, "a file").unwrap();
    assert_snapshot!(rendered(&at_home(&env, &link, &["remember", "x"])), @r"
        exit 1
        --- err
        error: cannot use the store
          cause: `[WORLD]/link` is a symbolic link; give the directory it points to

        hint: set `BACKSTORY_HOME` to a directory of your own
        ");
    assert_snapshot!(rendered(&at_home(&env, &plain, &["remember", "x"])), @r"
        exit 1
        --- err
        error: cannot use the store
          cause: `[WORLD]/plain` is not a directory

        hint: set `BACKSTORY_HOME` to a directory of your own
        ");
    for home in [&link, &plain] {
        for arguments in [&["search", "x"][..], &["redact"], &["config"], &["doctor"], &["setup"], &HOOK] {
            let outcome = at_home(&env, home, arguments);
            assert!(
                matches!(outcome.code, Some(0..=2)) && !outcome.stderr.contains("panicked"),
                "{outcome:?}"
            );
        }
        harmless(&at_home(&env, home, &HOOK));
    }
    assert_eq!(fs::read_dir(&real).unwrap().count(), 0, "nothing was written through the link");
    assert_eq!(fs::read_to_string(&plain).unwrap(), "a file");
}

#[test]
fn a_home_others_can_read_is_made_private() {
    let env = world();
    fs::create_dir_all(env.home()).unwrap();
    fs::set_permissions(env.home(), fs::Permissions::from_mode(0o777)).unwrap();
    remember(&env, "Mine");
    assert_eq!(fs::metadata(env.home()).unwrap().mode() & 0o777, 0o700);
}

/// Runs the binary as nobody, who obeys mode bits, with a home that is theirs and that they cannot write.
struct Nobody {
    env: TestEnv,
    /// Holds a copy of the binary that nobody may run.
    _programs: TestEnv,
}

const NOBODY: u32 = 65_534;

impl Nobody {
    fn new() -> Option<Nobody> {
        let programs = world();
        let am_root = fs::metadata(programs.world()).ok()?.uid() == 0;
        let setpriv = Command::new("setpriv").arg("--version").stdout(Stdio::null()).status();
        if !am_root || !setpriv.is_ok_and(|status| status.success()) {
            eprintln!("SKIPPED: becoming another user needs root and `setpriv`");
            return None;
        }
        let binary = programs.world().join("backstory");
        fs::copy(program(), &binary).ok()?;
        let env = TestEnv::new(&binary);
        for world in [programs.world(), env.world()] {
            fs::set_permissions(world, fs::Permissions::from_mode(0o755)).ok()?;
        }
        Some(Nobody { env, _programs: programs })
    }

    fn give_everything_away(&self) {
        for path in ["user", "project"] {
            let path = self.env.world().join(path);
            let status = Command::new("chown").arg("-R").arg(format!("{NOBODY}:{NOBODY}")).arg(path).status();
            assert!(status.unwrap().success());
        }
    }

    fn close(&self) {
        for path in self.env.files() {
            fs::set_permissions(path, fs::Permissions::from_mode(0o400)).unwrap();
        }
        fs::set_permissions(self.env.home(), fs::Permissions::from_mode(0o500)).unwrap();
    }

    fn run(&self, arguments: &[&str], input: &str) -> ProgramOutput {
        let as_nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
        run(&self.env, arguments).through("setpriv", &as_nobody).input(input).output()
    }
}

/// R14.
#[test]
fn a_home_that_cannot_be_written_is_still_read() {
    let Some(nobody) = Nobody::new() else { return };
    remember(&nobody.env, "Readable all the same");
    nobody.give_everything_away();
    nobody.close();
    let before = nobody.env.files();
    let found = nobody.run(&["search", "readable", "--compact"], "");
    assert!(found.code == Some(0) && found.stdout.contains("Readable all the same"), "{found:?}");
    assert_eq!(nobody.run(&["show", "1"], "").code, Some(0));
    assert_eq!(nobody.run(&["export"], "").code, Some(0));
    assert_snapshot!(rendered(&nobody.run(&["remember", "Not today"], "")), @r"
        exit 1
        --- err
        error: cannot use the store
          cause: cannot write in `[WORLD]/user/.local/share/backstory/backstory.db`

        hint: check who owns it, or set `BACKSTORY_HOME` to a directory you can write
        ");
    let status = nobody.run(&["status"], "");
    assert!(status.code == Some(0) && status.stdout.contains("read-only:"), "{status:?}");
    let json = answer(&nobody.run(&["status", "--json"], ""));
    assert_eq!(json["writable"], false);
    assert!(json["problem"].as_str().is_some_and(|why| why.contains("cannot write in")), "{json}");
    let mut times = Times::default();
    for number in 0..20 {
        harmless(&times.measure(|| nobody.run(&HOOK, &prompt("s", &number.to_string()))));
    }
    let served =
        times.measure(|| nobody.run(&["mcp"], "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"));
    assert_eq!((served.code, served.stdout.lines().count()), (Some(0), 1), "{served:?}");
    assert_eq!(nobody.env.files(), before, "not a file was made");
    bar("R14", "20 hooks and a server: exit 0, 0 files made, `status` says why");
    times.report("R14", "max");
}

#[test]
fn a_home_that_cannot_be_created_is_an_error() {
    let Some(nobody) = Nobody::new() else { return };
    nobody.give_everything_away();
    fs::set_permissions(nobody.env.world().join("user"), fs::Permissions::from_mode(0o500)).unwrap();
    assert_snapshot!(rendered(&nobody.run(&["remember", "Nowhere"], "")), @r"
        exit 1
        --- err
        error: cannot use the store
          cause: cannot write in `[WORLD]/user/.local/share/backstory`

        hint: check who owns it, or set `BACKSTORY_HOME` to a directory you can write
        ");
    assert_snapshot!(rendered(&nobody.run(&["search", "x"], "")), @r"
        exit 1
        --- err
        error: cannot use the store
          cause: there is no store at `[WORLD]/user/.local/share/backstory/backstory.db`

        hint: run `backstory setup` to make one
        ");
    harmless(&nobody.run(&HOOK, &prompt("s", "x")));
    assert!(!nobody.env.home().exists());
}

#[test]
fn a_home_of_another_user_is_refused() {
    let Some(nobody) = Nobody::new() else { return };
    fs::create_dir_all(nobody.env.home()).unwrap();
    fs::set_permissions(nobody.env.home(), fs::Permissions::from_mode(0o777)).unwrap();
    assert_snapshot!(rendered(&nobody.run(&["remember", "Planted"], "")), @r"
        exit 1
        --- err
        error: cannot use the store
          cause: `[WORLD]/user/.local/share/backstory` belongs to another user

        hint: set `BACKSTORY_HOME` to a directory of your own
        ");
    harmless(&nobody.run(&HOOK, &prompt("s", "x")));
    assert_eq!(fs::read_dir(nobody.env.home()).unwrap().count(), 0);
}

/// S10: what we make is ours alone, whatever the mask we are started with.
#[test]
fn every_file_of_the_home_is_private_whatever_the_umask() {
    let env = world();
    let script = format!(
        "umask 000; \"$0\" remember hello; {prompt} | \"$0\" {hook}; \"$0\" maintain --set retention.backups=1; \"$0\" export out.jsonl",
        prompt = "printf '{\"session_id\":\"s\",\"hook_event_name\":\"Stop\"}'",
        hook = HOOK.join(" "),
    );
    assert_eq!(run(&env, ["doctor"]).after(&script).output().code, Some(0));
    let holder = lock(&env);
    send(&env, prompt("s", "waits in the spool"));
    drop(holder);
    let paths = assert_private(&env.home());
    assert!(paths >= 8, "{paths}");
    bar("S10", format_args!("{paths} paths 0600 or 0700 under umask 000"));
    assert_eq!(fs::metadata(env.project().join("out.jsonl")).unwrap().mode() & 0o777, 0o600);
}

/// Asserts that only the user may read what is in a folder, and returns how many paths that are.
pub(crate) fn assert_private(folder: &Path) -> usize {
    let (mut paths, mut open) = (0, vec![folder.to_owned()]);
    while let Some(path) = open.pop() {
        let mode = fs::symlink_metadata(&path).unwrap().mode() & 0o777;
        assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{} is {mode:o}", path.display());
        paths += 1;
        open.extend(fs::read_dir(&path).into_iter().flatten().map(|entry| entry.unwrap().path()));
    }
    paths
}

/// R26 and law 11.
#[test]
fn law_11_a_newer_database_is_refused_untouched() {
    let env = world();
    remember(&env, "Written by a build of the future");
    let newer = database(&env);
    // Left in the log, as a process that was killed leaves it.
    newer.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    let known: i64 = newer.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    newer.pragma_update(None, "user_version", 999).unwrap();
    drop(newer);
    let bytes = |name: &str| fs::read(env.home().join(name)).unwrap();
    let before = (bytes("backstory.db"), bytes("backstory.db-wal"));
    assert!(!before.1.is_empty());

    assert_snapshot!(rendered(&env.run(["search", "future"])), @r"
        exit 1
        --- err
        error: cannot use the store
          cause: `[WORLD]/user/.local/share/backstory/backstory.db` has schema 999; this build knows up to 11

        hint: install a newer version, or set `BACKSTORY_HOME` to use another directory
        ");
    for arguments in [
        &["remember", "x"][..],
        &["status"],
        &["doctor"],
        &["doctor", "--full"],
        &["setup"],
        &["index"],
        &["maintain"],
        &["export"],
    ] {
        exits(&env, 1, arguments, &format!("has schema 999; this build knows up to {known}"));
    }
    send(&env, prompt("s", "said to a newer store"));
    assert_eq!(before, (bytes("backstory.db"), bytes("backstory.db-wal")));
    bar("R26", "every byte of a newer database unchanged, 1 of 1 hooks spooled");
    assert_eq!(spooled(&env), 1, "the event waits");

    set_schema(&env, known);
    assert_eq!((count(&env, "events"), titles(&env, &["future"]).len()), (1, 1));
    assert_eq!(count(&env, "spooled"), 0);
}
