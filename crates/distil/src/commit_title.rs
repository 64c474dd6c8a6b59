//! The title of a commit, as a person would say it.
//!
//! Not here: the body of a commit, which says why (`commits`).

use crate::plain::plain;
use crate::titles::title_of;

/// Kinds of change that a subject names before its words; the memory's own kind says the same.
const CHANGE_TYPES: &[&str] = &[
    "feat", "feature", "fix", "bugfix", "hotfix", "chore", "docs", "doc", "refactor", "test", "tests",
    "perf", "ci", "build", "style", "deps", "release",
];

/// Subjects that begin so name no work.
const NO_WORK: &[&str] = &[
    "merge ",
    "revert",
    "wip",
    "fixup!",
    "squash!",
    "amend!",
    "initial commit",
    "first commit",
    "auto-commit",
    "autosave",
    "update from",
    "bump version",
];

/// Short subjects that begin so name no work; longer ones speak of the thing: "Checkpoint the log at the end of a turn".
const NO_WORK_ALONE: &[&str] = &["tmp", "temp ", "checkpoint", "save point", "backup", "stash"];
const WORDS_ALONE: usize = 3;

/// Returns the title a commit gives to its work: its subject without type, scope and numbers of issues.
///
/// A merge, a revert or work in progress has none.
#[must_use]
pub fn title_of_commit(message: &str) -> Option<String> {
    let subject = message.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    let subject = without_brackets(subject);
    let subject = without_type(&subject);
    let lowered = subject.trim_start_matches(['[', '(']).to_lowercase();
    let begins = |openings: &[&str]| openings.iter().any(|opening| lowered.starts_with(opening));
    let is_short = lowered.split(' ').count() <= WORDS_ALONE;
    let says_work = !(begins(NO_WORK) || is_short && begins(NO_WORK_ALONE) || is_stash(&lowered));
    let title = plain(subject);
    let title =
        title.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ':' | '-' | '#' | '*' | '_'));
    let words = title.split(' ').filter(|word| word.chars().any(char::is_alphabetic)).count();
    (says_work && words > 1).then(|| title_of(title))
}

/// `On main: what was put aside`, as git calls what it stashes.
fn is_stash(lowered: &str) -> bool {
    let branch = lowered.strip_prefix("on ").and_then(|rest| rest.split_once(": "));
    branch.is_some_and(|(branch, _)| !branch.contains(' '))
}

/// Drops what names an issue, a pull request or a flag for CI: `(#12)`, `[ABC-7]`, `[skip ci]`, `:sparkles:`, `#12`.
fn without_brackets(subject: &str) -> String {
    let mut kept = String::new();
    let mut rest = subject;
    while let Some(open) = rest.find(['(', '[']) {
        let close = if rest.get(open..).is_some_and(|rest| rest.starts_with('(')) { ')' } else { ']' };
        let Some(length) = rest.get(open..).and_then(|inner| inner.find(close)) else {
            break;
        };
        let inner = rest.get(open + 1..open + length).unwrap_or_default();
        let end = open + length + 1;
        let through = if is_number(inner) { open } else { end };
        kept.push_str(rest.get(..through).unwrap_or_default());
        rest = rest.get(end..).unwrap_or_default();
    }
    kept.push_str(rest);
    let words =
        kept.split_whitespace().filter(|word| !is_gitmoji(word) && !is_number(word.trim_end_matches(':')));
    words.collect::<Vec<_>>().join(" ")
}

fn is_gitmoji(word: &str) -> bool {
    let code = word.strip_prefix(':').and_then(|word| word.strip_suffix(':'));
    code.is_some_and(|code| !code.is_empty()) || !word.chars().any(|c| c.is_ascii() || c.is_alphanumeric())
}

/// Whether a word names an issue or speaks to CI: `#12`, `ABC-123`, `skip ci`.
fn is_number(word: &str) -> bool {
    let is_digits = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = word.strip_prefix('#').or_else(|| {
        word.split_once('-')
            .filter(|(key, _)| key.len() > 1 && key.bytes().all(|b| b.is_ascii_uppercase()))
            .map(|(_, n)| n)
    });
    number.is_some_and(is_digits) || matches!(word, "skip ci" | "ci skip" | "no ci")
}

/// Drops `fix(retry)!:`. A word that is no type of change, such as the name of a crate, says where and stays.
fn without_type(subject: &str) -> &str {
    let Some((before, after)) = subject.split_once(": ") else {
        return subject;
    };
    let name = before.trim_end_matches('!').split('(').next().unwrap_or_default().trim();
    if CHANGE_TYPES.contains(&name.to_lowercase().as_str()) { after.trim() } else { subject }
}
