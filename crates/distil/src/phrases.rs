//! The few words that mark what a sentence is: a rule, a correction, a cause. All of them are rows of `phrases.txt`.
//!
//! They decide little: where a sentence stands, and who said it, decides more (`user_rules`). Not here: what is made of it.

use std::sync::OnceLock;

/// What a phrase marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PhraseGroup {
    /// Holds beyond the task at hand.
    Standing,
    /// How something has to be, in words a mere order for work may hold as well.
    Demand,
    /// What is forbidden or demanded.
    Strict,
    /// One way of doing something against another.
    Contrast,
    /// What was done or said is not right.
    Correction,
    /// A wish to know, which sets no rule.
    Curious,
    /// What was behind something.
    Cause,
    CauseHeading,
    /// How a report of what is happening begins.
    Report,
    /// Headings of what is left.
    Next,
    /// Headings of what failed.
    Failing,
    /// Headings of what the user said.
    Quoted,
    /// What put something right.
    Fixed,
    /// The agent's own tools.
    OwnTool,
    /// When something is to be done.
    Order,
    /// Says that the tests pass.
    TestsPass,
    /// Says that it is committed.
    Committed,
    /// Says that it is pushed.
    Pushed,
    /// How somebody begins who agrees and lets the other go on.
    Assent,
    /// How somebody begins who does not agree.
    Decline,
    /// What is said to be kind.
    Courtesy,
    /// What nobody has decided.
    Proposal,
    /// What may be a proposal, or speak of one that was accepted.
    Suggestion,
    /// How things stood that day.
    Momentary,
    /// Headings of why something is done.
    Reason,
    /// What the work on code passes through, whatever it is about: commits, branches, tests.
    Process,
    /// How something is to be done.
    Manner,
    /// What begins a clause that says when a rule holds.
    Condition,
    /// Headings of lists of files, and of what was checked.
    FileList,
    /// Says that something is to be kept in mind.
    Reminder,
    /// What the user does not want done.
    Unwanted,
    /// What the user can do without.
    Unneeded,
}

impl PhraseGroup {
    fn read(name: &str) -> Option<PhraseGroup> {
        Some(match name {
            "standing" => PhraseGroup::Standing,
            "demand" => PhraseGroup::Demand,
            "strict" => PhraseGroup::Strict,
            "contrast" => PhraseGroup::Contrast,
            "correction" => PhraseGroup::Correction,
            "curious" => PhraseGroup::Curious,
            "cause" => PhraseGroup::Cause,
            "cause heading" => PhraseGroup::CauseHeading,
            "report" => PhraseGroup::Report,
            "next" => PhraseGroup::Next,
            "failing" => PhraseGroup::Failing,
            "quoted" => PhraseGroup::Quoted,
            "fixed" => PhraseGroup::Fixed,
            "own tool" => PhraseGroup::OwnTool,
            "order" => PhraseGroup::Order,
            "tests pass" => PhraseGroup::TestsPass,
            "committed" => PhraseGroup::Committed,
            "pushed" => PhraseGroup::Pushed,
            "assent" => PhraseGroup::Assent,
            "decline" => PhraseGroup::Decline,
            "courtesy" => PhraseGroup::Courtesy,
            "proposal" => PhraseGroup::Proposal,
            "suggestion" => PhraseGroup::Suggestion,
            "momentary" => PhraseGroup::Momentary,
            "reason" => PhraseGroup::Reason,
            "process" => PhraseGroup::Process,
            "manner" => PhraseGroup::Manner,
            "condition" => PhraseGroup::Condition,
            "file list" => PhraseGroup::FileList,
            "reminder" => PhraseGroup::Reminder,
            "unwanted" => PhraseGroup::Unwanted,
            "unneeded" => PhraseGroup::Unneeded,
            _ => return None,
        })
    }
}

struct PhraseRow {
    group: PhraseGroup,
    /// As it is looked for: between blanks, unless it is of a script without any.
    phrase: String,
}

fn rows() -> &'static [PhraseRow] {
    static ROWS: OnceLock<Vec<PhraseRow>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let row = |line: &str| {
            let mut parts = line.split('|').map(str::trim);
            let (group, phrase) = (PhraseGroup::read(parts.next()?)?, parts.next()?);
            let phrase = match phrase.strip_prefix('~') {
                Some(anywhere) => anywhere.to_owned(),
                None => format!(" {phrase} "),
            };
            Some(PhraseRow { group, phrase })
        };
        include_str!("phrases.txt").lines().filter_map(row).collect()
    })
}

/// Returns the phrases of a group.
pub(super) fn phrases_of(group: PhraseGroup) -> impl Iterator<Item = &'static str> {
    rows().iter().filter(move |row| row.group == group).map(|row| row.phrase.trim())
}

/// Whether a word, in lower case, is one of those that agree, decline or are kind, and so names no subject.
#[must_use]
pub fn is_word_of_reply(word: &str) -> bool {
    is_word_of_assent(word) || is_word_in(PhraseGroup::Decline, word)
}

