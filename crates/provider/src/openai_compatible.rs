//! Chat completions, as OpenAI named them and many servers speak them, local ones included.

use crate::http::JsonEndpoint;
use crate::{Model, ModelAnswer, ModelError, ModelRequest, TokenUse};
use backstory_memory::Tokens;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;

/// A server that speaks chat completions.
pub struct OpenAiCompatible {
    endpoint: JsonEndpoint,
    key: Option<String>,
    model: String,
    /// The name of the limit to try first.
    limit: &'static str,
}

/// The name of the limit of an answer that every server knows.
const LIMIT: &str = "max_tokens";
/// Its name for OpenAI's models that reason, which refuse the other one.
const LIMIT_OF_REASONING: &str = "max_completion_tokens";
/// Room to think, beside the answer: models that reason count both.
const ROOM_TO_THINK: Tokens = Tokens(3_000);
/// Ends what a local model thinks aloud before its answer.
const END_OF_THOUGHTS: &str = "</think>";

impl OpenAiCompatible {
    /// Prepares to ask a model; local servers need no key.
    #[must_use]
    pub fn new(base_url: &str, key: Option<&str>, model: &str, deadline: Duration) -> OpenAiCompatible {
        let endpoint =
            JsonEndpoint::new(format!("{}/chat/completions", base_url.trim_end_matches('/')), deadline);
        let limit = if base_url.starts_with("https://api.openai.com/") { LIMIT_OF_REASONING } else { LIMIT };
        let key = key.map(|key| format!("Bearer {key}"));
        OpenAiCompatible { endpoint, key, model: model.to_owned(), limit }
    }

    fn ask(&self, request: &ModelRequest, limit: &str) -> Result<Value, ModelError> {
        let mut body = json!({
            "model": self.model,
            "stream": false,
            "messages": [
                {"role": "system", "content": request.instructions},
                {"role": "user", "content": request.prompt()},
            ],
        });
        if let Some(fields) = body.as_object_mut() {
            fields.insert(limit.to_owned(), self.most_written(request).0.into());
        }
        let key = self.key.as_deref().map(|key| ("authorization", key));
        self.endpoint.post(key, &[], &body)
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
    /// None if the model used up its tokens thinking.
    content: Option<String>,
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
        let answered = match self.ask(request, self.limit) {
            // Other servers offer models that reason, too: try once with their name of the limit. Any other mistake is refused again.
            Err(ModelError::Refused(400)) if self.limit == LIMIT => self.ask(request, LIMIT_OF_REASONING),
            answered => answered,
        };
        let answer: ChatCompletion = serde_json::from_value(answered?).map_err(|_| ModelError::Unreadable)?;
        let first = answer.choices.into_iter().next().ok_or(ModelError::Unreadable)?;
        let text = first.message.content.unwrap_or_default();
        let text = text.rsplit_once(END_OF_THOUGHTS).map_or(text.as_str(), |(_, answer)| answer).to_owned();
        Ok(ModelAnswer {
            text,
            tokens: answer.usage.map(|usage| TokenUse {
                read: Tokens(usage.prompt_tokens),
                written: Tokens(usage.completion_tokens),
            }),
            session: None,
        })
    }

    fn most_written(&self, request: &ModelRequest) -> Tokens {
        request.most_answer_tokens + ROOM_TO_THINK
    }
}
