//! The life of a worker beside hooks that do not need it: R02, R05, R16 to R19, S10.

use crate::bad_homes::assert_private;
use crate::support::{
    HOOK, Times, Worker, answer, ask, bar, count, done, exits, fields, harmless, note, patient_world,
    program, prompt, prompts, remember, run, send, send_at_once, size, until, world,
};
use backstory_server::{ApiHandler, ApiReply, Claim, Limits, WorkerDir, WorkerExit, WorkerOptions, claim};
use backstory_testkit::TestEnv;
use serde_json::json;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

fn start_hook(env: &TestEnv, payload: &str) -> Child {
    run(env, HOOK).input(payload).start()
}

fn signal(process: u32, name: &str) {
    assert!(Command::new("kill").args([name, &process.to_string()]).status().unwrap().success());
}

/// R16.
#[test]
fn of_twenty_workers_started_together_one_serves() {
    let env = world();
    remember(&env, "The store is there");
    let mut gone = Times::default();
    for round in 0..10 {
        let mut command = env.command(["serve"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut workers: Vec<Child> = (0..20).map(|_| command.spawn().unwrap()).collect();
        send(&env, prompt("s", &format!("round {round}")));
        let mut codes = Vec::new();
        let all_but_one_are_gone = gone.measure(|| {
            until(|| {
                workers.retain_mut(|worker| match worker.try_wait().unwrap() {
                    Some(status) => {
                        codes.push(status.code());
                        false
                    }
                    None => true,
                });
                workers.len() <= 1
            })
        });
        let [serving] = workers.as_mut_slice() else { panic!("{} serve in round {round}", workers.len()) };
        assert!(all_but_one_are_gone && codes.iter().all(|code| *code == Some(0)), "{codes:?}");
        assert!(
            until(|| note(&env)["pid"] == serving.id()),
            "the one that is left is the one that is written down"
        );
        assert_eq!(ask(&env, 0, &["serve", "--status", "--json"])["pid"], serving.id());
        done(&env, &["serve", "--stop"]);
        assert_eq!(serving.wait().unwrap().code(), Some(0));
    }
    assert_eq!(count(&env, "events"), 10);
    bar("R16", "1 of 20 serves in each of 10 rounds, 0 of 10 hooks failed");
    gone.report("R16", "others gone");
}

/// R17.
#[test]
fn files_of_a_dead_worker_stop_neither_a_new_one_nor_a_hook() {
    let env = world();
    remember(&env, "The store is there");
    let mut stranger = Command::new("sleep").arg("60").spawn().unwrap();
    let socket = env.home().join("left.sock");
    drop(UnixListener::bind(&socket).unwrap());
    fs::write(env.home().join("worker.lock"), stranger.id().to_string()).unwrap();
    let left = json!({"pid": stranger.id(), "version": "99.0.0", "socket": socket, "port": 1, "token": "0"});
    fs::write(env.home().join("worker.json"), left.to_string()).unwrap();
    let (mut hooks, mut served) = (Times::default(), Times::default());
    hooks.measure(|| send(&env, prompt("s", "before")));
    assert_eq!(env.run(["serve", "--status"]).code, Some(1));
    done(&env, &["serve", "--stop"]);
    let worker = served.measure(|| Worker::start(&env, &[]));
    hooks.measure(|| send(&env, prompt("s", "after")));
    let kept = worker.get("/api/status")["events"].clone();
    assert_eq!(kept, 2);
    assert!(stranger.try_wait().unwrap().is_none(), "whoever has that number now is left alone");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    bar("R17", format_args!("a new worker serves, the stranger lives, {kept} of 2 kept"));
    served.report("R17", "serves");
    hooks.report("R17", "hook max");
}

/// R18.
#[test]
fn a_worker_that_hangs_hurts_no_hook() {
    let env = patient_world();
    remember(&env, "The store is there");
    let worker = Worker::start(&env, &[]);
    // Wherever it is stopped: in the middle of a write too.
    let writing: Vec<std::thread::JoinHandle<()>> = (0..4)
        .map(|number| {
            let (socket, body) =
                (worker.socket(), json!({"text": format!("Word{number} alone{number}"), "project": 1}));
            std::thread::spawn(move || {
                let patience = std::time::Duration::from_secs(60);
                drop(backstory_server::ask(&socket, "POST", "/api/memories", &body.to_string(), patience));
            })
        })
        .collect();
    signal(worker.id(), "-STOP");
    let hooks = send_at_once(&env, &prompts("s", 0..50));
    let looked = env.run(["serve", "--status"]);
    let found = ask(&env, 1, &["serve", "--status", "--json"]);
    signal(worker.id(), "-CONT");
    assert_eq!(looked.code, Some(1), "{looked:?}");
    assert!(looked.stderr.contains(&format!("kill -9 {}", worker.id())), "{looked:?}");
    assert_eq!(fields(&found, ["running", "hangs", "pid"]), json!([false, true, worker.id()]));
    writing.into_iter().for_each(|writing| writing.join().unwrap());
    let mut since = Times::default();
    let kept = since.measure(|| count(&env, "events"));
    assert_eq!(kept, 50);
    assert_eq!(count(&env, "spooled"), 0);
    assert_eq!(worker.get("/api/status")["events"], 50);
    bar("R18", format_args!("{kept} of 50 kept once beside a stopped worker"));
    hooks.report("R18", "hook max");
    since.report("R18", "taken in");
}

/// R19.
#[test]
fn a_port_in_use_is_left_to_its_owner() {
    let env = world();
    let stranger = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    stranger.set_nonblocking(true).unwrap();
    let port = stranger.local_addr().unwrap().port();
    let worker = Worker::start(&env, &["--set", &format!("worker.port={port}")]);
    assert_ne!(worker.note["port"], port);
    send(&env, prompt("s", "hello"));
    assert_eq!(worker.get("/api/status")["events"], 1);
    assert!(stranger.accept().is_err(), "nobody spoke with the stranger");
    bar("R19", "another port was taken, 0 connections to the stranger");
}

/// R02.
#[test]
fn a_worker_killed_while_hooks_run_loses_nothing() {
    let env = patient_world();
    remember(&env, "The store is there");
    let cycles = size(12, 50);
    let mut ready = Times::default();
    for cycle in 0..cycles {
        let worker = ready.measure(|| Worker::start(&env, &[]));
        let hooks: Vec<Child> = (0..4)
            .map(|hook| start_hook(&env, &prompt("s", &format!("prompt {hook} of cycle {cycle}"))))
            .collect();
        let mut worker = Some(worker);
        for (at, hook) in hooks.into_iter().enumerate() {
            if at == cycle % 4 {
                worker.take().unwrap().kill();
            }
            harmless(&env.finish(hook));
        }
    }
    assert_eq!(count(&env, "events"), 4 * cycles as u64);
    done(&env, &["doctor", "--full"]);
    let worker = Worker::start(&env, &[]);
    let kept = worker.get("/api/status")["events"].clone();
    assert_eq!(kept, 4 * cycles);
    bar("R02", format_args!("{kept} of {} acked kept, {cycles} kills", 4 * cycles));
    ready.report("R02", "ready");
}

/// R05.
#[test]
fn hooks_and_requests_at_once_lose_nothing() {
    let env = patient_world();
    remember(&env, "The store is there");
    let worker = Worker::start(&env, &[]);
    let (events, at_once) = (size(150, 2000), 50);
    let next = AtomicUsize::new(0);
    // So many hosts, each with its next hook when the last has ended, and somebody who asks all the while.
    let host = || {
        let mut times = Vec::new();
        while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < events) {
            let begun = Instant::now();
            send(&env, prompt(&format!("s{}", number % 7), &format!("prompt {number}")));
            times.push(begun.elapsed());
        }
        times
    };
    let mut times = Times::default();
    std::thread::scope(|scope| {
        let hosts: Vec<_> = (0..at_once).map(|_| scope.spawn(host)).collect();
        while next.load(Ordering::Relaxed) < events {
            for path in ["/api/memories", "/api/search?q=store", "/api/stats", "/api/hooks"] {
                worker.get(path);
            }
        }
        hosts.into_iter().flat_map(|host| host.join().unwrap()).for_each(|time| times.add(time));
    });
    assert_eq!(count(&env, "events"), events as u64);
    let log = fs::metadata(env.home().join("backstory.db-wal")).map_or(0, |log| log.len());
    let rss = worker.get("/api/status")["rss_bytes"].as_u64().unwrap();
    assert!(log <= 64 << 20 && rss <= 100 << 20, "{log} {rss}");
    let [log, rss] = [log, rss].map(|bytes| bytes as f64 / f64::from(1 << 20));
    bar(
        "R05",
        format_args!("0 of {events} lost, {at_once} in flight, log {log:.1} MiB, worker {rss:.1} MiB"),
    );
    times.report("R05", "p95");
}

/// S10.
#[test]
fn no_other_user_reaches_a_worker_whatever_the_umask() {
    let env = world();
    let worker = Worker::adopt(&env, run(&env, ["serve"]).after("umask 000").quiet().start());
    done(&env, &["remember", "Something is there"]);
    let paths = assert_private(&env.home()) + assert_private(&env.world().join("run/backstory"));
    assert!(paths >= 6, "{paths}");
    bar("S10", format_args!("{paths} paths of a worker 0600 or 0700 under umask 000"));
    another_user_is_not_answered(&env, worker.note["socket"].as_str().unwrap());
    signal(worker.id(), "-TERM");
    assert_eq!(worker.ended(), Some(0));
}

/// Makes every folder on the way accessible, and checks that the worker itself still refuses another user. Only root can be another
/// user.
fn another_user_is_not_answered(env: &TestEnv, socket: &str) {
    use std::os::unix::process::CommandExt;
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        eprintln!("SKIPPED: only root can try to come as another user");
        return;
    }
    let run = env.world().join("run");
    let sockets = fs::read_dir(run.join("backstory")).unwrap().map(|entry| entry.unwrap().path());
    for path in sockets.chain([env.world().to_owned(), run.clone(), run.join("backstory")]) {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let copy = env.world().join("backstory");
    fs::copy(program(), &copy).unwrap();
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    // A home of theirs, whose note leads to our socket.
    let theirs = env.world().join("theirs");
    fs::create_dir(&theirs).unwrap();
    let note = json!({"pid": 1, "version": "0", "socket": socket, "port": 1, "token": ""});
    fs::write(theirs.join("worker.json"), note.to_string()).unwrap();
    [theirs.clone(), theirs.join("worker.json")].into_iter().for_each(|path| {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    });
    let asks_as = |user: u32| {
        let mut command = Command::new(&copy);
        command
            .args(["serve", "--status"])
            .env_clear()
            .env("BACKSTORY_HOME", &theirs)
            .current_dir("/")
            .uid(user);
        let mut code = None;
        // A process another test has just started may still hold the copy open for writing.
        let is_done = until(|| match command.output() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => false,
            output => {
                code = output.unwrap().status.code();
                true
            }
        });
        assert!(is_done);
        code
    };
    assert_eq!(asks_as(0), Some(0), "the way is open");
    assert_eq!(asks_as(65534), Some(1), "another user was answered");
}

