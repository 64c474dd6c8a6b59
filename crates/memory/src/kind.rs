//! What a memory is about: the kinds, each one row of a table.
//!
//! A row holds everything other crates need to know about a kind: its names, its weight, where it is shown and how it ages. To add
//! a kind, add its row: the databases are filled from this table.
//!
//! Not here: how a memory is shown (`inject`), which kinds a user lets a team share (`app`'s configuration).

use crate::Provenance;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// What sort of thing a kind describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KindGroup {
    /// Something that is known or wanted.
    Knowledge,
    /// Something that was done.
    Work,
    /// The account of a whole session.
    SessionAccount,
}

/// Everything that differs between kinds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KindTraits {
    /// The name it is stored and shown by.
    pub name: &'static str,
    /// What sort of thing it describes.
    pub group: KindGroup,
    /// Its weight, 0 to 1, where no query or better evidence decides.
    pub weight: f64,
    /// Its importance by default, 1 to 5.
    pub importance: u8,
    /// Whether what it says holds for long, so that it ages slowly.
    pub is_durable: bool,
    /// Whether people state it in one sentence and take it back in another.
    pub is_stated: bool,
    /// Whether the surest memories of this kind are injected when a session starts.
    pub leads_session: bool,
    /// Whether it is worth knowing before a file is edited.
    pub warns_before_edit: bool,
    /// Whether its category says more to a reader than its name.
    pub shows_category: bool,
    /// Whether a team shares it unless its configuration says otherwise.
    pub is_shared: bool,
}

/// What most knowledge has in common.
const KNOWLEDGE: KindTraits = KindTraits {
    name: "",
    group: KindGroup::Knowledge,
    weight: 0.5,
    importance: 3,
    is_durable: false,
    is_stated: false,
    leads_session: false,
    warns_before_edit: false,
    shows_category: false,
    is_shared: true,
};
/// What all work has in common.
const WORK: KindTraits = KindTraits { group: KindGroup::Work, ..KNOWLEDGE };
/// What the accounts of a session have in common: they are about one person's day, so a team does not share them.
const ACCOUNT: KindTraits =
    KindTraits { group: KindGroup::SessionAccount, weight: 0.6, is_shared: false, ..KNOWLEDGE };
/// What lessons have in common: they are injected without a query, because they may prevent a mistake.
const LESSON: KindTraits = KindTraits { leads_session: true, warns_before_edit: true, ..KNOWLEDGE };

/// Defines the enum, its list and its traits from one table.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident { $($field:ident: $value:expr),* } like $base:ident;)*) => {
        /// The kind of a memory.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// Every kind, in the order in which they are shown.
            pub const ALL: [Kind; [$(Kind::$kind),*].len()] = [$(Kind::$kind),*];

            /// Returns everything that sets it apart from other kinds.
            #[must_use]
            pub const fn traits(self) -> &'static KindTraits {
                match self {
                    $(Kind::$kind => {
                        const TRAITS: KindTraits = KindTraits { $($field: $value,)* ..$base };
                        &TRAITS
                    })*
                }
            }
        }
    };
}

kinds! {
    /// What the user wants done or never done: a constraint, a preference, a correction.
    Rule { name: "rule", weight: 1.0, is_durable: true, is_stated: true, shows_category: true } like LESSON;
    /// What was chosen, and why.
    Decision { name: "decision", weight: 0.9, is_durable: true, is_stated: true } like LESSON;
    /// Something true here and hard to find: the environment, hidden behaviour, a trap.
    Fact { name: "fact", weight: 0.85, is_durable: true, is_stated: true, shows_category: true } like LESSON;
    /// Something that went wrong, and what fixed it.
    Failure { name: "failure", weight: 0.8 } like LESSON;
    /// What the user wants to achieve.
    Goal { name: "goal", weight: 0.7, is_durable: true, is_stated: true } like KNOWLEDGE;
    /// Anything else worth keeping.
    Note { name: "note", weight: 0.3, importance: 2, is_stated: true } like KNOWLEDGE;
    /// Work done: something new.
    Feature { name: "feature", weight: 0.6 } like WORK;
    /// Work done: something broken now works.
    Bugfix { name: "bugfix", weight: 0.6 } like WORK;
    /// Work done: same behaviour, another shape.
    Refactor { name: "refactor", importance: 2 } like WORK;
    /// Work done: none of the others.
    Change { name: "change", importance: 2 } like WORK;
    /// A question answered by reading.
    Discovery { name: "discovery", weight: 0.6 } like WORK;
    /// What a whole session did.
    Summary { name: "summary" } like ACCOUNT;
    /// Where the work stands, for the next session.
    Handoff { name: "handoff", weight: 0.7 } like ACCOUNT;
}

/// Former names of kinds, and the kinds that a filter by such a name matches today.
const ALIASES: [(&str, &[Kind]); 3] =
    [("pattern", &[Kind::Rule, Kind::Fact]), ("learning", &[Kind::Fact]), ("gotcha", &[Kind::Fact])];

/// A text that names no kind.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a kind")]
pub struct UnknownKind(pub String);

