//! Rules: what the user wants done or never done, from the words they typed.
//!
//! Where a sentence stands counts more than how it is worded: a message sent while the agent works and what was said with a rejection
//! steer, in any language. Elsewhere a sentence must say how something has to be. Only what plainly
//! holds beyond the task is in force at once; the rest is proposed, and becomes a rule when the user confirms it or says it again.
//!
//! Not here: what the words are compared with (`reconcile`), what was typed and what was pasted (`memory`).

use crate::finding::{Comparing, Finding, distilled, evidence, subject};
use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::sentences::sentences;
use crate::titles::{title_of, weight, without_opening};
use crate::transcript::{TranscriptEntry, Turn};
use backstory_memory::{
    Activity, EvidenceKind, Importance, Kind, Provenance, TITLE_CHARS, jaccard, typed_words, words,
};
use backstory_store::OnRepeat;

/// So many sentences of one message become rules.
const MOST_RULES: usize = 3;
/// A sentence with fewer words, or fewer that say something, sets no rule; a longer one is a text.
const FEWEST_WORDS: usize = 3;
const MOST_SENTENCE_CHARS: usize = 320;
/// A message of so many characters says one thing.
const SHORT_MESSAGE: usize = 240;
/// So much of the message around a rule is kept with it.
const MOST_CONTEXT_BYTES: usize = 700;
/// Two prompts this alike are one that was sent again.
const SENT_AGAIN: f64 = 0.5;

/// Where the user said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UserPlace {
    /// In a prompt.
    Prompt,
    /// While the agent worked, or with a rejection.
    Steering,
}

/// Something the user said.
struct UserMessage<'a> {
    entry: &'a TranscriptEntry,
    text: &'a str,
    place: UserPlace,
}

/// How plainly a sentence sets a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RuleClarity {
    /// It may hold for this task only.
    Hint,
    /// It holds beyond this task.
    Plain,
}

/// Returns the rules the user set in a turn; `turns` are all up to it and after it.
pub(super) fn rules(turns: &[Turn<'_>], at: usize) -> Vec<Finding> {
    let Some(turn) = turns.get(at) else { return Vec::new() };
    if is_sent_again(turns, at) {
        return Vec::new();
    }
    messages(turn).iter().flat_map(rules_of).collect()
}

/// Whether the user stopped the turn and sent its prompt again, perhaps reworded: the last one counts.
fn is_sent_again(turns: &[Turn<'_>], at: usize) -> bool {
    match (turns.get(at), turns.get(at + 1)) {
        (Some(turn), Some(next)) => jaccard(turn.prompt(), next.prompt()) >= SENT_AGAIN && turn.is_stopped(),
        _ => false,
    }
}

/// What the user said in a turn, with where.
fn messages<'a>(turn: &Turn<'a>) -> Vec<UserMessage<'a>> {
    let prompt =
        turn.first().map(|entry| UserMessage { entry, text: turn.prompt(), place: UserPlace::Prompt });
    let beside = turn.entries.iter().filter(|entry| entry.body.subagent.is_none()).filter_map(|entry| {
        let text = match entry.activity() {
            Activity::Interjected { text } => text,
            Activity::Rejected { feedback, .. } | Activity::PlanDecided { feedback, .. } => feedback,
            Activity::Answered { options, answer, .. } if !options.contains(answer) => answer,
            _ => return None,
        };
        Some(UserMessage { entry, text, place: UserPlace::Steering })
    });
    prompt.into_iter().chain(beside).filter(|message| !message.text.trim().is_empty()).collect()
}

