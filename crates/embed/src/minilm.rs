//! The model that is built in: all-MiniLM-L6-v2, its layers in eight bits and its embeddings in four.
//!
//! English mostly: for other scripts its vectors say little, and lexical recall carries.
//!
//! Performance: nothing is read, copied or unpacked to load it. The weights lie in the binary's read-only
//! data, and a page is read from disk when the arithmetic first touches it. A process that stays and is asked now and then can give them
//! back after each question ([`MiniLm::unloading_after_query`]). After a text they stay, because more texts follow.

mod activation;
mod asset;
mod attention;
mod forward;
mod linear;
mod pages;

pub(crate) use asset::VOCABULARY;

use crate::chunks::chunks;
use crate::kernels::{Cpu, dispatch};
use crate::tokenizer::{CLOSING, OPENING, UNKNOWN, tokenize};
use crate::{Encoder, Vector};
use forward::Forward;
use pages::give_back;
use std::iter::once;

/// The most tokens the model reads at once, the opening and closing ones included.
const SEQUENCE: usize = 256;
/// The most tokens of the text itself that are read at once.
const TEXT_TOKENS: usize = SEQUENCE - 2;

/// Names the built-in model, its quantisation included.
#[must_use]
pub fn model_name() -> &'static str {
    "all-minilm-l6-v2-int8"
}

/// Whether a word is one of some twenty thousand that the model reads as a whole: the commonest words of written English.
///
/// Other words are spelled from pieces: names, technical terms, words of other languages.
#[must_use]
pub fn is_everyday(word: &str) -> bool {
    matches!(tokenize(&VOCABULARY, word, SEQUENCE).ids.as_slice(), [id] if *id != UNKNOWN)
}

/// The built-in model, ready to encode.
#[derive(Clone, Copy, Debug)]
pub struct MiniLm {
    cpu: Cpu,
    /// What is done with a part of the model once a question was read with it.
    after_question: fn(&'static [u8]),
}

impl MiniLm {
    /// Returns the model, with the fastest kernels this processor has.
    #[must_use]
    pub fn load() -> MiniLm {
        MiniLm { cpu: Cpu::detect(), after_question: |_| {} }
    }

    /// Gives its pages back to the system after each question, for a process that lives long and is asked now and then: it holds 16 MB
    /// less, and a question takes about a millisecond longer.
    #[must_use]
    pub fn unloading_after_query(self) -> MiniLm {
        MiniLm { after_question: give_back, ..self }
    }

    fn read(&self, ids: &[u16], after: fn(&'static [u8])) -> Option<Vector> {
        let ids: Vec<u16> = once(OPENING).chain(ids.iter().copied()).chain(once(CLOSING)).collect();
        Vector::normalised(dispatch(self.cpu, Forward { ids: &ids, after }))
    }
}

impl Encoder for MiniLm {
    fn model_name(&self) -> &'static str {
        model_name()
    }

    fn encode(&self, text: &str) -> Vec<Vector> {
        let tokens = tokenize(&VOCABULARY, text, usize::MAX);
        chunks(&tokens, TEXT_TOKENS)
            .into_iter()
            .filter_map(|chunk| self.read(tokens.ids.get(chunk)?, |_| {}))
            .collect()
    }

    fn encode_query(&self, text: &str) -> Option<Vector> {
        let mut ids = tokenize(&VOCABULARY, text, TEXT_TOKENS).ids;
        ids.truncate(TEXT_TOKENS);
        if ids.is_empty() { None } else { self.read(&ids, self.after_question) }
    }
}

#[cfg(test)]
mod tests;
