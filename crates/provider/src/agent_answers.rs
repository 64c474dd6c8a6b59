//! What the hosts' programs print in headless mode, read into an answer. Pure.
//!
//! Claude Code and Gemini CLI print one JSON object, the others one JSON object a line. Fields we do not know are passed over; a program
//! that reports an error, or says nothing, has failed.

use crate::anthropic::AnthropicUsage;
use crate::{ModelAnswer, ModelError, TokenUse};
use backstory_memory::Tokens;
use serde::Deserialize;
use serde_json::Value;

/// Reads what one of the programs printed.
pub(crate) type AnswerReader = fn(&[u8]) -> Result<ModelAnswer, ModelError>;

#[derive(Deserialize)]
struct ClaudeResult {
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    result: String,
    usage: Option<AnthropicUsage>,
}

pub(crate) fn read_claude(printed: &[u8]) -> Result<ModelAnswer, ModelError> {
    let answer: ClaudeResult = serde_json::from_slice(printed).map_err(|_| ModelError::Unreadable)?;
    if answer.is_error {
        return Err(ModelError::ProgramFailed);
    }
    answered(answer.result, answer.usage.map(|usage| usage.tokens()), None)
}

pub(crate) fn read_gemini(printed: &[u8]) -> Result<ModelAnswer, ModelError> {
    let answer: Value = serde_json::from_slice(printed).map_err(|_| ModelError::Unreadable)?;
    if !at(&answer, "/error").is_null() {
        return Err(ModelError::ProgramFailed);
    }
    let models = at(&answer, "/stats/models").as_object();
    let sum = |names: &[&str]| -> Tokens {
        let of_model = |model: &Value| -> Tokens {
            names.iter().map(|name| count(at(model, &format!("/tokens/{name}")))).sum()
        };
        models.into_iter().flat_map(|models| models.values()).map(of_model).sum()
    };
    let tokens =
        models.map(|_| TokenUse { read: sum(&["prompt"]), written: sum(&["candidates", "thoughts"]) });
    answered(text(at(&answer, "/response")), tokens, None)
}

pub(crate) fn read_codex(printed: &[u8]) -> Result<ModelAnswer, ModelError> {
    let (mut said, mut tokens) = (String::new(), None);
    for line in lines(printed) {
        match at(&line, "/type").as_str() {
            Some("item.completed") if at(&line, "/item/type") == "agent_message" => {
                // Codex also reports what it says on the way: the last message is the answer.
                said = text(at(&line, "/item/text"));
            }
            Some("turn.completed") => {
                let usage = at(&line, "/usage");
                let (read, written) = (count(at(usage, "/input_tokens")), count(at(usage, "/output_tokens")));
                tokens = Some(TokenUse { read, written });
            }
            Some("turn.failed") => return Err(ModelError::ProgramFailed),
            _ => {}
        }
    }
    answered(said, tokens, None)
}

pub(crate) fn read_opencode(printed: &[u8]) -> Result<ModelAnswer, ModelError> {
    let (mut said, mut tokens, mut session) = (String::new(), None::<TokenUse>, None);
    for line in lines(printed) {
        session = session.or_else(|| at(&line, "/sessionID").as_str().map(str::to_owned));
        match at(&line, "/type").as_str() {
            // OpenCode prints an answer in parts.
            Some("text") => said += &text(at(&line, "/part/text")),
            Some("step_finish") => {
                let spent = at(&line, "/part/tokens");
                let cached = count(at(spent, "/cache/read")) + count(at(spent, "/cache/write"));
                let written = count(at(spent, "/output")) + count(at(spent, "/reasoning"));
                // Every step is a call of the model, and reads the conversation again.
                let before = tokens.unwrap_or_default();
                let read = before.read + count(at(spent, "/input")) + cached;
                tokens = Some(TokenUse { read, written: before.written + written });
            }
            Some("error") => return Err(ModelError::ProgramFailed),
            _ => {}
        }
    }
    answered(said, tokens, session)
}

/// Copilot CLI reports premium requests instead of tokens.
pub(crate) fn read_copilot(printed: &[u8]) -> Result<ModelAnswer, ModelError> {
    let mut said = String::new();
    for line in lines(printed) {
        match at(&line, "/type").as_str() {
            Some("assistant.message") => said = text(at(&line, "/data/content")),
            Some("result") if at(&line, "/exitCode").as_i64().is_some_and(|code| code != 0) => {
                return Err(ModelError::ProgramFailed);
            }
            _ => {}
        }
    }
    answered(said, None, None)
}

