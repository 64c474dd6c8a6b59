//! What a session is given, and when: what is known is gathered here, and `context` makes one block of it.
//!
//! The session's project is all it reaches, and what holds for the user (law 8); what the agent still has in view is not given
//! again (law 5). Not here: how a block reads (`context`), how a host wants to hear it (`hosts`), when a hook does this.

pub(crate) mod alive;
mod asked;
mod hooked;
mod orientation;
mod risks;
mod uses;

pub(crate) use asked::Ahead;
pub(crate) use hooked::{Hooked, took};
pub(crate) use uses::Deed;

use crate::config::Config;
use crate::env_vars::Environment;
use backstory_capture::{FreshnessLimit, freshness};
use backstory_hosts::InjectionPoint;
use backstory_inject::{
    Block, BlockFrame, Candidate, FetchHint, GatherError, Gathered, MAX_BLOCK_BYTES, ResumePoint,
};
use backstory_memory::{
    Freshness, Injection, Memory, MemoryId, Moment, ProjectId, SessionId, Shingles, StartReason, Timestamp,
    Tokens,
};
use backstory_store::{ContextWindow, Home, Session, Store, StoreError};
use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

/// What an injection is built with.
pub(crate) struct Injecting<'a> {
    pub(crate) store: &'a Store,
    pub(crate) config: &'a Config,
    pub(crate) environment: &'a Environment,
    pub(crate) home: &'a Home,
    pub(crate) now: Timestamp,
    /// From then on nothing more is looked for: what there is is given (law 1).
    pub(crate) until: Instant,
    /// What was begun before the store was open.
    pub(crate) ahead: Option<&'a Ahead>,
    pub(crate) to: Recipient<'a>,
}

/// Whom it is for.
#[derive(Clone, Debug)]
pub(crate) struct Recipient<'a> {
    pub(crate) project: ProjectId,
    pub(crate) session: Option<SessionId>,
    /// What its agent has in view.
    pub(crate) in_view: ContextWindow,
    /// The project's folder, where the session is in it.
    pub(crate) root: Option<&'a Path>,
}

/// A block, and what it took to build it.
#[derive(Clone, Debug)]
pub(crate) struct Built {
    pub(crate) moment: Moment,
    pub(crate) block: Block,
    pub(crate) budget: Tokens,
    pub(crate) build_us: u32,
}

impl Injecting<'_> {
    /// Builds what is given at a moment, within its budget. `before` is the session as it was before it came back.
    pub(crate) fn build(&self, point: &InjectionPoint, before: Option<&Session>, budget: u32) -> Built {
        let started = Instant::now();
        let budget = Tokens(budget);
        let frame = BlockFrame {
            now: self.now,
            nonce: nonce(),
            budget,
            max_bytes: MAX_BLOCK_BYTES,
            fetch_hint: self.fetch_hint(),
        };
        let block = match point {
            InjectionPoint::SessionStart { reason } => {
                backstory_inject::session_start(&self.orientation(), resume_point(*reason, before), &frame)
            }
            InjectionPoint::Prompt { text } => backstory_inject::prompt(&self.bearing_on(text), &frame),
            InjectionPoint::Command { command } => backstory_inject::tool(&self.failures_of(command), &frame),
            InjectionPoint::Edit { file } => backstory_inject::tool(&self.known_of(file), &frame),
            InjectionPoint::Compaction => backstory_inject::compaction(&self.orientation(), &frame),
        };
        Built { moment: point.moment(), block, budget, build_us: took(started) }
    }

    /// Says how the agent can fetch more: by the tools `install` registers, and by our name where a shell finds it.
    fn fetch_hint(&self) -> FetchHint {
        if self.environment.finds_program("backstory") { FetchHint::Both } else { FetchHint::Tools }
    }

    /// Reads what is to be told, each with why, without what the agent has already.
    fn relevant(
        &self,
        reason: &str,
        ids: impl FnOnce(&Store) -> Result<Vec<MemoryId>, StoreError>,
    ) -> Gathered<Vec<Candidate>> {
        let read = || ids(self.store).and_then(|ids| self.store.memories(&ids));
        let memories = self.store.read_until(self.until, read);
        let memories = memories.map_err(|error| GatherError::from_error(&error))?;
        let news = memories.into_iter().filter(|memory| self.is_news(memory));
        Ok(news.map(|memory| Candidate { reasons: vec![reason.to_owned()], ..self.told(memory) }).collect())
    }

    /// Whether the agent does not have it: it was not given, is not of the agent's own doing, and does not stand in a file its host
    /// gives it anyway.
    fn is_news(&self, memory: &Memory) -> bool {
        if memory.content.is_of_rules_file() {
            return false;
        }
        let in_view = &self.to.in_view;
        let is_own = memory.session.is_some() && memory.session == self.to.session;
        let is_remembered = is_own && in_view.started_at.is_none_or(|began| memory.updated_at > began);
        !in_view.memories.contains(&memory.id) && !is_remembered
    }

    /// Says of which project a memory is, where it is of another.
    fn told(&self, memory: Memory) -> Candidate {
        let is_of_another = memory.project != self.to.project;
        let project = is_of_another.then(|| self.store.project(memory.project).ok().flatten()).flatten();
        Candidate { other_project: project.map(|project| project.name), ..Candidate::from(memory) }
    }

    /// Says whether the code of memories is what it was, as far as patience goes.
    fn freshness_of(&self, memories: &[&Memory], patience: FreshnessLimit) -> HashMap<MemoryId, Freshness> {
        let Some(root) = self.to.root else { return HashMap::new() };
        let own = memories.iter().filter(|memory| memory.project == self.to.project);
        let own: Vec<MemoryId> = own.map(|memory| memory.id).collect();
        freshness(self.store, self.to.project, root, &own, Some(patience)).unwrap_or_default()
    }
}

impl Built {
    /// An empty block.
    pub(crate) fn nothing(moment: Moment, budget: u32) -> Built {
        Built { moment, block: Block::default(), budget: Tokens(budget), build_us: 0 }
    }

    /// Returns the record of it (law 9).
    pub(crate) fn injection(&self, to: &Recipient<'_>, at: Timestamp) -> Injection {
        let block = &self.block;
        Injection {
            project: to.project,
            session: to.session,
            moment: self.moment,
            at,
            tokens: block.tokens,
            budget: self.budget,
            bytes: u32::try_from(block.bytes).unwrap_or(u32::MAX),
            build_us: self.build_us,
            sections: block.sections.iter().map(|section| (*section).to_owned()).collect(),
            sections_skipped: block.sections_skipped.iter().map(ToString::to_string).collect(),
            text: block.text.clone(),
            shingles: Shingles::from_text(&block.text),
            memories: block.injected(),
        }
    }
}

/// Where a resumed session was left; `None` for one that starts anew, or that is not known.
fn resume_point(reason: StartReason, before: Option<&Session>) -> Option<ResumePoint> {
    let before = before.filter(|_| reason == StartReason::Resume)?;
    Some(ResumePoint { since: before.last_event_at, session: Some(before.id) })
}

/// Draws the name of a fence. Without chance there is still the time: what is recorded cannot know it either.
pub(crate) fn nonce() -> u32 {
    getrandom::u32().unwrap_or_else(|_| std::process::id())
}
