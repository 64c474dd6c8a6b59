//! Models: text in, text out. The only crate that talks to one, over HTTP or by starting a program.
//!
//! Every call has a deadline and a size limit. No error holds a word of the request or a key. `rewording` says what a model is asked
//! and which answers are accepted. Not here: when it is asked, what it may cost (`store`), configuration and keys (`cli`).

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

/// No answer larger than this is read.
const MOST_ANSWER_BYTES: usize = 256 * 1024;

/// Something that answers requests.
pub trait Model {
    /// Answers a request, within a deadline of its own.
    fn answer(&self, request: &ModelRequest) -> Result<ModelAnswer, ModelError>;
}

/// A request to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRequest {
    /// The instructions, the same for every request.
    pub instructions: String,
    /// The text to work on.
    pub text: String,
    /// The id of the session, if the program needs one: a UUID of its own.
    pub session: String,
    /// How long the answer may be.
    pub most_answer_tokens: Tokens,
}

impl ModelRequest {
    /// Returns what the request and its answer are expected to cost at most.
    #[must_use]
    pub fn expected_tokens(&self) -> Tokens {
        estimate(&self.instructions) + estimate(&self.text) + self.most_answer_tokens
    }
}

/// The answer of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelAnswer {
    /// Its text.
    pub text: String,
    /// What it cost, request and answer; `None` if the model did not report it.
    pub tokens: Option<Tokens>,
}

/// Why there is no answer. Never holds what was asked, nor a key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModelError {
    /// It refused: too many requests, a wrong key, out of order.
    #[error("the model refused with status {0}")]
    Refused(u16),
    /// The program that should have answered reported an error.
    #[error("the model's program reported an error")]
    ProgramFailed,
    /// It took longer than the deadline.
    #[error("the model did not answer in time")]
    TooLate,
    /// It could not be reached or started.
    #[error("the model cannot be reached: {0}")]
    Unreachable(&'static str),
    /// The answer exceeds the size limit.
    #[error("the answer is larger than {MOST_ANSWER_BYTES} bytes")]
    TooLarge,
    /// The answer is not in the expected format.
    #[error("the answer cannot be read")]
    Unreadable,
    /// A key must not be sent unencrypted.
    #[error("a key is sent only over https, or to this machine")]
    KeyInTheOpen,
}
