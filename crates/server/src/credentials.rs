//! Secrets of the worker: the token, the keys of login URLs, and the cookies they are exchanged for. They live as long as the worker.

use std::collections::VecDeque;
use std::hint::black_box;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a login URL can be used, once.
const KEY_LIVES: Duration = Duration::from_secs(5 * 60);
/// More login URLs or cookies than this are not remembered: the oldest goes.
const MOST: usize = 32;

/// 256 bits nobody can guess, as hexadecimal digits.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    /// Draws a secret.
    pub(crate) fn draw() -> Result<Secret, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Secret(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Returns it as text, for whoever may know it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether a text is the secret. How long it takes does not tell how much of it is right.
    pub(crate) fn is(&self, text: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), text.as_bytes());
        let differing = ours.iter().zip(theirs).fold(0, |differing, (a, b)| differing | black_box(a ^ b));
        (black_box(differing) == 0) & (ours.len() == theirs.len())
    }
}

/// All secrets of a worker.
pub(crate) struct Credentials {
    token: Secret,
    once: Mutex<VecDeque<(Secret, Instant)>>,
    cookies: Mutex<VecDeque<Secret>>,
}

impl Credentials {
    pub(crate) fn draw() -> Result<Credentials, getrandom::Error> {
        Ok(Credentials { token: Secret::draw()?, once: Mutex::default(), cookies: Mutex::default() })
    }

    /// Returns the token, for the note that only the user can read.
    pub(crate) fn token(&self) -> &str {
        self.token.reveal()
    }

    /// Whether a text is the token.
    pub(crate) fn is_token(&self, text: &str) -> bool {
        self.token.is(text)
    }

    /// Draws a key for a login URL.
    pub(crate) fn one_time(&self) -> Result<String, getrandom::Error> {
        let key = Secret::draw()?;
        let text = key.reveal().to_owned();
        remember(&self.once, (key, Instant::now()));
        Ok(text)
    }

    /// Takes a key for a cookie. A key works once.
    pub(crate) fn log_in(&self, key: &str) -> Result<Option<String>, getrandom::Error> {
        let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        once.retain(|(_, drawn)| drawn.elapsed() < KEY_LIVES);
        let Some(at) = once.iter().position(|(known, _)| known.is(key)) else { return Ok(None) };
        once.remove(at);
        drop(once);
        let cookie = Secret::draw()?;
        let text = cookie.reveal().to_owned();
        remember(&self.cookies, cookie);
        Ok(Some(text))
    }

    /// Whether a text is a cookie of ours.
    pub(crate) fn is_cookie(&self, text: &str) -> bool {
        let cookies = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        cookies.iter().fold(false, |found, cookie| found | cookie.is(text))
    }
}

fn remember<T>(all: &Mutex<VecDeque<T>>, one: T) {
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() >= MOST {
        all.pop_front();
    }
    all.push_back(one);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_works_once_and_only_as_a_whole() {
        let keys = Credentials::draw().unwrap();
        let key = keys.one_time().unwrap();
        assert_eq!(key.len(), 64);
        assert_eq!(keys.log_in(&key[..63]).unwrap(), None);
        assert_eq!(keys.log_in("").unwrap(), None);
        let cookie = keys.log_in(&key).unwrap().expect("a cookie");
        assert!(keys.is_cookie(&cookie) && !keys.is_cookie(&key) && !keys.is_token(&cookie));
        assert_eq!(keys.log_in(&key).unwrap(), None);
        assert!(
            keys.is_token(keys.token())
                && !keys.is_token("")
                && !keys.is_token(&format!("{}0", keys.token()))
        );
    }
}
