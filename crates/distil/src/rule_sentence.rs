//! One sentence that may set a rule: whether it forbids, demands or asks, and the clause of it that titles the rule.
//!
//! Not here: where it stands and what that makes of it (`user_rules`), the form of the title (`rule_title`).

use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::rule_title::normal_form;
use crate::titles::{title_of, weight, whole_title, without_opening};
use backstory_memory::{TITLE_CHARS, words};

/// How plainly a sentence sets a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RuleClarity {
    /// It may hold for this task only.
    Hint,
    /// It holds beyond this task.
    Plain,
}

/// A sentence that sets a rule, with the one before it, which may say what it is about.
pub(super) struct RuleSentence<'a> {
    pub(super) sentence: &'a str,
    pub(super) before: Option<&'a str>,
    pub(super) clarity: RuleClarity,
    /// Its title, where it is not made of the sentence alone.
    pub(super) named: Option<String>,
}

impl RuleSentence<'_> {
    /// The clause that sets the rule. A hint without a whole one is not worth a torn title.
    pub(super) fn title(&self) -> Option<String> {
        if let Some(named) = &self.named {
            return Some(named.clone());
        }
        let torn = || {
            (self.clarity == RuleClarity::Plain)
                .then(|| title_of(setting_clause(without_opening(self.sentence))))
        };
        self.whole_title().or_else(torn)
    }

    /// The clause that sets the rule, if it fits, with the sentence before it where it leans on that: "Read the guide. You are supposed
    /// to follow it."
    pub(super) fn whole_title(&self) -> Option<String> {
        let said = without_opening(self.sentence);
        let leans = self.leans();
        let before = self.before.filter(|before| leans && weight(before) > 0 && !is_question(before));
        let before = before.map(without_opening);
        let both = before.map(|before| format!("{before} {said}"));
        if let Some(both) = both.filter(|both| both.chars().count() <= TITLE_CHARS) {
            return Some(title_of(&both));
        }
        let formed = normal_form(self.sentence);
        let clause = normal_form(setting_clause(&formed));
        let clause = clause.strip_prefix("to ").unwrap_or(&clause);
        // "If the users log in again, …" cut after its first clause says nothing.
        let is_torn = clause.chars().count() > TITLE_CHARS
            && FoldedSentence::new(clause).opens_with(PhraseGroup::Subordinate);
        let points = leans && weight(said) <= LEANING_WEIGHT || points_at_task(clause);
        whole_title(clause).filter(|_| !(is_torn || points && self.clarity == RuleClarity::Hint))
    }

    /// Whether it points at something that was said before it.
    pub(super) fn leans(&self) -> bool {
        words(without_opening(self.sentence)).any(|word| LEANING.contains(&word.as_str()))
    }
}

/// Whether a sentence sets one way of doing something against another.
pub(super) fn contrasts(sentence: &str) -> bool {
    FoldedSentence::new(sentence).has(PhraseGroup::Contrast) || sentence.contains(", not ")
}

/// Whether a sentence forbids or demands something, or sets one thing against another.
pub(super) fn is_strict(sentence: &str) -> bool {
    FoldedSentence::new(sentence).has(PhraseGroup::Strict) || contrasts(sentence)
}

/// Whether a sentence asks; a request put as a question ("can you …?") does not.
pub(super) fn is_question(sentence: &str) -> bool {
    let folded = FoldedSentence::new(without_opening(sentence));
    let is_request = FoldedSentence::new(sentence).begins_with(REQUESTS) || folded.begins_with(&["do not"]);
    !is_request && (sentence.trim_end().ends_with(['?', '？']) || folded.opens_with(PhraseGroup::Asking))
}

const REQUESTS: &[&str] =
    &["can you", "could you", "would you", "can we", "could we", "ok can you", "ok can we", "please"];
/// Drops clauses that only lead to the one that sets the rule: "We cleaned it up, please avoid globals", "Given the load, we should queue it".
fn setting_clause(said: &str) -> &str {
    let sets = |clause: &str| {
        let folded = FoldedSentence::new(clause);
        [PhraseGroup::Standing, PhraseGroup::Strict, PhraseGroup::Contrast, PhraseGroup::Demand]
            .iter()
            .any(|group| folded.has(*group))
    };
    let is_lead =
        |clause: &str| !sets(clause) || FoldedSentence::new(clause).opens_with(PhraseGroup::Subordinate);
    let goes_on = |clause: &str| FoldedSentence::new(clause).opens_with(PhraseGroup::ClauseGoesOn);
    let ends = [", ", " - ", "; "];
    let first = ends.iter().filter_map(|end| said.split_once(end)).min_by_key(|(lead, _)| lead.len());
    match first {
        Some((lead, rest))
            if is_lead(lead) && !goes_on(rest) && sets(rest) && weight(rest) >= LEANING_WEIGHT =>
        {
            setting_clause(without_opening(rest))
        }
        _ => said,
    }
}

/// Whether a clause speaks of something at hand, which nobody knows next week. What "them" stands for further on was named before it.
fn points_at_task(clause: &str) -> bool {
    let points = |word: &String| matches!(word.as_str(), "this" | "these" | "those");
    let leads = |word: String| matches!(word.as_str(), "them" | "they" | "that");
    words(clause).any(|word| points(&word)) || words(clause).take(LEADING_WORDS).any(leads)
}

const LEADING_WORDS: usize = 3;

/// A sentence this light that points at something says too little alone.
const LEANING_WEIGHT: usize = 3;
const LEANING: &[&str] = &["that", "it", "this", "them", "those", "these", "they", "das", "es", "это", "его"];
