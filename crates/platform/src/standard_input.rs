//! Standard input, and whether something can be read from it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::time::Duration;

/// Waits until standard input can be read or is at its end. Returns whether it is; where that cannot be known, reading shows it.
#[must_use]
pub fn stdin_is_ready(wait: Duration) -> bool {
    let input = std::io::stdin();
    let wait = Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
    !matches!(poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&wait)), Ok(0))
}
