//! Rules: what the user wants done or never done, from the words they typed.
//!
//! Where a sentence stands counts more than how it is worded: a message sent while the agent works and what was said with a rejection
//! steer, in any language. Elsewhere a sentence must say how something has to be. Only what plainly
//! holds beyond the task is in force at once; the rest is proposed, and becomes a rule when the user confirms it or says it again.
//!
//! Not here: what the words are compared with (`reconcile`), what was typed and what was pasted (`memory`).

use crate::finding::{Comparing, Finding, distilled, evidence, subject};
use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::plain::list_item;
use crate::recurrence;
use crate::rejected::Rejected;
use crate::rule_sentence::{RuleClarity, RuleSentence, contrasts, is_question, is_strict};
use crate::rule_title::of_reproach;
use crate::sentences::sentences;
use crate::titles::{begins_with_order, request_title, stands_alone, weight, whole_title, without_opening};
use crate::transcript::{TranscriptEntry, Turn};
use backstory_memory::{
    Activity, EvidenceKind, Importance, Kind, Provenance, RejectionReason, TITLE_CHARS, jaccard, keywords,
    typed_words, words,
};
use backstory_store::OnRepeat;
use std::collections::HashSet;

/// So many sentences of one message become rules.
const MOST_RULES: usize = 3;
/// A sentence with fewer words, or fewer that say something, sets no rule; a longer one is a text.
const FEWEST_WORDS: usize = 3;
const MOST_SENTENCE_CHARS: usize = 320;
/// A message of so many characters says one thing.
const SHORT_MESSAGE: usize = 240;
/// A list of so many items is a description.
const LONG_LIST: usize = 2;
/// Two prompts this alike are one that was sent again.
const SENT_AGAIN: f64 = 0.5;

/// Where the user said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UserPlace {
    /// In a prompt.
    Prompt,
    /// While the agent worked.
    MidWork,
    /// With a rejection, or instead of the options of a question.
    Refusal,
    /// In the prompt after one that the user stopped: it may say why.
    AfterStop,
    /// In the prompt after a call that the user refused without a word: it says what to do instead.
    AfterRefusal,
}

/// Something the user said.
struct UserMessage<'a> {
    entry: &'a TranscriptEntry,
    text: &'a str,
    place: UserPlace,
    /// What the user asked for before it.
    request_before: Option<String>,
}

