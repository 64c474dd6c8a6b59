//! What Claude Code is answered: one JSON object, or plain text where it takes nothing else.
//!
//! It drops an answer silently that does not name its event, and takes for words of ours whatever stands beside the object: so
//! there is always a name, and never a byte more.

use crate::Reply;
use backstory_memory::Moment;
use serde_json::{Map, Value, json};

/// Writes an answer; nothing where there is nothing to say.
pub(super) fn reply(moment: Moment, reply: Reply<'_>) -> Option<String> {
    let event = match moment {
        Moment::SessionStart => "SessionStart",
        Moment::Prompt => "UserPromptSubmit",
        Moment::Tool => "PreToolUse",
        // Its plain words go into the instructions the host compacts by.
        Moment::Compaction => return reply.context.map(str::to_owned),
    };
    let mut answer = Map::new();
    if let Some(context) = reply.context {
        let output = json!({"hookEventName": event, "additionalContext": context});
        answer.insert("hookSpecificOutput".to_owned(), output);
    }
    if let Some(message) = reply.to_user {
        answer.insert("systemMessage".to_owned(), message.into());
    }
    (!answer.is_empty()).then(|| Value::Object(answer).to_string())
}
