//! What bears on a prompt: recall with the weights for injections.

use super::Injector;
use crate::{Candidate, GatherResult, Prefetch};
use backstory_capture::FreshnessLimit;
use backstory_memory::{Kind, Memory, MemoryId, first_chars};
use backstory_recall::{ScoreFactor, SearchQuery, Signal};
use backstory_store::{Filter, Scope, StandingFilter};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// How many hits are searched beside those the agent already has: more than fit, because some have faded.
const MOST_HITS: u32 = 48;
/// However many memories the agent has, the search is widened by no more than this.
const MOST_SEEN: usize = 200;
/// The limits of reading the code of hits, which may take longer than all the rest; the best come first.
const TIME_FOR_FRESHNESS: Duration = Duration::from_millis(60);
const MOST_FILES: usize = 16;
/// The factor of a hit whose code changed.
const CHANGED: ScoreFactor = ScoreFactor::Signal(Signal::Freshness);
/// A longer prompt says at its beginning what it is about; the rest is pasted.
pub(crate) const MOST_PROMPT_CHARS: usize = 4_000;

impl Injector<'_> {
    /// Finds what bears on a prompt, best first, without what the agent already has.
    pub(super) fn relevant_to_prompt(&self, prompt: &str) -> GatherResult<Vec<Candidate>> {
        if !is_about_something(prompt) {
            return Ok(Vec::new());
        }
        let prompt = first_chars(prompt, MOST_PROMPT_CHARS);
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
        let ids: Vec<MemoryId> = results.hits.iter().map(|hit| hit.memory.id).collect();
        let unfaded: HashSet<MemoryId> = self.store.search().unfaded(&ids)?.into_iter().collect();
        let unseen = results.hits.into_iter().filter(|hit| self.is_unseen(&hit.memory));
        let unseen = unseen.filter(|hit| hit.memory.content.pinned || unfaded.contains(&hit.memory.id));
        Ok(unseen
            .map(|hit| Candidate {
                score: hit.score,
                reasons: hit.reasons.describe(),
                changed_since: hit.reasons.factors.iter().any(|(factor, _)| *factor == CHANGED),
                ..self.candidate(hit.memory)
            })
            .collect())
    }

    /// The memories of the project; goals only for a prompt that speaks of goals.
    fn prompt_filter(&self, prompt: &str) -> Filter {
        let kinds = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Goal || speaks_of_goals(prompt));
        let seen = self.recipient.context.memories.len().min(MOST_SEEN);
        Filter {
            kinds: kinds.collect(),
            standing: StandingFilter::Confirmed,
            limit: MOST_HITS.saturating_add(u32::try_from(seen).unwrap_or(0)),
            ..Filter::within(Scope::Project(self.recipient.project))
        }
    }
}

/// Whether a prompt says what it is about. "Yes, go on" does not.
pub(crate) fn is_about_something(prompt: &str) -> bool {
    let mut words = prompt.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| {
        let word = word.to_lowercase();
        let is_long_enough = word.chars().count() > 2 || !word.is_ascii();
        is_long_enough && !WORDS_OF_ASSENT.contains(&word.as_str())
    })
}

/// Words that agree or urge, and name no subject.
const WORDS_OF_ASSENT: [&str; 44] = [
    "yes", "yeah", "yep", "nope", "not", "okay", "sure", "fine", "good", "great", "nice", "cool", "perfect",
    "right", "correct", "exactly", "thanks", "thank", "you", "please", "continue", "proceed", "resume",
    "keep", "going", "ahead", "next", "again", "retry", "try", "done", "stop", "wait", "this", "that", "the",
    "and", "now", "one", "more", "time", "lgtm", "all", "hello",
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
    fn goals_are_shown_to_prompts_that_mention_them() {
        assert!(speaks_of_goals("What are our goals?") && !speaks_of_goals("Fix the goalkeeper page"));
    }
}
