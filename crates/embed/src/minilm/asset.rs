//! The model file as part of the binary: what lies where in it.
//!
//! The whole layout is walked while compiling, so a file of another shape does not build, and at run time
//! there is nothing to check. `tools/export_model.py` writes the file; every part begins at a multiple of 64
//! and every number is little-endian.

use super::SEQUENCE;
use super::linear::Linear;
use crate::DIMENSION;
use crate::tokenizer::WordPieces;

pub(super) const LAYERS: usize = 6;
/// The width of the layer between the two halves of a feed-forward step.
pub(super) const INNER: usize = 1536;
/// How many numbers are handled side by side everywhere: one 512-bit register, or two, or four of others.
pub(super) const LANES: usize = 16;
/// Sixteen numbers of a row.
pub(super) type Lanes = [f32; LANES];
/// How many `Lanes` make a row of the model's width.
pub(super) const ROW: usize = DIMENSION / LANES;
/// Embeddings share one scale among this many numbers.
pub(super) const GROUP: usize = 32;

/// One scale per group of an embedding, as 16-bit floats.
pub(super) type GroupScales = [u8; DIMENSION / GROUP * 2];
/// The embedding of a token, two numbers to a byte.
pub(super) type PackedEmbedding = [u8; DIMENSION / 2];
/// The embedding of a position, as 16-bit floats.
pub(super) type PositionEmbedding = [u8; DIMENSION * 2];
/// Sixteen 32-bit numbers as they lie in the file.
pub(super) type PackedLanes = [u8; LANES * 4];

/// The gain and bias of a layer normalisation.
pub(super) struct Norm {
    pub(super) gain: &'static [PackedLanes],
    pub(super) bias: &'static [PackedLanes],
}

/// One transformer layer.
pub(super) struct Layer {
    /// All of it, as it lies in the file.
    pub(super) bytes: &'static [u8],
    pub(super) query_key_value: Linear,
    pub(super) attention_output: Linear,
    pub(super) attention_norm: Norm,
    pub(super) up: Linear,
    pub(super) down: Linear,
    pub(super) output_norm: Norm,
}

/// All weights, as views of the file.
pub(super) struct Weights {
    /// All embeddings, as they lie in the file.
    pub(super) looked_up: &'static [u8],
    pub(super) group_scales: &'static [GroupScales],
    pub(super) embeddings: &'static [PackedEmbedding],
    pub(super) positions: &'static [PositionEmbedding],
    pub(super) embedding_norm: Norm,
    pub(super) layers: [Layer; LAYERS],
}

/// Vector loads across cache lines are slower; the file is laid out for this alignment.
#[repr(C, align(64))]
pub(super) struct Aligned<T>(pub(super) T);

pub(super) static FILE: Aligned<[u8; 18_280_256]> =
    Aligned(*include_bytes!("../../assets/all-minilm-l6-v2.int8.mlm"));

const HEADER: usize = 16;
const TOKENS: usize = 30_522;
const SLOTS: usize = 1 << 16;

/// The vocabulary of the model.
pub(crate) static VOCABULARY: WordPieces = vocabulary().0;
/// The weights of the model.
pub(super) static WEIGHTS: Weights = weights(vocabulary().1);

const fn vocabulary() -> (WordPieces, Walk) {
    let mut walk = Walk { rest: &FILE.0 };
    let header = walk.take(HEADER);
    assert!(matches!(header.first_chunk(), Some(b"MLM2")));
    let slots = walk.take(SLOTS * 4).as_chunks().0;
    let offsets: &[[u8; 4]] = walk.take((TOKENS + 1) * 4).as_chunks().0;
    let Some(end) = offsets.last() else { panic!("the vocabulary is empty") };
    let text = walk.take(u32::from_le_bytes(*end) as usize);
    walk.align();
    (WordPieces::over(slots, offsets, text), walk)
}

const fn weights(mut walk: Walk) -> Weights {
    let start = walk.rest;
    let group_scales = walk.part(TOKENS * size_of::<GroupScales>()).as_chunks().0;
    let embeddings = walk.part(TOKENS * size_of::<PackedEmbedding>()).as_chunks().0;
    let positions = walk.part(SEQUENCE * size_of::<PositionEmbedding>()).as_chunks().0;
    let looked_up = walk.since(start);
    let embedding_norm = walk.norm();
    let layers = [walk.layer(), walk.layer(), walk.layer(), walk.layer(), walk.layer(), walk.layer()];
    assert!(walk.rest.is_empty(), "the file is longer than the model");
    Weights { looked_up, group_scales, embeddings, positions, embedding_norm, layers }
}

/// Walks the file from part to part. Runs only while compiling, where a panic is a build error.
struct Walk {
    rest: &'static [u8],
}

impl Walk {
    const fn take(&mut self, bytes: usize) -> &'static [u8] {
        let (part, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        part
    }

    const fn align(&mut self) {
        let read = FILE.0.len() - self.rest.len();
        self.take(read.next_multiple_of(64) - read);
    }

    const fn part(&mut self, bytes: usize) -> &'static [u8] {
        let part = self.take(bytes);
        self.align();
        part
    }

    const fn lanes(&mut self, count: usize) -> &'static [PackedLanes] {
        self.part(count * 4).as_chunks().0
    }

    const fn norm(&mut self) -> Norm {
        Norm { gain: self.lanes(DIMENSION), bias: self.lanes(DIMENSION) }
    }

    const fn linear(&mut self, outputs: usize, inputs: usize) -> Linear {
        Linear {
            inputs,
            scales: self.lanes(outputs),
            biases: self.lanes(outputs),
            sums: self.lanes(outputs),
            weights: self.part(outputs * inputs),
        }
    }

    const fn layer(&mut self) -> Layer {
        let start = self.rest;
        Layer {
            query_key_value: self.linear(3 * DIMENSION, DIMENSION),
            attention_output: self.linear(DIMENSION, DIMENSION),
            attention_norm: self.norm(),
            up: self.linear(INNER, DIMENSION),
            down: self.linear(DIMENSION, INNER),
            output_norm: self.norm(),
            bytes: self.since(start),
        }
    }

    /// Returns all that was walked over since there was so much left.
    const fn since(&self, start: &'static [u8]) -> &'static [u8] {
        start.split_at(start.len() - self.rest.len()).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_the_one_that_was_measured() {
        let digest = blake3::hash(&FILE.0).to_hex();
        assert_eq!(digest.as_str(), "762d9afdb972eb0e4302602ec363ee1ff9b47aef9269580bbeaa35ed9f1e90a8");
    }

    #[test]
    fn every_part_begins_on_a_cache_line() {
        let starts = WEIGHTS.layers.iter().flat_map(|layer| {
            [&layer.query_key_value, &layer.attention_output, &layer.up, &layer.down]
                .map(|part| part.weights.as_ptr())
        });
        assert!(starts.into_iter().all(|start| start.addr().is_multiple_of(64)));
    }
}
