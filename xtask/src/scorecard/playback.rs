//! Plays a session of a set through the hooks of a host: start, prompts, tools, closing messages, end.

use super::sets::text;
use super::world::ScorecardWorld;
use crate::TaskResult;
use serde_json::{Value, json};

/// One message of a session.
pub(crate) struct SessionMessage {
    pub(crate) role: MessageRole,
    pub(crate) content: String,
}

/// Who wrote it.
pub(crate) enum MessageRole {
    User,
    Assistant,
    /// A tool, with the set's name for it.
    Tool(String),
}

impl SessionMessage {
    /// A prompt of the user.
    pub(crate) fn from_user(content: impl Into<String>) -> SessionMessage {
        SessionMessage { role: MessageRole::User, content: content.into() }
    }

    /// A closing message of the agent.
    pub(crate) fn from_assistant(content: impl Into<String>) -> SessionMessage {
        SessionMessage { role: MessageRole::Assistant, content: content.into() }
    }

    /// Parses one message of a set.
    pub(crate) fn parse(message: &Value) -> SessionMessage {
        let tool = text(message, "tool_name");
        let role = match text(message, "role").as_str() {
            _ if !tool.is_empty() => MessageRole::Tool(tool),
            "user" => MessageRole::User,
            _ => MessageRole::Assistant,
        };
        let content = message.get("content").or_else(|| message.get("sanitized_content"));
        SessionMessage { role, content: content.and_then(Value::as_str).unwrap_or_default().to_owned() }
    }

    /// Parses a transcript whose lines begin with the role in brackets.
    pub(crate) fn parse_lines(transcript: &str) -> Vec<SessionMessage> {
        let mut messages: Vec<SessionMessage> = Vec::new();
        for line in transcript.lines() {
            if let Some(content) = line.strip_prefix("[user] ") {
                messages.push(SessionMessage::from_user(content));
            } else if let Some(content) = line.strip_prefix("[assistant] ") {
                messages.push(SessionMessage::from_assistant(content));
            } else if let Some(last) = messages.last_mut() {
                last.content = format!("{}\n{line}", last.content);
            }
        }
        messages
    }
}

/// Plays a whole session, a day after the last one.
pub(crate) fn play_session(world: &ScorecardWorld, session: &str, messages: &[SessionMessage]) -> TaskResult {
    world.next_day();
    world.hook(session, "SessionStart", json!({"source": "startup"}))?;
    for SessionMessage { role, content } in messages {
        match role {
            MessageRole::User => world.hook(session, "UserPromptSubmit", json!({"prompt": content}))?,
            MessageRole::Assistant => {
                world.hook(session, "Stop", json!({"last_assistant_message": content}))?
            }
            MessageRole::Tool(name) => world.hook(session, "PostToolUse", tool_payload(name, content))?,
        };
    }
    world.hook(session, "SessionEnd", json!({"reason": "other"}))?;
    Ok(())
}

fn tool_payload(name: &str, content: &str) -> Value {
    if name == "WebFetch" {
        let input = json!({"url": "https://example.com/", "prompt": "read it"});
        json!({"tool_name": name, "tool_input": input, "tool_response": {"result": content}})
    } else {
        json!({"tool_name": "Bash", "tool_input": {"command": name}, "tool_response": {"stdout": content, "stderr": ""}})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_is_split_where_the_role_changes() {
        let messages = SessionMessage::parse_lines("[user] one\ntwo\n[assistant] three");
        let contents: Vec<_> = messages.iter().map(|it| it.content.as_str()).collect();
        assert_eq!(contents, ["one\ntwo", "three"]);
        assert!(matches!(messages[1].role, MessageRole::Assistant));
    }
}
