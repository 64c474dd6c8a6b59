//! Brings one line of output to the shape it has on every day and machine: what varies becomes `…`.
//!
//! Paths keep their last name, since that is often what the error is about; identifiers keep their digits
//! (`E0425`, `utf8`, `test_3`). Linear in the line. Not here: which line is telling (`error_line`).

use backstory_memory::{clean, first_chars};

/// Stands for whatever varies. One sign for all: whether a number was a time or a process id says nothing.
pub(super) const VARIES: &str = "…";
/// No message needs more; minified sources do.
const LONGEST_LINE: usize = 400;

/// Returns what a terminal would show of a line: no colours, and only the last state of a progress bar.
pub(super) fn shown(line: &str) -> String {
    let last = line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or_default();
    clean(first_chars(last, LONGEST_LINE * 4)).trim_end().to_owned()
}

/// Returns the line with everything that varies replaced, blanks joined, and its decoration taken off.
pub(super) fn shape(line: &str) -> String {
    let mut out = String::new();
    let mut atom = String::new();
    let line = first_chars(line, LONGEST_LINE);
    for c in line.chars() {
        if belongs(c) {
            atom.push(c);
            continue;
        }
        end_atom(&mut atom, &mut out);
        if c.is_whitespace() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else {
            out.push(c);
        }
    }
    end_atom(&mut atom, &mut out);
    join_variations(out.trim())
}

fn belongs(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '_' | '.' | '/' | '\\' | ':' | '~' | '+' | '-' | '%' | '@' | '$' | '?' | '&' | '=')
}

fn end_atom(atom: &mut String, out: &mut String) {
    if atom.is_empty() {
        return;
    }
    let core = atom.trim_end_matches([':', '.', '?', '-', '=']);
    let tail = atom.get(core.len()..).unwrap_or_default();
    let keeps_status = core.len() == 3 && core.starts_with(['4', '5']) && announces_status(out);
    if keeps_status {
        out.push_str(core);
    } else {
        push_core(core, out);
    }
    out.push_str(tail);
    atom.clear();
}

/// Whether the words so far end with what stands before an HTTP status.
fn announces_status(out: &str) -> bool {
    let last = out.trim_end().rsplit(' ').next().unwrap_or_default().to_ascii_lowercase();
    ["http", "status", "code", "error"].iter().any(|word| last.contains(word))
}

fn push_core(core: &str, out: &mut String) {
    if let Some((scheme, rest)) = core.split_once("://") {
        let address = rest.split(['?', '&']).next().unwrap_or(rest);
        out.push_str(scheme);
        out.push_str("://");
        push_without_numbers(address, out);
    } else if core.starts_with("REDACTED:") || is_clock(core) || is_measure(core) || is_random(core) {
        out.push_str(VARIES);
    } else if let Some(name) = path_name(core) {
        if is_random(name) {
            out.push_str(VARIES);
        } else {
            push_without_numbers(name, out);
        }
    } else if let Some((name, value)) = core.split_once('=') {
        push_core(name, out);
        out.push('=');
        if !value.is_empty() {
            push_core(value.trim_start_matches('='), out);
        }
    } else {
        push_without_numbers(without_line_number(core), out);
    }
}

/// `12:34`, `2026-11-15T10:00:00Z`, `1.2.3`, `127.0.0.1:80`, `10-20`: digits and what joins them.
fn is_clock(core: &str) -> bool {
    core.starts_with(|c: char| c.is_ascii_digit())
        && core.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '.' | '-' | '+' | '/' | 'T' | 'Z'))
}

/// `v1.2.3-beta.1`, `0.03s`, `512MB`, `97%`: a number and a short unit or a version's suffix.
fn is_measure(core: &str) -> bool {
    let number = core.strip_prefix(['v', 'V', '+', '-', '~']).unwrap_or(core);
    let unit = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if unit.len() == number.len() || !number.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let is_version = number.matches('.').count() >= 2 && unit.starts_with(['-', '+']);
    is_version || unit == "%" || (unit.chars().count() <= 4 && unit.chars().all(char::is_alphabetic))
}

/// Addresses, hashes, uuids and names made up for a temporary file.
fn is_random(core: &str) -> bool {
    if core.strip_prefix("0x").is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        return true;
    }
    let lower = core.to_ascii_lowercase();
    let is_temporary = ["tmp.", "tmp_", "tmp-", ".tmp"].iter().any(|start| lower.starts_with(start));
    let digits = core.bytes().filter(u8::is_ascii_digit).count();
    let is_hex = core.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_hash = core.len() >= 7 && is_hex && digits >= 2;
    // `tmpk3x9q2ab`, as Python's tempfile makes them.
    let is_drawn =
        lower.strip_prefix("tmp").is_some_and(|rest| rest.len() >= 6 && !rest.contains(['.', ':']));
    is_temporary || is_hash || is_drawn
}

/// Returns the last name of a path, without line and column; nothing when the word is no path.
fn path_name(core: &str) -> Option<&str> {
    let path = without_line_number(core);
    let slashes = path.bytes().filter(|byte| matches!(byte, b'/' | b'\\')).count();
    if slashes == 0 || path.starts_with('@') || path.starts_with("HTTP/") {
        return None;
    }
    if path.starts_with("/tmp/") || path.starts_with("/var/folders/") || path.contains("\\Temp\\") {
        let name = last_name(path);
        return Some(if name.contains('.') { name } else { "/tmp" });
    }
    let is_rooted = path.starts_with(['/', '.', '~', '$']) || path.get(1..3).is_some_and(|at| at == ":\\");
    let name = last_name(path);
    (is_rooted || slashes >= 2 || name.contains('.')).then_some(name)
}

fn last_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Takes `:12`, `:12:5` and `:12-14` off the end.
fn without_line_number(core: &str) -> &str {
    let mut rest = core;
    while let Some((before, after)) = rest.rsplit_once(':') {
        let is_place = !after.is_empty() && after.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if !is_place || before.is_empty() {
            break;
        }
        rest = before;
    }
    rest
}

/// Copies a word, each number in it replaced unless it is part of an identifier.
fn push_without_numbers(word: &str, out: &mut String) {
    let (mut in_identifier, mut in_number) = (false, false);
    for c in word.chars() {
        let goes_on = in_number && (c.is_ascii_digit() || c == '.');
        if c.is_ascii_digit() && !in_identifier {
            if !in_number {
                out.push_str(VARIES);
            }
            in_number = true;
        } else if !goes_on {
            in_number = false;
            in_identifier = c.is_alphanumeric() || c == '_';
            out.push(c);
        }
    }
}

/// Drops variations in front (a log's time, `[12]`) and joins those that stand side by side.
fn join_variations(line: &str) -> String {
    let is_decoration = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '…' | '['
                    | ']'
                    | '('
                    | ')'
                    | '|'
                    | '-'
                    | ':'
                    | '='
                    | ','
                    | '●'
                    | '×'
                    | '✕'
                    | '✗'
                    | '✖'
                    | '│'
                    | '>'
            )
    };
    let line = line.trim_start_matches(is_decoration);
    let mut out = String::with_capacity(line.len());
    for word in line.split_whitespace() {
        if word == VARIES && (out == VARIES || out.ends_with(" …")) {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}