fn rules_of(message: &UserMessage<'_>) -> Vec<Finding> {
    let typed = typed_words(before_quotation(message.text));
    let all: Vec<&str> = typed.lines().flat_map(sentences).collect();
    let mut set: Vec<RuleSentence<'_>> = Vec::new();
    for (at, sentence) in all.iter().enumerate() {
        let Some(clarity) = clarity(sentence, message.place) else { continue };
        let before = at.checked_sub(1).and_then(|before| all.get(before)).copied();
        set.push(RuleSentence { sentence, before, clarity });
    }
    // A message that sets more than this is the description of a task: its plainest sentences stand for it.
    set.sort_by_key(|one| std::cmp::Reverse(one.clarity));
    // A short message says one thing, in however many sentences.
    set.truncate(if typed.chars().count() <= SHORT_MESSAGE { 1 } else { MOST_RULES });
    set.iter().map(|one| one.finding(message, &typed)).collect()
}

/// Cuts a message where somebody else's text begins: "Here is the issue:" and a paragraph of its own, or a mail.
fn before_quotation(text: &str) -> &str {
    if text.trim_start().starts_with("From:") {
        return "";
    }
    text.split_once(":\n\n").map_or(text, |(before, _)| before)
}

/// A sentence that sets a rule, with the one before it, which may say what it is about.
struct RuleSentence<'a> {
    sentence: &'a str,
    before: Option<&'a str>,
    clarity: RuleClarity,
}

/// Whether a sentence sets a rule, and how plainly.
fn clarity(sentence: &str, place: UserPlace) -> Option<RuleClarity> {
    let said = without_opening(sentence);
    let length = words(said).count();
    let is_sentence = sentence.chars().count() <= MOST_SENTENCE_CHARS && weight(said) >= 2;
    let folded = FoldedSentence::new(sentence);
    let corrects = folded.has(PhraseGroup::Correction);
    if !is_sentence
        || folded.has(PhraseGroup::Curious)
        || is_question(sentence) && !corrects && place == UserPlace::Prompt
    {
        return None;
    }
    let is_long_enough = length >= FEWEST_WORDS || !said.is_ascii();
    match place {
        _ if !is_long_enough => None,
        _ if folded.has(PhraseGroup::Standing) => Some(RuleClarity::Plain),
        UserPlace::Steering if !is_question(sentence) => Some(RuleClarity::Hint),
        // "In the serializers, not in the views": who sets one thing against another, or gives a reason, says how it has to be.
        _ if folded.has(PhraseGroup::Demand)
            || corrects
            || folded.has(PhraseGroup::Cause)
            || sentence.contains(", not ") =>
        {
            Some(RuleClarity::Hint)
        }
        _ => None,
    }
}

/// Whether a sentence asks; a request put as a question ("can you …?") does not.
fn is_question(sentence: &str) -> bool {
    let folded = FoldedSentence::new(without_opening(sentence));
    let is_request = FoldedSentence::new(sentence).begins_with(REQUESTS);
    !is_request && (sentence.trim_end().ends_with(['?', '？']) || folded.begins_with(QUESTION_WORDS))
}

const REQUESTS: &[&str] =
    &["can you", "could you", "would you", "can we", "could we", "ok can you", "ok can we", "please"];
const QUESTION_WORDS: &[&str] = &[
    "is",
    "are",
    "do",
    "does",
    "did",
    "what",
    "how",
    "where",
    "which",
    "who",
    "when",
    "any",
    "will",
    "has",
    "have",
    "was",
    "were",
    "got",
    "am",
    "should",
    "could",
    "would",
    "can",
    "why",
    "was ist",
    "wie",
    "wo",
    "warum",
    "что",
    "как",
    "где",
    "почему",
];

