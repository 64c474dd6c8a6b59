//! What was made of a session's turns so far: what its summary and its handoff are put together from.

use super::compaction;
use super::finding::Finding;
use super::transcript::Turn;
use crate::left_to_user::{is_offer, left_to_user};
use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::plain::{LineShape, is_addressed, is_for_user, lines};
use crate::sentences::sentences;
use crate::tasks::SessionTasks;
use crate::titles::{
    begins_pointing, begins_with_order, claims, leads_to_list, title_of, title_of_approved, title_of_plan,
    title_of_request, uncut_title, weight, with_file_names, without_opening,
};
use backstory_memory::{Activity, Kind, Memory, WantedWords, keywords, typed_words, words};
use std::collections::HashSet;

/// What the turns of a session say.
pub(super) struct SessionNotes<'a> {
    pub(super) findings: &'a [Finding],
    /// What earlier runs found stated.
    pub(super) stated_before: &'a [Memory],
    pub(super) tasks: &'a SessionTasks,
    pub(super) turns: &'a [Turn<'a>],
}

/// A list of what is left that is longer than this is a plan of its own.
const MOST_STEPS: usize = 6;

const MOST_REQUEST_CHARS: usize = 240;
const MOST_CLOSING_CHARS: usize = 320;

/// Returns as many whole sentences of a text as fit, at least the first, cut between words.
fn whole_sentences(text: &str, most: usize) -> String {
    let mut kept = String::new();
    for sentence in sentences(text) {
        if !kept.is_empty() && kept.chars().count() + sentence.chars().count() >= most {
            break;
        }
        kept = format!("{kept} {sentence}");
    }
    let kept = kept.trim();
    match kept.char_indices().nth(most).and_then(|(end, _)| kept.get(..end)?.rsplit_once(' ')) {
        Some((head, _)) => format!("{head} …"),
        None => kept.to_owned(),
    }
}

