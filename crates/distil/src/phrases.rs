//! The few words that mark what a sentence is: a rule, a correction, a cause. All of them are rows of `phrases.txt`.
//!
//! A phrase is weak evidence: where a sentence stands and who said it count for more (`user_rules`). Not here: what follows from a phrase.

use std::sync::OnceLock;

/// What a phrase says about its sentence. Each has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PhraseGroup {
    /// It holds beyond this task: "from now on".
    Standing,
    /// It demands something, of this task or for good: "should", "has to".
    Demand,
    /// It demands strictly: "must", "ensure".
    Strict,
    /// It prefers one way to another: "exactly", "don't".
    Contrast,
    /// It corrects the agent: "that's not".
    Correction,
    /// It asks for an explanation or for work, and sets no rule: "want to understand".
    Curious,
    /// It gives a cause: "because".
    Cause,
    /// A heading above a cause: "root cause".
    CauseHeading,
    /// It begins a report of what goes wrong: "seeing".
    Report,
    /// A heading above what is left to do: "next steps".
    Next,
    /// A heading above what failed: "errors".
    Failing,
    /// A heading above the user's words: "user messages".
    Quoted,
    /// It says that something was fixed: "resolved".
    Fixed,
    /// It is about a tool of the agent: "edit tool".
    OwnTool,
    /// It says when something is to be done: "before".
    Order,
    /// It says that the tests pass.
    TestsPass,
    /// It says that the work is committed.
    Committed,
    /// It says that the work is pushed.
    Pushed,
    /// It begins with consent: "yes".
    Assent,
    /// It begins with a refusal: "no".
    Decline,
    /// It begins politely: "please".
    Courtesy,
    /// It proposes what nobody has decided: "should consider".
    Proposal,
    /// It proposes something, or reports a proposal that was accepted: "recommended".
    Suggestion,
    /// It holds for that day only: "uncommitted".
    Momentary,
    /// A heading above the reasons: "motivation".
    Reason,
    /// It is about a step that all work on code has: "commits", "branch".
    Process,
    /// It says how something is to be done: "by", "via".
    Manner,
    /// It begins with the condition of a rule: "every time".
    Condition,
    /// A heading above a list of files or of checks: "verification".
    FileList,
    /// It reminds: "keep in mind".
    Reminder,
    /// It begins with what the user does not want done: "I do not want to".
    Unwanted,
    /// It begins with what the user can do without: "I do not need to".
    Unneeded,
    /// How an agent asks whether to go on with something.
    Offer,
    /// How an agent says what the user has to do.
    LeftToUser,
    /// Headings of the way a plan takes.
    Approach,
    /// How somebody begins who wants something no longer done.
    Reproach,
    /// How a question begins.
    Asking,
    /// What opens a clause that leads to the one that counts.
    Subordinate,
    /// What opens a clause that needs the one before it.
    ClauseGoesOn,
    /// How an answer begins that only lets the agent go on.
    GoesOn,
    /// How a sentence begins in which an agent tells the user what to do.
    Instruction,
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
            "offer" => PhraseGroup::Offer,
            "left to user" => PhraseGroup::LeftToUser,
            "approach" => PhraseGroup::Approach,
            "reproach" => PhraseGroup::Reproach,
            "asking" => PhraseGroup::Asking,
            "subordinate" => PhraseGroup::Subordinate,
            "clause goes on" => PhraseGroup::ClauseGoesOn,
            "goes on" => PhraseGroup::GoesOn,
            "instruction" => PhraseGroup::Instruction,
            _ => return None,
        })
    }
}

struct PhraseRow {
    group: PhraseGroup,
    /// Between blanks, so that whole words match; without them in a script that has no spaces.
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

/// Whether a word, in lower case, agrees, declines or is polite. Such a word names no subject.
#[must_use]
pub fn is_word_of_reply(word: &str) -> bool {
    is_word_of_assent(word) || is_word_in(PhraseGroup::Decline, word)
}

/// Whether a word, in lower case, agrees or is polite.
pub(super) fn is_word_of_assent(word: &str) -> bool {
    is_word_in(PhraseGroup::Assent, word) || is_word_in(PhraseGroup::Courtesy, word)
}

fn is_word_in(group: PhraseGroup, word: &str) -> bool {
    phrases_of(group).flat_map(str::split_whitespace).any(|known| known == word)
}

/// Names that exclude each other: a project uses one of a group, `npm` or `pnpm`.
fn exclusive_groups() -> &'static [Vec<&'static str>] {
    static GROUPS: OnceLock<Vec<Vec<&'static str>>> = OnceLock::new();
    GROUPS.get_or_init(|| {
        let rows = include_str!("phrases.txt").lines().filter_map(|line| line.strip_prefix("one of |"));
        rows.map(|row| row.split('|').next().unwrap_or_default().split(',').map(str::trim).collect())
            .collect()
    })
}

/// Returns the names in a sentence that exclude others.
pub(super) fn exclusive_names(sentence: &FoldedSentence) -> Vec<&'static str> {
    let named = |name: &&&'static str| sentence.0.contains(&format!(" {name} "));
    exclusive_groups().iter().flatten().filter(named).copied().collect()
}

/// Whether two sentences name different members of a group, each exactly one.
pub(super) fn exclude_each_other(one: &[&str], other: &[&str]) -> bool {
    exclusive_groups().iter().any(|group| {
        let of = |names: &[&str]| -> Vec<String> {
            names.iter().filter(|name| group.contains(name)).map(|name| (*name).to_owned()).collect()
        };
        matches!((of(one).as_slice(), of(other).as_slice()), ([one], [other]) if one != other)
    })
}

/// A sentence in lower case, with one blank around each word: the form in which phrases are searched.
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
                // Further on in a sentence the same words say something else.
                PhraseGroup::Report
                | PhraseGroup::Assent
                | PhraseGroup::Decline
                | PhraseGroup::Courtesy
                | PhraseGroup::Condition
                | PhraseGroup::Reproach
                | PhraseGroup::Asking
                | PhraseGroup::Subordinate
                | PhraseGroup::ClauseGoesOn
                | PhraseGroup::GoesOn
                | PhraseGroup::Instruction
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
