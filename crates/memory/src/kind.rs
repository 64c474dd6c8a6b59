//! What a memory is about. Kinds absorb every store of the systems Backstory replaces.
//!
//! Not here: how kinds are shown (`context`).

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The kind of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// What was chosen, and why.
    Decision,
    /// A way of doing things that works, or one that does not.
    Pattern,
    /// Something that went wrong, and what fixed it.
    Failure,
    /// Where the work stands, for whoever goes on.
    Handoff,
    /// Something true about the project that is not obvious from its code.
    Learning,
    /// What the user wants to reach.
    Goal,
    /// Anything else worth keeping.
    Note,
    /// Work done: something new.
    Feature,
    /// Work done: something broken now works.
    Bugfix,
    /// Work done: same behaviour, other shape.
    Refactor,
    /// Work done: none of the others.
    Change,
    /// A question answered by reading.
    Discovery,
    /// What a whole session did.
    Summary,
}

/// A text that names no kind.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a kind")]
pub struct UnknownKind(pub String);

impl Kind {
    /// Every kind, in the order people are shown them.
    pub const ALL: [Kind; 13] = [
        Kind::Decision,
        Kind::Pattern,
        Kind::Failure,
        Kind::Handoff,
        Kind::Learning,
        Kind::Goal,
        Kind::Note,
        Kind::Feature,
        Kind::Bugfix,
        Kind::Refactor,
        Kind::Change,
        Kind::Discovery,
        Kind::Summary,
    ];

    /// Returns the kind's name, as it is stored and shown.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Decision => "decision",
            Kind::Pattern => "pattern",
            Kind::Failure => "failure",
            Kind::Handoff => "handoff",
            Kind::Learning => "learning",
            Kind::Goal => "goal",
            Kind::Note => "note",
            Kind::Feature => "feature",
            Kind::Bugfix => "bugfix",
            Kind::Refactor => "refactor",
            Kind::Change => "change",
            Kind::Discovery => "discovery",
            Kind::Summary => "summary",
        }
    }

    /// Returns what a kind is worth, 0 to 1, where nobody asked for it or nothing better is known.
    #[must_use]
    pub const fn weight(self) -> f64 {
        match self {
            Kind::Pattern => 1.0,
            Kind::Decision => 0.9,
            Kind::Learning => 0.85,
            Kind::Failure => 0.8,
            Kind::Handoff | Kind::Goal => 0.7,
            Kind::Bugfix | Kind::Feature | Kind::Discovery | Kind::Summary => 0.6,
            Kind::Refactor | Kind::Change => 0.5,
            Kind::Note => 0.3,
        }
    }

    /// Guesses the kind of a hand-written text: failure before pattern before decision, else a note.
    ///
    /// The order settles texts that fit several: how something broke is the rarest and most useful fact.
    #[must_use]
    pub fn infer(text: &str) -> Kind {
        let text = text.to_lowercase();
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| says_phrase(&text, phrase));
        if says(FAILURE_PHRASES) {
            Kind::Failure
        } else if says(PATTERN_PHRASES) {
            Kind::Pattern
        } else if says(DECISION_PHRASES) {
            Kind::Decision
        } else {
            Kind::Note
        }
    }
}

const FAILURE_PHRASES: &[&str] = &[
    "error",
    "errors",
    "failed",
    "fails",
    "failing",
    "failure",
    "crash",
    "crashed",
    "crashes",
    "panic",
    "panicked",
    "broke",
    "broken",
    "exit code",
    "timed out",
    "timeout",
    "exception",
    "traceback",
    "segfault",
    "does not work",
    "doesn't work",
    "did not work",
    "didn't work",
];

const PATTERN_PHRASES: &[&str] = &[
    "always",
    "never",
    "whenever",
    "every time",
    "pattern",
    "anti-pattern",
    "convention",
    "best practice",
    "rule of thumb",
    "make sure to",
    "remember to",
    "avoid",
];

const DECISION_PHRASES: &[&str] = &[
    "decided",
    "decide",
    "decision",
    "chose",
    "choose",
    "chosen",
    "picked",
    "instead of",
    "rather than",
    "going with",
    "went with",
    "we use",
    "we will use",
    "use",
    "switch to",
    "switched to",
    "prefer",
    "settled on",
    "in favour of",
    "in favor of",
    "over",
    "because",
];

/// Whether `phrase` stands in `text` as whole words.
fn says_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, found)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|t| t.chars().next());
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !is_word(before) && !is_word(after)
    })
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        let wanted = text.trim().to_lowercase();
        Kind::ALL.into_iter().find(|kind| kind.as_str() == wanted).ok_or_else(|| UnknownKind(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_back_from_its_name() {
        for kind in Kind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        assert_eq!("lore".parse::<Kind>(), Err(UnknownKind("lore".to_owned())));
    }

    #[test]
    fn a_failure_beats_a_pattern_beats_a_decision_beats_a_note() {
        let check = |text, kind| assert_eq!(Kind::infer(text), kind, "{text}");
        check("The build failed because we always use nightly", Kind::Failure);
        check("Always use SQLite because it is there", Kind::Pattern);
        check("We decided on SQLite instead of Postgres", Kind::Decision);
        check("Use SQLite FTS5 for search ranking", Kind::Decision);
        check("The staging server is called heron", Kind::Note);
    }

    #[test]
    fn only_whole_words_decide() {
        assert_eq!(Kind::infer("The user is overjoyed with terrors"), Kind::Note);
    }
}
