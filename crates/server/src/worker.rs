//! The life of a worker: it claims its home, serves, and cleans up behind itself.
//!
//! The worker of a home holds a lock as long as it lives; only an answer proves that it works. A newer build asks an older one to
//! stop.

use crate::client::{RunningWorker, ask, listener, running};
use crate::credentials::Credentials;
use crate::limits::Bucket;
use crate::listen::{accept, bind_loopback, stop_requested};
use crate::live;
use crate::respond::Shared;
use crate::{ApiHandler, Endpoint, Limits, WorkerDir};
use backstory_platform::{LocalListener, Termination};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

/// How long a second worker tries to reach the first, which holds the lock but may not answer yet.
const FIND_THE_FIRST: Duration = Duration::from_millis(1500);
/// How long an older worker may take to stop.
const HANDOVER: Duration = Duration::from_secs(5);
/// How long one attempt to reach a worker may take.
const LOOK: Duration = Duration::from_millis(500);
/// The pause between two attempts.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// Threads that answer requests; each has at most one store open.
const THREADS: usize = 4;

/// Why a worker cannot serve.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing}")]
pub struct WorkerError {
    doing: &'static str,
    #[source]
    source: io::Error,
}

fn cannot(doing: &'static str) -> impl Fn(io::Error) -> WorkerError {
    move |source| WorkerError { doing, source }
}

/// Which process is the worker of a home.
#[derive(Debug)]
pub enum Claim {
    /// This one. The lock is held as long as the value lives.
    Ours(File),
    /// Another one; none if it holds the lock but does not answer.
    Theirs(Option<RunningWorker>),
}

/// Becomes the worker of a home, or returns the one it has. An older build is asked to stop.
pub fn claim(dir: &WorkerDir, version: &str) -> Result<Claim, WorkerError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let lock = backstory_platform::private(&mut options).open(dir.lock());
    let lock = lock.map_err(cannot("open the lock of the worker"))?;
    let (mut until, mut stop_sent) = (Instant::now() + FIND_THE_FIRST, false);
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Claim::Ours(lock)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(cannot("lock the worker's lock")(error)),
        }
        match running(dir, LOOK) {
            Some(other) if !is_older(&other.version, version) => return Ok(Claim::Theirs(Some(other))),
            Some(_) if !stop_sent => {
                (until, stop_sent) = (Instant::now() + HANDOVER, true);
                request_stop(dir);
            }
            _ if Instant::now() >= until => return Ok(Claim::Theirs(None)),
            _ => std::thread::park_timeout(BETWEEN_LOOKS),
        }
    }
}

/// The result of [`stop`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopOutcome {
    /// No worker was running.
    NoneRan,
    /// It stopped.
    Stopped,
    /// It holds the lock and does not stop; the number is the id of the process that listens.
    Refused(Option<u32>),
}

/// Asks the worker of a home to stop, and waits until it has.
pub fn stop(dir: &WorkerDir) -> Result<StopOutcome, WorkerError> {
    let lock = match File::open(dir.lock()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(StopOutcome::NoneRan),
        opened => opened.map_err(cannot("open the lock of the worker"))?,
    };
    let (mut had_to_ask, until) = (false, Instant::now() + HANDOVER);
    loop {
        match lock.try_lock() {
            Ok(()) if had_to_ask => return Ok(StopOutcome::Stopped),
            Ok(()) => return Ok(StopOutcome::NoneRan),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                return Ok(StopOutcome::Refused(listener(dir)));
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(cannot("lock the worker's lock")(error)),
        }
        had_to_ask = true;
        request_stop(dir);
        std::thread::park_timeout(BETWEEN_LOOKS);
    }
}

/// Asks the worker of a home to stop. Its lock shows when it has.
fn request_stop(dir: &WorkerDir) {
    if let Some(endpoint) = dir.read_endpoint() {
        drop(ask(&endpoint.socket, "POST", "/api/worker/stop", "{}", LOOK));
    }
}

/// Whether one version comes before another, number by number.
fn is_older(one: &str, other: &str) -> bool {
    let numbers =
        |version: &str| -> Vec<u64> { version.split('.').map(|part| part.parse().unwrap_or(0)).collect() };
    numbers(one) < numbers(other)
}

/// The settings of a worker.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Its version.
    pub version: String,
    /// The port on loopback; 0 takes any.
    pub port: u16,
    /// How long it waits without a request before it stops; none for ever.
    pub idle: Option<Duration>,
    /// The limits on requests.
    pub limits: Limits,
}

