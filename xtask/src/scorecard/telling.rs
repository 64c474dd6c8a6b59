//! A session as a host tells it: begin, prompts, tools, closing messages, end; each through the hook.

use super::Outcome;
use super::sets::text;
use super::world::World;
use serde_json::{Value, json};

/// One thing said or done in a session.
pub(crate) struct Said {
    pub(crate) by: Speaker,
    pub(crate) content: String,
}

/// Who said or did it.
pub(crate) enum Speaker {
    User,
    Assistant,
    /// A tool, by what the set calls it.
    Tool(String),
}

impl Said {
    /// What a user said.
    pub(crate) fn by_user(content: impl Into<String>) -> Said {
        Said { by: Speaker::User, content: content.into() }
    }

    /// What the agent said in the end.
    pub(crate) fn by_assistant(content: impl Into<String>) -> Said {
        Said { by: Speaker::Assistant, content: content.into() }
    }

    /// Reads one message of a set.
    pub(crate) fn read(message: &Value) -> Said {
        let tool = text(message, "tool_name");
        let by = match text(message, "role").as_str() {
            _ if !tool.is_empty() => Speaker::Tool(tool),
            "user" => Speaker::User,
            _ => Speaker::Assistant,
        };
        let content = message.get("content").or_else(|| message.get("sanitized_content"));
        Said { by, content: content.and_then(Value::as_str).unwrap_or_default().to_owned() }
    }

    /// Reads a transcript whose lines begin with who speaks, in brackets.
    pub(crate) fn read_lines(transcript: &str) -> Vec<Said> {
        let mut said: Vec<Said> = Vec::new();
        for line in transcript.lines() {
            if let Some(content) = line.strip_prefix("[user] ") {
                said.push(Said::by_user(content));
            } else if let Some(content) = line.strip_prefix("[assistant] ") {
                said.push(Said::by_assistant(content));
            } else if let Some(last) = said.last_mut() {
                last.content = format!("{}\n{line}", last.content);
            }
        }
        said
    }
}

/// Tells a whole session, a day after the last.
pub(crate) fn tell(world: &World, session: &str, said: &[Said]) -> Outcome<()> {
    world.tomorrow();
    world.hook(session, "SessionStart", json!({"source": "startup"}))?;
    for Said { by, content } in said {
        match by {
            Speaker::User => world.hook(session, "UserPromptSubmit", json!({"prompt": content}))?,
            Speaker::Assistant => world.hook(session, "Stop", json!({"last_assistant_message": content}))?,
            Speaker::Tool(name) => world.hook(session, "PostToolUse", tool(name, content))?,
        };
    }
    world.hook(session, "SessionEnd", json!({"reason": "other"}))?;
    Ok(())
}

fn tool(name: &str, content: &str) -> Value {
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
    fn a_transcript_is_cut_where_the_speaker_changes() {
        let said = Said::read_lines("[user] one\ntwo\n[assistant] three");
        let contents: Vec<_> = said.iter().map(|it| it.content.as_str()).collect();
        assert_eq!(contents, ["one\ntwo", "three"]);
        assert!(matches!(said[1].by, Speaker::Assistant));
    }
}
