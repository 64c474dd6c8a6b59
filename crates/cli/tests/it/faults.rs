//! What a hook lives through: disks that are full, files that may not grow, damage, a clock that jumps, calls that fail; and how long it
//! takes when nothing is wrong. R04, R06, R09, R10, R11, R15, R34.

use crate::support::{
    HOOK, NOW_MS, Times, Worker, ask, bar, count, damage, done, harmless, hook, log, patient_world, payload,
    prompt, prompts, remember, run, send, send_at_once, set_schema, size, spooled, titles,
    wait_for_processes, world,
};
use backstory_testkit::TestEnv;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a hook under `strace`.
fn trace_hook(env: &TestEnv, arguments: &[&str], payload: &str) {
    harmless(&run(env, HOOK).through("strace", arguments).input(payload).output());
}

/// Makes the database one that no hook may touch, so that every event goes to the spool. Returns the schema version it had.
fn close_database(env: &TestEnv) -> i64 {
    remember(env, "The store is there");
    set_schema(env, 999)
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
fn an_event_that_a_hook_had_no_time_to_store_waits_in_the_spool() {
    let env = world();
    remember(&env, "The store is there");
    if !has_strace() {
        return;
    }
    let database = env.home().join("backstory.db");
    let stuck =
        ["-f", "-o", "/dev/null", "-P", database.to_str().unwrap(), "-e", "inject=openat:delay_enter=8s"];
    trace_hook(&env, &stuck, &prompt("stuck", "must not be lost"));
    assert_eq!(spooled(&env), 1);
    send(&env, prompt("stuck", "the next one"));
    assert_eq!((spooled(&env), count(&env, "events")), (0, 2));
}

/// R04.
#[test]
fn a_hook_that_spools_syncs_before_it_ends() {
    let env = patient_world();
    let known = close_database(&env);
    let times = send_at_once(&env, &prompts("burst", 0..200));
    assert_eq!(spooled(&env), 200);
    if has_strace() {
        let calls = env.world().join("calls");
        let watched = ["-f", "-o", calls.to_str().unwrap(), "-e", "trace=fsync,fdatasync,rename,exit_group"];
        trace_hook(&env, &watched, &prompt("burst", "watched"));
        let calls = fs::read_to_string(calls).unwrap();
        let at = |call: &str| calls.lines().position(|line| line.contains(call)).expect(call);
        assert!(at("fsync(") < at("rename(") && at("rename(") < at("exit_group("), "{calls}");
        let synced = calls.lines().skip(at("rename(")).any(|line| line.contains("fsync("));
        assert!(synced, "the folder is synced too: {calls}");
    }
    set_schema(&env, known);
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
            times.measure(|| send(env, prompt("s", &format!("prompt {number}"))));
        }
        times
    };
    let env = world();
    remember(&env, "The store is there");
    let worker = Worker::start(&env, &[]);
    let usual = lone(&env);
    assert_eq!(worker.get("/api/status")["events"], runs);
    let spooling = world();
    close_database(&spooling);
    let synced = lone(&spooling);
    assert_eq!(spooled(&spooling), runs);
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
fn hooks_on_a_full_disk_do_no_harm_and_recover_afterwards() {
    let env = patient_world();
    let Some(disk) = SmallDisk::under(&env) else { return };
    let large = |number: usize| prompt("s", &format!("{number} {}", "word ".repeat(1600)));
    (0..20).for_each(|number| send(&env, large(number)));
    let before = count(&env, "events");
    let ballast = disk.0.join("ballast");
    drop(fs::write(&ballast, vec![1; 16 << 20]));
    (20..70).for_each(|number| send(&env, large(number)));
    fs::remove_file(ballast).unwrap();
    (70..80).for_each(|number| send(&env, large(number)));
    let kept: u64 = count(&env, "events");
    assert!(before == 20 && kept >= 30, "{before} before, {kept} afterwards");
    assert_eq!((count(&env, "spooled"), env.run(["doctor", "--full"]).code), (0, Some(0)));
    assert_eq!(fs::read_dir(env.home().join("spool/tmp")).map_or(0, Iterator::count), 0, "no half file");
    let lost = ask(&env, 0, &["status", "--json"])["lost_events"]["events"].as_u64().unwrap();
    assert_eq!(kept + lost, 80, "what was not kept was counted");
    bar(
        "R09",
        format_args!(
            "50 of 50 hooks exit 0 on a full disk, {kept} of 80 events kept, the 10 after it too, {lost} counted as lost"
        ),
    );
}

