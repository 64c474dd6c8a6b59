//! How much is answered: bytes, requests a second, seconds a request.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much is answered.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most bytes of a body.
    pub body_bytes: usize,
    /// The most requests in a second; as many may come at once.
    pub requests_per_second: u32,
    /// The most requests in a second that come without a token, or with a wrong one.
    pub strangers_per_second: u32,
    /// The most requests that are answered or wait for it at the same time.
    pub at_once: usize,
    /// How long a request may take.
    pub deadline: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body_bytes: 256 * 1024,
            requests_per_second: 5000,
            strangers_per_second: 50,
            at_once: 256,
            deadline: Duration::from_secs(10),
        }
    }
}

/// A bucket that fills by the second: each request takes one out.
pub(crate) struct Bucket {
    per_second: f64,
    left: Mutex<(f64, Instant)>,
}

impl Bucket {
    pub(crate) fn new(per_second: u32) -> Bucket {
        let per_second = f64::from(per_second);
        Bucket { per_second, left: Mutex::new((per_second, Instant::now())) }
    }

    /// Takes one out; false when there is none.
    pub(crate) fn take(&self) -> bool {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let filled = left.0 + now.duration_since(left.1).as_secs_f64() * self.per_second;
        *left = (filled.min(self.per_second), now);
        let has_one = left.0 >= 1.0;
        if has_one {
            left.0 -= 1.0;
        }
        has_one
    }
}
