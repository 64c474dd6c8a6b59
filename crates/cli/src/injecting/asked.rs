//! What bears on a prompt: recall, with the profile for when nobody asked for memories.

use super::Injecting;
use crate::config::Config;
use crate::engine::{Profile, open_engine, search_query};
use crate::env_vars::Environment;
use crate::explain;
use backstory_capture::FreshnessLimit;
use backstory_hosts::InjectionPoint;
use backstory_inject::{Candidate, GatherError, Gathered};
use backstory_memory::{Kind, Memory, MemoryId, first_chars};
use backstory_recall::{RecallEngine, ScoreFactor, Signal, VectorCache};
use backstory_store::{Filter, Home, Scope};
use std::collections::HashSet;
use std::sync::Mutex;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What is recalled beside what the agent has already: more than fit, since some of it has faded.
const MOST_HITS: u32 = 48;
/// However much the agent has, no more than this is looked at closely.
const MOST_KNOWN: usize = 200;
/// How long the code of hits is looked at, and at how many files: it may take longer than all the rest, and the best come first.
const TIME_TO_LOOK: Duration = Duration::from_millis(60);
const MOST_FILES: usize = 16;
/// What a hit is weighed by whose code is not what it was.
const CHANGED: ScoreFactor = ScoreFactor::Signal(Signal::Freshness);
/// A longer prompt says at its beginning what it is about; what follows is pasted.
const MOST_CHARS: usize = 4_000;

/// An engine that is being opened, and reads the prompt, while the hook does what comes before recall: reading takes about as long.
pub(crate) struct Ahead {
    engine: Mutex<Option<JoinHandle<RecallEngine>>>,
}

impl Ahead {
    /// Begins, where there is a prompt that asks something.
    pub(crate) fn of(
        point: &InjectionPoint,
        config: &Config,
        environment: &Environment,
        home: &Home,
    ) -> Option<Ahead> {
        let InjectionPoint::Prompt { text } = point else { return None };
        if !asks_something(text) {
            return None;
        }
        let (config, environment, home) = (config.clone(), environment.clone(), home.clone());
        let prompt = first_chars(text, MOST_CHARS).to_owned();
        let open = move || {
            let mut engine =
                open_engine(&config, &environment, &home, Profile::Inject, &VectorCache::default());
            engine.encode_ahead(&prompt);
            engine
        };
        let opening = thread::Builder::new().spawn(open).ok()?;
        Some(Ahead { engine: Mutex::new(Some(opening)) })
    }

    /// Returns the engine once it is open; nothing where it was returned before, or came to harm.
    fn engine(&self) -> Option<RecallEngine> {
        self.engine.lock().ok()?.take()?.join().ok()
    }
}

impl Injecting<'_> {
    /// Finds what bears on a prompt, best first, without what the session has.
    pub(super) fn bearing_on(&self, prompt: &str) -> Gathered<Vec<Candidate>> {
        if !asks_something(prompt) {
            return Ok(Vec::new());
        }
        let prompt = first_chars(prompt, MOST_CHARS);
        let open = || {
            open_engine(self.config, self.environment, self.home, Profile::Inject, &VectorCache::default())
        };
        let engine = self.ahead.and_then(Ahead::engine).unwrap_or_else(open);
        let query = search_query(prompt, self.now, Some(self.to.project));
        let kinds = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Goal || speaks_of_goals(prompt));
        let known = self.to.in_view.memories.len().min(MOST_KNOWN);
        let filter = Filter {
            kinds: kinds.collect(),
            limit: MOST_HITS.saturating_add(u32::try_from(known).unwrap_or(0)),
            ..Filter::within(Scope::Project(self.to.project))
        };
        let until = self.until.min(Instant::now() + TIME_TO_LOOK);
        let look =
            |memories: &[&Memory]| self.freshness_of(memories, FreshnessLimit { until, files: MOST_FILES });
        let failed = |error: backstory_store::StoreError| GatherError::from_error(&error);
        let recall = engine.searcher(self.store).with_freshness(&look).until(self.until);
        let answer = recall.search(&query, &filter).map_err(failed)?;
        let ids: Vec<MemoryId> = answer.hits.iter().map(|hit| hit.memory.id).collect();
        let unfaded: HashSet<MemoryId> = self.store.unfaded(&ids).map_err(failed)?.into_iter().collect();
        let news = answer.hits.into_iter().filter(|hit| self.is_news(&hit.memory));
        let news = news.filter(|hit| hit.memory.content.pinned || unfaded.contains(&hit.memory.id));
        Ok(news
            .map(|hit| Candidate {
                score: hit.score,
                reasons: explain::words(&hit.reasons),
                changed_since: hit.reasons.factors.iter().any(|(factor, _)| *factor == CHANGED),
                ..self.told(hit.memory)
            })
            .collect())
    }
}

/// Whether a prompt says what it is about. Who answers "yes, go on" has asked nothing.
fn asks_something(prompt: &str) -> bool {
    let mut words = prompt.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| {
        let word = word.to_lowercase();
        let is_long_enough = word.chars().count() > 2 || !word.is_ascii();
        is_long_enough && !SAYS_NOTHING.contains(&word.as_str())
    })
}

/// Words that answer or urge, and are about nothing by themselves.
const SAYS_NOTHING: [&str; 44] = [
    "yes", "yeah", "yep", "nope", "not", "okay", "sure", "fine", "good", "great", "nice", "cool", "perfect",
    "right", "correct", "exactly", "thanks", "thank", "you", "please", "continue", "proceed", "resume",
    "keep", "going", "ahead", "next", "again", "retry", "try", "done", "stop", "wait", "this", "that", "the",
    "and", "now", "one", "more", "time", "lgtm", "all", "hello",
];

/// Whether a prompt speaks of what is to be reached.
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
    fn who_only_agrees_asks_nothing() {
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
            assert!(!asks_something(nothing), "{nothing}");
        }
        for something in ["fix the build", "why?! tests", "continue with the parser", "修复它", "deploy"] {
            assert!(asks_something(something), "{something}");
        }
    }

    #[test]
    fn goals_are_for_who_speaks_of_them() {
        assert!(speaks_of_goals("What are our goals?") && !speaks_of_goals("Fix the goalkeeper page"));
    }
}
