//! What bears on a prompt: recall with the weights for injections.

use super::Injector;
use super::session_start::{HANDOFFS, last_at_work};
use crate::occasion::Occasion;
use crate::{Candidate, GatherResult, Prefetch};
use backstory_capture::FreshnessLimit;
use backstory_distil::is_word_of_reply;
use backstory_memory::{Kind, Memory, first_chars, words};
use backstory_recall::{Hit, ScoreFactor, SearchQuery, Signal};
use backstory_store::{Filter, Scope, StandingFilter, Store};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// How many hits are searched beside those the agent already has: more than fit.
const MOST_HITS: u32 = 48;
/// However many memories the agent has, the search is widened by no more than this.
const MOST_SEEN: usize = 200;
/// The limits of reading the code of hits, which may take longer than all the rest; the best come first.
const TIME_FOR_FRESHNESS: Duration = Duration::from_millis(60);
const MOST_FILES: usize = 16;
/// The factor of a hit whose code changed.
const CHANGED: ScoreFactor = ScoreFactor::Signal(Signal::Freshness);
/// A prompt of so many words may mean nothing but what it is the occasion for.
const SHORT_PROMPT_WORDS: usize = 8;
/// How many changed symbols name the files just edited, and how many memories of those are given.
const TOUCHED_SYMBOLS: u32 = 12;
const TOUCHED_HITS: u32 = 3;
/// A longer prompt says at its beginning what it is about; the rest is pasted.
pub(crate) const MOST_PROMPT_CHARS: usize = 4_000;

impl Injector<'_> {
    /// Finds what bears on a prompt, best first, without what the agent already has.
    ///
    /// A prompt that names no topic may still name an occasion ("commit this"), ask to go on ("continue"), or speak of what the
    /// session just touched ("yes").
    pub(super) fn relevant_to_prompt(&self, prompt: &str) -> GatherResult<Vec<Candidate>> {
        let mut hits = Vec::new();
        if asks_to_go_on(prompt) {
            hits.extend(self.newest_handoff()?);
        }
        let is_short = prompt.split_whitespace().nth(SHORT_PROMPT_WORDS).is_none();
        if is_short {
            hits.extend(self.rules_of_occasion(prompt)?);
        }
        if is_about_something(prompt) {
            hits.extend(self.searched(first_chars(prompt, MOST_PROMPT_CHARS))?);
        } else {
            hits.extend(self.lessons_of_touched_files()?);
        }
        let mut seen = HashSet::new();
        hits.retain(|it| seen.insert(it.memory.id));
        Ok(hits)
    }

    /// Searches with the weights for injections.
    fn searched(&self, prompt: &str) -> GatherResult<Vec<Candidate>> {
        let engine = self.prefetch.and_then(Prefetch::take_engine).unwrap_or_else(|| (self.open_engine)());
        let query = SearchQuery {
            utc_offset_minutes: self.settings.utc_offset_minutes,
            from: Some(self.recipient.project),
            ..SearchQuery::new(prompt, self.now)
        };
        let until = self.until.min(Instant::now() + TIME_FOR_FRESHNESS);
        let probe =
            |memories: &[&Memory]| self.freshness_of(memories, FreshnessLimit { until, files: MOST_FILES });
        let searcher = engine.searcher(self.store).with_freshness(&probe).until(self.until);
        let results = searcher.search(&query, &self.prompt_filter(prompt))?;
        let is_due = |hit: &Hit| self.may_be_repeated(&hit.memory) && !self.waits_for_command(&hit.memory);
        let new = results.hits.into_iter().filter(is_due);
        let candidate = |hit: Hit| Candidate {
            score: hit.score,
            reasons: hit.reasons.describe(),
            changed_since: hit.reasons.factors.iter().any(|(factor, _)| *factor == CHANGED),
            ..self.candidate(hit.memory)
        };
        Ok(new.map(candidate).collect())
    }

    /// Whether a rule of the start block is about a command: it is repeated before that, and not at a prompt that only resembles it.
    fn waits_for_command(&self, memory: &Memory) -> bool {
        let is_at_start = self.recipient.context.only_at_start.contains(&memory.id);
        is_at_start
            && memory.content.kind == Kind::Rule
            && !Occasion::spoken_of(&memory.content.title).is_empty()
    }

    /// The memories of the project; goals only for a prompt that speaks of goals, and no handoff: an old one is not true any more.
    fn prompt_filter(&self, prompt: &str) -> Filter {
        let is_wanted = |kind: &Kind| match kind {
            Kind::Goal => speaks_of_goals(prompt),
            Kind::Handoff => false,
            _ => true,
        };
        let seen = self.recipient.context.memories.len().min(MOST_SEEN);
        Filter {
            kinds: Kind::ALL.into_iter().filter(is_wanted).collect(),
            standing: StandingFilter::Confirmed,
            limit: MOST_HITS.saturating_add(u32::try_from(seen).unwrap_or(0)),
            ..Filter::within(Scope::Project(self.recipient.project))
        }
    }

    /// Returns where the work stands, unless the agent knows.
    fn newest_handoff(&self) -> GatherResult<Option<Candidate>> {
        let newest = |store: &Store| {
            store.search().newest_of_kinds(self.recipient.project, &[Kind::Handoff], HANDOFFS)
        };
        // Chosen before the agent's own context is looked at: an older one in its place would be out of date.
        let last = last_at_work(self.candidates_where("where the work stands", newest, |_| true)?);
        Ok(last.filter(|it| self.is_unseen(&it.memory)))
    }

    /// Returns the rules and facts about the files that the session edited last.
    fn lessons_of_touched_files(&self) -> GatherResult<Vec<Candidate>> {
        let Some(session) = self.recipient.session else { return Ok(Vec::new()) };
        let filter = Filter {
            kinds: vec![Kind::Rule, Kind::Fact],
            standing: StandingFilter::Confirmed,
            limit: TOUCHED_HITS,
            ..Filter::within(Scope::Project(self.recipient.project))
        };
        self.candidates("known about a file just edited", |store| {
            let changes = store.code().changes(self.recipient.project, Some(session), TOUCHED_SYMBOLS)?;
            let mut files: Vec<String> = changes.into_iter().map(|changed| changed.path).collect();
            files.dedup();
            if files.is_empty() { Ok(Vec::new()) } else { store.search().about_files(&files, &filter) }
        })
    }
}