/// Whether a word, in lower case, is one of those that agree or are kind.
pub(super) fn is_word_of_assent(word: &str) -> bool {
    is_word_in(PhraseGroup::Assent, word) || is_word_in(PhraseGroup::Courtesy, word)
}

fn is_word_in(group: PhraseGroup, word: &str) -> bool {
    phrases_of(group).flat_map(str::split_whitespace).any(|known| known == word)
}

/// Groups of names of which a project has one at a time.
fn exclusive_groups() -> &'static [Vec<&'static str>] {
    static GROUPS: OnceLock<Vec<Vec<&'static str>>> = OnceLock::new();
    GROUPS.get_or_init(|| {
        let rows = include_str!("phrases.txt").lines().filter_map(|line| line.strip_prefix("one of |"));
        rows.map(|row| row.split('|').next().unwrap_or_default().split(',').map(str::trim).collect())
            .collect()
    })
}

/// Returns the names in a sentence of which a project has one at a time.
pub(super) fn exclusive_names(sentence: &FoldedSentence) -> Vec<&'static str> {
    let named = |name: &&&'static str| sentence.0.contains(&format!(" {name} "));
    exclusive_groups().iter().flatten().filter(named).copied().collect()
}

/// Whether each text names one thing of a group, and not the same one.
pub(super) fn exclude_each_other(one: &[&str], other: &[&str]) -> bool {
    exclusive_groups().iter().any(|group| {
        let of = |names: &[&str]| -> Vec<String> {
            names.iter().filter(|name| group.contains(name)).map(|name| (*name).to_owned()).collect()
        };
        matches!((of(one).as_slice(), of(other).as_slice()), ([one], [other]) if one != other)
    })
}

/// A sentence as phrases are looked for in it: lower case, its words between single blanks.
pub(super) struct FoldedSentence(pub(super) String);

impl FoldedSentence {
    pub(super) fn new(sentence: &str) -> FoldedSentence {
        let lower = sentence.to_lowercase().replace('’', "'");
        let is_inside = |c: char| c.is_alphanumeric() || c == '\'' || c == '-';
        let words: Vec<&str> = lower.split(|c: char| !is_inside(c)).filter(|word| !word.is_empty()).collect();
        FoldedSentence(format!(" {} ", words.join(" ")))
    }

    pub(super) fn has(&self, group: PhraseGroup) -> bool {
        rows().iter().any(|row| {
            let is_there = match group {
                // The same words further on belong to a sentence that says something else.
                PhraseGroup::Report
                | PhraseGroup::Assent
                | PhraseGroup::Decline
                | PhraseGroup::Courtesy
                | PhraseGroup::Condition
                | PhraseGroup::Unwanted
                | PhraseGroup::Unneeded => self.0.starts_with(&row.phrase),
                _ => self.0.contains(&row.phrase),
            };
            row.group == group && is_there
        })
    }

    /// Whether it begins with a phrase of a group.
    pub(super) fn opens_with(&self, group: PhraseGroup) -> bool {
        rows().iter().any(|row| row.group == group && self.0.starts_with(&row.phrase))
    }

    /// Whether it begins with one of some words.
    pub(super) fn begins_with(&self, openings: &[&str]) -> bool {
        openings.iter().any(|opening| {
            self.0
                .strip_prefix(' ')
                .and_then(|text| text.strip_prefix(opening))
                .is_some_and(|rest| rest.starts_with(' '))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_group_exclude_each_other() {
        let names = |text: &str| exclusive_names(&FoldedSentence::new(text));
        assert!(exclude_each_other(&names("use npm"), &names("use pnpm")));
        assert!(!exclude_each_other(&names("use npm"), &names("use npm")));
        assert!(!exclude_each_other(&names("use npm"), &names("use tabs")));
    }

    #[test]
    fn every_phrase_has_a_sentence_it_marks_and_one_it_does_not() {
        for line in include_str!("phrases.txt").lines().filter(|line| !line.starts_with('#')) {
            let parts: Vec<&str> = line.split('|').map(str::trim).collect();
            let &[group, phrase, marked, unmarked] = parts.as_slice() else { panic!("four parts: {line}") };
            if group == "one of" {
                assert_eq!(exclusive_names(&FoldedSentence::new(marked)).len(), 1, "{marked}");
                assert!(exclusive_names(&FoldedSentence::new(unmarked)).is_empty(), "{unmarked}");
                continue;
            }
            let group = PhraseGroup::read(group).unwrap_or_else(|| panic!("a group: {line}"));
            assert!(FoldedSentence::new(marked).has(group), "{phrase}: {marked}");
            assert!(!FoldedSentence::new(unmarked).has(group), "{phrase}: {unmarked}");
            let bare = phrase.trim_start_matches('~');
            assert!(marked.replace('’', "'").to_lowercase().contains(bare), "{phrase} is not in {marked}");
        }
    }
}
