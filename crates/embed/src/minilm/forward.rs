//! The forward pass: token ids in, the mean of the last layer's rows out.

#![expect(clippy::indexing_slicing, reason = "hot loops over buffers whose sizes follow from the model's")]

use super::activation::{gelu, half, normalise};
use super::asset::{GROUP, INNER, LANES, Lanes, Layer, ROW, WEIGHTS};
use super::attention::Attention;
use super::linear::Rounded;
use crate::DIMENSION;
use crate::kernels::{Kernel, Task};

/// Reads one sequence of token ids, the opening and closing ones included.
pub(super) struct Forward<'a> {
    /// At most as many as the model has positions; more are not read.
    pub(super) ids: &'a [u16],
    /// What is done with a part of the model that was read.
    pub(super) after: fn(&'static [u8]),
}

impl Task for Forward<'_> {
    type Output = [f32; DIMENSION];

    #[inline(always)]
    fn run(self, kernel: impl Kernel) -> [f32; DIMENSION] {
        let mut rows = embed(self.ids);
        (self.after)(WEIGHTS.looked_up);
        normalise(&mut rows, &WEIGHTS.embedding_norm);
        let mut scratch = Scratch::for_tokens(rows.len() / ROW);
        for layer in &WEIGHTS.layers {
            scratch.apply(kernel, layer, &mut rows);
            (self.after)(layer.bytes);
        }
        mean(&rows)
    }
}

/// Looks up the embedding of each token and adds that of its position.
fn embed(ids: &[u16]) -> Vec<Lanes> {
    let mut rows = Vec::with_capacity(ids.len() * ROW);
    for (id, position) in ids.iter().map(|id| usize::from(*id)).zip(WEIGHTS.positions) {
        let (Some(scales), Some(packed)) = (WEIGHTS.group_scales.get(id), WEIGHTS.embeddings.get(id)) else {
            continue;
        };
        let mut row = [0.0; DIMENSION];
        let groups = scales.as_chunks::<2>().0.iter().zip(packed.chunks_exact(GROUP / 2));
        for ((scale, packed), row) in groups.zip(row.chunks_exact_mut(GROUP)) {
            let scale = half(*scale);
            for (byte, pair) in packed.iter().zip(row.as_chunks_mut::<2>().0) {
                // Two numbers from -8 to 7, each stored with 8 added.
                *pair = [byte & 15, byte >> 4].map(|number| (f32::from(number) - 8.0) * scale);
            }
        }
        for (value, position) in row.iter_mut().zip(position.as_chunks::<2>().0) {
            *value += half(*position);
        }
        rows.extend_from_slice(row.as_chunks::<LANES>().0);
    }
    rows
}

/// The memory one pass works in.
struct Scratch {
    rounded: Rounded,
    attention: Attention,
    query_key_value: Vec<Lanes>,
    context: Vec<Lanes>,
    inner: Vec<Lanes>,
}

impl Scratch {
    fn for_tokens(tokens: usize) -> Scratch {
        let zeroed = |numbers: usize| vec![[0.0; LANES]; tokens * numbers / LANES];
        Scratch {
            rounded: Rounded::default(),
            attention: Attention::default(),
            query_key_value: zeroed(3 * DIMENSION),
            context: zeroed(DIMENSION),
            inner: zeroed(INNER),
        }
    }

    #[inline(always)]
    fn apply<K: Kernel>(&mut self, kernel: K, layer: &Layer, rows: &mut [Lanes]) {
        let Scratch { rounded, attention, query_key_value, context, inner } = self;
        layer.query_key_value.apply(kernel, rows, rounded, |at, lanes| query_key_value[at] = lanes);
        attention.attend(kernel, query_key_value, context);
        layer.attention_output.apply(kernel, context, rounded, |at, lanes| add(&mut rows[at], &lanes));
        normalise(rows, &layer.attention_norm);
        layer.up.apply(kernel, rows, rounded, |at, mut lanes| {
            lanes.iter_mut().for_each(|value| *value = gelu(*value));
            inner[at] = lanes;
        });
        layer.down.apply(kernel, inner, rounded, |at, lanes| add(&mut rows[at], &lanes));
        normalise(rows, &layer.output_norm);
    }
}

#[inline(always)]
fn add(to: &mut Lanes, more: &Lanes) {
    for (value, more) in to.iter_mut().zip(more) {
        *value += more;
    }
}

fn mean(rows: &[Lanes]) -> [f32; DIMENSION] {
    let count = (rows.len() / ROW).max(1) as f32;
    let mut mean = [0.0; DIMENSION];
    for row in rows.chunks_exact(ROW) {
        for (sum, value) in mean.iter_mut().zip(row.as_flattened()) {
            *sum += value / count;
        }
    }
    mean
}
