//! Anthropic's Messages API.

use crate::http::Door;
use crate::{Answer, Model, ModelError, Request};
use backstory_memory::Tokens;
use serde::Deserialize;
use serde_json::json;
use std::fmt;
use std::time::Duration;

/// Anthropic's Messages API.
pub struct Anthropic {
    door: Door,
    key: String,
    model: String,
}

impl Anthropic {
    /// Where it answers when nobody says otherwise.
    pub const BASE_URL: &'static str = "https://api.anthropic.com";
    /// The model that is asked when nobody says otherwise: small ones word a title well enough.
    pub const MODEL: &'static str = "claude-haiku-4-5";

    /// Prepares to ask a model with a key.
    #[must_use]
    pub fn new(base_url: &str, key: &str, model: &str, deadline: Duration) -> Anthropic {
        let door = Door::new(format!("{}/v1/messages", base_url.trim_end_matches('/')), deadline);
        Anthropic { door, key: key.to_owned(), model: model.to_owned() }
    }
}

/// Without the key.
impl fmt::Debug for Anthropic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Anthropic").field("model", &self.model).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct WireAnswer {
    content: Vec<WireContent>,
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct WireContent {
    #[serde(default)]
    text: String,
}

/// What a call cost, as Anthropic counts it.
#[derive(Deserialize)]
pub(crate) struct WireUsage {
    input_tokens: u32,
    output_tokens: u32,
    #[serde(default)]
    cache_creation_input_tokens: Option<u32>,
    #[serde(default)]
    cache_read_input_tokens: Option<u32>,
}

impl WireUsage {
    pub(crate) fn total(&self) -> Tokens {
        let cached = [self.cache_creation_input_tokens, self.cache_read_input_tokens].into_iter().flatten();
        [self.input_tokens, self.output_tokens].into_iter().chain(cached).map(Tokens).sum()
    }
}

impl Model for Anthropic {
    fn answer(&self, request: &Request) -> Result<Answer, ModelError> {
        let body = json!({
            "model": self.model,
            "max_tokens": request.most_answer_tokens.0,
            "system": request.instructions,
            "messages": [{"role": "user", "content": request.text}],
        });
        let answer =
            self.door.post(Some(("x-api-key", &self.key)), &[("anthropic-version", "2023-06-01")], &body)?;
        let answer: WireAnswer = serde_json::from_value(answer).map_err(|_| ModelError::Unreadable)?;
        let text = answer.content.into_iter().map(|content| content.text).collect();
        Ok(Answer { text, tokens: answer.usage.map(|usage| usage.total()) })
    }
}