/// The JSON objects of an output, one a line; other lines are passed over.
fn lines(printed: &[u8]) -> impl Iterator<Item = Value> {
    printed.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

/// The value at a place; nothing where there is none.
fn at<'a>(value: &'a Value, place: &str) -> &'a Value {
    value.pointer(place).unwrap_or(&Value::Null)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn count(value: &Value) -> Tokens {
    Tokens(value.as_u64().map_or(0, |count| u32::try_from(count).unwrap_or(u32::MAX)))
}

fn answered(
    text: String,
    tokens: Option<TokenUse>,
    session: Option<String>,
) -> Result<ModelAnswer, ModelError> {
    match text.trim().is_empty() {
        true => Err(ModelError::ProgramFailed),
        false => Ok(ModelAnswer { text, tokens, session }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(read: AnswerReader, printed: &str, expected: (&str, Option<(u32, u32)>)) {
        let answer = read(printed.as_bytes()).unwrap();
        let tokens = answer.tokens.map(|tokens| (tokens.read.0, tokens.written.0));
        assert_eq!((answer.text.as_str(), tokens), expected);
    }

    #[test]
    fn the_answer_is_read_from_what_each_program_prints() {
        check(
            read_claude,
            r#"{"is_error":false,"result":"notes","usage":{"input_tokens":5,"output_tokens":2,"cache_read_input_tokens":3}}"#,
            ("notes", Some((8, 2))),
        );
        check(
            read_gemini,
            r#"{"response":"notes","stats":{"models":{"a":{"tokens":{"prompt":5,"candidates":2,"thoughts":1}},"b":{"tokens":{"prompt":1}}}}}"#,
            ("notes", Some((6, 3))),
        );
        check(
            read_codex,
            "{\"type\":\"turn.started\"}\n{\"type\":\"item.completed\",\"item\":{\"type\":\"error\",\"message\":\"odd\"}}\n\
             {\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"notes\"}}\n\
             {\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":9,\"output_tokens\":4}}\n",
            ("notes", Some((9, 4))),
        );
        check(
            read_opencode,
            "{\"type\":\"text\",\"sessionID\":\"ses_1\",\"part\":{\"text\":\"no\"}}\n{\"type\":\"text\",\"part\":{\"text\":\"tes\"}}\n\
             {\"type\":\"step_finish\",\"part\":{\"tokens\":{\"input\":7,\"output\":2,\"reasoning\":1,\"cache\":{\"read\":4,\"write\":0}}}}\n\
             {\"type\":\"step_finish\",\"part\":{\"tokens\":{\"input\":20,\"output\":5}}}\n",
            ("notes", Some((31, 8))),
        );
        check(
            read_copilot,
            "{\"type\":\"assistant.message\",\"data\":{\"content\":\"notes\"}}\n{\"type\":\"result\",\"exitCode\":0}\n",
            ("notes", None),
        );
    }

    #[test]
    fn the_session_that_opencode_made_is_known() {
        let printed = "{\"type\":\"text\",\"sessionID\":\"ses_1\",\"part\":{\"text\":\"notes\"}}";
        assert_eq!(read_opencode(printed.as_bytes()).unwrap().session.as_deref(), Some("ses_1"));
    }

    #[test]
    fn a_program_that_fails_or_says_nothing_has_no_answer() {
        let cases: [(AnswerReader, &str, ModelError); 8] = [
            (read_claude, r#"{"is_error":true,"result":"quota"}"#, ModelError::ProgramFailed),
            (read_claude, "Usage: claude", ModelError::Unreadable),
            (read_gemini, r#"{"error":{"message":"no key"}}"#, ModelError::ProgramFailed),
            (read_codex, "{\"type\":\"turn.failed\"}", ModelError::ProgramFailed),
            (read_codex, "not JSON", ModelError::ProgramFailed),
            (read_opencode, "{\"type\":\"error\"}", ModelError::ProgramFailed),
            (read_copilot, "{\"type\":\"result\",\"exitCode\":1}", ModelError::ProgramFailed),
            (read_copilot, "", ModelError::ProgramFailed),
        ];
        for (read, printed, expected) in cases {
            assert_eq!(read(printed.as_bytes()), Err(expected), "{printed}");
        }
    }
}
