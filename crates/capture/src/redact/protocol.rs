//! Finds passwords that a recorded conversation with a server holds: `PASS …` of FTP and POP, `LOGIN name …` of IMAP, `AUTH …` of Redis,
//! `connect name/…@database` of Oracle.
//!
//! Not here: what a command prints (`lines`).

use super::SecretMatch;
use super::passwords::{CREDENTIAL, is_chosen};

/// What a conversation has come to.
#[derive(Default)]
pub(super) struct LogIn {
    /// For how many lines a password may follow the name of the user.
    lines_left: usize,
}

impl LogIn {
    /// Reads a line, and returns the password in it.
    pub(super) fn password(&mut self, line: &str, line_start: usize) -> Option<SecretMatch> {
        const NEAR: usize = 3;
        self.lines_left = self.lines_left.saturating_sub(1);
        // `PASS` alone begins the report of a test.
        if let Some(value) = line.strip_prefix("PASS ").filter(|_| self.lines_left > 0) {
            let (value, start) = (value.trim_end(), line_start + "PASS ".len());
            return is_chosen(value.as_bytes()).then(|| SecretMatch {
                rule: CREDENTIAL,
                start,
                end: start + value.len(),
            });
        }
        if line.starts_with("USER ") {
            self.lines_left = NEAR + 1;
        }
        in_line(line, line_start)
    }
}

/// Returns the password in a line that says all by itself.
fn in_line(line: &str, line_start: usize) -> Option<SecretMatch> {
    let (verb, start) = verb(line)?;
    let arguments = line.get(start..)?.trim_end();
    let value = match verb {
        // What the code of a wireless network says: `WIFI:T:WPA;S:home;P:…;;`.
        "WIFI" => arguments.split(';').next()?,
        "Key Content" => arguments.trim_start_matches([' ', ':']),
        "AUTH" => arguments.rsplit(' ').next()?,
        "LOGIN" => arguments.split_once(' ')?.1,
        _ => {
            let (_, behind) = arguments.split_once('/')?;
            behind.get(..behind.rfind('@')?)?
        }
    };
    let value = value.trim_matches(['"', '\'', '\\']);
    let at = line_start + (value.as_ptr() as usize - line.as_ptr() as usize);
    (is_chosen(value.as_bytes()) || value.len() > 4 && value.contains('=') && !value.contains(' '))
        .then(|| SecretMatch { rule: CREDENTIAL, start: at, end: at + value.len() })
}

/// Returns the verb that a line gives a server, and where its arguments begin.
fn verb(line: &str) -> Option<(&'static str, usize)> {
    let behind = |mark: &str| line.find(mark).map(|at| at + mark.len());
    if let Some(at) = behind("> AUTH ") {
        return Some(("AUTH", at));
    }
    let (content, wifi) = ("Key Content", "WIFI:");
    if line.trim_start().get(..content.len()).is_some_and(|start| start.eq_ignore_ascii_case(content)) {
        return Some(("Key Content", line.find(':')?));
    }
    if line.contains(wifi) {
        return Some(("WIFI", behind(";P:")?));
    }
    if let Some(at) = behind("> connect ").or_else(|| behind("> CONNECT ")).or_else(|| behind("> conn ")) {
        return Some(("connect", at));
    }
    // IMAP numbers its commands: `a1 LOGIN name "…"`.
    let at = behind(" LOGIN ")?;
    let tag = line.get(..at - " LOGIN ".len())?.trim_start();
    let is_tag = (1..=8).contains(&tag.len()) && tag.bytes().any(|byte| byte.is_ascii_digit());
    (is_tag && tag.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(("LOGIN", at))
}