/// Why a worker stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerExit {
    /// A signal or a request over the socket stopped it.
    Stopped,
    /// No request came for the idle time.
    Idle,
}

/// A worker that listens.
pub struct Worker {
    runtime: tokio::runtime::Runtime,
    dir: WorkerDir,
    shared: Arc<Shared>,
    socket: LocalListener,
    loopback: TcpListener,
    idle: Option<Duration>,
    /// Held as long as the worker lives.
    _lock: File,
}

impl Worker {
    /// Opens the socket and the port, and writes down where they are. From here on requests wait until they are answered.
    pub fn open(
        dir: WorkerDir,
        lock: File,
        options: &WorkerOptions,
        handler: ApiHandler,
    ) -> Result<Worker, WorkerError> {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().max_blocking_threads(THREADS).build();
        let runtime = runtime.map_err(cannot("start the runtime"))?;
        let path = dir.prepare_socket().map_err(cannot("find a place for the socket"))?;
        let _inside = runtime.enter();
        let socket = LocalListener::bind(&path).map_err(cannot("open the socket"))?;
        let loopback =
            runtime.block_on(bind_loopback(options.port)).map_err(cannot("open a port on loopback"))?;
        let port = loopback.local_addr().map_err(cannot("open a port on loopback"))?.port();
        let credentials = Credentials::draw().map_err(io::Error::other).map_err(cannot("draw a token"))?;
        let token = credentials.token().to_owned();
        let endpoint =
            Endpoint { pid: std::process::id(), version: options.version.clone(), socket: path, port, token };
        dir.write_endpoint(&endpoint).map_err(cannot("write down where the worker is"))?;
        drop(_inside);
        let limits = options.limits;
        let shared = Shared {
            handler: Arc::new(handler),
            credentials,
            endpoint,
            limits,
            requests: Bucket::new(limits.requests_per_second),
            strangers: Bucket::new(limits.strangers_per_second),
            places: Arc::new(Semaphore::new(limits.at_once)),
            listeners: Arc::default(),
            stop: watch::Sender::new(false),
            began: Instant::now(),
            last_request_s: AtomicU64::new(0),
        };
        Ok(Worker {
            runtime,
            dir,
            shared: Arc::new(shared),
            socket,
            loopback,
            idle: options.idle,
            _lock: lock,
        })
    }

    /// Returns where the worker listens.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.shared.endpoint
    }

    /// Serves until it is stopped or idle.
    pub fn serve(self) -> Result<WorkerExit, WorkerError> {
        let Worker { runtime, dir, shared, socket, loopback, idle, _lock } = self;
        let ended = runtime.block_on(async {
            let mut termination = Termination::listen()?;
            let ended = Arc::clone(&shared);
            let mut stop = shared.stop.subscribe();
            tokio::spawn(live::watch(Arc::clone(&shared.listeners), Arc::clone(&shared.handler)));
            let serving = tokio::spawn(accept(socket, loopback, Arc::clone(&shared)));
            let why = tokio::select! {
                () = termination.requested() => WorkerExit::Stopped,
                () = stop_requested(&mut stop) => WorkerExit::Stopped,
                () = idle_for(&shared, idle) => WorkerExit::Idle,
            };
            // A client that looks for a worker from here on finds none; requests that have arrived are still answered.
            dir.clear(&shared.endpoint);
            ended.listeners.end();
            ended.stop.send_replace(true);
            drop(serving.await);
            Ok(why)
        });
        // A request that still runs is not waited for: a read does no harm, and a write commits as a whole or not at all.
        runtime.shutdown_background();
        ended.map_err(cannot("listen for signals"))
    }
}

/// Waits until there has been no request and no listener for that long.
async fn idle_for(shared: &Shared, idle: Option<Duration>) {
    let Some(idle) = idle else { return std::future::pending().await };
    loop {
        if shared.listeners.any() {
            shared.last_request_s.store(shared.began.elapsed().as_secs(), Ordering::Relaxed);
        }
        let last = Duration::from_secs(shared.last_request_s.load(Ordering::Relaxed));
        match (last + idle).checked_sub(shared.began.elapsed()) {
            Some(left) if !left.is_zero() => tokio::time::sleep(left).await,
            _ => return,
        }
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the token.
        f.debug_struct("Worker").field("dir", &self.dir).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_number_by_number() {
        assert!(is_older("0.9.0", "0.10.0") && is_older("0.1.0", "1.0.0"));
        assert!(!is_older("0.1.0", "0.1.0") && !is_older("1.0.0", "0.9.9"));
    }
}
