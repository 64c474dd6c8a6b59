//! Text in, vector out, and the file the vectors are searched in.
//!
//! A text is tokenized, read by a small quantised transformer that is part of the binary, and becomes one or
//! more unit vectors of [`DIMENSION`] numbers; near in meaning is near in angle. The [`VectorFile`] holds such
//! vectors in eight bits a number and is scanned from end to end: exact, no tuning, nothing to build.
//!
//! Deliberately not here: SQL (the memories in the store are the truth, the file is made again from them),
//! ranking beyond the cosine, threads, downloads, and any knowledge of what a memory is.
//!
//! This is the only crate with unsafe code. It is confined to `kernels` (vector instructions, each checked
//! against a scalar twin), to `vector_file::map` (a file mapped into memory) and to `minilm::pages` (which gives pages
//! of the model back).

mod chunks;
mod encoder;
mod kernels;
mod minilm;
#[cfg(test)]
mod reference_data;
mod tokenizer;
mod vector;
mod vector_file;

pub use encoder::Encoder;
pub use minilm::{MiniLm, is_everyday, model_name};
pub use vector::{DIMENSION, QUANTISED_BYTES, Quantised, Vector};
pub use vector_file::{Neighbour, VectorFile, VectorFileError, VectorRow, VectorScope, VectorWriter};