/// Returns the rules the user set in a turn; `turns` are all up to it and after it. Notes in `rejected` what sets none. Of the prompt
/// only `said` counts: the rest of it was read as something else.
pub(super) fn rules(turns: &[Turn<'_>], at: usize, said: &str, rejected: &mut Vec<Rejected>) -> Vec<Finding> {
    let messages = messages(turns, at, said);
    if is_sent_again(turns, at) {
        rejected.extend(
            messages.iter().map(|message| message.rejected(message.text, RejectionReason::Overtaken)),
        );
        return Vec::new();
    }
    explained(messages.iter().flat_map(|message| rules_of(message, rejected)).collect())
}

/// Puts a hint to the rule of the same turn that speaks of the same thing: "docker is on the host" says why none is to be started here.
fn explained(mut set: Vec<Finding>) -> Vec<Finding> {
    let is_rule = |finding: &Finding| finding.evidence == EvidenceKind::Words;
    let (mut rules, hints): (Vec<Finding>, Vec<Finding>) = set.drain(..).partition(is_rule);
    let mut kept = Vec::new();
    for hint in hints {
        let named: HashSet<String> = keywords(&hint.content.title).into_iter().collect();
        let explains =
            |rule: &&mut Finding| keywords(&rule.content.title).iter().any(|word| named.contains(word));
        match rules.iter_mut().find(explains).filter(|rule| rule.events != hint.events) {
            Some(rule) => {
                let said = hint.content.body.lines().next().unwrap_or_default();
                rule.content.body = format!("{}\n{said}", rule.content.body);
            }
            None => kept.push(hint),
        }
    }
    rules.extend(kept);
    rules
}

/// Returns what plainly holds beyond the task in words that `entry` says the user said.
pub(super) fn standing_rules(entry: &TranscriptEntry, text: &str) -> Vec<Finding> {
    let message = UserMessage { entry, text, place: UserPlace::Prompt, request_before: None };
    let mut set = rules_of(&message, &mut Vec::new());
    set.retain(|finding| finding.evidence == EvidenceKind::Words);
    set
}

/// Whether the user stopped the turn and sent its prompt again, perhaps reworded: the last one counts.
fn is_sent_again(turns: &[Turn<'_>], at: usize) -> bool {
    match (turns.get(at), turns.get(at + 1)) {
        (Some(turn), Some(next)) => jaccard(turn.prompt(), next.prompt()) >= SENT_AGAIN && turn.is_stopped(),
        _ => false,
    }
}

/// What the user said in a turn, with where.
fn messages<'a>(turns: &[Turn<'a>], at: usize, said: &'a str) -> Vec<UserMessage<'a>> {
    let Some(turn) = turns.get(at) else { return Vec::new() };
    let before = at.checked_sub(1).and_then(|before| turns.get(before));
    let place = match before.filter(|before| before.is_stopped()) {
        Some(before) if before.is_refused_silently() => UserPlace::AfterRefusal,
        Some(_) => UserPlace::AfterStop,
        None => UserPlace::Prompt,
    };
    let requested = |turn: &Turn<'_>| {
        request_title(turn.prompt()).filter(|request| request.is_uncut).map(|request| request.title)
    };
    let request_before = before.and_then(requested);
    let prompt = turn.first().map(|entry| UserMessage { entry, text: said, place, request_before });
    let beside = turn.entries.iter().filter(|entry| entry.body.subagent.is_none()).filter_map(|entry| {
        let (text, place) = match entry.activity() {
            Activity::Interjected { text } => (text, UserPlace::MidWork),
            Activity::Rejected { feedback, .. } | Activity::PlanDecided { feedback, .. } => {
                (feedback, UserPlace::Refusal)
            }
            Activity::Answered { options, answer, .. } if !options.contains(answer) => {
                (answer, UserPlace::Refusal)
            }
            _ => return None,
        };
        Some(UserMessage { entry, text, place, request_before: requested(turn) })
    });
    prompt.into_iter().chain(beside).filter(|message| !message.text.trim().is_empty()).collect()
}

