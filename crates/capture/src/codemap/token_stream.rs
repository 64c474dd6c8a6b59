//! The tokens of a syntax tree that count when two sources are compared.
//!
//! Layout and comments do not count, nor does a comma that a formatter puts before a closing bracket. The shape of the
//! tree does: in Python, moving a statement out of an `if` changes no token. Not here: whose tokens they are (`walk.rs`).

use backstory_memory::{Digest, digest};
use tree_sitter::Node;

/// How a node takes part in a comparison.
pub(super) enum Weight {
    /// Not at all.
    Nothing,
    /// As one token, its text.
    Token,
    /// By what is in it.
    Parts,
}

/// Returns how a node takes part in a comparison.
pub(super) fn weigh(node: Node<'_>, source: &str) -> Weight {
    // Most nodes are keywords and punctuation, which are called what they are.
    let kind = if node.is_named() { node.kind() } else { "" };
    if kind.ends_with("comment") {
        return Weight::Nothing;
    }
    // Grammars leave text between the escapes of a string uncovered, and layout inside a string is content.
    let whole = kind.contains("string") && !kind.starts_with("concatenated");
    if !whole && node.child_count() > 0 {
        return Weight::Parts;
    }
    // Some grammars make tokens of line ends.
    if text(node, source).trim().is_empty() { Weight::Nothing } else { Weight::Token }
}

pub(super) fn text<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// Collects the tokens of one symbol.
#[derive(Default)]
pub(super) struct TokenStream {
    bytes: Vec<u8>,
    comma_waits: bool,
}

impl TokenStream {
    pub(super) fn open(&mut self, kind: &str) {
        self.flush_comma();
        self.bytes.push(b'(');
        self.bytes.extend_from_slice(kind.as_bytes());
        self.bytes.push(0);
    }

    pub(super) fn close(&mut self) {
        // Nothing in this node followed the comma.
        self.comma_waits = false;
        self.bytes.push(b')');
    }

    pub(super) fn token(&mut self, text: &str) {
        if matches!(text, ")" | "]" | "}" | ">") {
            self.comma_waits = false;
        }
        self.flush_comma();
        if text == "," {
            self.comma_waits = true;
        } else {
            self.write(text);
        }
    }

    /// Appends the tokens of another stream.
    pub(super) fn append(&mut self, mut other: TokenStream) {
        other.flush_comma();
        self.flush_comma();
        self.bytes.append(&mut other.bytes);
    }

    pub(super) fn digest(&self) -> Digest {
        digest([self.bytes.as_slice()])
    }

    fn flush_comma(&mut self) {
        if std::mem::take(&mut self.comma_waits) {
            self.write(",");
        }
    }

    fn write(&mut self, text: &str) {
        self.bytes.push(b'=');
        self.bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
    }
}
