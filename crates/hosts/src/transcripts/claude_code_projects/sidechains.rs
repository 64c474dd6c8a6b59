//! The subagents of a session: their rows are in a file of their own, or in the oldest versions among those of the session, where only
//! `parentUuid` says to which subagent a row belongs.

use super::session_row::ClaudeRow;
use crate::lenient::LenientJson;
use crate::transcripts::TranscriptItem;
use crate::transcripts::bounded_files::{FIRST_ROWS, beginning};
use crate::transcripts::event_fields::words;
use crate::transcripts::pending_calls::PendingCalls;
use std::collections::HashMap;
use std::path::Path;

/// One subagent.
pub(super) struct Sidechain {
    pub(super) id: String,
    pub(super) sort: String,
    /// The tool call by which its parent started it.
    call: Option<String>,
    pub(super) state: SidechainState,
    /// What it said last, as the end of its work.
    pub(super) closing: Option<TranscriptItem>,
}

/// The state of a subagent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SidechainState {
    New,
    Working,
    /// Claude Code started it for itself, so it is not reported.
    Idle,
}

/// The subagents whose rows are being read.
#[derive(Default)]
pub(super) struct Sidechains {
    known: Vec<Sidechain>,
    /// The subagent of each row, where the rows do not name it.
    of_row: HashMap<String, usize>,
    /// The type of the subagent whose file this is.
    sort: Option<String>,
}

/// The type of a subagent whose type is not written down.
pub(super) const OF_UNKNOWN_SORT: &str = "subagent";

impl Sidechains {
    /// Returns the subagent of a file.
    pub(super) fn from_file(path: &Path) -> Sidechains {
        Sidechains { sort: sort_of_file(path), ..Sidechains::default() }
    }

    /// Returns the subagent of a row; `None` for a row of the main agent.
    pub(super) fn owner_of(&mut self, row: &ClaudeRow<'_>, calls: &PendingCalls) -> Option<usize> {
        let id = row.get("agentId").text().filter(|id| !id.is_empty());
        if !row.is("isSidechain") && self.sort.is_none() {
            return None;
        }
        let known = match id {
            Some(id) => self.known.iter().position(|agent| agent.id == id),
            None => self.of_row.get(row.str("parentUuid")).copied(),
        };
        let number = known.unwrap_or_else(|| {
            self.known.push(self.new_agent(id.unwrap_or(&row.uuid), row, calls));
            self.known.len() - 1
        });
        if id.is_none() {
            self.of_row.insert(row.uuid.clone(), number);
        }
        Some(number)
    }

    fn new_agent(&self, id: &str, row: &ClaudeRow<'_>, calls: &PendingCalls) -> Sidechain {
        let prompt = words(&row.content);
        let call = calls.iter().find(|call| {
            matches!(call.tool.as_str(), "Task" | "Agent") && call.input.str("prompt") == prompt
        });
        let sort = self.sort.as_deref().or_else(|| call.and_then(|call| call.input.said("subagent_type")));
        Sidechain {
            id: id.to_owned(),
            sort: sort.unwrap_or(OF_UNKNOWN_SORT).to_owned(),
            call: call.map(|call| call.id.clone()),
            state: SidechainState::New,
            closing: None,
        }
    }

    pub(super) fn get(&mut self, number: usize) -> Option<&mut Sidechain> {
        self.known.get_mut(number)
    }

    /// Returns the closing message of the subagent that a call started.
    pub(super) fn end_of(&mut self, call: &str) -> Option<TranscriptItem> {
        self.known.iter_mut().find(|agent| agent.call.as_deref() == Some(call))?.closing.take()
    }

    /// Returns the closing message of every subagent, and forgets them.
    pub(super) fn end(&mut self) -> Vec<TranscriptItem> {
        self.of_row.clear();
        self.known.drain(..).filter_map(|agent| agent.closing).collect()
    }
}

/// Returns the type of the subagent of a file: from `*.meta.json` beside it, or from its rows.
fn sort_of_file(path: &Path) -> Option<String> {
    let beside = beginning(&path.with_extension("meta.json"), FIRST_ROWS);
    let sort = beside.and_then(|text| LenientJson::read(&text).said("agentType").map(str::to_owned));
    let sort = sort.or_else(|| {
        let rows = beginning(path, FIRST_ROWS)?;
        let rows = rows
            .lines()
            .map(|row| LenientJson::read_only(row, |depth, name| depth == 1 && name == "attributionAgent"));
        rows.into_iter().find_map(|row| row.said("attributionAgent").map(str::to_owned))
    });
    Some(sort.unwrap_or_else(|| OF_UNKNOWN_SORT.to_owned()))
}
