//! What a prompt asks for: to fix, to add, to rearrange, or to know.
//!
//! Evidence decides what kind of work was done; this breaks the tie. Not here: what a prompt demands (`user_rules`).

use crate::phrases::is_word_of_assent;
use backstory_memory::words;

/// What is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Intent {
    Fix,
    Add,
    Rearrange,
    Know,
    Unclear,
}

#[rustfmt::skip]
const FIX: &[&str] = &[
    "fix", "fixes", "fixing", "bug", "bugs", "broken", "breaks", "fails", "failing", "failed", "failure", "crash",
    "crashes", "crashing", "regression", "debug", "repair", "wrong", "error", "errors", "flaky", "leak", "hangs",
];
#[rustfmt::skip]
const ADD: &[&str] = &[
    "add", "implement", "create", "build", "support", "introduce", "write", "make", "new", "extend", "generate",
    "allow",
];
#[rustfmt::skip]
const REARRANGE: &[&str] = &[
    "refactor", "rename", "extract", "move", "simplify", "clean", "cleanup", "reorganise", "reorganize", "restructure",
    "inline", "split", "deduplicate", "dedupe", "tidy", "reformat",
];
#[rustfmt::skip]
const KNOW: &[&str] = &[
    "how", "where", "what", "why", "which", "when", "who", "explain", "describe", "does", "is", "are", "do",
    "summarise", "summarize", "find", "tell", "show", "look", "investigate", "list", "check", "review", "audit",
    "analyse", "analyze", "compare", "diagnose", "verify",
];
/// What is said before the request, beside words of assent and courtesy.
const LEADING: &[&str] = &["so", "now", "and", "then", "also"];
/// How many words say what is requested; the rest is detail.
const HEAD: usize = 60;

/// Reads what a prompt asks for.
pub(super) fn intent(prompt: &str) -> Intent {
    let leads = |word: &str| is_word_of_assent(word) || LEADING.contains(&word);
    let head: Vec<String> = words(prompt).skip_while(|word| leads(word)).take(HEAD).collect();
    let first = |list: &[&str]| head.iter().position(|word| list.contains(&word.as_str()));
    let wants_to_know = head.first().is_some_and(|word| KNOW.contains(&word.as_str()))
        || (prompt.trim_end().ends_with('?') && first(FIX).is_none());
    let work = [(first(FIX), Intent::Fix), (first(ADD), Intent::Add), (first(REARRANGE), Intent::Rearrange)];
    let work = work.into_iter().filter_map(|(at, intent)| Some((at?, intent))).min_by_key(|(at, _)| *at);
    match work {
        _ if wants_to_know => Intent::Know,
        Some((_, intent)) => intent,
        None => Intent::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_says_what_it_wants() {
        let check = |prompt, expected| assert_eq!(intent(prompt), expected, "{prompt}");
        check("Fix the failing test in tests/test_window.py", Intent::Fix);
        check("The upload crashes when the file is empty", Intent::Fix);
        check("Add a test for the crash in the parser", Intent::Add);
        check("Please rename Window to Frame everywhere", Intent::Rearrange);
        check("Where is the retry limit set?", Intent::Know);
        check("explain how the spool is drained", Intent::Know);
        check("Can you fix the crash?", Intent::Fix);
        check("Please review the diff of this branch", Intent::Know);
        check("thanks", Intent::Unclear);
    }
}
