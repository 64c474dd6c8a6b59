//! Which commits are no work worth remembering, and why not.
//!
//! Where a message gives its why, a person thought the work worth one: then a vague subject is no reason to pass it over.

use super::commit_message::CommitMessage;
use super::commit_subject::{CommitSubject, without_part};
use backstory_capture::git::Commit;
use backstory_memory::words;

/// Returns why a commit is left out, if it is.
pub(super) fn noise(
    commit: &Commit,
    message: &CommitMessage<'_>,
    subject: &CommitSubject,
) -> Option<&'static str> {
    if message.subject.is_empty() {
        return Some("an empty message");
    }
    if is_merge(message.subject) {
        return Some("a merge");
    }
    if is_machine(&commit.author, &commit.email) {
        return Some("made by a machine");
    }
    if is_unfinished(message.subject) {
        return Some("unfinished work");
    }
    if is_release(message.subject) {
        return Some("a release");
    }
    if !commit.changes.is_empty() && commit.changes.iter().all(|change| is_derived(&change.path)) {
        return Some("only files that are made from others");
    }
    let has_why = message.words_of_why() >= WORDS_OF_A_WHY;
    if !has_why && is_dependency(message.subject) {
        return Some("a new version of a dependency");
    }
    if is_formatting(message.subject) && message.words_of_why() < WORDS_OF_A_LONG_WHY {
        return Some("only formatting");
    }
    (subject.title.is_empty() || (!has_why && says_nothing(&subject.title))).then_some("says nothing")
}

/// An explanation has at least this many words.
const WORDS_OF_A_WHY: usize = 6;
/// A fix of spelling or layout may explain itself in a sentence or two and still be noise.
const WORDS_OF_A_LONG_WHY: usize = 40;

/// A merge that was squashed or rebased has one parent, but its message is still only a merge's.
fn is_merge(subject: &str) -> bool {
    let openings = [
        "Merge branch ",
        "Merge pull request ",
        "Merge remote-tracking ",
        "Merge tag ",
        "Merge commit ",
        "Merge http",
    ];
    openings.iter().any(|opening| subject.starts_with(opening))
}

/// Whether a program made the commit on its own. A coding agent is not such a program: a person gave it the work.
fn is_machine(author: &str, email: &str) -> bool {
    let (author, email) = (author.to_lowercase(), email.to_lowercase());
    let names = |names: &[&str]| names.iter().any(|name| author.contains(name) || email.contains(name));
    if names(&["copilot", "claude", "codex", "cursor", "devin-ai", "google-labs-jules", "opencode"]) {
        return false;
    }
    let is_bot = author.ends_with("[bot]") || author.split([' ', '-', '_']).any(|word| word == "bot");
    is_bot
        || names(&[
            "dependabot",
            "renovate",
            "github-actions",
            "greenkeeper",
            "pre-commit-ci",
            "semantic-release",
            "weblate",
        ])
}

fn is_unfinished(subject: &str) -> bool {
    let lower = subject.to_lowercase();
    ["fixup!", "squash!", "amend!", "wip:", "wip ", "[wip]", "(wip)", "!wip"]
        .iter()
        .any(|opening| lower.starts_with(opening))
        || lower == "wip"
}

/// Whether a subject only names a version: `v1.2.3`, `Release 1.2`, `Bump version to 1.2.3-dev`, `chore(release): 1.2`.
fn is_release(subject: &str) -> bool {
    let said = subject.split_once(": ").map_or(subject, |(_, said)| said);
    let mut said: Vec<String> = said
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .collect();
    said.retain(|word| !word.is_empty());
    let has_version = said.iter().any(|word| is_version(word));
    let has_word = said.iter().any(|word| is_in(RELEASE_WORDS, word));
    let rest = said
        .iter()
        .filter(|word| !is_version(word) && !is_in(RELEASE_WORDS, word) && !is_in(RELEASE_FILLERS, word));
    let rest = rest.count();
    // `libfoo 1.15` names what was released; `Release notes are written by hand` names no version.
    (has_version && has_word && rest <= 2)
        || (has_version && rest == 0)
        || (has_word && rest == 0)
        || (has_version && said.len() == 2 && !said.iter().any(|word| is_in(VERBS_OF_VERSIONS, word)))
}

const RELEASE_WORDS: &str = "\
    release releases released version versions snapshot rc tag publish";
const RELEASE_FILLERS: &str = "\
    a all alpha and back begin beta bump bumped bumps changelog chore crate crates cut cycle date dev development final for from in \
    increment is iteration major minor new news next notes number numbers of open package packages patch post pre prepare \
    prepares preparing set soname stable start the this to up update updates with workspace";

