//! One session of OpenCode, message by message, as the events the plugin would have sent.

use super::session_storage::{SessionStorage, StoredSession};
use crate::AgentEvent;
use crate::lenient::LenientJson;
use crate::opencode::{error_text, tool_events_in, typed_in};
use crate::transcripts::{HostTranscriptEntry, TranscriptItem, time};
use backstory_memory::{Activity, Provenance, StartReason, Subagent, Timestamp};
use std::collections::VecDeque;

/// A session being read.
pub(super) struct SessionThread {
    session: StoredSession,
    /// The session it belongs to: its own, unless a subagent works in it.
    root: String,
    /// What is left to read; nothing before anything was.
    messages: Option<VecDeque<String>>,
    turn: Option<OpencodeTurn>,
    ready: VecDeque<TranscriptItem>,
    is_over: bool,
}

/// A prompt and what followed so far.
struct OpencodeTurn {
    /// What the agent said last, by the name of what it said it in; before that the name of the prompt.
    id: String,
    closing: String,
    at: Timestamp,
}

impl SessionThread {
    pub(super) fn new(session: StoredSession, root: String) -> SessionThread {
        SessionThread { session, root, messages: None, turn: None, ready: VecDeque::new(), is_over: false }
    }

    pub(super) fn began(&self) -> Timestamp {
        self.session.began.unwrap_or(self.session.changed)
    }

    /// Returns what sessions are ordered by.
    pub(super) fn order(&self) -> (Timestamp, &str) {
        (self.began(), &self.session.id)
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over && self.ready.is_empty()
    }

    /// Returns when what is next happened, and reads on where need be. What cannot be read is next at once.
    pub(super) fn next_at(&mut self, kept: &dyn SessionStorage, bytes: &mut u64) -> Option<Timestamp> {
        while self.ready.is_empty() && !self.is_over {
            let Some(messages) = &mut self.messages else {
                self.messages = Some(kept.messages(&self.session.id).into());
                self.begin();
                continue;
            };
            match messages.pop_front() {
                Some(message) => self.read(&message, kept, bytes),
                None => {
                    self.end_turn();
                    self.is_over = true;
                }
            }
        }
        self.ready.front().map(|item| match item {
            TranscriptItem::Entry(entry) => entry.at,
            TranscriptItem::Unreadable(_) => Timestamp(i64::MIN),
        })
    }

    pub(super) fn take(&mut self) -> Option<TranscriptItem> {
        self.ready.pop_front()
    }

    fn begin(&mut self) {
        let (began, id) = (self.began(), self.session.id.clone());
        let activity = match self.subagent() {
            Some(_) => Activity::SubagentStarted,
            None => Activity::SessionStarted { reason: StartReason::Startup },
        };
        self.emit(began, id, activity, Provenance::Tool);
    }

    fn read(&mut self, name: &str, kept: &dyn SessionStorage, bytes: &mut u64) {
        let text = kept.message(&self.session.id, name).unwrap_or_default();
        // What all files looked like may stand in a message: nobody needs it.
        let message = LenientJson::read_only(&text, |_, field| field != "diffs");
        let times = message.get("time");
        let created = time(times.get("created")).unwrap_or(self.began());
        let status = time(times.get("completed")).unwrap_or(created);
        // A session that was forked begins with copies.
        if self.session.began.is_some_and(|began| created < began) {
            return;
        }
        let parts = kept.parts(name);
        *bytes += (text.len() + parts.iter().map(|(_, part)| part.len()).sum::<usize>()) as u64;
        let parts = self.parts(&parts);
        match message.str("role") {
            "user" => self.on_prompt(name, &parts, created),
            "assistant" if message.get("summary").is_true() => self.compacted(name, &parts, status),
            "assistant" => self.on_result(&parts, created),
            _ => self.ready.push_back(TranscriptItem::Unreadable("a message")),
        }
        if !message.get("error").is_nothing() {
            self.broken(name, message.get("error"), status);
        }
    }

