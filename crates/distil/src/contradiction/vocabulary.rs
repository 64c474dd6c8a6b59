//! The words by which sentences choose, change, deny and place: what the ways to tell values apart go by.
//!
//! Not here: names that are rivals (`exclusive_values`).

/// Verbs by which something is chosen for a purpose.
pub(super) const CHOOSING: [&str; 13] = [
    "support", "use", "go", "switch", "move", "revert", "change", "keep", "run", "deploy", "write", "want",
    "prefer",
];
/// Words that say that something is not as it was.
pub(super) const CHANGING: [&str; 15] = [
    "instead", "switch", "now", "no", "actually", "back", "move", "revert", "change", "longer", "moved",
    "switched", "migrated", "anymore", "changed",
];
/// Words that say that something comes to what there is.
pub(super) const ADDING: [&str; 4] = ["also", "too", "additionally", "well"];
/// Verbs by which something gets another value.
pub(super) const SETTING: [&str; 8] =
    ["bumped", "raised", "lowered", "increased", "reduced", "changed", "upgraded", "downgraded"];
/// What may stand before the verb by which something is chosen.
pub(super) const DECIDING: [&str; 13] = [
    "decided", "agreed", "to", "have", "will", "ll", "s", "should", "always", "now", "all", "please", "team",
];
/// Words that do not tell two places apart.
pub(super) const UNTELLING: [&str; 11] =
    ["we", "our", "the", "a", "all", "only", "must", "can", "should", "be", "may"];
/// Those of them that say nothing else.
pub(super) const SINCE_NOW: [&str; 9] =
    ["now", "instead", "actually", "longer", "anymore", "moved", "switched", "migrated", "changed"];
/// Words before which something has one place or time.
pub(super) const PLACING: [&str; 9] = ["on", "in", "at", "to", "from", "with", "by", "via", "every"];
/// Words for all of a project.
pub(super) const ANYWHERE: [&str; 4] = ["repo", "project", "codebase", "here"];
/// Each of these, by its beginning, may have a value of its own.
pub(super) const ENVIRONMENTS: [&str; 7] = ["stag", "produc", "prod", "dev", "develo", "local", "qa"];
/// Verbs, by their beginnings, that tell nothing of what a sentence is about.
pub(super) const PURPOSELESS: [&str; 9] =
    ["mov", "switch", "migrat", "use", "uses", "keep", "want", "prefer", "run"];
/// Words that say of how many something holds.
pub(super) const QUANTIFYING: [&str; 12] = [
    "everything",
    "anything",
    "every",
    "each",
    "everywhere",
    "anywhere",
    "ever",
    "let",
    "use",
    "decided",
    "agreed",
    "against",
];
/// A place with more words is a story.
pub(super) const LONGEST_PLACE: usize = 4;
/// Words that say that something is given up.
pub(super) const GIVING_UP: [&str; 16] = [
    "forget",
    "gone",
    "ditch",
    "stop",
    "using",
    "longer",
    "anymore",
    "switched",
    "switching",
    "moved",
    "migrated",
    "replaced",
    "replacing",
    "dropped",
    "dropping",
    "instead",
];
/// Words that only say since when something holds.
pub(super) const FROM_NOW_ON: [&str; 14] = [
    "re", "ve", "ll", "now", "anymore", "more", "forward", "going", "longer", "actually", "after", "fine",
    "okay", "ok",
];
/// Words that affirm or deny the rest of a sentence.
pub(super) const DENYING: [&str; 13] =
    ["never", "always", "not", "no", "don", "doesn", "t", "s", "avoid", "stop", "must", "allowed", "only"];
pub(super) const VERBS: [&str; 12] = [
    "is", "are", "lives", "runs", "uses", "listens", "defaults", "equals", "stays", "points", "belongs",
    "goes",
];
/// A longer value is a story, and two stories of one thing may both be true.
pub(super) const LONGEST_VALUE: usize = 6;