/// Whether a prompt asks to go on with what was begun before.
fn asks_to_go_on(prompt: &str) -> bool {
    const PHRASES: [&str; 9] = [
        "continue",
        "go on",
        "carry on",
        "pick up",
        "where were we",
        "where did we",
        "what is left",
        "what s left",
        "what s next",
    ];
    let said = format!(" {} ", words(first_chars(prompt, 200)).collect::<Vec<_>>().join(" "));
    let is_short = prompt.split_whitespace().nth(SHORT_PROMPT_WORDS + 4).is_none();
    is_short && PHRASES.iter().any(|phrase| said.contains(&format!(" {phrase} ")))
}

/// Whether a prompt says what it is about. "Yes, go on" does not.
pub(crate) fn is_about_something(prompt: &str) -> bool {
    let mut words = prompt.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| {
        let word = word.to_lowercase();
        let is_long_enough = word.chars().count() > 2 || !word.is_ascii();
        is_long_enough && !is_word_of_reply(&word) && !URGING.contains(&word.as_str())
    })
}

/// Words that urge or point, and name no subject, as those of a reply do.
const URGING: [&str; 22] = [
    "not", "good", "correct", "exactly", "resume", "keep", "next", "again", "retry", "try", "done", "stop",
    "wait", "this", "that", "the", "and", "now", "one", "more", "time", "all",
];

/// Whether a prompt speaks of goals.
fn speaks_of_goals(prompt: &str) -> bool {
    let words = prompt.to_lowercase();
    let mut words = words.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        ["goal", "goals", "objective", "objectives", "roadmap", "milestone", "milestones"].contains(&word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_that_only_agrees_has_no_topic() {
        for nothing in [
            "",
            "yes",
            "ok",
            "Yes, go on.",
            "continue",
            "ok do it",
            "Thanks, that is perfect!",
            "👍",
            "y",
            "1",
        ] {
            assert!(!is_about_something(nothing), "{nothing}");
        }
        for something in ["fix the build", "why?! tests", "continue with the parser", "修复它", "deploy"] {
            assert!(is_about_something(something), "{something}");
        }
    }

    #[test]
    fn a_prompt_may_ask_to_go_on() {
        for prompt in ["continue", "Where were we?", "ok, go on with the parser", "what's next?"] {
            assert!(asks_to_go_on(prompt), "{prompt}");
        }
        for prompt in ["fix the build", "Continuous integration fails", ""] {
            assert!(!asks_to_go_on(prompt), "{prompt}");
        }
    }

    #[test]
    fn goals_are_shown_to_prompts_that_mention_them() {
        assert!(speaks_of_goals("What are our goals?") && !speaks_of_goals("Fix the goalkeeper page"));
    }
}