impl UserMessage<'_> {
    fn rejected(&self, sentence: &str, reason: RejectionReason) -> Rejected {
        Rejected::new(self.entry, Kind::Rule, sentence, reason)
    }

    /// What a prompt says that begins with a correction of the turn before, and what that was asked: "Not true. The old client works, too".
    fn correction<'s>(&self, all: &[&'s str]) -> Option<RuleSentence<'s>> {
        let first = all.first()?;
        let is_prompt = !matches!(self.place, UserPlace::MidWork | UserPlace::Refusal);
        // A question why is one to an agent that was not stopped; who still sees the wrong one of two things wants the other.
        let is_stopped = matches!(self.place, UserPlace::AfterStop | UserPlace::AfterRefusal);
        let opening = FoldedSentence::new(without_opening(first));
        let blames = is_stopped
            || opening.begins_with(&["stop"])
            || !opening.begins_with(&["why"]) && contrasts(first);
        if let Some(title) = of_reproach(first).filter(|_| is_prompt && blames) {
            return Some(RuleSentence {
                sentence: first,
                before: None,
                clarity: RuleClarity::Hint,
                named: Some(title),
            });
        }
        let asks = |sentence: &str| sentence.trim_end().ends_with(['?', '？']);
        if !is_prompt
            || !FoldedSentence::new(without_opening(first)).opens_with(PhraseGroup::Correction)
            || asks(first)
        {
            return None;
        }
        let own = first.split_once(" - ").map(|(_, rest)| rest).filter(|rest| weight(rest) >= 2);
        let sentence = own
            .or_else(|| all.get(1).copied())
            .filter(|sentence| !asks(sentence) && weight(sentence) >= 2)?;
        let with_subject =
            self.request_before.as_ref().map(|request| format!("{request}: {}", without_opening(sentence)));
        let named = with_subject
            .filter(|title| title.chars().count() <= TITLE_CHARS)
            .or_else(|| whole_title(without_opening(sentence)).filter(|title| stands_alone(title)))?;
        Some(RuleSentence { sentence, before: None, clarity: RuleClarity::Hint, named: Some(named) })
    }

    /// A limit on the work at hand, too short to stand alone: "Rewrite the guide. Avoid jargon."
    fn limit<'s>(&self, sentence: &'s str, beside: usize) -> Option<RuleSentence<'s>> {
        let said = sentence.trim_end_matches(['.', '!', ' ']);
        let is_limit =
            beside > 0 && weight(said) > 0 && words(said).count() < FEWEST_WORDS && contrasts(said);
        let request = request_title(self.text).filter(|request| request.is_order && request.is_uncut)?;
        let named = format!("{}: {}", request.title, said.to_lowercase());
        let fits = is_limit && named.chars().count() <= TITLE_CHARS && stands_alone(&named);
        fits.then_some(RuleSentence {
            sentence,
            before: None,
            clarity: RuleClarity::Hint,
            named: Some(named),
        })
    }

    /// What the message was about, for who decides whether a hint holds for ever: the rest of it, or what the agent worked on.
    fn context(&self, typed: &str, sentence: &str) -> Option<String> {
        let whole = typed.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_more = weight(&whole) > weight(sentence) && whole.chars().count() <= MOST_SENTENCE_CHARS;
        let said = is_more.then(|| format!("Said in: {whole}"));
        let is_prompt = !matches!(self.place, UserPlace::MidWork | UserPlace::Refusal);
        if said.is_some() || is_prompt {
            let request = request_title(self.text).filter(|request| request.is_order && request.is_uncut);
            // What the rule itself says is no context of it.
            let request = request.filter(|request| jaccard(&request.title, sentence) < SENT_AGAIN);
            return said.or_else(|| request.map(|request| format!("Said with: {}", request.title)));
        }
        said.or_else(|| self.request_before.as_ref().map(|request| format!("Asked before: {request}")))
    }

    /// Why a sentence sets no rule; nothing where it says nothing at all.
    fn without_rule(&self, sentence: &str, beside: usize) -> Option<Rejected> {
        if is_question(sentence) {
            return says_something(sentence).then(|| self.rejected(sentence, RejectionReason::Question));
        }
        let mut rejected = self.rejected(sentence, RejectionReason::TaskOrder);
        rejected.steers =
            recurrence::may_steer(sentence, beside) && self.entry.provenance == Provenance::User;
        says_something(sentence).then_some(rejected)
    }
}

fn says_something(sentence: &str) -> bool {
    weight(without_opening(sentence)) >= 2
}

