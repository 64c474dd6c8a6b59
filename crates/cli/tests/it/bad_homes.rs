//! Homes that cannot be used: not there, not ours, not writable, too new.

use crate::support::{
    HOOK, Times, ask, bar, count, database, harmless, hook, lock, prompt, remember, titles, told, world,
};
use backstory_testkit::{ProgramOutput, TestEnv};
use insta::assert_snapshot;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn without_a_home_we_cannot_tell_where_to_keep_memories() {
    let env = world();
    let run = |arguments: &[&str]| env.finish(env.command(arguments).env_remove("HOME").spawn().unwrap());
    assert_snapshot!(told(&run(&["status"])), @r"
        exit 2
        --- err
        error: cannot tell where to keep memories

        hint: set `HOME` or `BACKSTORY_HOME` to a directory
        ");
    harmless(&run(&HOOK));
    assert_eq!(run(&["completions", "bash"]).code, Some(0));
    let mut command = env.command(["remember", "x"]);
    let child = command.env_remove("HOME").env("BACKSTORY_HOME", env.home()).spawn().unwrap();
    assert_eq!(env.finish(child).code, Some(0), "`BACKSTORY_HOME` is enough");
}

#[test]
fn a_home_that_is_no_whole_path_is_refused_and_made_in_no_folder() {
    let env = world();
    assert_snapshot!(told(&at_home(&env, Path::new("rel"), &["remember", "x"])), @r"
        exit 2
        --- err
        error: memories cannot be kept in `rel`: not an absolute path

        hint: set `BACKSTORY_HOME`, or `HOME`, to a path that begins with `/`
        ");
    let mut command = env.command(HOOK);
    let mut child = command.env("BACKSTORY_HOME", "rel").stdin(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), prompt("s", "unheard").as_bytes()).unwrap();
    harmless(&env.finish(child));
    assert!(!env.project().join("rel").exists() && !env.home().exists());
}

fn at_home(env: &TestEnv, home: &Path, arguments: &[&str]) -> ProgramOutput {
    env.finish(env.command(arguments).env("BACKSTORY_HOME", home).spawn().unwrap())
}

#[test]
fn a_home_that_is_a_link_or_a_file_is_refused_and_not_written_to() {
    let env = world();
    let (real, link, plain) = (env.world().join("real"), env.world().join("link"), env.world().join("plain"));
    fs::create_dir(&real).unwrap();
    symlink(&real, &link).unwrap();
    fs::write(&plain, "a file").unwrap();
    assert_snapshot!(told(&at_home(&env, &link, &["remember", "x"])), @r"
        exit 1
        --- err
        error: cannot use the store
          cause: `[WORLD]/link` is a symbolic link; give the directory it points to

        hint: set `BACKSTORY_HOME` to a directory of your own
        ");
    assert_snapshot!(told(&at_home(&env, &plain, &["remember", "x"])), @r"
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
fn a_home_others_could_read_is_closed() {
    let env = world();
    fs::create_dir_all(env.home()).unwrap();
    fs::set_permissions(env.home(), fs::Permissions::from_mode(0o777)).unwrap();
    remember(&env, "Mine");
    assert_eq!(fs::metadata(env.home()).unwrap().mode() & 0o777, 0o700);
}

/// Runs the binary as nobody, who obeys mode bits, with a home that is theirs and that they cannot write.
struct Nobody {
    env: TestEnv,
    binary: std::path::PathBuf,
}

const NOBODY: u32 = 65_534;

impl Nobody {
    fn new() -> Option<Nobody> {
        let env = world();
        let am_root = fs::metadata(env.world()).ok()?.uid() == 0;
        let setpriv = Command::new("setpriv").arg("--version").stdout(Stdio::null()).status();
        if !am_root || !setpriv.is_ok_and(|status| status.success()) {
            eprintln!("SKIPPED: becoming another user needs root and `setpriv`");
            return None;
        }
        fs::set_permissions(env.world(), fs::Permissions::from_mode(0o755)).ok()?;
        let binary = env.world().join("backstory");
        fs::copy(crate::support::program(), &binary).ok()?;
        Some(Nobody { env, binary })
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
        let command = self.env.command(arguments);
        let mut wrapped = Command::new("setpriv");
        wrapped.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&self.binary);
        wrapped.args(command.get_args()).current_dir(self.env.project()).env_clear();
        wrapped.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        wrapped.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = wrapped.spawn().unwrap();
        drop(std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()));
        self.env.finish(child)
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
    assert_snapshot!(told(&nobody.run(&["remember", "Not today"], "")), @r"
        exit 1
        --- err
        error: cannot use the store
          cause: cannot write in `[WORLD]/user/.local/share/backstory/backstory.db`

        hint: check who owns it, or set `BACKSTORY_HOME` to a directory you can write
        ");
    let status = nobody.run(&["status"], "");
    assert!(status.code == Some(0) && status.stdout.contains("read-only:"), "{status:?}");
    let json = crate::support::answer(&nobody.run(&["status", "--json"], ""));
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
fn a_home_that_cannot_be_made_is_told_so() {
    let Some(nobody) = Nobody::new() else { return };
    nobody.give_everything_away();
    fs::set_permissions(nobody.env.world().join("user"), fs::Permissions::from_mode(0o500)).unwrap();
    assert_snapshot!(told(&nobody.run(&["remember", "Nowhere"], "")), @r"
        exit 1
        --- err
        error: cannot use the store
          cause: cannot write in `[WORLD]/user/.local/share/backstory`

        hint: check who owns it, or set `BACKSTORY_HOME` to a directory you can write
        ");
    assert_snapshot!(told(&nobody.run(&["search", "x"], "")), @r"
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
fn a_home_of_someone_else_is_refused() {
    let Some(nobody) = Nobody::new() else { return };
    fs::create_dir_all(nobody.env.home()).unwrap();
    fs::set_permissions(nobody.env.home(), fs::Permissions::from_mode(0o777)).unwrap();
    assert_snapshot!(told(&nobody.run(&["remember", "Planted"], "")), @r"
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
fn nobody_else_may_read_what_we_make() {
    let env = world();
    let script = format!(
        "umask 000; b={}; $b remember hello; {prompt} | $b {hook}; $b maintain --set retention.backups=1; $b export out.jsonl; $b doctor",
        crate::support::program(),
        prompt = "printf '{\"session_id\":\"s\",\"hook_event_name\":\"Stop\"}'",
        hook = HOOK.join(" "),
    );
    let template = env.command(["unused"]);
    let envs: Vec<_> =
        template.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
    let lock = database_after(&env, &script, &envs);
    harmless(&hook(&env, prompt("s", "waits in the spool")));
    drop(lock);
    let mut looked_at = 0;
    let mut look = vec![env.home()];
    while let Some(path) = look.pop() {
        let mode = fs::symlink_metadata(&path).unwrap().mode() & 0o777;
        let wanted = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, wanted, "{} is {mode:o}", path.display());
        looked_at += 1;
        if path.is_dir() {
            look.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    assert!(looked_at >= 8, "{looked_at}");
    bar("S10", format_args!("{looked_at} paths 0600 or 0700 under umask 000"));
    assert_eq!(fs::metadata(env.project().join("out.jsonl")).unwrap().mode() & 0o777, 0o600);
}

fn database_after(
    env: &TestEnv,
    script: &str,
    envs: &[(std::ffi::OsString, std::ffi::OsString)],
) -> rusqlite::Connection {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(env.project()).env_clear().envs(envs.iter().cloned());
    assert!(shell.stdout(Stdio::null()).status().unwrap().success());
    lock(env)
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

    assert_snapshot!(told(&env.run(["search", "future"])), @r"
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
        let outcome = env.run(arguments);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        assert!(
            outcome.stderr.contains(&format!("has schema 999; this build knows up to {known}")),
            "{outcome:?}"
        );
    }
    harmless(&hook(&env, prompt("s", "said to a newer store")));
    assert_eq!(before, (bytes("backstory.db"), bytes("backstory.db-wal")));
    bar("R26", "every byte of a newer database unchanged, 1 of 1 hooks spooled");
    assert_eq!(fs::read_dir(env.home().join("spool/new")).unwrap().count(), 1, "the event waits");

    database(&env).pragma_update(None, "user_version", known).unwrap();
    assert_eq!((count(&env, "events"), titles(&env, &["future"]).len()), (1, 1));
    assert_eq!(ask(&env, 0, &["status", "--json"])["spooled"], 0);
}
