//! Language models: text in, text out. No other crate calls one, be it over HTTP or by starting a program.
//!
//! Every call has a deadline and a size limit. No error holds text of the request or a key. `rewording`
//! defines what a model is asked and which answers are accepted. Not here: when a model is called,
//! configuration and keys (`app`), how many tokens it may use (`store`).

mod anthropic;
mod child;
mod claude_cli;
mod http;
mod openai_compatible;
mod rewording;
mod watchdog;

pub use anthropic::Anthropic;
pub use claude_cli::ClaudeCli;
pub use openai_compatible::OpenAiCompatible;
pub use rewording::{RejectedAnswer, Rewording, is_our_prompt, parse_rewording, rewording_request};
pub use watchdog::run_watchdog;

use backstory_memory::{Tokens, estimate};
use thiserror::Error;

/// The largest answer that is accepted.
const MOST_ANSWER_BYTES: usize = 256 * 1024;

/// A language model.
pub trait Model {
    /// Answers a request within the deadline this model was configured with.
    fn answer(&self, request: &ModelRequest) -> Result<ModelAnswer, ModelError>;
}

/// A request to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRequest {
    /// The instructions, the same for every request.
    pub instructions: String,
    /// The text to work on.
    pub text: String,
    /// A fresh UUID, as the session id for a program that wants one. Models over HTTP ignore it.
    pub session: String,
    /// How long the answer may be. Only models over HTTP can be held to it.
    pub most_answer_tokens: Tokens,
}

impl ModelRequest {
    /// Estimates how many tokens the request and the longest allowed answer use together.
    #[must_use]
    pub fn expected_tokens(&self) -> Tokens {
        estimate(&self.instructions) + estimate(&self.text) + self.most_answer_tokens
    }
}

/// The answer of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelAnswer {
    /// The text of the answer.
    pub text: String,
    /// The tokens used by request and answer together; `None` if the model did not report them.
    pub tokens: Option<Tokens>,
}

/// Why there is no answer. Never holds text of the request, nor a key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModelError {
    /// The model's server answered with an error status: too many requests, a wrong key, a fault of its own.
    #[error("the model refused with status {0}")]
    Refused(u16),
    /// The program that should have answered reported an error or printed nothing.
    #[error("the model's program reported an error")]
    ProgramFailed,
    /// No answer came before the deadline.
    #[error("the model did not answer in time")]
    TimedOut,
    /// The model could not be reached or started, or the request is too large to send.
    #[error("the model cannot be reached: {0}")]
    Unreachable(&'static str),
    /// The answer exceeds the size limit.
    #[error("the answer is larger than {MOST_ANSWER_BYTES} bytes")]
    TooLarge,
    /// The answer is not in the expected format.
    #[error("the answer cannot be read")]
    Unreadable,
    /// The address would send the key unencrypted to another machine.
    #[error("a key is sent only over https, or to this machine")]
    UnencryptedKey,
}