fn rules_of(message: &UserMessage<'_>, rejected: &mut Vec<Rejected>) -> Vec<Finding> {
    let typed = typed_words(before_quotation(message.text));
    let all: Vec<&str> = typed.lines().flat_map(sentences).collect();
    // The items of a long list describe a task, or something that was pasted: of them only what plainly holds counts.
    let is_listed = typed.lines().filter(|line| list_item(line).is_some()).count() >= LONG_LIST;
    let mut set: Vec<RuleSentence<'_>> = Vec::new();
    let beside = all.iter().filter(|sentence| says_something(sentence)).count().saturating_sub(1);
    set.extend(message.correction(&all));
    for (at, sentence) in all.iter().enumerate() {
        let sentence = without_references(sentence);
        if set.iter().any(|one| one.sentence == sentence) {
            continue;
        }
        // The first sentence orders the work itself.
        let beside = if at == 0 { 0 } else { beside };
        if let Some(limit) = message.limit(sentence, beside) {
            set.push(limit);
            continue;
        }
        let Some(clarity) = clarity(sentence, message.place, beside) else {
            rejected.extend(message.without_rule(sentence, beside));
            continue;
        };
        // Nobody typed the prompts of an import here: what may hold for its task only is no fact.
        let is_imported = message.entry.provenance != Provenance::User && !is_strict(sentence);
        if clarity == RuleClarity::Hint && (is_listed || is_imported) {
            rejected.push(message.rejected(sentence, RejectionReason::TaskOrder));
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| all.get(before)).copied();
        set.push(RuleSentence { sentence, before, clarity, named: None });
    }
    // A message that sets more than this is the description of a task: its plainest sentences stand for it, whole ones before torn ones.
    set.sort_by_key(|one| std::cmp::Reverse((one.clarity, one.whole_title().is_some())));
    let has_whole = set.iter().any(|one| one.whole_title().is_some());
    let (mut kept, torn): (Vec<_>, Vec<_>) =
        set.into_iter().partition(|one| !has_whole || one.whole_title().is_some());
    // A short message says one thing, in however many sentences.
    let most = if typed.chars().count() <= SHORT_MESSAGE { 1 } else { MOST_RULES };
    let more = kept.split_off(most.min(kept.len()));
    let (torn, more) = ((torn, RejectionReason::SaysNothing), (more, RejectionReason::OverLimit));
    for (left_out, reason) in [torn, more] {
        rejected.extend(left_out.iter().map(|one| message.rejected(one.sentence, reason)));
    }
    let unnamed = kept.iter().filter(|one| one.title().is_none());
    rejected.extend(unnamed.map(|one| message.rejected(one.sentence, RejectionReason::SaysNothing)));
    kept.iter().filter_map(|one| one.finding(message, &typed)).collect()
}

/// Cuts a message where somebody else's text begins: "Here is the issue:" and a paragraph of its own, or a mail.
fn before_quotation(text: &str) -> &str {
    if text.trim_start().starts_with("From:") {
        return "";
    }
    text.split_once(":\n\n").map_or(text, |(before, _)| before)
}

/// Drops a number of a list and mentioned files before a sentence: "2. @docs/a.md @docs/b.md keep one document".
fn without_references(sentence: &str) -> &str {
    let mut rest = list_item(sentence).unwrap_or(sentence).trim_start();
    while let Some((_, after)) = rest.split_once(' ').filter(|(token, _)| token.starts_with('@')) {
        let after = after.trim_start();
        rest = after.strip_prefix("and ").filter(|next| next.starts_with('@')).unwrap_or(after);
    }
    rest
}

/// Whether a sentence sets a rule, and how plainly; so many of its message say something beside it.
fn clarity(sentence: &str, place: UserPlace, beside: usize) -> Option<RuleClarity> {
    let said = without_opening(sentence);
    let length = words(said).count();
    let is_sentence = sentence.chars().count() <= MOST_SENTENCE_CHARS && weight(said) >= 2;
    let folded = FoldedSentence::new(sentence);
    let corrects = folded.has(PhraseGroup::Correction);
    let is_strict = is_strict(sentence);
    // "did we not say so, you must not start docker": in mid-work a reproach may begin like a question.
    let is_beside_work = matches!(place, UserPlace::MidWork | UserPlace::Refusal);
    let is_reproach = is_beside_work && is_strict && !sentence.trim_end().ends_with(['?', '？']);
    let asks = is_question(sentence) && !is_reproach;
    if !is_sentence || folded.has(PhraseGroup::Curious) || asks {
        return None;
    }
    let is_long_enough = length >= FEWEST_WORDS || !said.is_ascii();
    // "Rebuild the page, only the header should stay" orders a piece of work; what it sets against something else may stay a rule.
    let is_task = !is_beside_work && begins_with_order(said) && !folded.has(PhraseGroup::Reminder);
    // Beside a piece of work it may be said how all of it is to be done, or what has to hold in the end.
    let is_aside = beside > 0 && (sets_manner(&folded) || folded.begins_with(&["ensure", "please ensure"]));
    let demands = match is_task {
        true => contrasts(sentence) || is_aside,
        false => is_strict || folded.has(PhraseGroup::Demand) || is_aside,
    };
    let is_instead =
        place == UserPlace::AfterRefusal && beside == 0 && begins_with_order(sentence) && stands_alone(said);
    match place {
        _ if !is_long_enough => None,
        _ if folded.has(PhraseGroup::Standing) => Some(RuleClarity::Plain),
        UserPlace::MidWork | UserPlace::Refusal if is_strict => Some(RuleClarity::Plain),
        _ if demands || is_instead => Some(RuleClarity::Hint),
        // A correction speaks of what was just done: only in mid-work is it about more than a word.
        UserPlace::MidWork if corrects => Some(RuleClarity::Hint),
        // A refusal steers in whatever words; what is said in mid-work may also be a report.
        UserPlace::Refusal => Some(RuleClarity::Hint),
        UserPlace::MidWork if !folded.has(PhraseGroup::Report) => Some(RuleClarity::Hint),
        _ => None,
    }
}