impl SessionNotes<'_> {
    /// The titles of the findings of some kinds, in order, each once.
    pub(super) fn titles(&self, kinds: &[Kind]) -> Vec<String> {
        let before = self.stated_before.iter().map(|memory| &memory.content);
        let all = before.chain(self.findings.iter().map(|finding| &finding.content));
        let mut titles: Vec<String> = Vec::new();
        for content in all.filter(|content| kinds.contains(&content.kind)) {
            if !titles.contains(&content.title) {
                titles.push(content.title.clone());
            }
        }
        titles
    }

    /// What comes next: tasks that wait, else what the last message lists as left, else a plan nobody has begun.
    pub(super) fn next_steps(&self) -> Vec<String> {
        if !self.tasks.open.is_empty() {
            return self.tasks.open.clone();
        }
        let pending = self.pending();
        if !pending.is_empty() {
            return pending;
        }
        let said = self.said_to_be_left();
        if !said.is_empty() {
            return said;
        }
        self.approved_step().into_iter().collect()
    }

    /// The plan the user approved, if nobody has begun it: that is the first edit after it was approved.
    pub(super) fn approved_step(&self) -> Option<String> {
        let entries: Vec<_> = self.turns.iter().flat_map(|turn| turn.entries).collect();
        let is_plan =
            |activity: &Activity| matches!(activity, Activity::PlanDecided { is_approved: true, .. });
        let approved = entries.iter().rposition(|entry| is_plan(entry.activity())).unwrap_or_default();
        let is_edit = |activity: &Activity| matches!(activity, Activity::Edited { .. });
        let is_begun = entries.iter().skip(approved).any(|entry| is_edit(entry.activity()));
        let plan = self.tasks.approved_plan.as_deref().filter(|_| !is_begun).and_then(title_of_approved);
        plan.map(|plan| format!("Carry out the plan: {plan}"))
    }

    /// What the agent left to the user when it closed.
    pub(super) fn waits_for_user(&self) -> Vec<String> {
        // An answer to a question says what to do, too.
        let last = self.turns.last().filter(|turn| turn.did_something());
        last.and_then(Turn::closing).map(|(_, message)| left_to_user(message)).unwrap_or_default()
    }

    /// What the host's summary lists as left, without what was done all the same.
    fn pending(&self) -> Vec<String> {
        let worked = self.titles(&[Kind::Feature, Kind::Bugfix, Kind::Refactor, Kind::Change]);
        let done = self.tasks.done.iter().chain(&worked);
        let is_done = |step: &String| done.clone().any(|done| WantedWords::new(step).are_in(done));
        compaction::pending(self.turns).into_iter().filter(|step| !is_done(step)).collect()
    }

    /// What the agent listed as left, or a subagent where the agent lists nothing, unless something was done since.
    fn said_to_be_left(&self) -> Vec<String> {
        for turn in self.turns.iter().rev() {
            let closing = turn.closing().map(|(_, message)| message);
            let messages = closing.into_iter().chain(turn.results_of_subagents());
            let left = messages.map(listed_as_left).find(|left| !left.is_empty());
            if left.is_some() || !turn.edited().is_empty() {
                return left.unwrap_or_default();
            }
        }
        Vec::new()
    }

    /// What was begun and not finished: tasks, and a request whose turn was stopped or has not ended.
    pub(super) fn in_flight(&self) -> Vec<String> {
        let is_open = self.turns.last().is_some_and(|turn| turn.is_stopped() || turn.closing().is_none());
        // What was decided by an answer is what is being carried out; the answer itself says little.
        let decided = self.decided_last();
        let request = decided.or_else(|| self.last_words_of_user());
        let request = request.filter(|_| is_open && self.tasks.started.is_empty());
        let running = self.turns.last().map(Turn::still_running).unwrap_or_default();
        let running = running.into_iter().map(|(_, call)| still_running(&call));
        self.tasks.started.iter().cloned().chain(request).chain(running).collect()
    }

    /// What the last prompt was about, where it set a rule or reported a problem.
    pub(super) fn subject_of_last(&self) -> Option<String> {
        let prompted = self.turns.last()?.first()?;
        let is_of_last = |finding: &&Finding| finding.events.contains(&prompted.id);
        let is_stated = |finding: &&Finding| matches!(finding.content.kind, Kind::Rule | Kind::Fact);
        let stated = self.findings.iter().filter(is_of_last).find(is_stated);
        let earlier = || {
            let is_of_last = |memory: &&Memory| memory.created_at >= prompted.at;
            let is_stated = |memory: &&Memory| matches!(memory.content.kind, Kind::Rule | Kind::Fact);
            self.stated_before
                .iter()
                .filter(is_of_last)
                .find(is_stated)
                .map(|memory| memory.content.title.clone())
        };
        stated.map(|finding| finding.content.title.clone()).or_else(earlier)
    }

    /// What the last prompt decided by an answer.
    fn decided_last(&self) -> Option<String> {
        let prompted = self.turns.last()?.first()?;
        let decisions = self.findings.iter().filter(|finding| {
            finding.content.kind == Kind::Decision && finding.events.contains(&prompted.id)
        });
        let titles: Vec<&str> = decisions.map(|finding| finding.content.title.as_str()).collect();
        (!titles.is_empty()).then(|| titles.join("; "))
    }

    /// What the user asked for last, in their own words.
    pub(super) fn last_words_of_user(&self) -> Option<String> {
        let sets_rule = |text: &str| FoldedSentence::new(text).has(PhraseGroup::Standing);
        let request_of = |turn: &Turn<'_>| {
            let title = title_of_request(turn.prompt()).filter(|request| !sets_rule(request))?;
            // A plan that was sent as a prompt is named by its heading; what was pasted says nothing of what is wanted.
            let typed = typed_words(turn.prompt()).split_whitespace().collect::<Vec<_>>().join(" ");
            let whole = whole_sentences(&typed, MOST_REQUEST_CHARS);
            Some(if title_of_plan(turn.prompt()).is_some() || whole.is_empty() { title } else { whole })
        };
        self.turns.iter().rev().find_map(request_of)
    }

    /// How the agent closed the last turn, unless it only asked something.
    pub(super) fn closing_words(&self) -> Option<String> {
        let (_, message) = self.turns.last().and_then(Turn::closing)?;
        let lines = lines(message);
        // Lists say what was changed, which git tells; they count only where nothing else is said.
        let said_in = |shape: LineShape| {
            let spoken =
                lines.iter().filter(|line| line.shape == shape).flat_map(|line| sentences(&line.text));
            // What ends with a colon only leads to a list.
            let said = spoken.filter(|said| !said.ends_with(':') && weight(said) >= 2 && !is_for_user(said));
            Some(said.collect::<Vec<_>>().join(" ")).filter(|said| weight(said) >= 3)
        };
        let said = said_in(LineShape::Text).or_else(|| said_in(LineShape::Item))?;
        Some(whole_sentences(&said, MOST_CLOSING_CHARS)).filter(|said| weight(said) >= 3)
    }

    /// What the agent says it did in the last turn, if that changed something.
    pub(super) fn claimed_last(&self) -> Option<String> {
        let turn = self.turns.last().filter(|turn| !turn.edited().is_empty())?;
        claims(turn.closing()?.1).into_iter().next()
    }

    /// The first item of the last turn's list that says what was done.
    pub(super) fn claimed_in_list(&self) -> Option<String> {
        let (_, message) = self.turns.last()?.closing()?;
        let items = lines(message).into_iter().filter(|line| line.shape == LineShape::Item);
        items.filter_map(|line| claims(line.text.rsplit(": ").next()?).into_iter().next()).next()
    }

    /// The sentence of the closing message that says most of what was asked for and what was edited.
    pub(super) fn sentence_about_request(&self) -> Option<String> {
        let turn = self.turns.last()?;
        let (_, message) = turn.closing()?;
        let lines = lines(message);
        let spoken = lines.iter().filter(|line| line.shape == LineShape::Text && !is_addressed(&line.text));
        let titles = spoken
            .flat_map(|line| sentences(&line.text))
            .filter(|said| !is_addressed(said))
            .filter_map(|said| {
                let is_addressed =
                    words(said).any(|word| matches!(word.as_str(), "you" | "your" | "you'll" | "i'll"));
                let said = without_opening(said);
                let title = uncut_title(&with_file_names(said))
                    .filter(|_| !leads_to_list(said) && !begins_with_order(said))?;
                (weight(&title) >= 3 && !is_addressed && !begins_pointing(&title)).then_some(title)
            });
        let request = self.last_words_of_user().unwrap_or_default();
        let requested: HashSet<String> = keywords(&request).into_iter().collect();
        let edited: HashSet<String> = turn.edited().into_iter().flat_map(keywords).collect();
        let in_common = |title: &str, of: &HashSet<String>| {
            keywords(title).iter().filter(|word| of.contains(*word)).count()
        };
        let shared = |title: &String| (in_common(title, &requested), in_common(title, &edited));
        let rated: Vec<((usize, usize), String)> = titles.map(|title| (shared(&title), title)).collect();
        // Of equals the first: `max_by_key` would take the last.
        rated.into_iter().rev().max_by_key(|(shared, _)| *shared).map(|(_, title)| title)
    }

    /// What the agent asked last and nobody answered.
    pub(super) fn questions(&self) -> Vec<String> {
        let Some((_, message)) = self.turns.last().and_then(Turn::closing) else { return Vec::new() };
        let lines = lines(message);
        let last = lines.last().and_then(|line| sentences(&line.text).last().map(|last| (*last).to_owned()));
        let question = last.filter(|last| last.ends_with('?') && weight(last) >= 3 && !is_offer(last));
        question.map(|question| format!("{}?", title_of(&question))).into_iter().collect()
    }

    /// What the user put off until something else has happened, and no turn did since.
    fn put_off(&self) -> Vec<String> {
        let worked = self.titles(&[Kind::Feature, Kind::Bugfix, Kind::Refactor, Kind::Change]);
        let is_done = |request: &String| worked.iter().any(|done| WantedWords::new(request).are_in(done));
        let waits = self.turns.iter().filter(|turn| {
            let folded = FoldedSentence::new(turn.prompt());
            let is_put_off = folded.begins_with(&["after", "once", "when", "as soon as", "sobald", "после"]);
            is_put_off && !turn.prompt().contains('?') && !turn.did_something() && turn.closing().is_some()
        });
        waits.filter_map(|turn| title_of_request(turn.prompt())).filter(|request| !is_done(request)).collect()
    }

    /// Decisions after which nothing was changed.
    pub(super) fn undone_decisions(&self) -> Vec<String> {
        let last_change =
            self.turns.iter().rev().filter(|turn| !turn.edited().is_empty()).find_map(Turn::last);
        let is_undone = |finding: &&Finding| {
            finding.content.kind == Kind::Decision && last_change.is_none_or(|last| last.at < finding.at)
        };
        let decided = self.findings.iter().filter(is_undone).map(|finding| finding.content.title.clone());
        decided.chain(self.put_off()).collect()
    }

    /// What was done last.
    pub(super) fn last_work(&self) -> Option<&Finding> {
        let is_work =
            |finding: &&Finding| finding.content.kind.is_work() && finding.content.kind != Kind::Discovery;
        self.findings.iter().filter(is_work).max_by_key(|finding| finding.at)
    }
}

