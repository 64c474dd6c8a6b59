//! What bears on a prompt: recall with the weights for injections.

use super::Injector;
use super::session_start::{HANDOFFS, last_at_work};
use super::tool::text_of;
use crate::file_kind::names_file;
use crate::occasion::Occasion;
use crate::{Candidate, GatherResult, Prefetch};
use backstory_capture::{FreshnessLimit, body_of};
use backstory_distil::is_word_of_reply;
use backstory_memory::{Activity, Kind, Memory, Provenance, first_chars, words};
use backstory_recall::{Hit, ScoreFactor, SearchQuery, Signal};
use backstory_store::{Filter, Scope, StandingFilter, Store, StoredEvent};
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
/// A request of so many words may mean nothing but what it is the occasion for. In a long text the last line is not what it asks for.
const SHORT_PROMPT_WORDS: usize = 8;
const MOST_SPOKEN_WORDS: usize = 60;
/// How far the files just edited are looked for, how many count, and how many memories of those are given.
const LATEST_EVENTS: u32 = 24;
const TOUCHED_FILES: usize = 6;
const TOUCHED_HITS: u32 = 3;
/// Of many commands the last ones say what a turn came to.
const LAST_COMMANDS: usize = 3;
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
        if let Some(request) = closing_request(prompt) {
            hits.extend(self.known_of_occasion(request)?);
        }
        if is_about_something(prompt) {
            hits.extend(self.searched(first_chars(prompt, MOST_PROMPT_CHARS))?);
        } else {
            hits.extend(self.lessons_of_last_turn()?);
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

    /// Returns what is known of the commands that the session ran last and of the files it edited last, or that its agent just spoke of:
    /// "yes" is said to that.
    fn lessons_of_last_turn(&self) -> GatherResult<Vec<Candidate>> {
        let Some(session) = self.recipient.session else { return Ok(Vec::new()) };
        let read = || self.store.events().latest(session, LATEST_EVENTS);
        let last = LastTurn::of_events(&self.store.read_until(self.until, read)?);
        let mut known = self.known_of_files(&last.files)?;
        for command in &last.commands {
            known.extend(self.memories_of_command(command)?);
        }
        let mut seen = HashSet::new();
        known.retain(|it| seen.insert(it.memory.id));
        known.truncate(TOUCHED_HITS as usize);
        Ok(known)
    }

    /// Returns the rules, the facts and the user's decisions about files.
    fn known_of_files(&self, files: &[String]) -> GatherResult<Vec<Candidate>> {
        let filter = Filter {
            kinds: vec![Kind::Rule, Kind::Fact, Kind::Decision],
            standing: StandingFilter::Confirmed,
            limit: TOUCHED_HITS,
            ..Filter::within(Scope::Project(self.recipient.project))
        };
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let mut known = self.candidates("known about a file just edited", |store| {
            store.search().about_files(files, &filter)
        })?;
        known.retain(|it| it.memory.content.kind != Kind::Decision || is_of_user(&it.memory));
        let names = |it: &Memory| files.iter().any(|file| names_file(&text_of(it), file));
        known.extend(self.rules_to_warn(names)?);
        known.extend(self.facts_to_warn("names a file just edited", names)?);
        Ok(known)
    }
}

/// What the turn before a prompt was about.
#[derive(Debug, Default)]
struct LastTurn {
    /// The files edited, newest first, and those that the agent's last message names.
    files: Vec<String>,
    /// The last commands, newest first.
    commands: Vec<String>,
}

impl LastTurn {
    /// Looks back to the last prompt but one: the newest is the one that is being answered.
    fn of_events(events: &[StoredEvent]) -> LastTurn {
        let (mut last, mut named) = (LastTurn::default(), Vec::new());
        let mut prompts = 0;
        for body in events.iter().rev().filter_map(|stored| body_of(&stored.event)) {
            match body.activity {
                Activity::Prompted { .. } => prompts += 1,
                Activity::Edited { file, .. } => last.files.push(file),
                Activity::Ran { command, .. } if last.commands.len() < LAST_COMMANDS => {
                    last.commands.push(command);
                }
                Activity::TurnEnded { message } if named.is_empty() => named = files_in(&message),
                _ => {}
            }
            if prompts == 2 || last.files.len() == TOUCHED_FILES {
                break;
            }
        }
        last.files.extend(named);
        let mut seen = HashSet::new();
        last.files.retain(|file| seen.insert(file.clone()));
        last
    }
}

fn is_of_user(memory: &Memory) -> bool {
    memory.content.provenance == Provenance::User
}

/// Returns the files that a text names: words with an ending of letters.
fn files_in(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || "`'\"()[]{}<>,;*|".contains(c));
    let words = words.map(|word| word.trim_end_matches(['.', ':', '!', '?']));
    let is_file = |word: &&str| {
        let ending = word.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
        ending.is_some_and(|(stem, ending)| {
            stem.len() > 1
                && (1..=5).contains(&ending.len())
                && ending.chars().all(|c| c.is_ascii_lowercase())
        })
    };
    words.filter(is_file).take(TOUCHED_FILES).map(str::to_owned).collect()
}

/// Returns what a prompt asks for in few words: all of it, or its last sentence. "Looks right to me. Commit it and push."
fn closing_request(prompt: &str) -> Option<&str> {
    let sentences = prompt.split(['\n', '!', '?']).flat_map(|line| line.split(". "));
    let last = sentences.map(|it| it.trim().trim_end_matches('.')).filter(|it| !it.is_empty()).last()?;
    let is_spoken = prompt.split_whitespace().nth(MOST_SPOKEN_WORDS).is_none();
    (is_spoken && last.split_whitespace().nth(SHORT_PROMPT_WORDS).is_none()).then_some(last)
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
    let prompt = without_pictures(prompt);
    let mut words = prompt.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| {
        let word = word.to_lowercase();
        let is_long_enough = word.chars().count() > 2 || !word.is_ascii();
        is_long_enough && !is_word_of_reply(&word) && !URGING.contains(&word.as_str())
    })
}

/// Returns a prompt without the marks that hosts put where a picture was: `[Image #1]`.
fn without_pictures(prompt: &str) -> String {
    let mut rest = prompt;
    let mut text = String::new();
    while let Some((before, behind)) = rest.split_once("[Image") {
        text.push_str(before);
        rest = behind.split_once(']').map_or("", |(_, behind)| behind);
    }
    text + rest
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
            "[Image #1]",
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
    fn a_prompt_may_end_with_a_request() {
        for (prompt, expected) in [
            ("commit this", Some("commit this")),
            ("Looks right to me. Now commit it, and push.", Some("Now commit it, and push")),
            ("The tests pass!\nlets open a pr", Some("lets open a pr")),
            ("why does the release job wait for the docs job before it starts", None),
        ] {
            assert_eq!(closing_request(prompt), expected, "{prompt}");
        }
        assert_eq!(closing_request(&format!("{}\ncommit it", "a plan ".repeat(40))), None);
    }

    #[test]
    fn files_are_found_in_a_message() {
        let message =
            "Shall I add it to `src/routes.py`, api/index.ts and Cargo.toml? It takes 1.5 s, e.g. on v2.0.";
        assert_eq!(files_in(message), ["src/routes.py", "api/index.ts", "Cargo.toml"]);
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
