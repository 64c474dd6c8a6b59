//! What a hook lives through: disks that are full, files that may not grow, damage, a clock that jumps, calls that fail; and how long it
//! takes when nothing is wrong. R04, R06, R09, R10, R11, R15, R34.

use crate::support::{
    HOOK, Times, Worker, ask, bar, count, database, harmless, hear, hear_at_once, hook, patient_world,
    prompt, prompts, remember, size, titles, world,
};
use backstory_testkit::{ProgramOutput, TestEnv};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs a hook by way of another program, in the same world.
fn hook_through(env: &TestEnv, program: &str, arguments: &[&str], payload: &str) -> ProgramOutput {
    let hook = env.command(HOOK);
    let mut command = Command::new(program);
    command.args(arguments).arg(hook.get_program()).args(HOOK).env_clear();
    command.envs(hook.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(env.project()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdin.take().unwrap().write_all(payload.as_bytes()));
    env.finish(child)
}

/// Makes the database one that no hook of ours may touch: whatever is heard goes to the spool, synced.
fn only_the_spool_takes(env: &TestEnv) -> i64 {
    remember(env, "The store is there");
    let db = database(env);
    let known = db.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    db.pragma_update(None, "user_version", 999).unwrap();
    known
}

fn waiting(env: &TestEnv) -> usize {
    fs::read_dir(env.home().join("spool/new")).map_or(0, Iterator::count)
}

fn has_strace() -> bool {
    let works = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    let works = works.is_ok_and(|output| output.status.success());
    if !works {
        eprintln!("SKIPPED: calls can only be watched, and made to fail, with `strace`");
    }
    works
}

/// A machine that hardly gets to us looks like this: nothing fails, and nothing comes to an end.
#[test]
fn what_a_hook_had_no_time_to_keep_waits_in_the_spool() {
    let env = world();
    remember(&env, "The store is there");
    if !has_strace() {
        return;
    }
    let database = env.home().join("backstory.db");
    let stuck =
        ["-f", "-o", "/dev/null", "-P", database.to_str().unwrap(), "-e", "inject=openat:delay_enter=8s"];
    harmless(&hook_through(&env, "strace", &stuck, &prompt("stuck", "must not be lost")));
    assert_eq!(waiting(&env), 1);
    harmless(&hook(&env, prompt("stuck", "the next one")));
    assert_eq!((waiting(&env), count(&env, "events")), (0, 2));
}

/// R04.
#[test]
fn a_hook_that_spools_has_synced_before_it_ends() {
    let env = patient_world();
    let known = only_the_spool_takes(&env);
    let times = hear_at_once(&env, &prompts("burst", 0..200));
    assert_eq!(waiting(&env), 200);
    if has_strace() {
        let calls = env.world().join("calls");
        let watched = ["-f", "-o", calls.to_str().unwrap(), "-e", "trace=fsync,fdatasync,rename,exit_group"];
        harmless(&hook_through(&env, "strace", &watched, &prompt("burst", "watched")));
        let calls = fs::read_to_string(calls).unwrap();
        let at = |call: &str| calls.lines().position(|line| line.contains(call)).expect(call);
        assert!(at("fsync(") < at("rename(") && at("rename(") < at("exit_group("), "{calls}");
        let synced = calls.lines().skip(at("rename(")).any(|line| line.contains("fsync("));
        assert!(synced, "the folder is synced too: {calls}");
    }
    database(&env).pragma_update(None, "user_version", known).unwrap();
    let kept = count(&env, "events");
    assert!(kept >= 200, "{kept}");
    bar("R04", format_args!("{kept} of {kept} kept, synced and renamed before the exit"));
    times.report("R04", "p95");
}

/// R06.
#[test]
fn a_lone_hook_is_quick() {
    let runs = size(5, 200);
    let lone = |env: &TestEnv| {
        let mut times = Times::default();
        for number in 0..runs {
            times.measure(|| hear(env, prompt("s", &format!("prompt {number}"))));
        }
        times
    };
    let env = world();
    remember(&env, "The store is there");
    let worker = Worker::start(&env, &[]);
    let usual = lone(&env);
    assert_eq!(worker.get("/api/status")["events"], runs);
    let spooling = world();
    only_the_spool_takes(&spooling);
    let synced = lone(&spooling);
    assert_eq!(waiting(&spooling), runs);
    bar("R06", format_args!("{runs} runs each way, all kept"));
    usual.report("R06", "p50");
    usual.report("R06", "p95");
    synced.report("R06", "synced p50");
    synced.report("R06", "synced p95");
}

/// A small disk that the data directory lies on, gone when dropped.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    pub(crate) fn under(env: &TestEnv) -> Option<SmallDisk> {
        let home = env.home();
        fs::create_dir_all(&home).unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=8m,mode=0700", "tmpfs"])
            .arg(&home)
            .output();
        let mounted = mount.is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!("SKIPPED: a small disk can only be mounted by root");
        }
        mounted.then_some(SmallDisk(home))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(&self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()) || std::thread::panicking());
    }
}

