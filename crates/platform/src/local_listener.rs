//! Listening for processes of this machine that belong to the user, and for the wish that this process ends.
//!
//! The only asynchronous part, and only the worker has it (feature `listen`).

use std::io;
use std::path::Path;

/// A connection that came in.
#[cfg(unix)]
pub type AcceptedStream = tokio::net::UnixStream;
/// A connection that came in.
#[cfg(windows)]
pub type AcceptedStream = tokio::net::TcpStream;

/// Listens at a path. Dropping it leaves the path to be removed.
#[cfg(unix)]
#[derive(Debug)]
pub struct LocalListener(tokio::net::UnixListener);

/// Listens at a path. Dropping it leaves the path to be removed.
#[cfg(windows)]
pub struct LocalListener {
    listener: tokio::net::TcpListener,
    place: crate::local_socket::PlaceFile,
}

#[cfg(windows)]
impl std::fmt::Debug for LocalListener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the secrets.
        f.debug_struct("LocalListener").field("port", &self.place.port).finish_non_exhaustive()
    }
}

impl LocalListener {
    /// Binds a path in place of what was left behind there. Call it within a runtime.
    pub fn bind(path: &Path) -> io::Result<LocalListener> {
        if std::fs::symlink_metadata(path).is_ok() {
            std::fs::remove_file(path)?;
        }
        LocalListener::bind_new(path)
    }

    #[cfg(unix)]
    fn bind_new(path: &Path) -> io::Result<LocalListener> {
        let listener = tokio::net::UnixListener::bind(path)?;
        crate::close_file_to_others(path)?;
        Ok(LocalListener(listener))
    }

    #[cfg(windows)]
    fn bind_new(path: &Path) -> io::Result<LocalListener> {
        let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let place = crate::local_socket::PlaceFile::draw(listener.local_addr()?.port())?;
        place.write(path)?;
        Ok(LocalListener { listener: tokio::net::TcpListener::from_std(listener)?, place })
    }

    /// Waits for a connection. Whether it is the user's own is asked by `Admission`.
    #[cfg(unix)]
    pub async fn accept(&self) -> io::Result<AcceptedStream> {
        self.0.accept().await.map(|(stream, _)| stream)
    }

    /// Waits for a connection. Whether it is the user's own is asked by `Admission`.
    #[cfg(windows)]
    pub async fn accept(&self) -> io::Result<AcceptedStream> {
        self.listener.accept().await.map(|(stream, _)| stream)
    }

    /// Returns what a connection has to pass before it is spoken with.
    #[must_use]
    pub fn admission(&self) -> Admission {
        #[cfg(unix)]
        return Admission {};
        #[cfg(windows)]
        return Admission { place: self.place };
    }
}

/// Tells the user's own processes from others.
#[derive(Clone, Copy)]
pub struct Admission {
    #[cfg(windows)]
    place: crate::local_socket::PlaceFile,
}

impl Admission {
    /// Whether the process at the other end belongs to the user of this one, as the kernel says.
    #[cfg(unix)]
    pub async fn admits(self, stream: &mut AcceptedStream) -> bool {
        stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
    }

    /// Whether the process at the other end has read the file that only the user can read; then it is shown that we wrote it.
    #[cfg(windows)]
    pub async fn admits(self, stream: &mut AcceptedStream) -> bool {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let greeting = async {
            let mut shown = [0; crate::local_socket::SECRET_BYTES];
            stream.read_exact(&mut shown).await?;
            // No early end at the first wrong byte: how long it takes must not tell how much was right.
            let wrong =
                shown.iter().zip(&self.place.callers).fold(0, |wrong, (one, other)| wrong | (one ^ other));
            if wrong != 0 {
                return Ok(false);
            }
            stream.set_nodelay(true)?;
            stream.write_all(&self.place.listeners).await?;
            Ok::<bool, io::Error>(true)
        };
        matches!(tokio::time::timeout(crate::local_socket::GREETING, greeting).await, Ok(Ok(true)))
    }
}

/// The wish of the user or the system that this process ends.
#[derive(Debug)]
pub struct Termination {
    #[cfg(unix)]
    signals: [tokio::signal::unix::Signal; 2],
    #[cfg(windows)]
    signals: (
        tokio::signal::windows::CtrlC,
        tokio::signal::windows::CtrlBreak,
        tokio::signal::windows::CtrlShutdown,
    ),
}

impl Termination {
    /// Begins to listen. Call it within a runtime.
    #[cfg(unix)]
    pub fn listen() -> io::Result<Termination> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Termination { signals: [signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?] })
    }

    /// Begins to listen. Call it within a runtime.
    #[cfg(windows)]
    pub fn listen() -> io::Result<Termination> {
        use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_shutdown};
        Ok(Termination { signals: (ctrl_c()?, ctrl_break()?, ctrl_shutdown()?) })
    }

    /// Waits until this process is to end.
    #[cfg(unix)]
    pub async fn requested(&mut self) {
        let [terminate, interrupt] = &mut self.signals;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }

    /// Waits until this process is to end.
    #[cfg(windows)]
    pub async fn requested(&mut self) {
        let (interrupt, stop, shutdown) = &mut self.signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = stop.recv() => {}
            _ = shutdown.recv() => {}
        }
    }
}
