//! Our log: one line for each incident, for the person who asks why. It holds what went wrong, never what was said (law 7).

use backstory_capture::{Redactor, RedactorOptions};
use backstory_memory::Timestamp;
use backstory_platform::{open_own_file, private};
use backstory_store::Home;
use std::fs::{self, OpenOptions};
use std::io::Write;

/// How large the log grows. It then starts anew, and the full one is kept beside it.
const MOST_BYTES: u64 = 1 << 20;

/// Writes a line. A log that cannot be written must not stop what it reports on.
pub fn line(home: &Home, now: Timestamp, text: &str) {
    let path = home.log();
    let Some(dir) = path.parent() else { return };
    // `prepare` refuses a home that belongs to somebody else: nothing is written there, not even this line.
    if home.prepare().is_err() || fs::create_dir_all(dir).is_err() {
        return;
    }
    if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > MOST_BYTES) {
        drop(fs::rename(&path, path.with_extension("log.1")));
    }
    let mut options = RedactorOptions::default();
    // Every line has a random key of its own, since nobody compares secrets in a log. Without randomness the key could be guessed: no line
    // is written then.
    if getrandom::fill(&mut options.key).is_err() {
        return;
    }
    let text = Redactor::new(options).scrub(text).into_inner().replace(['\n', '\r'], " ");
    if let Ok(mut file) = open_own_file(private(OpenOptions::new().create(true).append(true)), &path) {
        drop(writeln!(file, "{} {text}", crate::times::iso(now)));
    }
}
