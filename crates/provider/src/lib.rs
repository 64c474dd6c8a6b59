//! Models: text in, text out. The only crate that talks to one, over HTTP or by starting a program.
//!
//! Everything has a deadline and a largest size. No error holds a word of what was asked or a key. What a model may be asked, and
//! which answers are worth anything, stands in `wording`. Not here: when it is asked, what it may cost (`store`), configuration and
//! keys (`cli`).

mod anthropic;
mod child;
mod claude_cli;
mod guard;
mod http;
mod openai_compatible;
mod wording;

pub use anthropic::Anthropic;
pub use claude_cli::ClaudeCli;
pub use guard::stand_guard;
pub use openai_compatible::OpenAiCompatible;
pub use wording::{Rubbish, Wording, is_our_prompt, request_for, wording_from};

use backstory_memory::{Tokens, estimate};
use thiserror::Error;

/// No answer larger than this is read.
const MOST_ANSWER_BYTES: usize = 256 * 1024;

/// Something that answers.
pub trait Model {
    /// Answers a request, within a deadline of its own.
    fn answer(&self, request: &Request) -> Result<Answer, ModelError>;
}

/// What a model is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What it is to do, the same for every request.
    pub instructions: String,
    /// What it is to do it with.
    pub text: String,
    /// The name of the session, where answering needs one: a UUID nobody else has.
    pub session: String,
    /// How long the answer may be.
    pub most_answer_tokens: Tokens,
}

impl Request {
    /// Returns what the request and its answer are expected to cost at most.
    #[must_use]
    pub fn expected_tokens(&self) -> Tokens {
        estimate(&self.instructions) + estimate(&self.text) + self.most_answer_tokens
    }
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What it said.
    pub text: String,
    /// What it cost, question and answer; nothing where nobody said.
    pub tokens: Option<Tokens>,
}

/// Why there is no answer. Never holds what was asked, nor a key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModelError {
    /// It said no: too many requests, a wrong key, out of order.
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
    /// The answer is larger than any answer.
    #[error("the answer is larger than {MOST_ANSWER_BYTES} bytes")]
    TooLarge,
    /// The answer has not the shape of one.
    #[error("the answer cannot be read")]
    Unreadable,
    /// A key must not travel where others can read it.
    #[error("a key is sent only over https, or to this machine")]
    KeyInTheOpen,
}
