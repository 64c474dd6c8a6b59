//! Makes the entries of a rollout: whose they are, of which turn, and under which id.

use super::{RolloutMeta, RolloutOwner};
use crate::AgentEvent;
use crate::codex::DIALECT;
use crate::dialect::{self, HookEvent};
use crate::lenient::LenientJson;
use crate::transcripts::event_fields::{EventFields, field};
use crate::transcripts::{HostTranscriptEntry, TranscriptItem};
use backstory_memory::Timestamp;
use std::collections::VecDeque;
use std::path::Path;

/// What is known while a thread is read.
pub(super) struct RolloutEntries {
    meta: RolloutMeta,
    has_begun: bool,
    pub(super) cwd: Option<String>,
    /// What the host numbers the turn by, where it does.
    pub(super) turn: String,
    /// When the row that is being read was written; the oldest versions say it only once.
    pub(super) at: Option<Timestamp>,
    /// Which row is being read.
    number: usize,
    /// How many entries the row has made.
    made: usize,
}

impl RolloutEntries {
    pub(super) fn new(path: &Path) -> RolloutEntries {
        let meta = RolloutMeta::from_file(path);
        RolloutEntries {
            meta,
            has_begun: false,
            cwd: None,
            turn: String::new(),
            at: None,
            number: 0,
            made: 0,
        }
    }

    pub(super) fn next_row(&mut self) {
        self.number += 1;
        self.made = 0;
    }

    /// Returns what the thread closes with: a turn, or the subagent its work.
    pub(super) fn end_of_turn(&self, message: String) -> Option<AgentEvent> {
        let kind = if self.is_subagent() { HookEvent::SubagentEnd } else { HookEvent::TurnEnd };
        let event = self.with_turn(vec![field("last_assistant_message", message)]);
        dialect::events_from(&DIALECT, kind, event).pop()
    }

    pub(super) fn is_subagent(&self) -> bool {
        matches!(self.meta.of, RolloutOwner::Subagent { .. })
    }

    /// Reports that the session began, or the subagent, where that is not reported yet.
    pub(super) fn begin(&mut self, out: &mut VecDeque<TranscriptItem>) -> Result<(), &'static str> {
        if self.has_begun {
            return Ok(());
        }
        let kind = if self.is_subagent() { HookEvent::SubagentStart } else { HookEvent::SessionStart };
        for begun in dialect::events_from(&DIALECT, kind, self.with_turn(Vec::new())) {
            out.push_back(self.entry(format!("{} start", self.meta.id), begun)?);
        }
        self.has_begun = true;
        Ok(())
    }

    pub(super) fn emit(
        &mut self,
        name: Option<&str>,
        kind: HookEvent,
        event: EventFields<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) -> Result<(), &'static str> {
        let happened = dialect::events_from(&DIALECT, kind, self.with_turn(event));
        if !happened.is_empty() {
            self.begin(out)?;
        }
        for one in happened {
            let id = match self.made {
                0 => self.id(name),
                number => format!("{} {number}", self.id(name)),
            };
            self.made += 1;
            out.push_back(self.entry(id, one)?);
        }
        Ok(())
    }

    /// Returns what something is called in this row. A copy of it has the same turn and the same name, but not the same place.
    pub(super) fn id(&self, name: Option<&str>) -> String {
        match name {
            Some(name) if !self.turn.is_empty() => format!("{} {name}", self.turn),
            _ => format!("{} {}", self.meta.id, self.number),
        }
    }

    pub(super) fn entry(&self, id: String, event: AgentEvent) -> Result<TranscriptItem, &'static str> {
        let at = self.at.ok_or("a row without its time")?;
        let entry =
            HostTranscriptEntry { at, session: self.meta.session.clone(), cwd: self.cwd.clone(), id, event };
        Ok(TranscriptItem::Entry(Box::new(entry)))
    }

    fn with_turn<'e>(&self, mut event: EventFields<'e>) -> LenientJson<'e> {
        event.push(field("turn_id", self.turn.clone()));
        event.push(field("cwd", self.cwd.clone().unwrap_or_default()));
        if let RolloutOwner::Subagent { sort, .. } = &self.meta.of {
            event.push(field("agent_id", self.meta.id.clone()));
            event.push(field("agent_type", sort.clone()));
        }
        LenientJson::Fields(event)
    }
}
