//! One worker a home: who becomes it, who goes, and what was left behind (R16, R17, R19).

use crate::support::{ScriptedApi, ask_socket, serve, serve_by, serve_in, worker_dir_in, worker_options};
use backstory_server::{
    Claim, StopOutcome, Worker, WorkerDir, WorkerExit, WorkerOptions, WorkerState, claim, find, running, stop,
};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, listen, socket};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const LOOK: Duration = Duration::from_secs(5);

#[test]
fn a_second_worker_finds_the_first_and_a_newer_one_takes_over() {
    let first = serve();
    let Claim::Theirs(Some(found)) = claim(&first.dir, "1.0.0").unwrap() else { panic!("two workers") };
    assert_eq!(found.port, first.endpoint.port);
    let Claim::Theirs(Some(_)) = claim(&first.dir, "0.9.9").unwrap() else {
        panic!("an older one took over")
    };
    let (dir, world) = (first.dir.clone(), Arc::clone(&first.world));
    std::thread::scope(|scope| {
        let mut first = first;
        let ended = scope.spawn(move || first.ended());
        let newer = serve_in(world, &WorkerOptions { version: "1.0.1".to_owned(), ..worker_options() });
        assert_eq!(ended.join().unwrap(), WorkerExit::Stopped);
        assert_eq!(running(&dir, LOOK).unwrap().version, "1.0.1");
        drop(newer);
    });
}

#[test]
fn what_a_worker_left_behind_stops_nobody() {
    let world = Arc::new(tempfile::tempdir().unwrap());
    let dir = worker_dir_in(&world);
    let home = world.path().join("home");
    let socket = home.join("worker.sock");
    drop(UnixListener::bind(&socket).unwrap());
    fs::write(home.join("worker.lock"), "").unwrap();
    // The note names a process that lives and has nothing to do with it: this one.
    let note = serde_json::json!({"pid": std::process::id(), "version": "9.9.9", "socket": socket, "port": 1, "token": ""});
    fs::write(home.join("worker.json"), note.to_string()).unwrap();
    assert_eq!(running(&dir, LOOK), None);
    let worker = serve_in(Arc::clone(&world), &worker_options());
    assert_eq!(running(&dir, LOOK).unwrap().version, "1.0.0");
    drop(worker);
    // The same where the socket itself was left in the dir of the new one.
    let worker = serve_in(Arc::clone(&world), &worker_options());
    let left = worker.endpoint.socket.clone();
    drop(worker);
    drop(UnixListener::bind(&left).unwrap());
    let worker = serve_in(world, &worker_options());
    assert_eq!(ask_socket(&left, "GET", "/api/health", "", "").status, 200);
    drop(worker);
}

#[test]
fn a_worker_that_ends_leaves_only_its_lock() {
    let worker = serve();
    let (dir, world, note) = (worker.dir.clone(), Arc::clone(&worker.world), worker.endpoint.clone());
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&note.socket), 0o600);
    assert_eq!(mode(note.socket.parent().unwrap()), 0o700);
    assert_eq!(mode(&world.path().join("home/worker.json")), 0o600);
    assert_eq!(mode(&world.path().join("home/worker.lock")), 0o600);
    assert_eq!(note.token.len(), 64);
    assert_eq!(stop(&dir).unwrap(), StopOutcome::Stopped);
    assert_eq!(stop(&dir).unwrap(), StopOutcome::NoneRan);
    drop(worker);
    let left: Vec<_> =
        fs::read_dir(world.path().join("home")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, ["worker.lock"]);
    assert!(!note.socket.exists());
}

/// Writes down a worker that listens there, under a number that is not its own.
fn write_endpoint(home: &Path, socket: &Path) {
    let note = serde_json::json!({"pid": 1, "version": "1.0.0", "socket": socket, "port": 1, "token": ""});
    fs::write(home.join("worker.json"), note.to_string()).unwrap();
}

