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
/// The text before the block did not end with a line break: taking the block out leaves it so.
const BEGIN_JOINED: &str =
    "<!-- backstory rules: `backstory rules --write` writes this block, `--remove` takes it all out -->\n";
const END: &str = "<!-- end of backstory rules -->\n";

/// Returns a rule as one line of such a block.
#[must_use]
pub fn rule_line(rule: &Memory) -> String {
    encode(&snippet(rule, RULE_CHARS), RULE_CHARS)
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
    let joint = if block.begin == BEGIN_JOINED { "\n\n" } else { "\n" };
    let before = block.before.strip_suffix(joint).filter(|_| !block.before.is_empty());
    // The empty line above the block came with it; the last line break of the text did not.
    let before = before.map_or(block.before, |stripped| stripped);
    Some(format!("{before}{}", block.after))
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
        let found = |begin: &'static str| text.split_once(begin).map(|(before, rest)| (before, begin, rest));
        let (before, begin, rest) = found(BEGIN).or_else(|| found(BEGIN_JOINED))?;
        let (rules, after) = rest.split_once(END)?;
        Some(ManagedBlock { before, begin, rules, after })
    }
}
