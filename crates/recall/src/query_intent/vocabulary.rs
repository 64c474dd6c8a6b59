//! The English words by which people ask for a list.

use backstory_memory::Kind;

/// Words that ask for more than one answer.
pub(super) const LISTING: &[&str] = &[
    "all",
    "any",
    "every",
    "everything",
    "list",
    "show",
    "review",
    "known",
    "which",
    "what",
    "our",
    "my",
    "recall",
    "give",
    "summarize",
    "summarise",
    "made",
    "are",
    "were",
    "past",
    "previous",
];
/// Of these, the words that ask for what is on record. "Show the changes" and "review the notes" mean files.
pub(super) const SURELY_LISTING: &[&str] = &["all", "every", "list", "known", "past", "previous", "recorded"];
/// Words that say nothing about the topic.
pub(super) const FILLING: &[&str] = &[
    "have", "been", "far", "project", "there", "now", "taken", "tell", "see", "here", "use", "follow", "repo",
];

/// Words that ask for what was decided about a topic, in a query of a few words: "search architecture".
pub(super) const OVERVIEW: &[&str] = &["architecture", "design"];

/// What may stand before "about" in a question for all that is known, and what must.
pub(super) const BEFORE_ABOUT: &[&str] = &[
    "what",
    "do",
    "did",
    "we",
    "you",
    "is",
    "have",
    "has",
    "been",
    "know",
    "known",
    "remember",
    "recall",
    "anything",
    "everything",
    "all",
    "tell",
    "show",
    "me",
    "us",
    "already",
    "learned",
];
pub(super) const KNOWING: &[&str] = &["know", "known", "remember", "everything", "learned", "recall"];

/// Words that ask where the work stands, and what else such a question may say.
pub(super) const OF_LAST_WORK: &[(&str, &[&str])] = &[
    ("where were we", LAST_TIME),
    ("where was i", LAST_TIME),
    ("where did we leave", LAST_TIME),
    ("where did we stop", LAST_TIME),
    ("where we left off", LAST_TIME),
    ("where i left off", LAST_TIME),
    ("what were we doing", LAST_TIME),
    ("what was i doing", LAST_TIME),
    ("what were we working on", LAST_TIME),
    ("what was i working on", LAST_TIME),
    ("what is left", LAST_TIME),
    ("what s left", LAST_TIME),
    ("what is next", LAST_TIME),
    ("what s next", LAST_TIME),
];
const LAST_TIME: &[&str] = &[
    "last", "time", "off", "it", "the", "session", "with", "in", "here", "to", "do", "ok", "so", "hi",
    "hello", "continue", "pick", "up", "from", "go", "on", "and", "please", "now",
];

/// Returns the kinds that a plural names which hardly means anything else.
pub(super) fn kinds_named(word: &str) -> &'static [Kind] {
    match word {
        "decisions" => &[Kind::Decision],
        "gotchas" | "traps" | "pitfalls" | "facts" | "learnings" => &[Kind::Fact],
        "rules" | "preferences" | "conventions" | "constraints" => &[Kind::Rule],
        "failures" => &[Kind::Failure],
        "goals" => &[Kind::Goal],
        "bugfixes" => &[Kind::Bugfix],
        _ => &[],
    }
}

/// Returns the kinds that a plural names which may as well mean something of the project.
pub(super) fn kinds_of_the_record(word: &str) -> &'static [Kind] {
    match word {
        "features" => &[Kind::Feature],
        "refactors" | "refactorings" => &[Kind::Refactor],
        "changes" => &[Kind::Change],
        "discoveries" => &[Kind::Discovery],
        "notes" => &[Kind::Note],
        "summaries" => &[Kind::Summary],
        "handoffs" => &[Kind::Handoff],
        _ => &[],
    }
}

/// Returns the kinds of what was done, by the verb that asks for it; none of its own means all.
pub(super) fn kinds_done(word: &str) -> Option<&'static [Kind]> {
    Some(match word {
        "decide" | "decided" | "agree" | "agreed" => &[Kind::Decision],
        "fix" | "fixed" => &[Kind::Bugfix],
        "break" | "broke" | "fail" | "failed" => &[Kind::Failure],
        "learn" | "learned" | "learnt" | "discover" | "discovered" => &[Kind::Fact, Kind::Discovery],
        "happen" | "happened" | "done" | "work" | "worked" | "working" | "change" | "changed" | "finish"
        | "finished" => &[],
        _ => return None,
    })
}
