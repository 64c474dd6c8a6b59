//! Connections between processes of this machine, and who is at the other end.
//!
//! A path names the place where a process listens. Where the system has sockets with a path, the path is one. On Windows it is a file that
//! only the user can read: it names a port on loopback, a secret that the caller shows, and one that the listener answers with, so that
//! neither speaks with a stranger.

use std::io;
use std::path::Path;

/// A connection to a process of this machine.
#[cfg(unix)]
pub type LocalStream = std::os::unix::net::UnixStream;
/// A connection to a process of this machine.
#[cfg(windows)]
pub type LocalStream = std::net::TcpStream;

/// The longest path a place to listen at can have: what the kernel's address of a socket holds, with room for systems that take less.
#[cfg(unix)]
pub const LONGEST_SOCKET_PATH: usize = 100;
/// The longest path a place to listen at can have.
#[cfg(windows)]
pub const LONGEST_SOCKET_PATH: usize = 240;

/// Connects, or fails at once: where too many wait already for a process that hangs, a plain `connect` would wait with them for ever.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn connect_without_waiting(socket: &Path) -> io::Result<LocalStream> {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let stream = LocalStream::from(socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?);
    connect(&stream, &SocketAddrUnix::new(socket)?)?;
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// Connects, or fails at once.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
pub fn connect_without_waiting(socket: &Path) -> io::Result<LocalStream> {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket as new_socket};
    let stream = LocalStream::from(new_socket(AddressFamily::UNIX, SocketType::STREAM, None)?);
    rustix::io::fcntl_setfd(&stream, rustix::io::FdFlags::CLOEXEC)?;
    stream.set_nonblocking(true)?;
    connect(&stream, &SocketAddrUnix::new(socket)?)?;
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// Connects, or fails: loopback answers at once whether somebody listens.
#[cfg(windows)]
pub fn connect_without_waiting(socket: &Path) -> io::Result<LocalStream> {
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, SocketAddr};
    let place = PlaceFile::read(socket)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, place.port));
    let mut stream = LocalStream::connect_timeout(&address, GREETING)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(GREETING))?;
    stream.write_all(&place.callers)?;
    let mut answer = [0; SECRET_BYTES];
    stream.read_exact(&mut answer)?;
    if answer != place.listeners {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    stream.set_read_timeout(None)?;
    Ok(stream)
}

/// Returns the process that listens at a place, as the kernel says, whether or not it ever answers.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[must_use]
pub fn listening_process_id(socket: &Path) -> Option<u32> {
    let stream = connect_without_waiting(socket).ok()?;
    let peer = rustix::net::sockopt::socket_peercred(&stream).ok()?;
    u32::try_from(peer.pid.as_raw_nonzero().get()).ok()
}

/// Returns nothing: the kernel tells whose the other end is, not which process.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
#[must_use]
pub fn listening_process_id(_socket: &Path) -> Option<u32> {
    None
}

/// Returns the process that made the place, if somebody listens there.
#[cfg(windows)]
#[must_use]
pub fn listening_process_id(socket: &Path) -> Option<u32> {
    use std::net::{Ipv4Addr, SocketAddr};
    let place = PlaceFile::read(socket).ok()?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, place.port));
    LocalStream::connect_timeout(&address, GREETING).ok().map(|_| place.process)
}

/// How long the other end may take to show that it has read the file.
#[cfg(windows)]
pub(crate) const GREETING: std::time::Duration = std::time::Duration::from_millis(500);
#[cfg(windows)]
pub(crate) const SECRET_BYTES: usize = 16;

/// What the file holds that stands for a socket.
#[cfg(windows)]
#[derive(Clone, Copy)]
pub(crate) struct PlaceFile {
    pub(crate) port: u16,
    pub(crate) process: u32,
    /// What a caller shows.
    pub(crate) callers: [u8; SECRET_BYTES],
    /// What the listener answers with.
    pub(crate) listeners: [u8; SECRET_BYTES],
}

#[cfg(windows)]
impl PlaceFile {
    /// Draws the secrets of a place.
    pub(crate) fn draw(port: u16) -> io::Result<PlaceFile> {
        let mut place = PlaceFile {
            port,
            process: std::process::id(),
            callers: [0; SECRET_BYTES],
            listeners: [0; SECRET_BYTES],
        };
        getrandom::fill(&mut place.callers).map_err(io::Error::other)?;
        getrandom::fill(&mut place.listeners).map_err(io::Error::other)?;
        Ok(place)
    }

    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        use std::io::Write;
        let hex = |secret: &[u8]| secret.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let mut options = std::fs::OpenOptions::new();
        let mut file = crate::private(options.write(true).create_new(true)).open(path)?;
        let (callers, listeners) = (hex(&self.callers), hex(&self.listeners));
        write!(file, "{} {} {callers} {listeners}", self.port, self.process)
    }

    fn read(path: &Path) -> io::Result<PlaceFile> {
        let text = crate::read_own_file(path, 256)?;
        PlaceFile::parse(&String::from_utf8_lossy(&text)).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn parse(text: &str) -> Option<PlaceFile> {
        let mut words = text.split(' ');
        let (port, process) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let mut secret = || {
            let word = words.next().filter(|word| word.len() == 2 * SECRET_BYTES)?;
            let mut bytes = [0; SECRET_BYTES];
            for (at, byte) in bytes.iter_mut().enumerate() {
                *byte = u8::from_str_radix(word.get(2 * at..2 * at + 2)?, 16).ok()?;
            }
            Some(bytes)
        };
        Some(PlaceFile { port, process, callers: secret()?, listeners: secret()? })
    }
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_was_written_and_nothing_else_is_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("worker.sock");
        let written = PlaceFile::draw(4711).unwrap();
        written.write(&path).unwrap();
        let read = PlaceFile::read(&path).unwrap();
        assert_eq!((read.port, read.process), (4711, std::process::id()));
        assert_eq!((read.callers, read.listeners), (written.callers, written.listeners));
        assert_ne!(read.callers, read.listeners);
        for text in ["", "4711", "4711 1 00 00", "99999 1 2 3"] {
            assert!(PlaceFile::parse(text).is_none(), "{text}");
        }
    }
}