#[test]
fn a_detached_worker_reports_its_status_and_stops() {
    let env = world();
    let status = |env: &TestEnv| env.run(["serve", "--status", "--json"]);
    assert_eq!(status(&env).code, Some(1));
    let started = env.run(["serve", "--detach", "--json"]);
    assert_eq!(started.code, Some(0), "{started:?}");
    let again = ask(&env, 0, &["serve", "--detach", "--json"]);
    assert_eq!(again, answer(&started), "one worker a home");
    exits(&env, 0, &["serve"], "a worker is running");
    assert_eq!(env.run(["serve", "--stop"]).stdout, "the worker has ended\n");
    done(&env, &["serve", "--stop"]);
    assert_eq!(status(&env).code, Some(1));
    assert!(!env.home().join("worker.json").exists());
    assert_eq!(env.processes(), Vec::<PathBuf>::new());
}

#[test]
fn the_viewer_of_an_older_build_is_not_opened() {
    let env = world();
    remember(&env, "The store is there");
    let place = WorkerDir::for_home(&env.home(), Some(&env.world().join("run")));
    let Claim::Ours(lock) = claim(&place, "0.0.1").unwrap() else { panic!("another worker serves") };
    let options =
        WorkerOptions { version: "0.0.1".to_owned(), port: 0, idle: None, limits: Limits::default() };
    let nothing = ApiHandler::from_functions(|_| Ok(ApiReply::Text(String::new())), || None);
    let older = backstory_server::Worker::open(place, lock, &options, nothing).unwrap();
    let port = older.endpoint().port;
    let serving = std::thread::spawn(move || older.serve());
    let link = env.run(["view", "--print"]);
    assert_eq!(link.code, Some(0), "{link:?}");
    assert_eq!(serving.join().unwrap().unwrap(), WorkerExit::Stopped);
    let status = ask(&env, 0, &["serve", "--status", "--json"]);
    done(&env, &["serve", "--stop"]);
    assert_eq!(status["version_of_worker"], env!("CARGO_PKG_VERSION"));
    assert!(
        status["port"] != port && link.stdout.contains(&format!(":{}/#key=", status["port"])),
        "{link:?}"
    );
}

