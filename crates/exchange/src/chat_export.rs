//! The data exports of claude.ai and ChatGPT: both call the file `conversations.json`. What was decided and found out in a chat becomes
//! records as in JSON lines; the rest of a chat is talk about everything and nothing, and stays where it is.
//!
//! A chat belongs to no project, so that no record names one. Not here: how far a record is believed, and writing it (`files`).

mod branches;
mod statements;

use crate::error::ExchangeError;
use crate::record::MemoryRecord;
use backstory_memory::{ContentRecord, cap, digest, iso, time_from_json};
use backstory_memory::{Provenance, Timestamp};
use serde_json::Value;
use statements::statements;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Whose export it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatService {
    /// claude.ai
    ClaudeAi,
    /// ChatGPT
    ChatGpt,
}

impl ChatService {
    /// Returns the service of a name, as it is typed.
    #[must_use]
    pub fn named(name: &str) -> Option<ChatService> {
        match name {
            "claude-ai" => Some(ChatService::ClaudeAi),
            "chatgpt" => Some(ChatService::ChatGpt),
            _ => None,
        }
    }

    /// Returns its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ChatService::ClaudeAi => "claude-ai",
            ChatService::ChatGpt => "chatgpt",
        }
    }
}

/// The longest export that is read. It is parsed as a whole, which takes several times its length of memory.
const MOST_BYTES: u64 = 512 << 20;
const MOST_BODY_BYTES: usize = 2_000;
const WHOLE: &str = "conversations.json";
/// How a zip archive begins: services send exports as one.
const ZIP: &[u8] = b"PK\x03\x04";
const HINT: &str = "name the `conversations.json` of the export, or the folder it was unpacked into";

/// One message of a chat.
struct ChatMessage {
    id: String,
    is_typed: bool,
    text: String,
    at: Option<Timestamp>,
}

/// Reads an export, and returns its records as JSON lines.
pub fn read_chat_export(service: ChatService, path: &Path) -> Result<Vec<String>, ExchangeError> {
    let mut lines = Vec::new();
    for file in export_files(path)? {
        let conversations = read_conversations(service, &file)?;
        let records = conversations.iter().flat_map(|one| records(service, one));
        lines.extend(records.filter_map(|record| serde_json::to_string(&record).ok()));
    }
    Ok(lines)
}

/// Returns the files of conversations: large exports are split into `conversations-000.json` and so on.
fn export_files(path: &Path) -> Result<Vec<PathBuf>, ExchangeError> {
    let whole = path.join(WHOLE);
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    if whole.is_file() {
        return Ok(vec![whole]);
    }
    let failed = |source| ExchangeError::Path { action: "read", path: path.to_owned(), source };
    let mut parts = Vec::new();
    for entry in path.read_dir().map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let number = name.strip_prefix("conversations-").and_then(|rest| rest.strip_suffix(".json"));
        if number.is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit())) {
            parts.push(file);
        }
    }
    parts.sort();
    // Without any part the whole file is what was expected: reading it says so.
    Ok(if parts.is_empty() { vec![whole] } else { parts })
}

fn read_conversations(service: ChatService, path: &Path) -> Result<Vec<Value>, ExchangeError> {
    let failed = |source| ExchangeError::Path { action: "read", path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(ExchangeError::unusable(format!("`{}` is too large", path.display()), HINT));
    }
    if bytes.starts_with(ZIP) {
        let what = format!("`{}` is still packed", path.display());
        return Err(ExchangeError::unusable(what, "unpack it, then name the folder"));
    }
    match serde_json::from_slice(&bytes) {
        Ok(Value::Array(conversations)) if looks_right(service, &conversations) => Ok(conversations),
        _ => {
            let what = format!("`{}` is no export of {}", path.display(), service.as_str());
            Err(ExchangeError::unusable(what, HINT))
        }
    }
}

/// Whether the conversations have the shape of this service; an export of no conversations has any.
fn looks_right(service: ChatService, conversations: &[Value]) -> bool {
    let field = match service {
        ChatService::ClaudeAi => "chat_messages",
        ChatService::ChatGpt => "mapping",
    };
    conversations.is_empty() || conversations.iter().any(|one| one.get(field).is_some())
}

fn records(service: ChatService, conversation: &Value) -> Vec<MemoryRecord> {
    let (title, messages) = match service {
        ChatService::ClaudeAi => (text_of(conversation, "name"), claude_messages(conversation)),
        ChatService::ChatGpt => (text_of(conversation, "title"), branches::messages(conversation)),
    };
    let began = ["created_at", "create_time"].iter().find_map(|name| at(conversation, name));
    let mut records = Vec::new();
    for message in &messages {
        let provenance = if message.is_typed { Provenance::User } else { Provenance::Assistant };
        for statement in statements(&message.text, message.is_typed) {
            // The same message with the same statement gets the same uid: importing an export again adds nothing.
            let parts = [service.as_str(), &message.id, &statement.title];
            let uid = digest(parts.map(str::as_bytes)).to_string();
            let about = title.map(|title| format!("In the chat \"{title}\".\n")).unwrap_or_default();
            let content = ContentRecord {
                kind: Some(statement.kind.to_string()),
                title: Some(statement.title),
                body: Some(cap(&format!("{about}{}", statement.around), MOST_BODY_BYTES).text),
                provenance: Some(provenance.to_string()),
                ..ContentRecord::default()
            };
            let created_at = message.at.or(began).map(|at| Value::String(iso(at)));
            records.push(MemoryRecord { uid: Some(uid), content, created_at, ..MemoryRecord::default() });
        }
    }
    records
}

/// Returns the messages of a conversation of claude.ai, in their order.
fn claude_messages(conversation: &Value) -> Vec<ChatMessage> {
    let messages = conversation.get("chat_messages").and_then(Value::as_array).into_iter().flatten();
    let read = |message: &Value| {
        let parts = message.get("content").and_then(Value::as_array).into_iter().flatten();
        let texts: Vec<&str> = parts.filter_map(|part| text_of(part, "text")).collect();
        // Older exports have the text of a message in one field only.
        let text = if texts.is_empty() { text_of(message, "text")?.to_owned() } else { texts.join("\n\n") };
        Some(ChatMessage {
            id: text_of(message, "uuid")?.to_owned(),
            is_typed: text_of(message, "sender") == Some("human"),
            text,
            at: at(message, "created_at"),
        })
    };
    messages.filter_map(read).collect()
}

fn text_of<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

fn at(value: &Value, name: &str) -> Option<Timestamp> {
    time_from_json(value.get(name)?, Timestamp(0))
}
