//! Texts as agents meet them (logs, configurations, code, shell sessions, chats), with secrets in them and without.
//!
//! They are modelled on real texts, not on the rules that redact. The files hold templates only: `«b62 32»` is drawn when they are
//! read, because nothing that looks like a secret may stand in the tree.

use crate::drawn::{BASE62, HEX, UPPER, drawn};

const WITH_SECRETS: &str = include_str!("texts/secrets.txt");
const WITHOUT: &str = include_str!("texts/clean.txt");
/// Written by somebody who had not read the rules, nor the texts above.
const INDEPENDENT_WITH_SECRETS: &str = include_str!("texts/independent-secrets.txt");
const INDEPENDENT_WITHOUT: &str = include_str!("texts/independent-clean.txt");

/// A text and the parts of it that were drawn.
#[derive(Clone, Debug)]
pub struct RealisticText {
    /// The whole text.
    pub text: String,
    /// What was drawn: all of it is secret, or none.
    pub drawn: Vec<String>,
}

impl RealisticText {
    /// Reports whether a redacted form of this text still says a secret, or a good part of a long one.
    #[must_use]
    pub fn leaks_in(&self, redacted: &str) -> bool {
        self.drawn.iter().any(|secret| {
            let ends = [secret.get(..8), secret.get(secret.len().saturating_sub(8)..)];
            if secret.len() < 16 {
                redacted.contains(secret)
            } else {
                ends.into_iter().flatten().any(|end| redacted.contains(end))
            }
        })
    }
}

/// Returns texts that each hold one secret or several. Each round draws other secrets.
#[must_use]
pub fn texts_with_secrets(round: u64) -> Vec<RealisticText> {
    read(WITH_SECRETS, 50_000 + round * 1_000_000)
}

/// Returns texts without any secret: code, logs, lock files, digests, paths, prose.
#[must_use]
pub fn texts_without_secrets(round: u64) -> Vec<RealisticText> {
    read(WITHOUT, 90_000 + round * 1_000_000)
}

/// Returns such texts by somebody who had not read the rules.
#[must_use]
pub fn independent_texts_with_secrets(round: u64) -> Vec<RealisticText> {
    read(INDEPENDENT_WITH_SECRETS, 130_000 + round * 1_000_000)
}

/// Returns such texts without any secret.
#[must_use]
pub fn independent_texts_without_secrets(round: u64) -> Vec<RealisticText> {
    read(INDEPENDENT_WITHOUT, 170_000 + round * 1_000_000)
}

fn read(templates: &str, seed: u64) -> Vec<RealisticText> {
    let texts = templates.trim_end().split("\n%%\n");
    (0_u64..).zip(texts).map(|(row, template)| fill(template, seed + row * 100)).collect()
}

fn fill(template: &str, seed: u64) -> RealisticText {
    let mut text = String::new();
    let mut parts = Vec::new();
    for (index, piece) in (0_u64..).zip(template.split('«')) {
        let Some((name, behind)) = piece.split_once('»') else {
            text.push_str(piece);
            continue;
        };
        let value = draw(name, seed + index);
        text.push_str(&value);
        text.push_str(behind);
        if name != "private" {
            parts.push(value);
        }
    }
    RealisticText { text, drawn: parts }
}

/// Draws a value by the name and length in its template.
fn draw(name: &str, seed: u64) -> String {
    let (alphabet, length) = name.split_once(' ').unwrap_or((name, "0"));
    let length: usize = length.parse().expect("a length in a template");
    let base64 = format!("{BASE62}+/");
    let base64url = format!("{BASE62}-_");
    match alphabet {
        "b62" => drawn(BASE62, length, seed),
        "hex" => drawn(HEX, length, seed),
        "upx" => drawn(HEX, length, seed).to_uppercase(),
        "up" => drawn(UPPER, length, seed),
        "low" => drawn("abcdfghijklmnpqrsvwxyz0123456789", length, seed),
        "dig" => drawn("123456789", length, seed),
        "b64" => drawn(&base64, length, seed),
        "url" => drawn(&base64url, length, seed),
        "rnd" => drawn(&format!("{BASE62}!#%&*+-.:;=?@^_~"), length, seed),
        "uuid" => uuid(seed),
        "word" => word(6, seed),
        "weak" => format!("{}{}", word(length - 2, seed), drawn("0123456789", 2, seed)),
        "pass" => password(length, seed),
        "phrase" => (0..length as u64).map(|at| word(6, seed + at)).collect::<Vec<_>>().join("-"),
        // A key's frame is written in two parts, as everywhere in the tree.
        "private" => "PRIVATE".to_owned(),
        other => panic!("`{other}` is no alphabet of the templates"),
    }
}

fn uuid(seed: u64) -> String {
    let hex = drawn(HEX, 32, seed);
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!("{}-{}-4{}-a{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

/// Draws a word that can be spoken.
fn word(length: usize, seed: u64) -> String {
    let consonants = drawn("bdfgklmnprstvz", length, seed);
    let vowels = drawn("aeiou", length, seed + 1);
    let letters = consonants.chars().zip(vowels.chars()).flat_map(|(one, two)| [one, two]);
    letters.take(length).collect()
}

/// Draws a password as people make them: a word with a capital, digits, mostly a sign.
fn password(length: usize, seed: u64) -> String {
    let word = word(length - 5, seed);
    let (first, rest) = word.split_at(1);
    let digits = drawn("0123456789", 3, seed + 2);
    let sign = drawn("!-_.+*xK", 1, seed + 3);
    let last = drawn(BASE62, 1, seed + 4);
    match seed % 3 {
        0 => format!("{}{rest}{digits}{sign}{last}", first.to_uppercase()),
        1 => format!("{}{rest}{sign}{digits}{last}", first.to_uppercase()),
        _ => format!("{last}{digits}{sign}{}{rest}", first.to_uppercase()),
    }
}
