//! Chat completions, as OpenAI named them and many servers speak them, local ones included.

use crate::http::Door;
use crate::{Answer, Model, ModelError, Request};
use backstory_memory::Tokens;
use serde::Deserialize;
use serde_json::json;
use std::fmt;
use std::time::Duration;

/// A server that speaks chat completions.
pub struct OpenAiCompatible {
    door: Door,
    key: Option<String>,
    model: String,
}

impl OpenAiCompatible {
    /// Prepares to ask a model; local servers need no key.
    #[must_use]
    pub fn new(base_url: &str, key: Option<&str>, model: &str, deadline: Duration) -> OpenAiCompatible {
        let door = Door::new(format!("{}/chat/completions", base_url.trim_end_matches('/')), deadline);
        OpenAiCompatible { door, key: key.map(|key| format!("Bearer {key}")), model: model.to_owned() }
    }
}

/// Without the key.
impl fmt::Debug for OpenAiCompatible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiCompatible").field("model", &self.model).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct WireAnswer {
    choices: Vec<WireChoice>,
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct WireChoice {
    message: WireMessage,
}

#[derive(Deserialize)]
struct WireMessage {
    content: String,
}

#[derive(Deserialize)]
struct WireUsage {
    total_tokens: u32,
}

impl Model for OpenAiCompatible {
    fn answer(&self, request: &Request) -> Result<Answer, ModelError> {
        let body = json!({
            "model": self.model,
            "max_tokens": request.most_answer_tokens.0,
            "stream": false,
            "messages": [
                {"role": "system", "content": request.instructions},
                {"role": "user", "content": request.text},
            ],
        });
        let key = self.key.as_deref().map(|key| ("authorization", key));
        let answer: WireAnswer =
            serde_json::from_value(self.door.post(key, &[], &body)?).map_err(|_| ModelError::Unreadable)?;
        let first = answer.choices.into_iter().next().ok_or(ModelError::Unreadable)?;
        Ok(Answer {
            text: first.message.content,
            tokens: answer.usage.map(|usage| Tokens(usage.total_tokens)),
        })
    }
}
