//! The subagents of a session, wherever their rows stand: in a file of their own, or among those of the session as the oldest
//! versions put them, where only the row before tells whose the next is.

use super::session_row::ClaudeRow;
use crate::lenient::LenientJson;
use crate::transcripts::TranscriptItem;
use crate::transcripts::event_fields::words;
use crate::transcripts::file_lines::beginning;
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

/// How far a subagent is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SidechainState {
    New,
    Working,
    /// The host started it for itself: nothing of it is reported.
    Idle,
}

/// The subagents whose rows are being read.
#[derive(Default)]
pub(super) struct Sidechains {
    known: Vec<Sidechain>,
    /// Whose a row is, where the rows do not say.
    of_row: HashMap<String, usize>,
    /// What sort the one is whose file this is.
    sort: Option<String>,
}

/// What a subagent is called whose sort nobody wrote down.
const OF_UNKNOWN_SORT: &str = "subagent";

impl Sidechains {
    /// The one of a file.
    pub(super) fn from_file(path: &Path) -> Sidechains {
        Sidechains { sort: sort_of_file(path), ..Sidechains::default() }
    }

    /// Returns whose a row is; nobody's where it is of the session's own agent.
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

    /// Returns what each closed with, and forgets them.
    pub(super) fn end(&mut self) -> Vec<TranscriptItem> {
        self.of_row.clear();
        self.known.drain(..).filter_map(|agent| agent.closing).collect()
    }
}

/// Returns what sort of subagent a file is of: it stands beside the file, or on its rows.
fn sort_of_file(path: &Path) -> Option<String> {
    let beside = beginning(&path.with_extension("meta.json")).ok();
    let sort = beside.and_then(|text| LenientJson::read(&text).said("agentType").map(str::to_owned));
    let sort = sort.or_else(|| {
        let rows = beginning(path).ok()?;
        let rows = rows
            .lines()
            .map(|row| LenientJson::read_only(row, |depth, name| depth == 1 && name == "attributionAgent"));
        rows.into_iter().find_map(|row| row.said("attributionAgent").map(str::to_owned))
    });
    Some(sort.unwrap_or_else(|| OF_UNKNOWN_SORT.to_owned()))
}
