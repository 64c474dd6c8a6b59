//! The user's rules in a file that a host gives to its agent by itself: one marked block, put in, replaced and taken out exactly.
//!
//! Texts in, texts out: nothing is read or written here. What is in the block need not be injected when a session starts.

use crate::encode::encode;
use crate::snippet::snippet;
use backstory_memory::Memory;
use std::collections::HashSet;

/// A rule is one line, however long it was said.
const RULE_CHARS: usize = 400;

const BEGIN: &str =
    "<!-- backstory rules: `backstory rules --write` writes this block, `--remove` takes it out -->\n";
/// The text before the block did not end with a line break: removing the block leaves it so.
const BEGIN_JOINED: &str =
    "<!-- backstory rules: `backstory rules --write` writes this block, `--remove` takes it all out -->\n";
const END: &str = "<!-- end of backstory rules -->\n";

/// Returns a rule as one line of such a block.
#[must_use]
pub fn rule_line(rule: &Memory) -> String {
    let line = encode(&snippet(rule, RULE_CHARS), RULE_CHARS);
    // A host would load what stands behind the sign.
    let quoted = |word: &str| if word.starts_with('@') { format!("`{word}`") } else { word.to_owned() };
    line.split(' ').map(quoted).collect::<Vec<_>>().join(" ")
}

/// Returns a file's text with these rules in its block; a block that is there is replaced where it stands.
#[must_use]
pub fn with_rules(text: &str, rules: &[Memory]) -> String {
    let lines: String = rules.iter().map(|rule| format!("- {}\n", rule_line(rule))).collect();
    if let Some(block) = ManagedBlock::find(text) {
        return format!("{}{}{lines}{END}{}", block.before, block.begin, block.after);
    }
    let (begin, joint) = match text {
        "" => (BEGIN, ""),
        text if text.ends_with('\n') => (BEGIN, "\n"),
        _ => (BEGIN_JOINED, "\n\n"),
    };
    format!("{text}{joint}{begin}{lines}{END}")
}

/// Returns a file's text without the block; `None` if there is none.
#[must_use]
pub fn without_rules(text: &str) -> Option<String> {
    let block = ManagedBlock::find(text)?;
    // The empty line above the block came with it. What was written below it since begins on a line of its own.
    let joint = match block.begin {
        BEGIN_JOINED if block.after.is_empty() => "\n\n",
        _ if block.before.ends_with("\n\n") => "\n",
        _ => "",
    };
    let before = block.before.strip_suffix(joint).unwrap_or(block.before);
    Some(format!("{before}{}", block.after))
}

/// Whether a text has the begin of a block without its end, or the other way round: what is in it and what is the user's is not known.
#[must_use]
pub fn is_damaged(text: &str) -> bool {
    let marks = text.lines().filter_map(|line| match line.trim() {
        line if line == BEGIN.trim() || line == BEGIN_JOINED.trim() => Some(true),
        line if line == END.trim() => Some(false),
        _ => None,
    });
    let marks: Vec<bool> = marks.collect();
    !(marks.is_empty() || marks == [true, false])
}

/// Returns the lines of the rules in a file's block.
#[must_use]
pub(crate) fn rules_in(text: &str) -> HashSet<String> {
    let block = ManagedBlock::find(text);
    let lines = block.iter().flat_map(|block| block.rules.lines());
    lines.filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect()
}

/// A text around and in its block.
struct ManagedBlock<'a> {
    before: &'a str,
    begin: &'static str,
    rules: &'a str,
    after: &'a str,
}

impl<'a> ManagedBlock<'a> {
    fn find(text: &'a str) -> Option<ManagedBlock<'a>> {
        let (before, begin, rest) = [BEGIN, BEGIN_JOINED].into_iter().find_map(|begin| {
            let (before, rest) = around_line(text, begin)?;
            Some((before, begin, rest))
        })?;
        let (rules, after) = around_line(rest, END)?;
        Some(ManagedBlock { before, begin, rules, after })
    }
}

/// Splits a text at a line, whatever ends it.
fn around_line<'a>(text: &'a str, wanted: &str) -> Option<(&'a str, &'a str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim() == wanted.trim() {
            return Some((text.get(..at)?, text.get(at + line.len()..)?));
        }
        at += line.len();
    }
    None
}