impl RuleSentence<'_> {
    /// The clause that sets the rule, with the sentence before it where it leans on that: "Read the guide. You are supposed to follow it."
    fn title(&self) -> String {
        let said = without_opening(self.sentence);
        let leans =
            weight(said) <= LEANING_WEIGHT && words(said).any(|word| LEANING.contains(&word.as_str()));
        let both = self
            .before
            .filter(|before| leans && weight(before) > 0)
            .map(|before| format!("{} {said}", without_opening(before)));
        if let Some(both) = both.filter(|both| both.chars().count() <= TITLE_CHARS) {
            return title_of(&both);
        }
        if said.chars().count() <= TITLE_CHARS {
            return title_of(said);
        }
        // "Given the load, we should queue it": what leads to the rule is not the rule.
        let is_lead = |clause: &str| FoldedSentence::new(clause).begins_with(SUBORDINATE);
        let stands = |clause: &str| FoldedSentence::new(clause).has(PhraseGroup::Standing);
        match said.split_once(", ") {
            Some((lead, rest)) if is_lead(lead) || !stands(lead) && stands(rest) => {
                title_of(without_opening(rest))
            }
            _ => title_of(said),
        }
    }

    fn finding(&self, message: &UserMessage<'_>, typed: &str) -> Finding {
        // Nobody typed the prompts of an import here: only the user makes rules.
        let provenance = message.entry.provenance.clone();
        let kind = if provenance == Provenance::User { Kind::Rule } else { Kind::Fact };
        // Around the sentence of a long message stand others about other things; of an import, requests that ask for something.
        let context = match () {
            () if kind == Kind::Fact => self.sentence.to_owned(),
            () if typed.len() <= MOST_CONTEXT_BYTES => typed.to_owned(),
            () => self.before.into_iter().chain([self.sentence]).collect::<Vec<_>>().join(" "),
        };
        let mut content = distilled(kind, &self.title(), &context, provenance);
        content.importance = Importance::new(i64::from(content.importance.get()) + 1);
        let spoken = words(self.sentence).collect::<Vec<_>>().join(" ");
        Finding {
            subject: subject("rule", &[spoken.as_bytes()]),
            content,
            events: evidence([message.entry]),
            at: message.entry.at,
            again: OnRepeat::Reinforce,
            comparing: Comparing::Assertion(self.sentence.to_owned()),
            evidence: match self.clarity {
                RuleClarity::Plain => EvidenceKind::Words,
                RuleClarity::Hint => EvidenceKind::Hint,
            },
            relates_to: Vec::new(),
        }
    }
}

/// What opens a clause that leads to the one that counts.
const SUBORDINATE: &[&str] =
    &["given", "if", "with", "when", "since", "as", "because", "for now", "wenn", "weil", "если"];
/// A sentence this light that points at something says too little alone.
const LEANING_WEIGHT: usize = 3;
const LEANING: &[&str] = &["that", "it", "this", "them", "those", "these", "das", "es", "это", "его"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_sets_a_rule_by_where_it_stands_and_what_it_demands() {
        use RuleClarity::{Hint, Plain};
        use UserPlace::{Prompt, Steering};
        for (sentence, place, expected) in [
            ("always branch off main", Prompt, Some(Plain)),
            ("immer zuerst die Tests laufen lassen", Prompt, Some(Plain)),
            ("всегда запускай линтер перед коммитом", Prompt, Some(Plain)),
            ("the status line should be at the bottom", Prompt, Some(Hint)),
            ("use the queue instead of polling", Prompt, Some(Hint)),
            ("why did you change the first migration?", Prompt, Some(Hint)),
            ("can you report the values in seconds instead of ticks?", Prompt, Some(Hint)),
            // In mid-work no word of ours is needed, in any language.
            ("docker runs on the host", Steering, Some(Hint)),
            ("сборка идёт на сервере", Steering, Some(Hint)),
            ("docker runs on the host", Prompt, None),
            ("is it possible to use another database?", Prompt, None),
            ("should we use the queue?", Prompt, None),
            ("i want to understand how it works", Prompt, None),
            ("yes please", Steering, None),
            ("the times are kept in UTC because refunds went out twice", Prompt, Some(Hint)),
            ("commit this", Prompt, None),
            ("add a retry to the uploader", Prompt, None),
        ] {
            assert_eq!(clarity(sentence, place), expected, "{sentence}");
        }
    }
}
