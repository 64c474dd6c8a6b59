//! One thing worth recalling: where it came from, how sure it is, and whether it is still in force.
//!
//! Not here: what it says (`content`), how it is stored, found or shown.

use crate::{
    Checksum, Content, Kind, MemoryId, ProjectId, Provenance, SessionId, Standing, StandingReason, Timestamp,
    Uid,
};
use std::fmt;
use std::str::FromStr;

/// How much a memory matters, 1 to 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Importance(u8);

impl Importance {
    /// Clamps a number to 1..=5.
    #[must_use]
    pub fn new(value: i64) -> Self {
        Self(value.clamp(1, 5) as u8)
    }

    /// Returns the number.
    #[must_use]
    pub fn get(self) -> u8 {
        self.0
    }

    /// Returns the importance a memory of this kind has by default.
    #[must_use]
    pub fn for_kind(kind: Kind) -> Self {
        Self(kind.traits().importance)
    }
}

/// How sure we are of a memory, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Confidence(f64);

impl Confidence {
    /// A person wrote it by hand.
    pub const CERTAIN: Confidence = Confidence(1.0);
    /// It was distilled once.
    pub const DISTILLED: Confidence = Confidence(0.5);

    /// Clamps a number to 0..=1; NaN counts as 0.
    #[must_use]
    pub fn new(value: f64) -> Self {
        if value.is_nan() { Self(0.0) } else { Self(value.clamp(0.0, 1.0)) }
    }

    /// Returns the number.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// Returns the confidence after the same thing was seen once more: it nears 0.95 and never falls.
    #[must_use]
    pub fn seen_again(self) -> Self {
        Self(self.0.max(self.0 + 0.2 * (0.95 - self.0)))
    }
}

/// Whom a memory is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryScope {
    /// Its own project.
    Project,
    /// The user, in every project.
    User,
}

impl MemoryScope {
    /// Returns the scope's name, as it is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            MemoryScope::Project => "project",
            MemoryScope::User => "user",
        }
    }
}

impl FromStr for MemoryScope {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "project" => Ok(MemoryScope::Project),
            "user" => Ok(MemoryScope::User),
            _ => Err(()),
        }
    }
}

/// The finer sort of a kind: architecture, convention, gotcha …; free text, lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Category(pub String);

impl Category {
    /// The text of a file that a host gives to its agent by itself: search finds it, but it need not be injected again.
    pub const RULES_FILE: &'static str = "rules-file";
}

/// How one memory relates to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// It replaces the other.
    Supersedes,
    /// It says the opposite of the other.
    Contradicts,
    /// It was made from the other.
    DerivedFrom,
    /// It is about the same subject as the other.
    Relates,
}

impl Relation {
    const ALL: [Relation; 4] =
        [Relation::Supersedes, Relation::Contradicts, Relation::DerivedFrom, Relation::Relates];

    /// Returns the relation's name, as it is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Relation::Supersedes => "supersedes",
            Relation::Contradicts => "contradicts",
            Relation::DerivedFrom => "derived_from",
            Relation::Relates => "relates",
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Relation {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Relation::ALL.into_iter().find(|relation| relation.as_str() == text).ok_or(())
    }
}

/// One memory's relation to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The memory that relates.
    pub from: MemoryId,
    /// How.
    pub relation: Relation,
    /// The memory it relates to.
    pub to: MemoryId,
}

/// A memory as a store holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Its number here.
    pub id: MemoryId,
    /// Its global name.
    pub uid: Uid,
    /// The project it belongs to.
    pub project: ProjectId,
    /// The session it came from.
    pub session: Option<SessionId>,
    /// What it says.
    pub content: Content,
    /// Whether it is in force.
    pub standing: Standing,
    /// Why it stands so.
    pub standing_reason: StandingReason,
    /// When it was first written.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// How often the same thing was seen.
    pub times_seen: u32,
    /// How often it was used.
    pub times_used: u32,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// The checksum of the content that was written.
    pub checksum: Checksum,
}

impl Memory {
    /// Whether the user said it, or spoke for it or against it: nobody else may put other words in its place.
    #[must_use]
    pub fn is_users_own(&self) -> bool {
        self.content.provenance == Provenance::User || self.standing_reason == StandingReason::User
    }

    /// Says whether a failure is over, in a word or two; nothing of other memories.
    #[must_use]
    pub fn failure_state(&self) -> Option<&'static str> {
        let failure = self.content.details.as_ref()?.failure()?;
        (self.content.kind == Kind::Failure).then(|| failure.state())
    }

    /// Whether the content is still what was written.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        Checksum::of_content(&self.content) == self.checksum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn seeing_it_again_makes_it_surer_up_to_a_limit() {
        let mut confidence = Confidence::DISTILLED;
        assert!((confidence.seen_again().get() - 0.59).abs() < 1e-9);
        for _ in 0..100 {
            confidence = confidence.seen_again();
        }
        assert!(confidence.get() > 0.94 && confidence.get() <= 0.95);
        assert_eq!(Confidence::CERTAIN.seen_again(), Confidence::CERTAIN);
    }

    proptest! {
        #[test]
        fn importance_and_confidence_stay_in_range(importance: i64, confidence: f64) {
            prop_assert!((1..=5).contains(&Importance::new(importance).get()));
            prop_assert!((0.0..=1.0).contains(&Confidence::new(confidence).get()));
        }
    }
}