/// Whether a sentence says how commits, branches or tests are to be made, whatever they are about.
fn sets_manner(sentence: &FoldedSentence) -> bool {
    sentence.has(PhraseGroup::Process)
        && (sentence.has(PhraseGroup::Manner) || sentence.has(PhraseGroup::Order))
}

impl RuleSentence<'_> {
    fn finding(&self, message: &UserMessage<'_>, typed: &str) -> Option<Finding> {
        // Nobody typed the prompts of an import here: only the user makes rules.
        let provenance = message.entry.provenance.clone();
        let kind = if provenance == Provenance::User { Kind::Rule } else { Kind::Fact };
        // The sentences around it order other things: as part of a rule they would be ordered for ever.
        let before = self.before.filter(|_| kind == Kind::Rule && self.leans());
        let mut said = before.into_iter().chain([self.sentence]).collect::<Vec<_>>().join(" ");
        let is_hint = self.clarity == RuleClarity::Hint && kind == Kind::Rule;
        if let Some(context) = message.context(typed, &said).filter(|_| is_hint) {
            said = format!("{said}\n{context}");
        }
        let mut content = distilled(kind, &self.title()?, &said, provenance);
        content.importance = Importance::new(i64::from(content.importance.get()) + 1);
        let spoken = words(self.sentence).collect::<Vec<_>>().join(" ");
        Some(Finding {
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
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_sets_a_rule_by_where_it_stands_and_what_it_demands() {
        use RuleClarity::{Hint, Plain};
        use UserPlace::{MidWork, Prompt, Refusal};
        for (sentence, place, expected) in [
            ("always branch off main", Prompt, Some(Plain)),
            ("immer zuerst die Tests laufen lassen", Prompt, Some(Plain)),
            ("всегда запускай линтер перед коммитом", Prompt, Some(Plain)),
            ("the status line should be at the bottom", Prompt, Some(Hint)),
            ("use the queue instead of polling", Prompt, Some(Hint)),
            ("why did you change the first migration?", Prompt, None),
            ("why did you change the first migration?", MidWork, None),
            ("did we not say so, you must not start docker", MidWork, Some(Plain)),
            ("ensure that the page is current", Prompt, None),
            ("can you report the values in seconds instead of ticks?", Prompt, Some(Hint)),
            // With a refusal and in mid-work no word of ours is needed, in any language.
            ("docker runs on the host", Refusal, Some(Hint)),
            ("docker runs on the host", MidWork, Some(Hint)),
            ("сборка идёт на сервере", MidWork, Some(Hint)),
            ("don't start docker, it runs on the host", MidWork, Some(Plain)),
            // A report in mid-work is none.
            ("getting 500 on every upload", MidWork, None),
            ("docker runs on the host", Prompt, None),
            ("is it possible to use another database?", Prompt, None),
            ("should we use the queue?", Prompt, None),
            ("i want to understand how it works", Prompt, None),
            ("yes please", Refusal, None),
            ("rebuild the page with the new widgets only", Prompt, None),
            ("the times must be in UTC because refunds went out twice", Prompt, Some(Hint)),
            ("commit this", Prompt, None),
            ("add a retry to the uploader", Prompt, None),
        ] {
            assert_eq!(clarity(sentence, place, 0), expected, "{sentence}");
        }
    }
}