/// What is done to a version of something else: "Support 3.12".
const VERBS_OF_VERSIONS: &str = "add allow drop fix need require requires support supports target test use";

fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or(word);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.contains('.')
        && digits.split(['.', '-', '+', '_']).all(|part| part.chars().all(char::is_alphanumeric))
}

/// `Bump serde from 1.0.1 to 1.0.2`, `Update dependency x to v3`, `chore(deps): …`.
fn is_dependency(subject: &str) -> bool {
    let lower = subject.to_lowercase();
    if ["chore(deps", "build(deps", "fix(deps", "deps:", "update dependency ", "lock file maintenance"]
        .iter()
        .any(|opening| lower.starts_with(opening))
    {
        return true;
    }
    let said = lower.split_once(": ").map_or(lower.as_str(), |(_, said)| said);
    let rest = ["bump ", "upgrade ", "update ", "upgrade to ", "bump to "]
        .iter()
        .find_map(|opening| said.strip_prefix(opening));
    let last = said.split_whitespace().next_back().unwrap_or_default();
    rest.is_some_and(|rest| rest.contains(" to ") || rest.split_whitespace().count() <= 2)
        && last.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a short subject only speaks of how code or prose is set.
fn is_formatting(subject: &str) -> bool {
    let said = subject.split_once(": ").map_or(subject, |(_, said)| said);
    let said: Vec<String> = words(said).collect();
    let speaks = said.iter().any(|word| is_in(FORMATTING_WORDS, word));
    speaks && said.len() <= 6
}

const FORMATTING_WORDS: &str = "\
    autoformat capitalisation capitalization clippy eslint fmt formatting gofmt grammar indent indentation isort lint \
    lints linter linting misspelling misspellings prettier reformat reformatted reindent ruff rustfmt spelling typo typos \
    whitespace whitespaces";

/// Whether a title holds no word that distinguishes this work from any other.
fn says_nothing(title: &str) -> bool {
    let rest = without_part(title);
    let said: Vec<String> = words(rest).collect();
    let is_specific = |word: &&String| word.chars().any(char::is_alphabetic) && !is_in(VAGUE_WORDS, word);
    let specific = said.iter().filter(is_specific).count();
    let names_part = rest.len() < title.len();
    // Two words of which one tells something need to say where: "Fix equality" of what?
    specific == 0 || (specific == 1 && said.len() <= 2 && !names_part) || names_only_a_file(rest)
}

/// "Update README.md" names a file, and nothing that was done to it.
fn names_only_a_file(title: &str) -> bool {
    let mut said = title.split_whitespace();
    let (Some(verb), Some(file), None) = (said.next(), said.next(), said.next()) else { return false };
    let verbs = ["update", "create", "delete", "add", "edit", "modify", "change", "remove"];
    verbs.contains(&verb.to_lowercase().as_str()) && file.contains(['.', '/'])
}

const VAGUE_WORDS: &str = "\
    a add added address again all an and another apply at attempt beautify bit bug bugfix bugs build built change changed \
    changelog changes check ci clean cleaned cleaning cleanup cleanups code comment comments commit compile complete \
    cosmetic cosmetics ditto doc docs document documentation documented edit edits error errors extra feedback few file \
    files final fix fixed fixes fixing fixup for from further grammar hack here hopefully housekeeping improve improved \
    improvement improvements in initial is issue issues it last little main maintenance make master minor misc \
    miscellaneous missed missing modify more new news next nit nits note notes of on one oops other ought please polish pr \
    problem problems progress project readme redo refactor refactoring refactorings remaining remove rename residual \
    review rework save several silly simple small some sp step stuff suggestion suggestions temporary test testing tests \
    that the thing things thinko thinkos this tidy tidying tiny to todo touch touchup trigger trivial try tweak tweaks \
    unbreak unused up update updated updates updating upload use various version via warning warnings wip with work wrong \
    yet";

/// Whether a file is made from others, or is somebody else's: a lock file, a vendored library, a bundle.
pub(super) fn is_derived(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let is_lock = is_in(LOCK_FILES, &name) || name.ends_with(".lock") || name.ends_with(".lockfile");
    let is_bundle = [".min.js", ".min.css", ".map", ".snap"].iter().any(|ending| name.ends_with(ending));
    let mut folders = path.split('/').rev().skip(1);
    is_lock || is_bundle || folders.any(|folder| is_in(VENDORED, folder))
}

const LOCK_FILES: &str = "\
    package-lock.json npm-shrinkwrap.json pnpm-lock.yaml packages.lock.json go.sum bun.lockb";
const VENDORED: &str = "\
    vendor vendored third_party third-party thirdparty node_modules bower_components .yarn dist";

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}
