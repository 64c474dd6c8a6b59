//! What the reference tokenizer and model made of some 240 texts, for tests. `tools/make_reference.py` writes it.

use crate::{QUANTISED_BYTES, Quantised};

/// Returns the texts: prose, code, errors, other scripts, and what only a test would write.
pub(crate) fn texts() -> Vec<String> {
    include_str!("../tests/data/texts.txt").lines().map(unescape).collect()
}

/// Returns the token ids of each text, the opening and closing ones included, cut at 256.
pub(crate) fn tokens() -> Vec<Vec<u16>> {
    let lines = include_str!("../tests/data/tokens.txt").lines();
    lines.map(|line| line.split(' ').map(|id| id.parse().unwrap()).collect()).collect()
}

/// Returns the vector of each text by the unquantised model.
pub(crate) fn vectors() -> Vec<Quantised> {
    let (vectors, rest) = include_bytes!("../tests/data/vectors.i8").as_chunks::<QUANTISED_BYTES>();
    assert_eq!(rest, []);
    vectors.iter().map(|bytes| Quantised::from_bytes(bytes).unwrap()).collect()
}

fn unescape(line: &str) -> String {
    let mut text = String::new();
    let mut parts = line.split('\\');
    text.extend(parts.next());
    while let Some(part) = parts.next() {
        if let Some((code, rest)) = part.strip_prefix("u{").and_then(|part| part.split_once('}')) {
            text.extend(char::from_u32(u32::from_str_radix(code, 16).unwrap()));
            text.push_str(rest);
        } else if let Some(rest) = part.strip_prefix('n') {
            text.push('\n');
            text.push_str(rest);
        } else if let Some(rest) = part.strip_prefix('t') {
            text.push('\t');
            text.push_str(rest);
        } else {
            // An escaped backslash splits into an empty part and whatever follows it.
            text.push('\\');
            text.extend(parts.next());
        }
    }
    text
}
