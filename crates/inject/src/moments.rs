//! What to gather at each moment, and for whom.
//!
//! A session sees its own project and what holds for the user (law 8), without what its agent still has in context (law 5). Not here:
//! how a block reads (`sections`, `render`), what a host does with it (`hosts`), when a hook runs (`cli`).

mod contradictions;
mod prompt;
mod session_start;
mod tool;

pub(crate) use prompt::{MOST_PROMPT_CHARS, is_about_something};

use crate::{
    BlockFrame, BuiltInjection, Candidate, FetchHint, GatherResult, InjectionRequest, MAX_BLOCK_BYTES,
    Prefetch, ResumePoint, draw_nonce, elapsed_us, sections,
};
use backstory_capture::{FreshnessLimit, Redactor, freshness};
use backstory_memory::{
    Freshness, InjectionPoint, Memory, MemoryId, ProjectId, SessionId, StartReason, Timestamp, Tokens,
    first_chars,
};
use backstory_recall::RecallEngine;
use backstory_store::{ContextWindow, Session, Store, StoreError};
use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

/// Of a longer text only the beginning is compared with what is known.
const MOST_EDIT_CHARS: usize = 20_000;

/// What the caller's settings and environment say about injections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InjectSettings {
    /// How the agent can fetch more.
    pub fetch_hint: FetchHint,
    /// How far the user's clock is ahead of UTC.
    pub utc_offset_minutes: i32,
    /// How many of the newest pieces of work a session start gives with their text.
    pub work_in_full: usize,
}

/// Gathers and builds injections for one recipient.
pub struct Injector<'a> {
    /// The store.
    pub store: &'a Store,
    /// Settings of the caller.
    pub settings: InjectSettings,
    /// Takes secrets out of what git says: names of branches and files are recorded with the block (law 7).
    pub redactor: &'a Redactor,
    /// Opens the recall engine with the weights for injections.
    pub open_engine: &'a dyn Fn() -> RecallEngine,
    /// The engine, if it was opened ahead.
    pub prefetch: Option<&'a Prefetch>,
    /// The time of the injection.
    pub now: Timestamp,
    /// The deadline of reading: what was gathered by then is injected (law 1).
    pub until: Instant,
    /// Whom it is for.
    pub recipient: Recipient<'a>,
}

/// Whom an injection is for.
#[derive(Clone, Debug)]
pub struct Recipient<'a> {
    /// The session's project.
    pub project: ProjectId,
    /// The session, if it is known.
    pub session: Option<SessionId>,
    /// What its agent has in context.
    pub context: ContextWindow,
    /// The project's folder, if the session is in it.
    pub root: Option<&'a Path>,
    /// The file in that folder that the host loads by itself, such as `AGENTS.md`.
    pub rules_file: Option<&'a str>,
}