/// Everybody on the machine can read the arguments of a process.
#[test]
fn view_hands_the_browser_a_private_page_and_no_key() {
    let env = world();
    let worker = Worker::start(&env, &[]);
    let seen = env.world().join("seen");
    let opener = env.world().join("bin/xdg-open");
    fs::create_dir_all(env.world().join("bin")).unwrap();
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > {0}.new\ncat \"$1\" >> {0}.new\nmv {0}.new {0}\n",
        seen.display()
    );
    fs::write(&opener, script).unwrap();
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", env.world().join("bin").display());
    let view = env.command(["view"]).env("DISPLAY", ":0").env("PATH", path).spawn().unwrap();
    let link = env.finish(view).stdout.trim().to_owned();
    assert!(until(|| seen.exists()), "the browser is opened");
    let seen = fs::read_to_string(seen).unwrap();
    let (argument, page) = seen.split_once('\n').unwrap();
    let key = link.split_once("#key=").unwrap().1;
    assert!(!argument.contains(key) && page.contains(&link), "{seen}");
    let metadata = fs::metadata(argument).unwrap();
    let folder = fs::metadata(PathBuf::from(argument).parent().unwrap()).unwrap();
    assert_eq!((metadata.mode() & 0o777, folder.mode() & 0o777), (0o600, 0o700));
    let body = json!({ "key": key }).to_string();
    let socket = worker.socket();
    let patience = std::time::Duration::from_secs(10);
    let (status, _) = backstory_server::ask(&socket, "POST", "/api/login", &body, patience).unwrap();
    assert_eq!((status, fs::exists(argument).unwrap()), (204, false), "the login removes the page");
    backstory_testkit::held("A08", 5, 1, "login keys stay out of the arguments of programs");
}

#[test]
fn a_worker_ends_cleanly_on_a_signal() {
    let env = world();
    for name in ["-TERM", "-INT"] {
        let worker = Worker::start(&env, &[]);
        let socket = worker.socket();
        signal(worker.id(), name);
        assert_eq!(worker.ended(), Some(0), "{name}");
        assert!(!socket.exists() && !env.home().join("worker.json").exists());
    }
}
