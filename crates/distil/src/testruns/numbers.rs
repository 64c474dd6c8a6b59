//! Reads counts beside their words: `3 passed`, `PairedFailures: 1`.
//!
//! Not here: what a word means to a runner.

/// No run has more tests; a longer number is none of ours, and sums of a few stay far from overflowing.
const MOST: u32 = 100_000_000;

/// Returns the number before `word`, as in `3 passed`; `word` must end there (`1 failure` is not `1 failures`).
pub(super) fn before(line: &str, word: &str) -> Option<u32> {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(2).find_map(|pair| {
        let [number, label] = pair else { return None };
        let label = label.trim_matches(|c: char| !c.is_alphanumeric());
        (label == word).then(|| count(number.trim_matches(['(', ',', ';', '[', '='])))?
    })
}

/// Returns the number after `word`, as in `PairedFailures: 1` or `failures=1`.
pub(super) fn after(line: &str, word: &str) -> Option<u32> {
    let (_, rest) = line.split_once(word)?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    count(rest.get(..end)?)
}

fn count(digits: &str) -> Option<u32> {
    digits.parse().ok().filter(|count| *count <= MOST)
}

/// Whether the line begins with a number and `)`, as lists of failures do; returns what follows.
pub(super) fn listed(line: &str) -> Option<&str> {
    let (number, name) = line.trim_start().split_once(") ")?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(name.trim())
}

/// Takes a trailing `[12 ms]` or `(0.01s)` off a name.
pub(super) fn without_time(name: &str) -> &str {
    let name = name.trim();
    let opened =
        if name.ends_with(']') { name.rfind(" [") } else { name.rfind(" (").filter(|_| name.ends_with(')')) };
    opened.and_then(|at| name.get(..at)).map_or(name, str::trim)
}
