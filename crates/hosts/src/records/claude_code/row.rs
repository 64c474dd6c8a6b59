//! One row: what stands around its message, and its message as far as it is needed.
//!
//! Most of a record is what tools found, three times over, and rows of other sorts: what nobody asks for is passed over.

use crate::lenient::Json;
use crate::records::{Entry, Reading, time};
use crate::{Told, records::lines::is_whole};
use backstory_memory::Timestamp;

/// A row of a user or of an agent, or one the host writes where it compacts.
pub(super) struct Row<'a> {
    text: &'a str,
    around: Json<'a>,
    pub(super) at: Timestamp,
    pub(super) uuid: String,
}

/// What stands around a message.
const AROUND: [&str; 17] = [
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
    "isMeta",
    "isCompactSummary",
    "isApiErrorMessage",
    "error",
    "toolDenialKind",
];

impl<'a> Row<'a> {
    /// Reads a row; nothing of one that tells nothing, and why of one that cannot be read.
    pub(super) fn read(text: &'a str) -> Result<Option<Row<'a>>, &'static str> {
        if !is_whole(text) {
            return Err("a damaged line");
        }
        let around = Json::read_only(text, |depth, name| depth == 1 && AROUND.contains(&name));
        let is_told = match around.str("type") {
            "user" | "assistant" => true,
            "system" => around.str("subtype") == "compact_boundary",
            "" => return Err("a row of no type"),
            _ => false,
        };
        if !is_told {
            return Ok(None);
        }
        let at = time(around.get("timestamp")).ok_or("a row without its time")?;
        let uuid = around.said("uuid").ok_or("a row without its id")?.to_owned();
        Ok(Some(Row { text, around, at, uuid }))
    }

    pub(super) fn get(&self, field: &str) -> &Json<'a> {
        self.around.get(field)
    }

    pub(super) fn str(&self, field: &str) -> &str {
        self.around.str(field)
    }

    pub(super) fn is(&self, field: &str) -> bool {
        self.around.get(field).is_true()
    }

    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Returns the content of the message, without what tools found, without thoughts and pictures.
    pub(super) fn content(&self) -> Json<'a> {
        let mut row = Json::read_only(self.text, |depth, name| match depth {
            1 => name == "message",
            2 => name == "content",
            4 => !matches!(name, "content" | "thinking" | "signature" | "source"),
            _ => true,
        });
        row.take("message").take("content")
    }

    /// Returns why the message ended.
    pub(super) fn stop_reason(&self) -> String {
        let row = Json::read_only(self.text, |depth, name| match depth {
            1 => name == "message",
            _ => name == "stop_reason",
        });
        row.get("message").str("stop_reason").to_owned()
    }

    /// Returns what a tool answered: as its hook is told, and as the agent is.
    pub(super) fn answer(&self, call: &str) -> (Json<'a>, Json<'a>) {
        let mut row = Json::read_only(self.text, |depth, name| match depth {
            1 => matches!(name, "message" | "toolUseResult"),
            2 => name != "usage",
            _ => true,
        });
        let blocks = row.take("message").take("content").into_items();
        let mut results: Vec<Json<'a>> =
            blocks.into_iter().filter(|block| block.str("type") == "tool_result").collect();
        let is_only_one = results.len() == 1;
        let result = results.iter_mut().find(|result| result.str("tool_use_id") == call);
        let as_told = result.map_or(Json::Nothing, |result| result.take("content"));
        // It stands once in a row, whose ever it is.
        let as_heard = if is_only_one { row.take("toolUseResult") } else { Json::Nothing };
        (as_heard, as_told)
    }

    /// Makes an entry of something told in this row.
    pub(super) fn entry(&self, id: String, session: &str, told: Told) -> Reading {
        let session = self.around.said("sessionId").unwrap_or(session).to_owned();
        let cwd = self.around.said("cwd").map(str::to_owned);
        Reading::Entry(Box::new(Entry { at: self.at, session, cwd, id, told }))
    }
}