impl Injector<'_> {
    /// Builds an injection within its budget. `before` is the session as it was before this event.
    #[must_use]
    pub fn build(&self, request: &InjectionRequest, before: Option<&Session>) -> BuiltInjection {
        let started = Instant::now();
        let budget = Tokens(request.budget);
        let frame = BlockFrame {
            now: self.now,
            utc_offset_minutes: self.settings.utc_offset_minutes,
            nonce: draw_nonce(),
            budget,
            max_bytes: MAX_BLOCK_BYTES,
            fetch_hint: self.settings.fetch_hint,
            work_in_full: self.settings.work_in_full,
            // Unread, every address is a stranger's.
            own: self.store.projects().own_addresses(self.recipient.project).unwrap_or_default(),
        };
        let block = match &request.point {
            InjectionPoint::SessionStart { reason } => {
                let known = self.without_contradictions(self.orientation());
                sections::session_start(&known, resume_point(*reason, before), &frame)
            }
            InjectionPoint::Prompt { text } => {
                sections::prompt(&self.uncontradicted(self.relevant_to_prompt(text)), &frame)
            }
            InjectionPoint::Command { command } => {
                sections::tool(&self.uncontradicted(self.memories_of_command(command)), &frame)
            }
            InjectionPoint::Edit { file, text } => {
                let known = self.memories_of_edit(file, first_chars(text, MOST_EDIT_CHARS));
                sections::tool(&self.uncontradicted(known), &frame)
            }
            InjectionPoint::Compaction => {
                sections::compaction(&self.without_contradictions(self.orientation()), &frame)
            }
        };
        BuiltInjection { moment: request.point.moment(), block, budget, build_us: elapsed_us(started) }
    }

    /// Reads candidates by id, with the reason, without those the agent already has.
    fn candidates(
        &self,
        reason: &str,
        ids: impl FnOnce(&Store) -> Result<Vec<MemoryId>, StoreError>,
    ) -> GatherResult<Vec<Candidate>> {
        self.candidates_where(reason, ids, |memory| self.is_unseen(memory))
    }

    /// Reads those candidates by id that may be given, with the reason.
    fn candidates_where(
        &self,
        reason: &str,
        ids: impl FnOnce(&Store) -> Result<Vec<MemoryId>, StoreError>,
        is_wanted: impl Fn(&Memory) -> bool,
    ) -> GatherResult<Vec<Candidate>> {
        let read = || ids(self.store).and_then(|ids| self.store.memories().get_many(&ids));
        let memories = self.store.read_until(self.until, read)?.into_iter();
        let with_reason = |memory| Candidate { reasons: vec![reason.to_owned()], ..self.candidate(memory) };
        Ok(memories.filter(is_wanted).map(with_reason).collect())
    }

    /// Whether the agent does not have it: it was not injected, is not the agent's own work, and is not in a rules file the host
    /// loads anyway.
    fn is_unseen(&self, memory: &Memory) -> bool {
        !self.recipient.context.memories.contains(&memory.id) && !self.is_known_otherwise(memory)
    }

    /// Whether the agent does not have it, or only from the block its session started with: knowledge may be given once more at the
    /// moment it matters (law 5).
    fn may_be_repeated(&self, memory: &Memory) -> bool {
        let is_at_start = self.recipient.context.only_at_start.contains(&memory.id);
        let is_lesson = memory.content.kind.traits().leads_session;
        self.is_unseen(memory) || is_at_start && is_lesson && !self.is_known_otherwise(memory)
    }

    /// Whether it is the agent's own work, or in a rules file the host loads anyway.
    fn is_known_otherwise(&self, memory: &Memory) -> bool {
        let started_at = self.recipient.context.started_at;
        let is_own = memory.session.is_some() && memory.session == self.recipient.session;
        let is_in_context = is_own && started_at.is_none_or(|started| memory.updated_at > started);
        memory.content.is_of_rules_file() || is_in_context
    }

    /// Makes a candidate, with the name of its project if that is another one.
    fn candidate(&self, memory: Memory) -> Candidate {
        let is_of_another = memory.project != self.recipient.project;
        let project =
            is_of_another.then(|| self.store.projects().get(memory.project).ok().flatten()).flatten();
        Candidate { other_project: project.map(|project| project.name), ..Candidate::from(memory) }
    }

    /// Looks up whether the code of memories changed, within a limit.
    fn freshness_of(&self, memories: &[&Memory], limit: FreshnessLimit) -> HashMap<MemoryId, Freshness> {
        let Some(root) = self.recipient.root else { return HashMap::new() };
        let own = memories.iter().filter(|memory| memory.project == self.recipient.project);
        let own: Vec<MemoryId> = own.map(|memory| memory.id).collect();
        freshness(self.store, self.recipient.project, root, &own, Some(limit)).unwrap_or_default()
    }
}

/// Where a resumed session was left; `None` for one that starts anew or is not known.
fn resume_point(reason: StartReason, before: Option<&Session>) -> Option<ResumePoint> {
    let before = before.filter(|_| reason == StartReason::Resume)?;
    Some(ResumePoint { since: before.last_event_at, session: Some(before.id) })
}
