//! Sockets between processes of this machine, and who is at the other end.

use rustix::net::sockopt::socket_peercred;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

/// A connection to a socket of this machine.
pub type LocalStream = std::os::unix::net::UnixStream;

/// Connects, or fails at once: where too many wait already for a process that hangs, a plain `connect` would wait with them for ever.
pub fn connect_without_waiting(socket: &Path) -> io::Result<LocalStream> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let stream = LocalStream::from(socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?);
    connect(&stream, &SocketAddrUnix::new(socket)?)?;
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// Whether the process at the other end belongs to the user of this one, as the kernel says.
pub fn is_peer_same_user(stream: &impl AsFd) -> bool {
    socket_peercred(stream).is_ok_and(|peer| peer.uid == rustix::process::geteuid())
}

/// Returns the process at the other end, as the kernel says.
pub fn peer_process_id(stream: &impl AsFd) -> Option<u32> {
    let peer = socket_peercred(stream).ok()?;
    u32::try_from(peer.pid.as_raw_nonzero().get()).ok()
}