impl Kind {
    /// Returns the kind's name, as it is stored and shown.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.traits().name
    }

    /// Returns the weight of a kind, 0 to 1, where no query or better evidence decides.
    #[must_use]
    pub const fn weight(self) -> f64 {
        self.traits().weight
    }

    /// Whether it describes something that was done.
    #[must_use]
    pub fn is_work(self) -> bool {
        self.traits().group == KindGroup::Work
    }

    /// Whether it is the account of a whole session.
    #[must_use]
    pub fn is_session_account(self) -> bool {
        self.traits().group == KindGroup::SessionAccount
    }

    /// Returns the kinds with a trait, in the order in which they are shown.
    #[must_use]
    pub fn with(has: impl Fn(&KindTraits) -> bool) -> Vec<Kind> {
        Kind::ALL.into_iter().filter(|kind| has(kind.traits())).collect()
    }

    /// Returns the former names of kinds, which are still accepted.
    pub fn alias_names() -> impl Iterator<Item = &'static str> {
        ALIASES.iter().map(|(name, _)| *name)
    }

    /// Reads a kind to filter by. A former name may stand for several kinds.
    ///
    /// # Errors
    ///
    /// When the text names no kind.
    pub fn parse_alias(text: &str) -> Result<Vec<Kind>, UnknownKind> {
        let wanted = text.trim().to_lowercase();
        match ALIASES.iter().find(|(name, _)| *name == wanted) {
            Some((_, kinds)) => Ok(kinds.to_vec()),
            None => text.parse().map(|kind| vec![kind]),
        }
    }

    /// Reads the kind of a new memory. What was formerly called a pattern is a rule if the user states it, and otherwise a fact:
    /// only the user makes rules.
    ///
    /// # Errors
    ///
    /// When the text names no kind.
    pub fn from_input(text: &str, provenance: &Provenance) -> Result<Kind, UnknownKind> {
        let kinds = Kind::parse_alias(text)?;
        let kind = if *provenance == Provenance::User { kinds.first() } else { kinds.last() };
        kind.copied().ok_or_else(|| UnknownKind(text.to_owned()))
    }

    /// Guesses the kind of a hand-written text: failure before rule before decision, else a note. A text that reads like a rule but
    /// is not the user's is a fact.
    ///
    /// The order decides if a text fits several kinds: how something broke is the rarest and most useful fact.
    #[must_use]
    pub fn infer(text: &str, provenance: &Provenance) -> Kind {
        let text = text.to_lowercase();
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| says_phrase(&text, phrase));
        if says(FAILURE_PHRASES) {
            Kind::Failure
        } else if says(RULE_PHRASES) {
            if *provenance == Provenance::User { Kind::Rule } else { Kind::Fact }
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

const RULE_PHRASES: &[&str] = &[
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

/// Whether `phrase` occurs in `text` as whole words.
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
    fn a_failure_beats_a_rule_beats_a_decision_beats_a_note() {
        let check = |text, kind| assert_eq!(Kind::infer(text, &Provenance::User), kind, "{text}");
        check("The build failed because we always use nightly", Kind::Failure);
        check("Always use SQLite because it is there", Kind::Rule);
        check("We decided on SQLite instead of Postgres", Kind::Decision);
        check("Use SQLite FTS5 for search ranking", Kind::Decision);
        check("The staging server is called heron", Kind::Note);
    }

    #[test]
    fn only_the_user_makes_rules_without_saying_so() {
        assert_eq!(Kind::infer("Always use SQLite", &Provenance::Assistant), Kind::Fact);
        assert_eq!(Kind::from_input("pattern", &Provenance::User), Ok(Kind::Rule));
        assert_eq!(Kind::from_input("Pattern", &Provenance::Import), Ok(Kind::Fact));
        assert_eq!(Kind::from_input("rule", &Provenance::Assistant), Ok(Kind::Rule));
    }

    #[test]
    fn old_names_are_understood_on_input_and_in_filters() {
        assert_eq!(Kind::parse_alias("pattern"), Ok(vec![Kind::Rule, Kind::Fact]));
        for name in ["learning", "gotcha"] {
            assert_eq!(Kind::parse_alias(name), Ok(vec![Kind::Fact]));
            assert_eq!(Kind::from_input(name, &Provenance::User), Ok(Kind::Fact));
            assert_eq!(name.parse::<Kind>(), Err(UnknownKind(name.to_owned())), "it is not stored");
        }
    }

    #[test]
    fn the_table_groups_kinds_as_readers_expect() {
        let names = |kinds: Vec<Kind>| kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(
            names(Kind::with(|kind| kind.group == KindGroup::Work)),
            "feature bugfix refactor change discovery"
        );
        assert_eq!(names(Kind::with(|kind| kind.leads_session)), "rule decision fact failure");
        assert_eq!(names(Kind::with(|kind| kind.is_durable)), "rule decision fact goal");
        assert_eq!(names(Kind::with(|kind| kind.is_stated)), "rule decision fact goal note");
        assert_eq!(names(Kind::with(|kind| !kind.is_shared)), "summary handoff");
    }

    #[test]
    fn only_whole_words_decide() {
        assert_eq!(Kind::infer("The user is overjoyed with terrors", &Provenance::User), Kind::Note);
    }
}
