//! The fourth stage: what kind of statement a sentence is, by the words developers say such things in.
//!
//! The first cue found decides. Not here: the words themselves (`table`), what is left
//! out before (`reject`), and who replaced what (`corrections`).

mod table;

use super::Speaker;
use super::reject::opens_as_order;
use crate::prose::Token;
use backstory_memory::Kind;
use table::{
    ANNOUNCEMENTS, BEHAVIOURS, CORRECTED_FACTS, CUES, CueSpeaker, NO_SUBJECTS, OF_THE_SPEAKER, POINTERS,
    REACTIONS, REASON_SENTENCES, REASONS, REPEATS, SETS_RIGHT,
};

/// What a cue makes of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Classification {
    pub(super) kind: Kind,
    pub(super) category: Option<&'static str>,
    /// Whether it rests on how the sentence is built alone; near an opinion that is not enough.
    pub(super) is_weak: bool,
}

/// Returns what a sentence means, or nothing when no cue is in it.
pub(super) fn meaning(tokens: &[Token], speaker: Speaker) -> Option<Classification> {
    let is_reasoned = reason(tokens).is_some();
    CUES.iter()
        .filter(|cues| match cues.by {
            CueSpeaker::Anyone => true,
            CueSpeaker::User => speaker == Speaker::User,
            CueSpeaker::UserOrReasoned => speaker == Speaker::User || is_reasoned,
        })
        .find(|cues| cues.patterns.all_in(tokens).any(|found| !is_aside(tokens, found.start)))
        .map(|cues| Classification {
            kind: cues.kind,
            category: cues.category,
            is_weak: cues.category.is_none() && cues.kind == Kind::Fact,
        })
        .or_else(|| behaviour(tokens))
}

/// "When we deploy" only says when; what "we deploy" means is in a sentence of its own.
fn is_aside(tokens: &[Token], start: usize) -> bool {
    let word = |at: usize| tokens.get(at).map(|token| token.word.as_str());
    let before = start.checked_sub(1).and_then(word);
    word(start) == Some("we")
        && before
            .is_some_and(|before| ["when", "while", "what", "how", "why", "where", "like"].contains(&before))
}

/// Returns what a sentence means that its speaker says is to be remembered, when nothing else says what it is.
pub(super) fn announced(all: &[Token], core: &[Token], speaker: Speaker) -> Option<Classification> {
    let is_announced = match speaker {
        Speaker::User if REPEATS.are_in(all) => !OF_THE_SPEAKER.are_in(core) && !REACTIONS.are_in(core),
        Speaker::User => ANNOUNCEMENTS.are_in(all) && !OF_THE_SPEAKER.are_in(core),
        Speaker::Assistant => POINTERS.are_in(all) && describes(core),
    };
    is_announced.then_some(Classification { kind: Kind::Fact, category: Some("fact"), is_weak: false })
}

/// Returns what a sentence means by which the user sets something right, when nothing else says what it is.
pub(super) fn correction(core: &[Token], speaker: Speaker) -> Option<Classification> {
    let is_correction = sets_right(core)
        || (CORRECTED_FACTS.are_in(core) && !REACTIONS.are_in(core) && !opens_as_order(core));
    (speaker == Speaker::User && is_correction).then_some(Classification {
        kind: Kind::Decision,
        category: Some("convention"),
        is_weak: false,
    })
}

/// Whether a sentence names what holds and what does not.
pub(super) fn sets_right(core: &[Token]) -> bool {
    SETS_RIGHT.are_in(core)
}

/// Returns the token a sentence's reason begins at.
pub(super) fn reason(tokens: &[Token]) -> Option<usize> {
    let first = REASONS.all_in(tokens).map(|found| found.start).min()?;
    // "…, CI rejects it otherwise": what stands last is the end of the clause that gives the reason.
    let ends = tokens.get(first + 1..)?.iter().all(|token| token.word == ".");
    let clause =
        || tokens.get(..first)?.iter().rposition(|token| matches!(token.word.as_str(), "," | ";" | ":"));
    let at = if ends { clause()? + 1 } else { first };
    Some(at).filter(|at| *at > 1)
}

/// Whether a sentence only gives the reason of the one before it.
pub(super) fn is_reason(tokens: &[Token]) -> bool {
    REASON_SENTENCES.are_in(tokens)
}

fn behaviour(tokens: &[Token]) -> Option<Classification> {
    (describes(tokens) && BEHAVIOURS.are_in(tokens)).then_some(Classification {
        kind: Kind::Fact,
        category: Some("gotcha"),
        is_weak: true,
    })
}

/// Whether a sentence speaks of a part of the system, and not of the work just done or of who does it.
fn describes(tokens: &[Token]) -> bool {
    !opens_as_order(tokens) && !NO_SUBJECTS.are_in(tokens)
}
