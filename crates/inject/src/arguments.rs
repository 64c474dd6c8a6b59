//! What a command carries beside its program, and which texts speak of just that: a long flag, a file, a pattern of file names, the very
//! words of a rule.
//!
//! Not here: program and sub-command, and what a command is the occasion for (`occasion`).

use crate::file_kind::names_file;
use crate::occasion::program_of;
use backstory_distil::CommandTask;
use backstory_memory::{is_stop_word, stem, words};
use std::collections::BTreeSet;

/// A shorter flag, such as `--all`, belongs to many programs and stands in texts about any of them.
const DISTINCT_FLAG: usize = 10;
/// A rule shares so many words with a command, and so great a part of its own, before it is about it.
const SHARED_WORDS: usize = 2;
const SHARED_PART: usize = 3;
/// Programs that take patterns of file names as patterns: nothing is expanded before they run.
const PATTERN_READERS: [&str; 7] = ["find", "fd", "rg", "grep", "sed", "awk", "git"];
/// What people call patterns of file names, and what expands them.
const PATTERN_WORDS: [&str; 5] = ["glob", "globs", "globbing", "wildcard", "wildcards"];
const SHELLS: [&str; 6] = ["zsh", "bash", "fish", "sh", "shell", "nullglob"];

/// Whether a text names something that a command carries and few others do.
pub(crate) fn names_argument(text: &str, task: &CommandTask) -> bool {
    names_flag(text, task) || names_changed_file(text, task) || speaks_of_patterns(text, task)
}

/// Whether a text spells out a long flag of a command. One that is a word of its own is enough; of others the program is needed, too.
fn names_flag(text: &str, task: &CommandTask) -> bool {
    let flags = task.selection.iter().filter(|word| word.starts_with("--"));
    let names = flags.map(|flag| flag.split('=').next().unwrap_or(flag)).filter(|name| name.len() > 4);
    let said: BTreeSet<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_')
        .filter(|it| !it.is_empty())
        .collect();
    let program = program_of(task);
    let is_of_program = || words(text).any(|word| word == program);
    names.into_iter().any(|name| said.contains(name) && (name.len() > DISTINCT_FLAG || is_of_program()))
}

/// Whether a text names a file that a command works on. Those that only look and those of git come past every file.
fn names_changed_file(text: &str, task: &CommandTask) -> bool {
    let may_change = !task.is_bystander && program_of(task) != "git";
    let is_file =
        |word: &&String| word.rsplit('/').next().is_some_and(|name| name.trim_matches('.').contains('.'));
    may_change && task.selection.iter().filter(is_file).any(|file| names_file(text, file))
}

/// Whether a text speaks of how the shell expands patterns, and a command carries one.
fn speaks_of_patterns(text: &str, task: &CommandTask) -> bool {
    let has_pattern = task.selection.iter().any(|word| word.contains(['*', '?']) && !word.contains(' '));
    if !has_pattern || PATTERN_READERS.contains(&program_of(task)) {
        return false;
    }
    let said: BTreeSet<String> = words(text).collect();
    let says = |wanted: &[&str]| wanted.iter().any(|word| said.contains(*word));
    says(&PATTERN_WORDS) && says(&SHELLS)
}

/// Whether a rule says in its own words what a command is about to do: "never seed the staging database", `make seed DB=staging`.
pub(crate) fn shares_words(rule: &str, task: &CommandTask) -> bool {
    // A message or a script is text: what it mentions is not done.
    let arguments = task.selection.iter().filter(|word| !word.contains(char::is_whitespace));
    let done: BTreeSet<String> =
        stems_of(&task.name).chain(arguments.flat_map(|word| stems_of(word))).collect();
    let said: BTreeSet<String> = stems_of(rule).collect();
    let shared = said.intersection(&done).count();
    !task.is_bystander && shared >= SHARED_WORDS && shared * SHARED_PART >= said.len()
}

fn stems_of(text: &str) -> impl Iterator<Item = String> {
    words(text).filter(|word| !is_stop_word(word) && word.len() > 2).map(|word| stem(&word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::occasion::tasks;

    #[test]
    fn a_text_names_what_a_command_carries() {
        let names = |text: &str, command: &str| tasks(command).iter().any(|task| names_argument(text, task));
        for (text, command, expected) in [
            (
                "`yarn test -- --grepPattern=x` finds no test and still passes",
                "yarn --cwd api test --grepPattern=user",
                true,
            ),
            ("npm install needs --force here", "npm install --force", true),
            ("npm install needs --force here", "git push --force", false),
            ("A stale daemon.lock is gone after a second", "rm .cache/daemon.lock && make", true),
            ("A stale daemon.lock is gone after a second", "cat .cache/daemon.lock", false),
            ("Cargo.lock is generated", "git add Cargo.lock", false),
            ("In zsh a glob without a match fails the line", "ls build/*.log", true),
            ("In zsh a glob without a match fails the line", "find build -name '*.log'", false),
            ("The glob of the watcher skips tests", "ls build/*.log", false),
        ] {
            assert_eq!(names(text, command), expected, "{text} / {command}");
        }
    }

    #[test]
    fn a_rule_may_say_what_a_command_does() {
        let shares = |rule: &str, command: &str| tasks(command).iter().any(|task| shares_words(rule, task));
        assert!(shares("Never seed the staging database", "make seed DB=staging"));
        assert!(!shares("Never seed the staging database", "make build"));
        assert!(!shares("Money is integer cents", "git commit -m 'Money is integer cents'"));
        let long =
            "Search ranking is decided by the user, who reads every change of the weights before a release";
        assert!(!shares(long, "cargo bench --bench ranking -- search"));
    }
}