/// Says of a tool call that nobody knows how it ended.
pub(super) fn still_running(call: &str) -> String {
    format!("{call}{STILL_RUNNING}")
}

/// Whether it says that of a tool call.
pub(super) fn is_still_running(begun: &str) -> bool {
    begun.ends_with(STILL_RUNNING)
}

const STILL_RUNNING: &str = " was still running when the session ended";

/// Returns the items of a message under a heading that says they are left, and what stands behind "next step:".
fn listed_as_left(message: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_under = false;
    for line in lines(message) {
        let is_lead =
            line.shape == LineShape::Heading || line.shape == LineShape::Text && line.text.ends_with(':');
        match line.shape {
            _ if is_lead => is_under = is_next(&line.text),
            LineShape::Item if is_under => found.push(title_of(&line.text)),
            _ => {
                is_under = false;
                found.extend(sentences(&line.text).into_iter().filter_map(named_step));
            }
        }
    }
    found.retain(|step| weight(step) >= 2);
    // Several commands to choose from are a menu.
    if found.iter().filter(|step| step.starts_with('/')).count() > 1 {
        found.retain(|step| !step.starts_with('/'));
    }
    if found.len() > MOST_STEPS { Vec::new() } else { found }
}

/// Whether a heading says that what follows is left; one that says more is about something else.
fn is_next(heading: &str) -> bool {
    FoldedSentence::new(heading).has(PhraseGroup::Next) && weight(heading) <= 3
}

/// "Next step: add the page".
fn named_step(sentence: &str) -> Option<String> {
    let (lead, step) = sentence.split_once(": ")?;
    is_next(lead).then(|| title_of(step))
}
