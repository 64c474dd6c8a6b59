//! Our log: one line an incident, for the person who asks why. It holds what went wrong, never what was said (law 7).

use backstory_capture::{Redactor, RedactorOptions};
use backstory_memory::Timestamp;
use backstory_platform::{open_own_file, private};
use backstory_store::Home;
use std::fs::{self, OpenOptions};
use std::io::Write;

/// A log larger than this starts anew; the one before is kept beside it.
const MOST_BYTES: u64 = 1 << 20;

/// Writes a line. A log that cannot be written must not stop what it reports on.
pub fn line(home: &Home, now: Timestamp, text: &str) {
    let path = home.log();
    let Some(dir) = path.parent() else { return };
    // A home that is not ours is not written to, not even to say so.
    if home.prepare().is_err() || fs::create_dir_all(dir).is_err() {
        return;
    }
    if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > MOST_BYTES) {
        drop(fs::rename(&path, path.with_extension("log.1")));
    }
    let mut options = RedactorOptions::default();
    // Nobody compares secrets in a log, so every line has a key of its own; with one that can be guessed, rather no line.
    if getrandom::fill(&mut options.key).is_err() {
        return;
    }
    let text = Redactor::new(options).scrub(text).into_inner().replace(['\n', '\r'], " ");
    if let Ok(mut file) = open_own_file(private(OpenOptions::new().create(true).append(true)), &path) {
        drop(writeln!(file, "{} {text}", crate::times::iso(now)));
    }
}
