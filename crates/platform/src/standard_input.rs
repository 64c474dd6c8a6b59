//! Standard input, and whether something can be read from it.

use std::time::Duration;

/// Waits until standard input can be read or is at its end. Returns whether it is; where that cannot be known, reading shows it.
#[cfg(unix)]
#[must_use]
pub fn stdin_is_ready(wait: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let input = std::io::stdin();
    let wait = Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
    !matches!(poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&wait)), Ok(0))
}

/// Returns that it is: an anonymous pipe cannot be asked without reading it.
#[cfg(windows)]
#[must_use]
pub fn stdin_is_ready(_wait: Duration) -> bool {
    true
}
