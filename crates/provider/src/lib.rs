//! Language models: text in, text out. No other crate calls one, be it over HTTP or by starting a program.
//!
//! Every call has a deadline and a size limit. No error holds text of the request or a key. Not here: what a model is asked and which
//! answers are accepted (`distil`), when one is called, configuration and keys (`app`), how many tokens it may use (`store`).

mod agent_answers;
mod agent_cli;
mod anthropic;
mod child;
mod http;
mod openai_compatible;
mod own_command;
mod release_notice;
mod watchdog;

pub use agent_cli::{AgentCli, AgentProgram};
pub use anthropic::Anthropic;
pub use child::ProgramRunner;
pub use openai_compatible::OpenAiCompatible;
pub use own_command::OwnCommand;
pub use release_notice::newest_release;
pub use watchdog::run_watchdog;

use backstory_memory::{Tokens, estimate};
use thiserror::Error;

/// The largest answer that is accepted.
const MOST_ANSWER_BYTES: usize = 256 * 1024;

/// The first line of every prompt of ours. A prompt a host reports that begins so is not captured (R23).
const FIRST_LINE: &str =
    "[backstory asks for the notes of a session that has ended; this is not a session to remember]";

/// A language model.
pub trait Model {
    /// Answers a request within the deadline this model was configured with.
    fn answer(&self, request: &ModelRequest) -> Result<ModelAnswer, ModelError>;

    /// Returns how much it may write to answer a request, its thoughts included.
    fn most_written(&self, request: &ModelRequest) -> Tokens {
        request.most_answer_tokens
    }
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
    /// How long the answer may be, without thoughts. Only models over HTTP can be held to it.
    pub most_answer_tokens: Tokens,
}

impl ModelRequest {
    /// Estimates how many tokens the model reads.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        estimate(&self.instructions) + estimate(&self.prompt())
    }

    /// The text as it is sent, with the line by which it is recognised as ours.
    fn prompt(&self) -> String {
        format!("{FIRST_LINE}\n\n{}", self.text)
    }

    /// Instructions and text in one, for a program that takes nothing beside a prompt.
    fn prompt_with_instructions(&self) -> String {
        format!("{FIRST_LINE}\n\n{}\n\n{}", self.instructions, self.text)
    }
}

/// Whether a prompt is one of ours.
#[must_use]
pub fn is_our_prompt(text: &str) -> bool {
    text.trim_start().starts_with(FIRST_LINE)
}

/// The answer of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelAnswer {
    /// The text of the answer.
    pub text: String,
    /// What the model read and wrote; `None` if it did not report it.
    pub tokens: Option<TokenUse>,
    /// The id of the session a program made for it, if it says so.
    pub session: Option<String>,
}

impl ModelAnswer {
    /// Puts an estimate in place of a count that is missing or zero: nothing is read or written for nothing, a server that does not count
    /// reports zeros, and a program may report nothing.
    #[must_use]
    pub fn with_estimates(self, request: &ModelRequest) -> ModelAnswer {
        let counted =
            |reported: Tokens, estimated: Tokens| if reported.0 == 0 { estimated } else { reported };
        let reported = self.tokens.unwrap_or_default();
        let tokens = TokenUse {
            read: counted(reported.read, request.tokens()),
            written: counted(reported.written, estimate(&self.text)),
        };
        ModelAnswer { tokens: Some(tokens), ..self }
    }
}

/// Tokens of one answer, as the model counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUse {
    /// What it read, from a cache or not.
    pub read: Tokens,
    /// What it wrote, its thoughts included.
    pub written: Tokens,
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

impl ModelError {
    /// Whether no model can have read the request, so that it cost nothing.
    #[must_use]
    pub fn is_free(&self) -> bool {
        matches!(self, ModelError::Refused(_) | ModelError::Unreachable(_) | ModelError::UnencryptedKey)
    }
}
