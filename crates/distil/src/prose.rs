//! Reading prose: passages → sentences → folded words, and the patterns that are looked for in them.
//!
//! What no one said (code, logs, quotations, injected blocks) is left out on the way. Not here: what a sentence means;
//! that is for `statements` and `closing`, each with its own tables.

mod passages;
mod patterns;
mod plain;
mod sentences;
mod tokens;

pub(crate) use passages::{Passage, PassageShape, is_foreign, passages};
pub(crate) use patterns::Patterns;
pub(crate) use plain::{own_words, plain, titled};
pub(crate) use sentences::sentences;
pub(crate) use tokens::{HIDDEN, Token, fold};
