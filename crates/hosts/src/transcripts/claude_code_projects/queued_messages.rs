//! Messages the user typed while the agent was working.
//!
//! One that the running turn takes in stands in rows of the queue and in an attachment, and never in a row of the user. One that
//! waits for the end of the turn is a prompt like any other. Tasks in the background report through the same queue.

use crate::lenient::LenientJson;
use crate::transcripts::event_fields::words;
use crate::transcripts::time;
use backstory_memory::Timestamp;

/// A row about the queue.
pub(super) struct QueueRow {
    pub(super) at: Timestamp,
    pub(super) session: Option<String>,
    operation: QueueOperation,
}

enum QueueOperation {
    Enqueue(String),
    /// The next message becomes a prompt.
    Dequeue(String),
    /// The turn takes a message in.
    Absorb(String),
    /// The message that the turn has taken in.
    Attached(String),
    /// The user took all messages back.
    Clear,
}

impl QueueRow {
    /// Reads a row; `None` for one that is not about the queue.
    pub(super) fn read(text: &str) -> Option<QueueRow> {
        if !text.contains("\"queue-operation\"") && !text.contains("\"queued_command\"") {
            return None;
        }
        let row = LenientJson::read_only(text, |depth, name| {
            depth > 1
                || matches!(
                    name,
                    "type"
                        | "operation"
                        | "timestamp"
                        | "sessionId"
                        | "content"
                        | "reason"
                        | "attachment"
                        | "isSidechain"
                )
        });
        let operation = match row.str("type") {
            "queue-operation" => queue_operation(&row)?,
            "attachment" if !row.get("isSidechain").is_true() => attached(row.get("attachment"))?,
            _ => return None,
        };
        let session = row.said("sessionId").map(str::to_owned);
        Some(QueueRow { at: time(row.get("timestamp"))?, session, operation })
    }
}

fn queue_operation(row: &LenientJson<'_>) -> Option<QueueOperation> {
    let content = words(row.get("content")).trim().to_owned();
    Some(match (row.str("operation"), row.str("reason")) {
        ("enqueue", _) => QueueOperation::Enqueue(content),
        ("remove", "" | "absorbed_mid_turn") => QueueOperation::Absorb(content),
        ("dequeue" | "remove", _) => QueueOperation::Dequeue(content),
        ("popAll", _) => QueueOperation::Clear,
        _ => return None,
    })
}

fn attached(attachment: &LenientJson<'_>) -> Option<QueueOperation> {
    let is_typed = attachment.str("type") == "queued_command"
        && matches!(attachment.str("commandMode"), "" | "prompt")
        && matches!(attachment.get("origin").str("kind"), "" | "human");
    is_typed.then(|| QueueOperation::Attached(words(attachment.get("prompt")).trim().to_owned()))
}

/// The messages that wait.
#[derive(Default)]
pub(super) struct QueuedMessages {
    waiting: Vec<String>,
    /// Messages that were reported and whose attachment may follow.
    absorbed: Vec<String>,
    /// How many messages were reported by their attachment, before the queue says that they are gone.
    reported_early: usize,
}

impl QueuedMessages {
    /// Follows a row. Returns the message that the running turn takes in.
    pub(super) fn follow(&mut self, row: QueueRow) -> Option<String> {
        match row.operation {
            QueueOperation::Enqueue(text) => {
                if !is_of_task(&text) && self.waiting.len() < MOST_WAITING {
                    self.waiting.push(text);
                }
                None
            }
            QueueOperation::Dequeue(text) => {
                self.take(&text);
                None
            }
            QueueOperation::Absorb(_) if self.reported_early > 0 => {
                self.reported_early -= 1;
                None
            }
            QueueOperation::Absorb(text) => {
                let taken = self.take(&text).or(Some(text)).filter(|text| !is_of_task(text));
                self.absorbed.extend(taken.clone());
                taken.filter(|text| !text.is_empty())
            }
            QueueOperation::Attached(text) => {
                if let Some(at) = self.absorbed.iter().position(|absorbed| *absorbed == text) {
                    self.absorbed.remove(at);
                    return None;
                }
                if let Some(at) = self.waiting.iter().position(|waiting| *waiting == text) {
                    self.waiting.remove(at);
                    self.reported_early += 1;
                }
                Some(text).filter(|text| !text.is_empty())
            }
            QueueOperation::Clear => {
                self.waiting.clear();
                None
            }
        }
    }

    /// Notes a prompt: a message that waited for it has arrived.
    pub(super) fn prompted(&mut self, prompt: &str) {
        self.waiting.retain(|waiting| waiting != prompt);
        self.absorbed.clear();
        self.reported_early = 0;
    }

    /// Whether no message waits of which it is not known what becomes.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes the message of this text, or the first one where the row does not repeat it: the user's go before those of tasks.
    fn take(&mut self, text: &str) -> Option<String> {
        let at = if text.is_empty() { 0 } else { self.waiting.iter().position(|waiting| waiting == text)? };
        (at < self.waiting.len()).then(|| self.waiting.remove(at))
    }
}

/// Whether a task in the background wrote this.
fn is_of_task(text: &str) -> bool {
    text.starts_with("{\"task_id\"") || text.starts_with("<task-notification>")
}

/// Nobody types more of them in one turn.
const MOST_WAITING: usize = 64;
