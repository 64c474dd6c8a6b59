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

/// The state while a thread is read.
pub(super) struct RolloutEntries {
    meta: RolloutMeta,
    has_begun: bool,
    pub(super) cwd: Option<String>,
    /// The id of the turn, where Codex writes one.
    pub(super) turn: String,
    /// The time of the current row; the oldest versions write it only once.
    pub(super) at: Option<Timestamp>,
    /// The number of the current row.
    number: usize,
    /// The number of entries from the current row.
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

    /// Returns the closing event of the thread: of a turn, or of a subagent.
    pub(super) fn end_of_turn(&self, message: String) -> Option<AgentEvent> {
        let kind = if self.is_subagent() { HookEvent::SubagentEnd } else { HookEvent::TurnEnd };
        let event = self.with_turn(vec![field("last_assistant_message", message)]);
        dialect::events_from(&DIALECT, kind, event).pop()
    }

    pub(super) fn is_subagent(&self) -> bool {
        matches!(self.meta.of, RolloutOwner::Subagent { .. })
    }

    /// Reports the start of the session or the subagent, if that is not reported yet.
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

    /// Reports that the user stopped the agent. The time makes the id: nothing else of the row is the same wherever reading began.
    pub(super) fn interrupted(&mut self, out: &mut VecDeque<TranscriptItem>) -> Result<(), &'static str> {
        self.begin(out)?;
        let at = self.at.map_or(0, |at| at.0);
        for event in dialect::events_from(&DIALECT, HookEvent::Interruption, self.with_turn(Vec::new())) {
            out.push_back(self.entry(format!("{} interrupted {at}", self.meta.id), event)?);
        }
        Ok(())
    }

    /// Returns an id for an entry of this row. A copy of the row in another file has the same turn and name, so it gets the same id.
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
