//! What the first line of a commit says: the kind of work, its title, and the part of the project it is about.
//!
//! Not here: whether the commit is worth remembering (`noise`).

use backstory_distil::title_of_commit;
use backstory_memory::{Kind, title_from, words};

/// A commit's first line, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommitSubject {
    /// The kind of work.
    pub(super) kind: Kind,
    /// What was done; empty where the line does not say.
    pub(super) title: String,
    /// The part of the project it is about, where the line begins with it.
    pub(super) scope: Option<String>,
    /// Whether it is marked as breaking others.
    pub(super) is_breaking: bool,
}

impl CommitSubject {
    pub(super) fn parse(line: &str) -> CommitSubject {
        if let Some((undone, again)) = undone(line) {
            return CommitSubject::parse_revert(undone, again);
        }
        let prefix = SubjectPrefix::parse(line);
        let type_of_change = prefix.as_ref().and_then(|prefix| kind_of_type(&prefix.name));
        let title = title_of_commit(&with_short_ids(line)).unwrap_or_default();
        CommitSubject {
            kind: type_of_change.or_else(|| kind_of_words(&title)).unwrap_or(Kind::Change),
            title,
            is_breaking: prefix.as_ref().is_some_and(|prefix| prefix.is_breaking),
            scope: prefix.and_then(|prefix| prefix.scope(type_of_change)),
        }
    }

    /// A revert says what it takes back in that commit's own words.
    fn parse_revert(undone: &str, again: bool) -> CommitSubject {
        let inner = CommitSubject::parse(undone);
        let word = if again { "Reapplied" } else { "Reverted" };
        let title = title_from(&format!("{word}: {}", inner.title));
        let title = if inner.title.is_empty() { String::new() } else { title };
        CommitSubject { kind: Kind::Change, title, ..inner }
    }
}

/// Shortens the hashes in a line.
fn with_short_ids(line: &str) -> String {
    let short = |word: &str| -> String {
        let is_id = word.len() >= 20 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_id { word.chars().take(9).collect() } else { word.to_owned() }
    };
    line.split(' ').map(short).collect::<Vec<_>>().join(" ")
}

/// Returns what a revert takes back, and whether it brings it back instead.
fn undone(line: &str) -> Option<(&str, bool)> {
    // The longest first: a revert of a revert begins like a revert.
    let openings = [
        ("Revert \"Revert \"", true),
        ("Reapply \"", true),
        ("Revert \"", false),
        ("revert: ", false),
        ("Revert ", false),
    ];
    let (rest, again) =
        openings.iter().find_map(|(opening, again)| Some((line.strip_prefix(opening)?, *again)))?;
    Some((rest.trim_end_matches(['"', '.', '…']), again))
}

/// What stands before the colon: `fix(store)!: …`, `store: …`.
struct SubjectPrefix {
    name: String,
    scope: Option<String>,
    is_breaking: bool,
}

impl SubjectPrefix {
    fn parse(line: &str) -> Option<SubjectPrefix> {
        let is_word =
            |text: &str| !text.is_empty() && text.len() <= 30 && !text.contains(char::is_whitespace);
        if let Some((inside, _)) = line.strip_prefix('[').and_then(|line| line.split_once("] ")) {
            return is_word(inside).then(|| SubjectPrefix {
                name: inside.to_lowercase(),
                scope: None,
                is_breaking: false,
            });
        }
        let (before, _) = line.split_once(": ")?;
        let is_breaking = before.ends_with('!');
        let before = before.trim_end_matches('!');
        let (name, scope) = match before.split_once('(') {
            Some((name, scope)) => (name, Some(scope.trim_end_matches(')').to_owned())),
            None => (before, None),
        };
        let scope = scope.filter(|scope| is_word(scope));
        is_word(name).then(|| SubjectPrefix { name: name.to_lowercase(), scope, is_breaking })
    }

    /// A word that is no type of change is itself the part the change is about.
    fn scope(self, type_of_change: Option<Kind>) -> Option<String> {
        if type_of_change.is_some() { self.scope } else { self.scope.or(Some(self.name)) }
    }
}

fn kind_of_type(name: &str) -> Option<Kind> {
    match name {
        "feat" | "feature" => Some(Kind::Feature),
        "fix" | "bugfix" | "hotfix" | "bug" | "regression" | "security" => Some(Kind::Bugfix),
        "refactor" | "perf" | "style" => Some(Kind::Refactor),
        "docs" | "doc" | "test" | "tests" | "chore" | "build" | "ci" | "deps" | "release" | "revert" => {
            Some(Kind::Change)
        }
        _ => None,
    }
}

/// Returns a title without the part of the project it begins with: `store: …`, `[store] …`.
pub(super) fn without_part(title: &str) -> &str {
    match title.split_once([':', ']']) {
        Some((part, said)) if !part.contains(' ') => said,
        _ => title,
    }
}

/// How many words of a title may name the kind of work: later ones name the thing that was worked on.
const OPENING_WORDS: usize = 4;

/// Returns the kind of work the opening words of a title name.
fn kind_of_words(title: &str) -> Option<Kind> {
    let opening: Vec<String> = words(without_part(title)).take(OPENING_WORDS).collect();
    let says = |words: &[&str]| opening.iter().any(|word| words.contains(&word.as_str()));
    if says(WORDS_BESIDE_CODE) {
        return Some(Kind::Change);
    }
    let kinds = [(Kind::Bugfix, FIX_WORDS), (Kind::Feature, FEATURE_WORDS), (Kind::Refactor, REFACTOR_WORDS)];
    kinds.into_iter().find(|(_, words)| says(words)).map(|(kind, _)| kind)
}

const WORDS_BESIDE_CODE: &[&str] =
    &["test", "tests", "testcase", "docs", "documentation", "comment", "comments"];
const FIX_WORDS: &[&str] = &[
    "avoid",
    "avoids",
    "bug",
    "bugfix",
    "bugs",
    "correct",
    "corrected",
    "crash",
    "crashes",
    "fix",
    "fixed",
    "fixes",
    "fixing",
    "leak",
    "leaks",
    "missing",
    "prevent",
    "prevents",
    "regression",
    "repair",
    "repaired",
    "resolve",
    "resolved",
    "workaround",
];
const FEATURE_WORDS: &[&str] = &[
    "add",
    "added",
    "adds",
    "allow",
    "allows",
    "implement",
    "implemented",
    "implements",
    "introduce",
    "introduced",
    "introduces",
    "new",
    "support",
    "supports",
];
const REFACTOR_WORDS: &[&str] = &[
    "cleanup",
    "deduplicate",
    "extract",
    "extracted",
    "factor",
    "inline",
    "move",
    "moved",
    "optimise",
    "optimize",
    "refactor",
    "refactored",
    "rename",
    "renamed",
    "reorganise",
    "reorganize",
    "restructure",
    "simplified",
    "simplify",
    "split",
];
