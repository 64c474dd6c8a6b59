//! One row of a transcript: its fields, and its message as far as it is needed.
//!
//! Most of a transcript is output of tools, written three times, and rows of other types: these are skipped while parsing.

use crate::lenient::LenientJson;
use crate::transcripts::{HostTranscriptEntry, TranscriptItem, time};
use crate::{AgentEvent, transcripts::file_lines::is_whole};
use backstory_memory::Timestamp;

/// A row of the user, of an agent, or of a compaction.
pub(super) struct ClaudeRow<'a> {
    text: &'a str,
    around: LenientJson<'a>,
    pub(super) at: Timestamp,
    pub(super) uuid: String,
    /// The content of the message, without output of tools, thoughts and pictures.
    pub(super) content: LenientJson<'a>,
    /// Whether the message ends with a tool call.
    pub(super) asks_for_tool: bool,
}

/// The fields of a row beside its message.
const AROUND: [&str; 18] = [
    "type",
    "subtype",
    "uuid",
    "parentUuid",
    "timestamp",
    "sessionId",
    "cwd",
    "isSidechain",
    "agentId",
    "attributionAgent",
    "promptId",
    "promptSource",
    "turnOrigin",
    "isMeta",
    "isCompactSummary",
    "isApiErrorMessage",
    "error",
    "toolDenialKind",
];

impl<'a> ClaudeRow<'a> {
    /// Reads a row: `None` for one without an event, an error for one that cannot be read.
    pub(super) fn read(text: &'a str) -> Result<Option<ClaudeRow<'a>>, &'static str> {
        if !is_whole(text) {
            return Err("a damaged line");
        }
        let mut around = LenientJson::read_only(text, |depth, name| match depth {
            1 => name == "message" || AROUND.contains(&name),
            2 => matches!(name, "content" | "stop_reason"),
            4 => !matches!(name, "content" | "thinking" | "signature" | "source"),
            _ => true,
        });
        let is_reported = match around.str("type") {
            "user" | "assistant" => true,
            "system" => around.str("subtype") == "compact_boundary",
            "" => return Err("a row of no type"),
            _ => false,
        };
        if !is_reported {
            return Ok(None);
        }
        let at = time(around.get("timestamp")).ok_or("a row without its time")?;
        let uuid = around.said("uuid").ok_or("a row without its id")?.to_owned();
        let mut message = around.take("message");
        let (content, asks_for_tool) = (message.take("content"), message.str("stop_reason") == "tool_use");
        Ok(Some(ClaudeRow { text, around, at, uuid, content, asks_for_tool }))
    }

    pub(super) fn get(&self, field: &str) -> &LenientJson<'a> {
        self.around.get(field)
    }

    pub(super) fn str(&self, field: &str) -> &str {
        self.around.str(field)
    }

    pub(super) fn is(&self, field: &str) -> bool {
        self.around.get(field).is_true()
    }

    /// Returns who wrote in the name of the user, if it was not the user: a timer, another agent, the host.
    pub(super) fn automated_by(&self) -> &str {
        const AUTOMATED: [&str; 9] = [
            "scheduled",
            "auto_continuation",
            "peer",
            "task_notification",
            "host_synthetic",
            "system",
            "loop_wakeup",
            "schedule_wakeup",
            "poll_event",
        ];
        let sources = ["turnOrigin", "promptSource"].map(|field| self.str(field));
        sources.into_iter().find(|source| AUTOMATED.contains(source)).unwrap_or_default()
    }

    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Returns the result of a tool: as its hook gets it, and as the agent reads it.
    pub(super) fn answer(&self, call: &str) -> (LenientJson<'a>, LenientJson<'a>) {
        let mut row = LenientJson::read_only(self.text, |depth, name| match depth {
            1 => matches!(name, "message" | "toolUseResult"),
            2 => name != "usage",
            _ => true,
        });
        let blocks = row.take("message").take("content").into_items();
        let mut results: Vec<LenientJson<'a>> =
            blocks.into_iter().filter(|block| block.str("type") == "tool_result").collect();
        let is_only_one = results.len() == 1;
        let result = results.iter_mut().find(|result| result.str("tool_use_id") == call);
        let as_read = result.map_or(LenientJson::Nothing, |result| result.take("content"));
        // A row has one `toolUseResult`: with several results it is not known to which it belongs.
        let as_reported = if is_only_one { row.take("toolUseResult") } else { LenientJson::Nothing };
        (as_reported, as_read)
    }

    /// Makes an entry of an event in this row.
    pub(super) fn entry(&self, id: String, session: &str, event: AgentEvent) -> TranscriptItem {
        let session = self.around.said("sessionId").unwrap_or(session).to_owned();
        let cwd = self.around.said("cwd").map(str::to_owned);
        TranscriptItem::Entry(Box::new(HostTranscriptEntry { at: self.at, session, cwd, id, event }))
    }
}