    fn parts<'a>(&mut self, parts: &'a [(String, String)]) -> Vec<(&'a str, LenientJson<'a>)> {
        let read = parts.iter().map(|(id, text)| (id.as_str(), LenientJson::read(text)));
        let (whole, damaged): (Vec<_>, Vec<_>) = read.partition(|(_, part)| part.said("type").is_some());
        self.ready.extend(damaged.iter().map(|_| TranscriptItem::Unreadable("a part of a message")));
        whole
    }

    fn on_prompt(&mut self, name: &str, parts: &[(&str, LenientJson<'_>)], at: Timestamp) {
        let text = typed_in(texts(parts));
        if !text.is_empty() {
            self.end_turn();
            self.turn = Some(OpencodeTurn { id: name.to_owned(), closing: String::new(), at });
            // An agent wrote a subagent's prompt, not the user.
            if self.subagent().is_none() {
                self.emit(at, name.to_owned(), Activity::Prompted { text }, Provenance::User);
            }
        }
        let compaction = parts.iter().find(|(_, part)| part.str("type") == "compaction");
        if let Some((id, _)) = compaction.filter(|_| self.subagent().is_none()) {
            let activity = Activity::Compacting { instructions: String::new() };
            self.emit(at, (*id).to_owned(), activity, Provenance::Tool);
        }
    }

    fn on_result(&mut self, parts: &[(&str, LenientJson<'_>)], created: Timestamp) {
        for (id, part) in parts {
            match part.str("type") {
                "tool" => self.used(id, part, created),
                "text" => {
                    let closing = typed_in([part]);
                    let at = time(part.get("time").get("end")).unwrap_or(created);
                    let turn = self.turn.as_mut().filter(|_| !closing.is_empty());
                    if let Some(turn) = turn {
                        *turn = OpencodeTurn { id: (*id).to_owned(), closing, at };
                    }
                }
                _ => {}
            }
        }
    }

    fn used(&mut self, id: &str, part: &LenientJson<'_>, created: Timestamp) {
        let times = part.get("state").get("time");
        let at = time(times.get("end")).or(time(times.get("start"))).unwrap_or(created);
        if let Some(turn) = &mut self.turn {
            turn.at = turn.at.max(at);
        }
        for (number, event) in tool_events_in(part, self.subagent().as_ref()).into_iter().enumerate() {
            let id = if number == 0 { id.to_owned() } else { format!("{id} {number}") };
            self.put(at, id, event);
        }
    }

    fn compacted(&mut self, name: &str, parts: &[(&str, LenientJson<'_>)], at: Timestamp) {
        let summary = typed_in(texts(parts));
        if !summary.is_empty() && self.subagent().is_none() {
            self.emit(at, name.to_owned(), Activity::Compacted { summary }, Provenance::Assistant);
        }
    }

    fn broken(&mut self, name: &str, error: &LenientJson<'_>, at: Timestamp) {
        if self.turn.take().is_some() && self.subagent().is_none() {
            let error = error_text(error);
            self.emit(at, name.to_owned(), Activity::TurnBroken { error }, Provenance::Tool);
        }
    }

    fn end_turn(&mut self) {
        let Some(OpencodeTurn { id, closing: message, at }) = self.turn.take() else { return };
        let id = if message.is_empty() { format!("{id} end") } else { id };
        let activity = match self.subagent() {
            Some(_) => Activity::SubagentEnded { message },
            None => Activity::TurnEnded { message },
        };
        self.emit(at, id, activity, Provenance::Assistant);
    }

    fn subagent(&self) -> Option<Subagent> {
        let StoredSession { id, agent, .. } = &self.session;
        (*id != self.root).then(|| Subagent { id: id.clone(), sort: agent.clone() })
    }

    fn emit(&mut self, at: Timestamp, id: String, activity: Activity, provenance: Provenance) {
        let sequence = Some(id.clone());
        let event = AgentEvent { activity, subagent: self.subagent(), tool: None, sequence, provenance };
        self.put(at, id, event);
    }

    fn put(&mut self, at: Timestamp, id: String, event: AgentEvent) {
        let (session, cwd) = (self.root.clone(), self.session.directory.clone());
        self.ready.push_back(TranscriptItem::Entry(Box::new(HostTranscriptEntry {
            at,
            session,
            cwd,
            id,
            event,
        })));
    }
}

fn texts<'a, 'b>(parts: &'a [(&str, LenientJson<'b>)]) -> impl Iterator<Item = &'a LenientJson<'b>> {
    parts.iter().map(|(_, part)| part).filter(|part| part.str("type") == "text")
}