/// Law 3: what could be kept nowhere is counted where nothing else can be written, and the user is informed.
#[test]
fn law_3_events_lost_on_a_full_disk_are_counted_and_reported() {
    let env = patient_world();
    let Some(disk) = SmallDisk::under(&env) else { return };
    send(&env, prompt("s", "before"));
    assert_eq!(ask(&env, 0, &["status", "--json"])["lost_events"], json!(null));
    let ballast = disk.0.join("ballast");
    drop(fs::write(&ballast, vec![1; 16 << 20]));
    // The database's log has room for some more: those are kept.
    let before = 400;
    (0..before).for_each(|number| send(&env, prompt("s", &format!("{number} {}", "word ".repeat(1600)))));
    fs::remove_file(ballast).unwrap();
    let status = ask(&env, 0, &["status", "--json"]);
    let lost = status["lost_events"]["events"].as_u64().unwrap();
    assert!(lost > 300, "the disk was full: {status}");
    assert_eq!(status["events"].as_u64().unwrap() + lost, before + 1, "{status}");
    let started = |session: &str| {
        let start =
            format!(r#"{{"session_id":"{session}","hook_event_name":"SessionStart","source":"startup"}}"#);
        let outcome = run(&env, HOOK).at(NOW_MS + 7_200_000).input(start).output();
        harmless(&outcome);
        outcome.stdout
    };
    let said = format!("Backstory lost {lost} events, the first 2h ago and the last 2h ago");
    assert!(started("first").contains(&said), "{said}");
    assert!(!started("second").contains("lost"), "once is enough");
    let words = format!("{lost} events were lost, the first just now, the last just now");
    assert!(env.run(["doctor"]).stdout.contains(&words), "{words}");
    assert!(env.run(["status"]).stdout.contains(&format!("lost       {lost} events, the first just now")));
    let month = NOW_MS + 30 * 86_400_000;
    assert!(!run(&env, ["status"]).at(month).output().stdout.contains("lost"), "a month later it is history");
    backstory_testkit::held("A07", 13, 1, "losses on a full disk are counted and told");
}

/// R13: a disk that cannot be read for a while is no damage.
#[test]
fn a_disk_that_fails_to_read_does_not_cost_a_healthy_database() {
    if !has_strace() {
        return;
    }
    let env = patient_world();
    for number in 0..60 {
        remember(&env, &format!("Number{number} of sixty different words{number}"));
    }
    let database = env.home().join("backstory.db");
    let mut failed = 0;
    for when in (2..120)
        .step_by(size(11, 3))
        .flat_map(|n| [format!("{n}"), format!("{n}..{}", n + 1), format!("{n}+")])
    {
        let inject = format!("inject=pread64:error=EIO:when={when}");
        let watched = ["-f", "-qq", "-o", "/dev/null", "-P", database.to_str().unwrap(), "-e", &inject];
        for arguments in [&["doctor", "--full"][..], &["search", "number7"], &["doctor"]] {
            let outcome = run(&env, arguments).through("strace", &watched).output();
            failed += usize::from(outcome.code != Some(0));
        }
        assert!(!env.home().join("quarantine").exists(), "{when}: a healthy database was moved");
    }
    done(&env, &["doctor", "--full"]);
    assert_eq!(count(&env, "memories"), 60);
    assert!(failed > 0 && !env.home().join("quarantine").exists());
    bar("R13", format_args!("0 quarantines after {failed} commands that could not read the disk"));
    backstory_testkit::held("A07", 19, 1, "disks that fail to read cost no healthy database");
}

/// A host may keep its end of the pipe open: a whole payload is kept and answered all the same.
#[test]
fn a_payload_on_an_input_that_stays_open_is_kept() {
    let env = patient_world();
    for parts in [
        &[prompt("s", "said at once")][..],
        &[prompt("s", "said in parts")[..20].to_owned(), prompt("s", "said in parts")[20..].to_owned()],
    ] {
        let mut child = env.command(HOOK).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        for part in parts {
            input.write_all(part.as_bytes()).unwrap();
            input.flush().unwrap();
        }
        harmless(&env.finish(child));
        drop(input);
    }
    assert_eq!((count(&env, "events"), spooled(&env)), (2, 0));
    assert!(!log(&env).contains("the time was over"));
    backstory_testkit::held("A08", 19, 1, "inputs that stay open are read");
}

/// Another program may put a pipe, a device, a folder or a link in the place of a file of ours: nobody waits for it or follows it.
#[test]
fn what_is_no_file_of_ours_is_neither_waited_for_nor_followed() {
    let names = [
        "vectors",
        "vectors.lock",
        "mirror.db",
        "losses",
        "key",
        "damage-suspected",
        "repair.lock",
        "writer.lock",
        "writer.process",
        "log/backstory.log",
        "backstory.db",
    ];
    for name in names {
        for what in ["pipe", "device", "folder", "link"] {
            let env = world();
            remember(&env, "The store is there");
            let (path, target) = (env.home().join(name), env.world().join("target"));
            drop(fs::remove_file(&path));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&target, "not ours").unwrap();
            match what {
                "pipe" => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
                "device" => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
                "folder" => fs::create_dir(&path).unwrap(),
                _ => std::os::unix::fs::symlink(&target, &path).unwrap(),
            }
            send(&env, prompt("s", "said beside it"));
            harmless(&hook(&env, r#"{"session_id":"s","hook_event_name":"Stop"}"#));
            // A log that is no file cannot be read here either.
            let said = if name.starts_with("log") { String::new() } else { log(&env) };
            assert!(!said.contains("the time was over"), "{name} as a {what}: {said}");
            let commands = [
                &["search", "store"][..],
                &["remember", "Another thing altogether"],
                &["status"],
                &["maintain"],
            ];
            for arguments in commands {
                let outcome = env.run(arguments);
                assert!(matches!(outcome.code, Some(0..=2)), "{name} as a {what}: {outcome:?}");
            }
            assert_eq!(fs::read(&target).unwrap(), b"not ours", "{name} as a {what}");
        }
    }
    backstory_testkit::held("A07", 19, 1, "pipes and links in the home hang nothing");
}

/// R10: the signal is not ignored by who starts us; that is ours to do.
#[test]
fn a_file_size_limit_kills_neither_hook_nor_worker() {
    let env = patient_world();
    let limited = "ulimit -f 1000";
    let large = |number: usize| prompt("s", &format!("{number} {}", "word ".repeat(3000)));
    (0..60).for_each(|number| send(&env, large(number)));
    let worker = Worker::adopt(&env, run(&env, ["serve"]).after(limited).quiet().start());
    for number in 60..80 {
        harmless(&run(&env, HOOK).after(limited).input(large(number)).output());
    }
    assert_eq!(worker.status("/api/health"), 200, "the worker lives");
    drop(worker);
    assert_eq!(count(&env, "events"), 80);
    bar("R10", "20 of 20 hooks and a worker exit 0 at 1 MB a file, 80 of 80 kept");
}

/// R11: a hook neither waits for a repair nor makes one.
#[test]
fn a_hook_that_meets_damage_keeps_its_event_and_repairs_nothing() {
    let whole = world();
    remember(&whole, "The store is there");
    send(&whole, prompt("s", "before"));
    done(&whole, &["maintain"]);
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
        damage(&env, damaged);
        fs::write(env.home().join("backstory.db-wal"), [7; 9000]).unwrap();
        let outcome = times.measure(|| hook(&env, prompt("s", what)));
        harmless(&outcome);
        let log = log(&env);
        assert!(!log.contains("panicked"), "{what}: {log}");
        assert!(spooled(&env) == 1 || count(&env, "events") == 1, "{what}: the event is kept");
    }
    bar("R11", format_args!("{0} of {0} hooks that met damage exit 0 and kept their event", damages.len()));
    times.report("R11", "hook max");
}

/// R15.
#[test]
fn no_age_is_negative_after_the_clock_went_back() {
    let mut ages = 0;
    for back_ms in [3_600_000, 86_400_000 * 3650, i64::MAX] {
        let env = world();
        remember(&env, "Written before the clock went back");
        send(&env, prompt("s", "said before"));
        for arguments in [&["search", "written"][..], &["status"], &["sessions"], &["timeline"]] {
            let outcome = run(&env, arguments).at(NOW_MS.saturating_sub(back_ms)).output();
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

/// Runs a hook whose `number`th call of this name fails. Returns whether it made so many.
fn with_a_failing_call(env: &TestEnv, call: &str, number: usize, payload: &str) -> bool {
    let calls = env.world().join("calls");
    let inject = format!("inject={call}:error=EIO:when={number}");
    let trace = format!("trace={call}");
    let watched = ["-f", "-qq", "-o", calls.to_str().unwrap(), "-e", &trace, "-e", &inject];
    trace_hook(env, &watched, payload);
    fs::read_to_string(calls).unwrap().contains("INJECTED")
}

fn is_whole(file: &Path) -> bool {
    serde_json::from_slice::<serde_json::Value>(&fs::read(file).unwrap()).is_ok()
}

/// R34: one call fails, and never again. What the database does not take, the spool does.
#[test]
fn whichever_system_call_fails_the_event_is_kept() {
    if !has_strace() {
        return;
    }
    let (step, mut failed) = (size(40, 1), 0);
    for call in ["pwrite64", "fsync", "fdatasync", "ftruncate", "write"] {
        for number in (1..=200).step_by(step) {
            let env = patient_world();
            // Where it cannot even make its folder there is no place to keep anything.
            make_folders(&env);
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

/// Whoever asked for no model has none: no hook so much as makes a socket.
#[test]
fn without_a_provider_no_hook_opens_a_socket() {
    if !has_strace() {
        return;
    }
    let env = patient_world();
    let calls = env.world().join("calls");
    let watched =
        ["-f", "-qq", "-o", calls.to_str().unwrap(), "-e", "trace=connect,socket,socketpair,execve"];
    let payloads = [
        ("SessionStart", json!({"source": "startup"})),
        (
            "UserPromptSubmit",
            json!({"prompt_id": "p", "prompt": "Never wait longer than 3 seconds between tries"}),
        ),
        (
            "PreToolUse",
            json!({"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "make test"}}),
        ),
        (
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "make test"},
            "tool_response": {"stdout": "ok", "stderr": ""}}),
        ),
        ("Stop", json!({"last_assistant_message": "The retry loop gives up after 3 tries now."})),
        ("PreCompact", json!({"trigger": "auto"})),
        ("SessionEnd", json!({"reason": "exit"})),
    ];
    for (name, fields) in &payloads {
        trace_hook(&env, &watched, &payload("s", name, fields.clone()));
        wait_for_processes(&env);
        let calls = fs::read_to_string(&calls).unwrap();
        assert!(calls.contains("execve("), "{name} was watched: {calls}");
        let opened = calls.lines().find(|call| call.contains("socket") || call.contains("connect("));
        assert_eq!(opened, None, "{name}");
    }
    bar("R23", format_args!("0 sockets in {} hooks without a provider", payloads.len()));
}

/// Makes the folders a hook needs, and nothing in them.
fn make_folders(env: &TestEnv) {
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
            let known = close_database(&env);
            if !with_a_failing_call(&env, call, number, &prompt("s", "one")) {
                break;
            }
            failed += 1;
            let files: Vec<PathBuf> = fs::read_dir(env.home().join("spool/new"))
                .map_or(Vec::new(), |files| files.map(|file| file.unwrap().path()).collect());
            assert!(files.iter().all(|file| is_whole(file)), "{call} {number}: a partial file");
            let log = log(&env);
            // The call that failed may have been the one that writes the log.
            assert!(files.len() == 1 || call == "write" || log.contains("hook: "), "{call} {number}: {log}");
            set_schema(&env, known);
            assert_eq!(count(&env, "events"), files.len() as u64, "{call} {number}");
            assert_eq!(titles(&env, &["store"]).len(), 1);
            assert_eq!(count(&env, "spooled"), 0);
        }
    }
    bar("R34", format_args!("{failed} calls of the spool failed: 0 partial files"));
}
