//! Splits text into the words a name or a value can be: letters, digits and what joins them.
//!
//! Not here: what a word means (`named`).

/// A word and where it stands.
#[derive(Clone, Copy)]
pub(super) struct RedactorWord<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) start: usize,
}

impl RedactorWord<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.bytes.len()
    }
}

/// Returns the words of `text` in order.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = RedactorWord<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.iter().position(|byte| joins(*byte))?;
        let rest = text.get(start..)?;
        let length = rest.iter().position(|byte| !joins(*byte)).unwrap_or(rest.len());
        let length = length + padding(rest.get(length..)?);
        at = start + length;
        Some(RedactorWord { bytes: rest.get(..length)?, start })
    })
}

fn joins(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'+' | b'/' | b'~' | b'|')
}

/// How many `=` at the beginning of `rest` close a base64 word rather than assign the next one.
fn padding(rest: &[u8]) -> usize {
    let signs = rest.iter().take(3).take_while(|byte| **byte == b'=').count();
    match rest.get(signs) {
        Some(after) if joins(*after) || *after == b' ' || signs > 2 => 0,
        _ => signs,
    }
}