/// R09.
#[test]
fn hooks_on_a_full_disk_do_no_harm_and_go_on_afterwards() {
    let env = patient_world();
    let Some(disk) = SmallDisk::under(&env) else { return };
    let large = |number: usize| prompt("s", &format!("{number} {}", "word ".repeat(1600)));
    (0..20).for_each(|number| hear(&env, large(number)));
    let before = count(&env, "events");
    let ballast = disk.0.join("ballast");
    drop(fs::write(&ballast, vec![1; 16 << 20]));
    (20..70).for_each(|number| hear(&env, large(number)));
    fs::remove_file(ballast).unwrap();
    (70..80).for_each(|number| hear(&env, large(number)));
    let kept: u64 = count(&env, "events");
    assert!(before == 20 && kept >= 30, "{before} before, {kept} afterwards");
    assert_eq!((count(&env, "spooled"), env.run(["doctor", "--full"]).code), (0, Some(0)));
    assert_eq!(fs::read_dir(env.home().join("spool/tmp")).map_or(0, Iterator::count), 0, "no half file");
    bar(
        "R09",
        format_args!("50 of 50 hooks exit 0 on a full disk, {kept} of 80 events kept, the 10 after it too"),
    );
}

/// R10: the signal is not ignored by who starts us; that is ours to do.
#[test]
fn a_limit_on_files_kills_neither_hook_nor_worker() {
    let env = patient_world();
    let limited = ["-c", "ulimit -f 1000; exec \"$0\" \"$@\""];
    let large = |number: usize| prompt("s", &format!("{number} {}", "word ".repeat(3000)));
    (0..60).for_each(|number| hear(&env, large(number)));
    let mut shell = Command::new("/bin/sh");
    let serve = env.command(["serve"]);
    shell.args(limited).arg(serve.get_program()).arg("serve").env_clear();
    shell.envs(serve.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.current_dir(env.project()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let worker = Worker::of(&env, shell.spawn().unwrap());
    for number in 60..80 {
        harmless(&hook_through(&env, "/bin/sh", &limited, &large(number)));
    }
    assert_eq!(worker.asks("GET", "/api/health", "").0, 200, "the worker lives");
    drop(worker);
    assert_eq!(count(&env, "events"), 80);
    bar("R10", "20 of 20 hooks and a worker exit 0 at 1 MB a file, 80 of 80 kept");
}

/// R11: a hook neither waits for a repair nor makes one.
#[test]
fn a_hook_that_meets_damage_ends_soon_and_well() {
    let whole = world();
    remember(&whole, "The store is there");
    hear(&whole, prompt("s", "before"));
    assert_eq!(whole.run(["maintain"]).code, Some(0));
    let bytes = fs::read(whole.home().join("backstory.db")).unwrap();
    let damages: [(&str, Vec<u8>); 5] = [
        ("empty", Vec::new()),
        ("100 bytes", bytes[..100].to_vec()),
        ("half", bytes[..bytes.len() / 2].to_vec()),
        ("header", [b"this was never a database header".as_slice(), &bytes[32..]].concat()),
        ("flipped", bytes.iter().map(|byte| byte ^ 1).collect()),
    ];
    let mut times = Times::default();
    for (what, damaged) in &damages {
        let env = world();
        fs::create_dir_all(env.home()).unwrap();
        fs::set_permissions(env.home(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        fs::write(env.home().join("backstory.db"), damaged).unwrap();
        fs::write(env.home().join("backstory.db-wal"), [7; 9000]).unwrap();
        let outcome = times.measure(|| hook(&env, prompt("s", what)));
        harmless(&outcome);
        let log = fs::read_to_string(env.home().join("log/backstory.log")).unwrap_or_default();
        assert!(!log.contains("panicked"), "{what}: {log}");
        assert!(waiting(&env) == 1 || count(&env, "events") == 1, "{what}: the event is kept");
    }
    bar("R11", format_args!("{0} of {0} hooks that met damage exit 0 and kept their event", damages.len()));
    times.report("R11", "hook max");
}

/// R15.
#[test]
fn no_age_is_below_zero_when_the_clock_went_back() {
    let mut ages = 0;
    for back_ms in [3_600_000, 86_400_000 * 3650, i64::MAX] {
        let env = world();
        remember(&env, "Written before the clock went back");
        hear(&env, prompt("s", "said before"));
        let now = (1_777_636_800_000_i64.saturating_sub(back_ms)).to_string();
        for arguments in [&["search", "written"][..], &["status"], &["sessions"], &["timeline"]] {
            let mut command = env.command(arguments);
            let outcome = env.finish(command.env("BACKSTORY_NOW_MS", &now).spawn().unwrap());
            assert!(matches!(outcome.code, Some(0 | 1)), "{outcome:?}");
            let negative = outcome.stdout.split_whitespace().find(|word| {
                word.strip_prefix('-')
                    .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
            });
            assert_eq!(negative, None, "{outcome:?}");
            ages += 1;
        }
    }
    bar("R15", format_args!("0 ages below zero in {ages} looks"));
}

/// Runs a hook whose `number`th call of this name fails, and tells whether it came so far.
fn with_a_failing_call(env: &TestEnv, call: &str, number: usize, payload: &str) -> bool {
    let calls = env.world().join("calls");
    let inject = format!("inject={call}:error=EIO:when={number}");
    let trace = format!("trace={call}");
    let watched = ["-f", "-qq", "-o", calls.to_str().unwrap(), "-e", &trace, "-e", &inject];
    harmless(&hook_through(env, "strace", &watched, payload));
    fs::read_to_string(calls).unwrap().contains("INJECTED")
}

fn is_whole(file: &Path) -> bool {
    serde_json::from_slice::<serde_json::Value>(&fs::read(file).unwrap()).is_ok()
}

/// R34: one call fails, and never again. What the database does not take, the spool does.
#[test]
fn whichever_call_fails_the_event_is_kept() {
    if !has_strace() {
        return;
    }
    let (step, mut failed) = (size(40, 1), 0);
    for call in ["pwrite64", "fsync", "fdatasync", "ftruncate", "write"] {
        for number in (1..=200).step_by(step) {
            let env = patient_world();
            // Where it cannot even make its folder there is no place to keep anything.
            done_before(&env);
            if !with_a_failing_call(&env, call, number, &prompt("s", "one")) {
                break;
            }
            failed += 1;
            assert_eq!(count(&env, "events"), 1, "{call} {number}");
            assert!(
                !env.home().join("spool/bad").exists(),
                "{call} {number}: a partial file was in the spool"
            );
        }
    }
    bar("R34", format_args!("{failed} calls failed in turn on a cold home: 0 events lost"));
    spool_calls_fail();
}

/// Makes the folders a hook needs, and nothing in them.
fn done_before(env: &TestEnv) {
    for folder in ["", "spool", "spool/new", "spool/tmp", "log"] {
        fs::create_dir_all(env.home().join(folder)).unwrap();
        fs::set_permissions(env.home().join(folder), std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .unwrap();
    }
}

/// The spool is the last resort: where it fails too, nothing half is left, and the log says that nothing was kept.
fn spool_calls_fail() {
    let mut failed = 0;
    for call in ["write", "fsync", "fdatasync", "rename"] {
        for number in 1..=5 {
            let env = patient_world();
            let known = only_the_spool_takes(&env);
            if !with_a_failing_call(&env, call, number, &prompt("s", "one")) {
                break;
            }
            failed += 1;
            let files: Vec<PathBuf> = fs::read_dir(env.home().join("spool/new"))
                .map_or(Vec::new(), |files| files.map(|file| file.unwrap().path()).collect());
            assert!(files.iter().all(|file| is_whole(file)), "{call} {number}: a partial file");
            let told = fs::read_to_string(env.home().join("log/backstory.log")).unwrap_or_default();
            // The call that failed may have been the one that writes the log.
            assert!(
                files.len() == 1 || call == "write" || told.contains("hook: "),
                "{call} {number}: {told}"
            );
            database(&env).pragma_update(None, "user_version", known).unwrap();
            assert_eq!(count(&env, "events"), files.len() as u64, "{call} {number}");
            assert_eq!(titles(&env, &["store"]).len(), 1);
            assert_eq!(ask(&env, 0, &["status", "--json"])["spooled"], 0);
        }
    }
    bar("R34", format_args!("{failed} calls of the spool failed: 0 partial files"));
}
