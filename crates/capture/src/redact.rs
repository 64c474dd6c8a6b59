//! Takes secrets out of text before anything is stored, logged or shown.
//!
//! [`Redactor::redact`] replaces each secret by `[REDACTED:<rule>:<6 hex>]`; the six digits are a keyed hash,
//! so equal secrets stay comparable and nothing can be read back. [`Redactor::scrub`] first removes what the
//! user marked private. Only this crate makes a [`Redacted`], and only a `Redacted` can be stored.
//!
//! Rules are hand-written scanners, each linear in the text: tokens by prefix (`shapes`, `tokens`), values by
//! the name before them (`named`, `names`, `assignment`, `nested`, `passwords`, `prose`, `random`), the entry that says it beside them (`entries`), the command or the call (`commands`, `calls`),
//! the language, the line or the table around them (`languages`, `lines`, `tables`, `sql`), URLs (`urls`) and blocks (`blocks`).
//!
//! Not here: reading the environment (`cli`), where redaction is called, and caps on length. Redact before
//! cutting a text: half a key is still half a key.

mod assignment;
mod blocks;
mod calls;
mod commands;
mod entries;
mod environment;
mod headers;
mod json;
mod languages;
mod lines;
mod literals;
mod marker;
mod named;
mod names;
mod nested;
mod passwords;
mod phrases;
mod pins;
mod prose;
mod protocol;
mod random;
mod shapes;
mod sql;
mod tables;
mod tokens;
mod urls;
mod words;

use crate::private;
use backstory_memory::Redacted;
use std::cmp::Reverse;

/// What a [`Redactor`] knows besides its rules.
#[derive(Clone, Default)]
pub struct RedactorOptions {
    /// Texts the user wants removed wherever they occur. Shorter than four bytes is ignored.
    pub literals: Vec<String>,
    /// Names and values of the process environment; those that hold secrets become literals.
    pub environment: Vec<(String, String)>,
    /// The key of the hash that makes equal secrets comparable.
    pub key: [u8; 32],
}

/// Finds and replaces secrets. Cheap to build: nothing is compiled.
pub struct Redactor {
    tokens: tokens::TokenRules,
    key: [u8; 32],
}

/// A redacted text and what was found in the original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    /// The text without its secrets.
    pub text: Redacted<String>,
    /// What was replaced, in order, without overlaps.
    pub found: Vec<SecretMatch>,
}

/// One secret in the text given to [`Redactor::redact`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretMatch {
    /// The rule that found it.
    pub rule: &'static str,
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}

/// Literals shorter than this would cut ordinary words to pieces.
const SHORTEST_LITERAL: usize = 4;
/// How often what is left between findings is searched again; see [`Redactor::find`].
const ROUNDS: usize = 4;

impl Redactor {
    /// Builds a redactor.
    #[must_use]
    pub fn new(options: RedactorOptions) -> Redactor {
        let literals = options.literals.into_iter().filter(|literal| literal.len() >= SHORTEST_LITERAL);
        let values = options.environment.iter().flat_map(|(name, value)| environment::secrets(name, value));
        let tokens = tokens::TokenRules::new(literals.chain(values));
        Redactor { tokens, key: options.key }
    }

    /// Replaces every secret in `text`. Redacting the result again changes nothing.
    #[must_use]
    pub fn redact(&self, text: &str) -> Redaction {
        let found = self.find(text);
        let mut redacted = String::with_capacity(text.len());
        let mut at = 0;
        for finding in &found {
            redacted.push_str(text.get(at..finding.start).unwrap_or_default());
            let secret = text.get(finding.start..finding.end).unwrap_or_default();
            marker::push(&mut redacted, finding.rule, secret, &self.key);
            at = finding.end;
        }
        redacted.push_str(text.get(at..).unwrap_or_default());
        Redaction { text: Redacted::vouch(redacted), found }
    }

    /// Removes what is marked private, then replaces every secret.
    #[must_use]
    pub fn scrub(&self, text: &str) -> Redacted<String> {
        self.redact(&private::strip(text)).text
    }

    /// Removes what is marked private and every secret, and returns the secrets of the original beside the text.
    #[must_use]
    pub fn scrub_and_report(&self, text: &str) -> Redaction {
        let redaction = self.redact(text);
        let stripped = private::strip(text);
        if stripped == text {
            return redaction;
        }
        Redaction { text: self.redact(&stripped).text, found: redaction.found }
    }

    /// Replaces the secret that a command printed, if printing one is what it does. The rest is left to [`Redactor::scrub`].
    pub(crate) fn redact_printed(&self, command: &str, output: &mut String) {
        if let Some(printed) = lines::printed(command, output) {
            let mut marker = String::new();
            let secret = output.get(printed.start..printed.end).unwrap_or_default();
            marker::push(&mut marker, printed.rule, secret, &self.key);
            output.replace_range(printed.start..printed.end, &marker);
        }
    }

    /// Scrubs every string of a JSON value, keys included; a key that announces a secret counts for its value.
    pub fn scrub_json(&self, value: &mut serde_json::Value) {
        json::scrub(self, value);
    }

    /// Returns the secrets of `text`, in order and without overlaps.
    ///
    /// A marker in the text splits it: no rule sees across. What a replacement leaves is therefore searched
    /// exactly as it would be in the result, until nothing is found: this is what makes redaction idempotent.
    fn find(&self, text: &str) -> Vec<SecretMatch> {
        let mut found: Vec<SecretMatch> = Vec::new();
        let mut pieces = marker::pieces_between_markers(text);
        for _ in 0..ROUNDS {
            let before = found.len();
            let mut left = Vec::new();
            for piece in pieces {
                self.find_in_piece(text, piece, &mut found, &mut left);
            }
            if found.len() == before {
                break;
            }
            pieces = left;
        }
        found.sort_unstable_by_key(|finding| finding.start);
        found
    }

    fn find_in_piece(&self, text: &str, piece: Piece, found: &mut Vec<SecretMatch>, left: &mut Vec<Piece>) {
        let Some(part) = text.get(piece.start..piece.end) else { return };
        let mut here = Vec::new();
        self.tokens.find(part.as_bytes(), &mut here);
        named::find(part, &mut here);
        languages::find(part, &mut here);
        urls::find(part, &mut here);
        blocks::find(part, &mut here);
        lines::find(part, &mut here);
        if here.is_empty() {
            return;
        }
        merge(part, &mut here);
        let mut at = piece.start;
        for finding in here {
            let (start, end) = (piece.start + finding.start, piece.start + finding.end);
            left.extend(Piece::between(at, start));
            found.push(SecretMatch { rule: finding.rule, start, end });
            at = end;
        }
        left.extend(Piece::between(at, piece.end));
    }
}

/// A part of the text that holds no marker.
#[derive(Clone, Copy)]
struct Piece {
    start: usize,
    end: usize,
}

impl Piece {
    fn between(start: usize, end: usize) -> Option<Piece> {
        (start < end).then_some(Piece { start, end })
    }
}

/// Sorts, widens to whole characters, and joins what overlaps or touches under the rule that came first.
fn merge(text: &str, found: &mut Vec<SecretMatch>) {
    found.sort_unstable_by_key(|finding| (finding.start, Reverse(finding.end)));
    for finding in found.iter_mut() {
        finding.start = text.floor_char_boundary(finding.start);
        finding.end = text.ceil_char_boundary(finding.end);
    }
    found.dedup_by(|next, last| {
        let joined = next.start <= last.end;
        if joined {
            last.end = last.end.max(next.end);
        }
        joined
    });
}
