//! Anthropic's Messages API.

use crate::http::JsonEndpoint;
use crate::{Model, ModelAnswer, ModelError, ModelRequest, TokenUse};
use backstory_memory::Tokens;
use serde::Deserialize;
use serde_json::json;
use std::fmt;
use std::time::Duration;

/// Anthropic's Messages API.
pub struct Anthropic {
    endpoint: JsonEndpoint,
    key: String,
    model: String,
}

impl Anthropic {
    /// Where it answers when nobody says otherwise.
    pub const BASE_URL: &'static str = "https://api.anthropic.com";
    /// The model that is asked when nobody says otherwise: a small one.
    pub const MODEL: &'static str = "claude-haiku-4-5";

    /// Prepares to ask a model with a key.
    #[must_use]
    pub fn new(base_url: &str, key: &str, model: &str, deadline: Duration) -> Anthropic {
        let endpoint = JsonEndpoint::new(format!("{}/v1/messages", base_url.trim_end_matches('/')), deadline);
        Anthropic { endpoint, key: key.to_owned(), model: model.to_owned() }
    }
}

/// Without the key.
impl fmt::Debug for Anthropic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Anthropic").field("model", &self.model).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct AnthropicAnswer {
    content: Vec<AnthropicContent>,
    usage: Option<AnthropicUsage>,
}

#[derive(Deserialize)]
struct AnthropicContent {
    #[serde(default)]
    text: String,
}

/// What a call cost, as Anthropic counts it.
#[derive(Deserialize)]
pub(crate) struct AnthropicUsage {
    input_tokens: u32,
    output_tokens: u32,
    #[serde(default)]
    cache_creation_input_tokens: Option<u32>,
    #[serde(default)]
    cache_read_input_tokens: Option<u32>,
}

impl AnthropicUsage {
    pub(crate) fn tokens(&self) -> TokenUse {
        let cached = [self.cache_creation_input_tokens, self.cache_read_input_tokens].into_iter().flatten();
        let read = std::iter::once(self.input_tokens).chain(cached).map(Tokens).sum();
        TokenUse { read, written: Tokens(self.output_tokens) }
    }
}

impl Model for Anthropic {
    fn answer(&self, request: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        let body = json!({
            "model": self.model,
            "max_tokens": request.most_answer_tokens.0,
            "system": request.instructions,
            "messages": [{"role": "user", "content": request.prompt()}],
        });
        let answer = self.endpoint.post(
            Some(("x-api-key", &self.key)),
            &[("anthropic-version", "2023-06-01")],
            &body,
        )?;
        let answer: AnthropicAnswer = serde_json::from_value(answer).map_err(|_| ModelError::Unreadable)?;
        let text = answer.content.into_iter().map(|content| content.text).collect();
        Ok(ModelAnswer { text, tokens: answer.usage.map(|usage| usage.tokens()), session: None })
    }
}
