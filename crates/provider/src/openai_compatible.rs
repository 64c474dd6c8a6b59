//! Chat completions, as OpenAI named them and many servers speak them, local ones included.

use crate::http::JsonEndpoint;
use crate::{Model, ModelAnswer, ModelError, ModelRequest, TokenUse};
use backstory_memory::Tokens;
use serde::Deserialize;
use serde_json::json;
use std::fmt;
use std::time::Duration;

/// A server that speaks chat completions.
pub struct OpenAiCompatible {
    endpoint: JsonEndpoint,
    key: Option<String>,
    model: String,
}

impl OpenAiCompatible {
    /// Prepares to ask a model; local servers need no key.
    #[must_use]
    pub fn new(base_url: &str, key: Option<&str>, model: &str, deadline: Duration) -> OpenAiCompatible {
        let endpoint =
            JsonEndpoint::new(format!("{}/chat/completions", base_url.trim_end_matches('/')), deadline);
        OpenAiCompatible { endpoint, key: key.map(|key| format!("Bearer {key}")), model: model.to_owned() }
    }
}

/// Without the key.
impl fmt::Debug for OpenAiCompatible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiCompatible").field("model", &self.model).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct ChatCompletion {
    choices: Vec<CompletionChoice>,
    usage: Option<CompletionUsage>,
}

#[derive(Deserialize)]
struct CompletionChoice {
    message: CompletionMessage,
}

#[derive(Deserialize)]
struct CompletionMessage {
    content: String,
}

#[derive(Deserialize)]
struct CompletionUsage {
    #[serde(default)]
    prompt_tokens: u32,
    #[serde(default)]
    completion_tokens: u32,
}

impl Model for OpenAiCompatible {
    fn answer(&self, request: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        let body = json!({
            "model": self.model,
            "max_tokens": request.most_answer_tokens.0,
            "stream": false,
            "messages": [
                {"role": "system", "content": request.instructions},
                {"role": "user", "content": request.prompt()},
            ],
        });
        let key = self.key.as_deref().map(|key| ("authorization", key));
        let answer: ChatCompletion = serde_json::from_value(self.endpoint.post(key, &[], &body)?)
            .map_err(|_| ModelError::Unreadable)?;
        let first = answer.choices.into_iter().next().ok_or(ModelError::Unreadable)?;
        Ok(ModelAnswer {
            text: first.message.content,
            tokens: answer.usage.map(|usage| TokenUse {
                read: Tokens(usage.prompt_tokens),
                written: Tokens(usage.completion_tokens),
            }),
            session: None,
        })
    }
}
