//! Secrets that span lines: private keys between their markers, and the data of Kubernetes secrets.
//!
//! Not here: anything that fits in a word.

use super::SecretMatch;
use super::passwords::is_made_up;
use super::random::find_ignoring_case;

/// Adds a finding for every private key block and every value in the data of a Kubernetes secret.
pub(super) fn find(text: &str, found: &mut Vec<SecretMatch>) {
    find_private_keys(text, found);
    find_ends_of_private_keys(text, found);
    find_putty_keys(text, found);
    find_kubernetes_data(text, found);
}

/// A block begins with its marker and goes on while the bytes are those of an encoded key, so that one cut
/// off before its end is still covered.
fn find_private_keys(text: &str, found: &mut Vec<SecretMatch>) {
    const NAMES: [&[u8]; 2] = [b"private key", b"static key"];
    let mut seen = 0;
    for (start, _) in text.match_indices("-----BEGIN ") {
        if start < seen {
            continue;
        }
        let header = text.as_bytes().get(start..text.len().min(start + 64)).unwrap_or_default();
        let named = |name: &&[u8]| Some(find_ignoring_case(header, name)? + name.len());
        let Some(name_end) = NAMES.iter().find_map(named) else { continue };
        let body = start + name_end;
        let rest = text.as_bytes().get(body..).unwrap_or_default();
        let length = rest.iter().position(|byte| !is_of_a_key(*byte)).unwrap_or(rest.len());
        let encoded = rest.get(..length).unwrap_or_default();
        // What holds no key here holds none from a later marker on: no byte is read twice.
        seen = body + length;
        if holds_a_key(encoded) {
            let end = body + end_marker(encoded).unwrap_or(length);
            found.push(SecretMatch { rule: "private-key", start, end });
            seen = end;
        }
    }
}

/// A key whose beginning was cut off: the lines of base64 before its end marker.
fn find_ends_of_private_keys(text: &str, found: &mut Vec<SecretMatch>) {
    for (end, _) in text.match_indices("-----END ") {
        let marker = text.get(end..text.floor_char_boundary(end + 64)).unwrap_or_default();
        if find_ignoring_case(marker.as_bytes(), b"private key").is_none() {
            continue;
        }
        let before = text.as_bytes().get(..end).unwrap_or_default();
        let is_of_a_body = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/=\n\r\\ \t".contains(*byte);
        let body = before.iter().rev().take_while(is_of_a_body).count();
        let start = end - body;
        // The first line may be the end of a sentence.
        let lines = before.get(start..).unwrap_or_default();
        let skipped = lines
            .split_inclusive(|byte| *byte == b'\n')
            .take_while(|line| !is_base64_line(line))
            .map(<[u8]>::len)
            .sum::<usize>();
        let encoded = lines.get(skipped..).unwrap_or_default();
        if holds_a_key(encoded) {
            found.push(SecretMatch { rule: "private-key", start: start + skipped, end });
        }
    }
}

fn is_base64_line(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    !line.is_empty() && !line.iter().any(u8::is_ascii_whitespace)
}

/// The private lines of a key as PuTTY keeps it, and the code that authenticates them.
fn find_putty_keys(text: &str, found: &mut Vec<SecretMatch>) {
    for (at, name) in text.match_indices("Private-Lines:") {
        let rest = text.get(at + name.len()..).unwrap_or_default();
        let Some((count, body)) = rest.split_once('\n') else { continue };
        let Ok(count) = count.trim().parse::<usize>() else { continue };
        let start = text.len() - body.len();
        let length: usize = body.split_inclusive('\n').take(count).map(str::len).sum();
        if holds_a_key(body.get(..length).unwrap_or_default().as_bytes()) {
            found.push(SecretMatch { rule: "private-key", start, end: start + length });
        }
    }
}

/// Has at least one long line of base64, as prose about key files has not.
fn holds_a_key(encoded: &[u8]) -> bool {
    const SHORTEST_LINE: usize = 20;
    encoded
        .split(|byte| !byte.is_ascii_alphanumeric() && !b"+/".contains(byte))
        .any(|line| line.len() >= SHORTEST_LINE)
}

fn is_of_a_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"+/=-\"'\\,:.".contains(&byte)
}

/// Where the line with the end marker ends.
fn end_marker(encoded: &[u8]) -> Option<usize> {
    const END: &[u8] = b"-----END";
    let at = encoded.windows(END.len()).position(|window| window == END)? + END.len();
    let rest = encoded.get(at..)?;
    let dashes = rest.windows(5).position(|window| window == b"-----")?;
    Some(at + dashes + 5)
}

/// The members of a JSON Web Key that hold its private part.
pub(super) const PRIVATE_MEMBERS: [&str; 7] = ["d", "p", "q", "dp", "dq", "qi", "k"];

/// Adds the private members of the JSON Web Key whose type is named at `at`, and returns up to where it read.
pub(super) fn find_in_web_key(text: &[u8], at: usize, found: &mut Vec<SecretMatch>) -> usize {
    const LONGEST_KEY: usize = 4096;
    const SHORTEST: usize = 16;
    let before = text.get(at.saturating_sub(LONGEST_KEY)..at).unwrap_or_default();
    let opened = before.iter().rposition(|byte| *byte == b'{').map_or(at, |back| at - before.len() + back);
    let rest = text.get(opened..text.len().min(at + LONGEST_KEY)).unwrap_or_default();
    let length = rest.iter().position(|byte| *byte == b'}').unwrap_or(rest.len());
    let mut place = opened;
    let mut member: &[u8] = b"";
    for part in rest.get(..length).unwrap_or_default().split(|byte| *byte == b'"') {
        let is_private = PRIVATE_MEMBERS.iter().any(|name| name.as_bytes() == member);
        if is_private && part.len() >= SHORTEST {
            let end = place + part.strip_suffix(b"\\").unwrap_or(part).len();
            found.push(SecretMatch { rule: "private-key", start: place, end });
        }
        place += part.len() + 1;
        if part.iter().any(u8::is_ascii_alphanumeric) {
            member = part.strip_suffix(b"\\").unwrap_or(part);
        }
    }
    opened + length
}

/// The values below `data:` in a manifest of kind `Secret` are base64 of anything: all of them go.
fn find_kubernetes_data(text: &str, found: &mut Vec<SecretMatch>) {
    if !text.match_indices("kind:").any(|(at, _)| is_kind_secret(text.get(at..).unwrap_or_default())) {
        return;
    }
    let mut start = 0;
    let mut inside: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let content = line.trim();
        if matches!(content, "data:" | "stringData:") {
            inside = Some(indent);
        } else if !content.is_empty() && inside.is_some_and(|outer| indent <= outer) {
            inside = None;
        } else if inside.is_some() {
            found.extend(data_value(line, start));
        }
        start += line.len();
    }
}

fn is_kind_secret(text: &str) -> bool {
    let value = text.lines().next().and_then(|line| line.strip_prefix("kind:")).unwrap_or_default();
    value.trim().trim_matches(['"', '\'']).eq_ignore_ascii_case("secret")
}

fn data_value(line: &str, line_start: usize) -> Option<SecretMatch> {
    const SHORTEST: usize = 4;
    if line.trim_start().starts_with('#') {
        return None;
    }
    let value = line.split_once(": ").map_or(line, |(_, value)| value);
    let value = value.trim().trim_matches(['"', '\'']);
    let start = line.find(value)?;
    let encoded = value.len() >= SHORTEST
        && (value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
            || is_made_up(value.as_bytes()));
    let start = line_start + start;
    encoded.then(|| SecretMatch { rule: "kubernetes-secret", start, end: start + value.len() })
}
