//! The socket and the loopback port: binds them, and serves HTTP on their connections.

use crate::RequestSource;
use crate::respond::Shared;
use backstory_platform::LocalListener;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::timeout;

/// More connections than this are not held over loopback, where anyone can open them.
const MOST_SPEAKING: usize = 256;
/// How long a connection may be quiet before or within the head of a request.
const QUIET: Duration = Duration::from_secs(10);
/// How long what is being answered may go on when the worker ends.
pub(crate) const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// Binds a port on loopback: the one that is wanted, or any where that is taken by somebody else.
pub(crate) async fn bind_loopback(wanted: u16) -> io::Result<TcpListener> {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, wanted)).await {
        Err(_) if wanted != 0 => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await,
        bound => bound,
    }
}

/// Speaks with everyone who comes in, until the worker ends.
pub(crate) async fn accept(socket: LocalListener, loopback: TcpListener, shared: Arc<Shared>) {
    let mut stopped = shared.stop.subscribe();
    let mut speaking = tokio::task::JoinSet::new();
    let mut loopback_connections = LoopbackConnections::default();
    loop {
        // What is over is taken off the list, or it would grow for ever.
        while speaking.try_join_next().is_some() {}
        let ending = stopped.clone();
        let shared = Arc::clone(&shared);
        tokio::select! {
            () = stop_requested(&mut stopped) => break,
            came = socket.accept() => match came {
                Ok(mut stream) => {
                    let admission = socket.admission();
                    speaking.spawn(async move {
                        if admission.admits(&mut stream).await {
                            // The other end of the socket is the user's own.
                            let is_known = Arc::new(AtomicBool::new(true));
                            speak(stream, (RequestSource::Socket, is_known), shared, ending).await;
                        }
                    });
                }
                Err(_) => rest().await,
            },
            came = loopback.accept() => match came {
                Ok((stream, _)) if loopback_connections.make_room() => {
                    // What is small is sent at once: nothing more follows that it could wait for.
                    drop(stream.set_nodelay(true));
                    let is_known = Arc::new(AtomicBool::new(false));
                    let by = (RequestSource::Loopback, Arc::clone(&is_known));
                    let task = speaking.spawn(speak(stream, by, shared, ending));
                    loopback_connections.0.push_back(LoopbackConnection { task, is_known });
                }
                Ok(_) => {}
                Err(_) => rest().await,
            },
        }
    }
    let all = async { while speaking.join_next().await.is_some() {} };
    // Connections that are still open are dropped: a live-event stream would keep the worker from ending.
    drop(timeout(SHUTDOWN_GRACE, all).await);
}

/// The connections over loopback, the oldest first.
#[derive(Default)]
struct LoopbackConnections(VecDeque<LoopbackConnection>);

struct LoopbackConnection {
    task: AbortHandle,
    /// Whether a request on it showed a token or a cookie.
    is_known: Arc<AtomicBool>,
}

impl LoopbackConnections {
    /// Makes room for one more, and returns whether there is. Where there are too many, the oldest of a stranger is closed: who opens
    /// many and says nothing keeps nobody out.
    fn make_room(&mut self) -> bool {
        if self.0.len() < MOST_SPEAKING {
            return true;
        }
        self.0.retain(|connection| !connection.task.is_finished());
        if self.0.len() < MOST_SPEAKING {
            return true;
        }
        let stranger = self.0.iter().position(|connection| !connection.is_known.load(Ordering::Relaxed));
        let closed = stranger.and_then(|at| self.0.remove(at));
        closed.inspect(|connection| connection.task.abort()).is_some()
    }
}

/// Waits until the worker is asked to stop.
pub(crate) async fn stop_requested(stopped: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone, so the worker is ending as well.
    drop(stopped.wait_for(|stop| *stop).await);
}

/// Waits a moment after a connection could not be taken: there are too many open files, and trying at once would only burn time.
async fn rest() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

async fn speak(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    (by, is_known): (RequestSource, Arc<AtomicBool>),
    shared: Arc<Shared>,
    mut stopped: watch::Receiver<bool>,
) {
    let service = service_fn(|request: Request<Incoming>| {
        let shared = Arc::clone(&shared);
        if shared.caller(request.headers()).is_some() {
            is_known.store(true, Ordering::Relaxed);
        }
        async move { Ok::<_, Infallible>(shared.respond(request, by).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(QUIET).max_buf_size(64 * 1024);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let is_over = tokio::select! {
        _ = connection.as_mut() => true,
        () = stop_requested(&mut stopped) => false,
    };
    if !is_over {
        connection.as_mut().graceful_shutdown();
        drop(connection.await);
    }
}