#[test]
fn a_worker_that_hangs_is_not_taken_for_none_and_has_the_id_the_kernel_reports() {
    let world = tempfile::tempdir().unwrap();
    let dir = WorkerDir::for_home(world.path(), None);
    let short = Duration::from_millis(50);
    assert_eq!(find(&dir, short), WorkerState::Absent);
    let Claim::Ours(lock) = claim(&dir, "1.0.0").unwrap() else { panic!("another worker serves") };
    assert_eq!(find(&dir, short), WorkerState::Unresponsive(None), "it starts");
    let socket = world.path().join("worker.sock");
    let hanging = UnixListener::bind(&socket).unwrap();
    write_endpoint(world.path(), &socket);
    assert_eq!(find(&dir, short), WorkerState::Unresponsive(Some(std::process::id())));
    assert_eq!(stop(&dir).unwrap(), StopOutcome::Refused(Some(std::process::id())));
    drop((lock, hanging));
    assert_eq!(find(&dir, short), WorkerState::Absent);
}

#[test]
fn nobody_waits_in_line_for_a_worker_that_hangs() {
    let world = tempfile::tempdir().unwrap();
    let path = world.path().join("worker.sock");
    let hanging = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    bind(&hanging, &SocketAddrUnix::new(&path).unwrap()).unwrap();
    listen(&hanging, 0).unwrap();
    write_endpoint(world.path(), &path);
    let dir = WorkerDir::for_home(world.path(), None);
    // The first takes the only dir there is; the next would wait for ever.
    (0..3).for_each(|_| assert_eq!(running(&dir, Duration::from_millis(20)), None));
}

#[test]
fn a_worker_whose_home_was_replaced_leaves_the_next_one_alone() {
    let world = Arc::new(tempfile::tempdir().unwrap());
    let brief = WorkerOptions { idle: Some(Duration::from_millis(300)), ..worker_options() };
    let mut first = serve_in(Arc::clone(&world), &brief);
    fs::remove_dir_all(world.path().join("home")).unwrap();
    let second = serve_in(world, &worker_options());
    assert_eq!(first.ended(), WorkerExit::Idle);
    assert_eq!(running(&second.dir, LOOK).unwrap().port, second.endpoint.port);
}

#[test]
fn a_port_that_is_taken_is_left_to_who_has_it() {
    let stranger = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    stranger.set_nonblocking(true).unwrap();
    let taken = stranger.local_addr().unwrap().port();
    let worker = serve_by(&WorkerOptions { port: taken, ..worker_options() });
    assert_ne!(worker.endpoint.port, taken);
    assert_eq!(running(&worker.dir, LOOK).unwrap().port, worker.endpoint.port);
    assert!(stranger.accept().is_err(), "nobody spoke with the stranger");
}

#[test]
fn a_worker_nobody_asks_ends_by_itself() {
    let mut worker = serve_by(&WorkerOptions { idle: Some(Duration::from_millis(300)), ..worker_options() });
    assert_eq!(worker.ended(), WorkerExit::Idle);
    assert!(!worker.endpoint.socket.exists());
}

#[test]
fn a_socket_without_a_runtime_directory_lies_in_the_home() {
    let world = tempfile::tempdir().unwrap();
    let dir = WorkerDir::for_home(world.path(), None);
    let Claim::Ours(lock) = claim(&dir, "1.0.0").unwrap() else { panic!("another worker serves") };
    let handler = Arc::new(ScriptedApi::default()).handler();
    let worker = Worker::open(dir, lock, &worker_options(), handler).unwrap();
    assert_eq!(worker.endpoint().socket, world.path().join("worker.sock"));
}

#[test]
fn a_runtime_directory_of_somebody_else_is_not_used() {
    let world = tempfile::tempdir().unwrap();
    let (home, runtime, planted) =
        (world.path().join("home"), world.path().join("run"), world.path().join("planted"));
    [&home, &runtime, &planted].into_iter().for_each(|dir| fs::create_dir(dir).unwrap());
    std::os::unix::fs::symlink(&planted, runtime.join("backstory")).unwrap();
    let dir = WorkerDir::for_home(&home, Some(&runtime));
    let Claim::Ours(lock) = claim(&dir, "1.0.0").unwrap() else { panic!("another worker serves") };
    let handler = Arc::new(ScriptedApi::default()).handler();
    let worker = Worker::open(dir, lock, &worker_options(), handler).unwrap();
    assert_eq!(worker.endpoint().socket, home.join("worker.sock"));
    assert_eq!(fs::read_dir(&planted).unwrap().count(), 0);
}
