//! One session of OpenCode, message by message, as the plugin would have told it.

use super::kept::{Kept, Session};
use crate::Told;
use crate::lenient::Json;
use crate::opencode::{told_in, typed_in, words_of_error};
use crate::records::{Entry, Reading, time};
use backstory_memory::{Activity, Provenance, Subagent, Timestamp};
use std::collections::VecDeque;

/// A session being told.
pub(super) struct Thread {
    session: Session,
    /// The session it belongs to: its own, unless a subagent works in it.
    root: String,
    /// What is left to read; nothing before anything was.
    messages: Option<VecDeque<String>>,
    turn: Option<Turn>,
    told: VecDeque<Reading>,
    is_over: bool,
}

/// A prompt and what followed so far.
struct Turn {
    /// What the agent said last, by the name of what it said it in; before that the name of the prompt.
    id: String,
    closing: String,
    at: Timestamp,
}

impl Thread {
    pub(super) fn new(session: Session, root: String) -> Thread {
        Thread { session, root, messages: None, turn: None, told: VecDeque::new(), is_over: false }
    }

    pub(super) fn began(&self) -> Timestamp {
        self.session.began.unwrap_or(self.session.changed)
    }

    /// Returns what sessions are ordered by.
    pub(super) fn order(&self) -> (Timestamp, &str) {
        (self.began(), &self.session.id)
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over && self.told.is_empty()
    }

    /// Returns when what is next happened, and reads on where need be. What cannot be read is next at once.
    pub(super) fn next_at(&mut self, kept: &dyn Kept, bytes: &mut u64) -> Option<Timestamp> {
        while self.told.is_empty() && !self.is_over {
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
        self.told.front().map(|reading| match reading {
            Reading::Entry(entry) => entry.at,
            Reading::Unreadable(_) => Timestamp(i64::MIN),
        })
    }

    pub(super) fn take(&mut self) -> Option<Reading> {
        self.told.pop_front()
    }

    fn begin(&mut self) {
        let (began, id) = (self.began(), self.session.id.clone());
        let activity = match self.subagent() {
            Some(_) => Activity::SubagentStarted,
            None => Activity::SessionStarted { how: "startup".to_owned() },
        };
        self.tell(began, id, activity, Provenance::Tool);
    }

    fn read(&mut self, name: &str, kept: &dyn Kept, bytes: &mut u64) {
        let text = kept.message(&self.session.id, name).unwrap_or_default();
        // What all files looked like may stand in a message: nobody needs it.
        let message = Json::read_only(&text, |_, field| field != "diffs");
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
            "user" => self.asked(name, &parts, created),
            "assistant" if message.get("summary").is_true() => self.compacted(name, &parts, status),
            "assistant" => self.answered(&parts, created),
            _ => self.told.push_back(Reading::Unreadable("a message")),
        }
        if !message.get("error").is_nothing() {
            self.broken(name, message.get("error"), status);
        }
    }

    fn parts<'a>(&mut self, parts: &'a [(String, String)]) -> Vec<(&'a str, Json<'a>)> {
        let read = parts.iter().map(|(id, text)| (id.as_str(), Json::read(text)));
        let (whole, damaged): (Vec<_>, Vec<_>) = read.partition(|(_, part)| part.said("type").is_some());
        self.told.extend(damaged.iter().map(|_| Reading::Unreadable("a part of a message")));
        whole
    }

    fn asked(&mut self, name: &str, parts: &[(&str, Json<'_>)], at: Timestamp) {
        let text = typed_in(texts(parts));
        if !text.is_empty() {
            self.end_turn();
            self.turn = Some(Turn { id: name.to_owned(), closing: String::new(), at });
            // What a subagent is asked nobody typed.
            if self.subagent().is_none() {
                self.tell(at, name.to_owned(), Activity::Prompted { text }, Provenance::User);
            }
        }
        let compaction = parts.iter().find(|(_, part)| part.str("type") == "compaction");
        if let Some((id, _)) = compaction.filter(|_| self.subagent().is_none()) {
            let activity = Activity::Compacting { instructions: String::new() };
            self.tell(at, (*id).to_owned(), activity, Provenance::Tool);
        }
    }

    fn answered(&mut self, parts: &[(&str, Json<'_>)], created: Timestamp) {
        for (id, part) in parts {
            match part.str("type") {
                "tool" => self.used(id, part, created),
                "text" => {
                    let closing = typed_in([part]);
                    let at = time(part.get("time").get("end")).unwrap_or(created);
                    let turn = self.turn.as_mut().filter(|_| !closing.is_empty());
                    if let Some(turn) = turn {
                        *turn = Turn { id: (*id).to_owned(), closing, at };
                    }
                }
                _ => {}
            }
        }
    }

    fn used(&mut self, id: &str, part: &Json<'_>, created: Timestamp) {
        let times = part.get("state").get("time");
        let at = time(times.get("end")).or(time(times.get("start"))).unwrap_or(created);
        if let Some(turn) = &mut self.turn {
            turn.at = turn.at.max(at);
        }
        for (number, told) in told_in(part, self.subagent().as_ref()).into_iter().enumerate() {
            let id = if number == 0 { id.to_owned() } else { format!("{id} {number}") };
            self.put(at, id, told);
        }
    }

    fn compacted(&mut self, name: &str, parts: &[(&str, Json<'_>)], at: Timestamp) {
        let summary = typed_in(texts(parts));
        if !summary.is_empty() && self.subagent().is_none() {
            self.tell(at, name.to_owned(), Activity::Compacted { summary }, Provenance::Assistant);
        }
    }

    fn broken(&mut self, name: &str, error: &Json<'_>, at: Timestamp) {
        if self.turn.take().is_some() && self.subagent().is_none() {
            let error = words_of_error(error);
            self.tell(at, name.to_owned(), Activity::TurnBroken { error }, Provenance::Tool);
        }
    }

    fn end_turn(&mut self) {
        let Some(Turn { id, closing: message, at }) = self.turn.take() else { return };
        let id = if message.is_empty() { format!("{id} end") } else { id };
        let activity = match self.subagent() {
            Some(_) => Activity::SubagentEnded { message },
            None => Activity::TurnEnded { message },
        };
        self.tell(at, id, activity, Provenance::Assistant);
    }

    fn subagent(&self) -> Option<Subagent> {
        let Session { id, agent, .. } = &self.session;
        (*id != self.root).then(|| Subagent { id: id.clone(), sort: agent.clone() })
    }

    fn tell(&mut self, at: Timestamp, id: String, activity: Activity, provenance: Provenance) {
        let sequence = Some(id.clone());
        let told = Told { activity, subagent: self.subagent(), tool: None, sequence, provenance };
        self.put(at, id, told);
    }

    fn put(&mut self, at: Timestamp, id: String, told: Told) {
        let (session, cwd) = (self.root.clone(), self.session.directory.clone());
        self.told.push_back(Reading::Entry(Box::new(Entry { at, session, cwd, id, told })));
    }
}

fn texts<'a, 'b>(parts: &'a [(&str, Json<'b>)]) -> impl Iterator<Item = &'a Json<'b>> {
    parts.iter().map(|(_, part)| part).filter(|part| part.str("type") == "text")
}
