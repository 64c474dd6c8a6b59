//! A matrix of eight-bit weights, and the multiplication of rows with it.
//!
//! Each row of activations is rounded to eight bits with a scale of its own just before it is multiplied; the
//! sums are exact integers, and one scale per row and one per output bring them back.
//!
//! The two largest activations of a row do not take part in choosing its scale: what they exceed it by is
//! multiplied apart. This model has a few activations several times larger than all others, and with a scale
//! stretched to hold them, one short text in twenty came out more than a hundredth off.

#![expect(clippy::indexing_slicing, reason = "hot loops over buffers whose sizes follow from the model's")]

use super::activation::{ROUNDER, floats, integers};
use super::asset::{LANES, Lanes, PackedLanes};
use crate::kernels::{Kernel, TILE_INPUTS, TILE_OUTPUTS};

/// A fully connected layer. Weights are packed as `kernels` wants them.
pub(super) struct Linear {
    pub(super) inputs: usize,
    /// What one step of a weight is worth, by output.
    pub(super) scales: &'static [PackedLanes],
    pub(super) biases: &'static [PackedLanes],
    /// The sum of the weights of each output, to take a kernel's offset out again.
    pub(super) sums: &'static [PackedLanes],
    pub(super) weights: &'static [u8],
}

/// Rows of activations in eight bits. Kept from layer to layer, for its memory.
#[derive(Default)]
pub(super) struct Rounded {
    bytes: Vec<u8>,
    scales: Vec<f32>,
    outliers: Vec<Outlier>,
    /// The products of each row with one block of weights.
    sums: Vec<[i32; TILE_OUTPUTS]>,
}

/// An activation that eight bits do not hold, and how many steps are missing.
struct Outlier {
    row: usize,
    input: usize,
    excess: i32,
}

impl Linear {
    /// Multiplies every row of `input` and hands on sixteen outputs at a time, with their place.
    #[inline(always)]
    pub(super) fn apply<K: Kernel>(
        &self,
        kernel: K,
        input: &[Lanes],
        rounded: &mut Rounded,
        mut store: impl FnMut(usize, Lanes),
    ) {
        rounded.fill::<K>(input, self.inputs);
        let blocks = self.weights.chunks_exact(TILE_OUTPUTS * self.inputs);
        let constants = self.scales.iter().zip(self.biases).zip(self.sums);
        let stride = self.scales.len();
        for (block, (weights, ((scales, biases), sums))) in blocks.zip(constants).enumerate() {
            let (scales, biases) = (floats(scales), floats(biases));
            let offsets = integers(sums).map(|sum| sum * K::OFFSET);
            rounded.multiply(kernel, self.inputs, weights);
            rounded.add_outliers(weights);
            // One place for `store`, or the compiler would make it a function of its own, compiled for the
            // oldest processor.
            for (row, (sums, scale)) in rounded.sums.iter().zip(&rounded.scales).enumerate() {
                let result = std::array::from_fn(|lane| {
                    (sums[lane] - offsets[lane]) as f32 * scale * scales[lane] + biases[lane]
                });
                store(row * stride + block, result);
            }
        }
    }
}

impl Rounded {
    #[inline(always)]
    fn fill<K: Kernel>(&mut self, input: &[Lanes], inputs: usize) {
        self.bytes.resize(input.len() * LANES, 0);
        self.scales.clear();
        self.outliers.clear();
        let rows = input.chunks_exact(inputs / LANES).zip(self.bytes.chunks_exact_mut(inputs));
        for (row, (values, bytes)) in rows.enumerate() {
            let limit = limit(values);
            let factor = LARGEST / limit;
            self.scales.push(limit / LARGEST);
            for (value, byte) in values.as_flattened().iter().zip(bytes.iter_mut()) {
                *byte = steps(value * factor).wrapping_add(K::OFFSET) as u8;
            }
            for (block, lanes) in values.iter().enumerate().filter(|(_, lanes)| any_above(lanes, limit)) {
                for (lane, value) in lanes.iter().enumerate().filter(|(_, value)| value.abs() > limit) {
                    let input = block * LANES + lane;
                    let whole = steps(value * factor);
                    let held = whole.clamp(-(LARGEST as i32), LARGEST as i32);
                    bytes[input] = (held + K::OFFSET) as u8;
                    self.outliers.push(Outlier { row, input, excess: whole - held });
                }
            }
        }
    }

    /// Adds what the outliers exceed eight bits by, times their weights in this block.
    #[inline(always)]
    fn add_outliers(&mut self, weights: &[u8]) {
        let packed = weights.as_chunks::<{ TILE_OUTPUTS * TILE_INPUTS }>().0;
        for outlier in &self.outliers {
            let fours = integers(&packed[outlier.input / TILE_INPUTS]);
            let shift = 24 - 8 * (outlier.input % TILE_INPUTS);
            for (sum, four) in self.sums[outlier.row].iter_mut().zip(fours) {
                *sum += outlier.excess * ((four << shift) >> 24);
            }
        }
    }

    /// Multiplies all rows with one block of weights, as many rows at a time as the kernel has registers for.
    #[inline(always)]
    fn multiply<K: Kernel>(&mut self, kernel: K, inputs: usize, weights: &[u8]) {
        self.sums.clear();
        if K::WIDEST_TILE >= 8 {
            self.tiles::<K, 8>(kernel, inputs, weights);
        }
        if K::WIDEST_TILE >= 4 {
            self.tiles::<K, 4>(kernel, inputs, weights);
            self.tiles::<K, 3>(kernel, inputs, weights);
        }
        if K::WIDEST_TILE >= 2 {
            self.tiles::<K, 2>(kernel, inputs, weights);
        }
        self.tiles::<K, 1>(kernel, inputs, weights);
    }

    /// Multiplies the rows that have no sums yet, `R` at a time while there are that many.
    #[inline(always)]
    fn tiles<K: Kernel, const R: usize>(&mut self, kernel: K, inputs: usize, weights: &[u8]) {
        let left = self.bytes.get(self.sums.len() * inputs..).unwrap_or_default();
        for rows in left.chunks_exact(R * inputs) {
            self.sums.extend_from_slice(&kernel.tile::<R>(rows, weights));
        }
    }
}

/// The largest activation, in steps.
const LARGEST: f32 = 127.0;

/// Returns the largest value that eight bits must hold: the third largest of the row.
///
/// Never less than a 64th of the largest, so that an excess stays a small integer.
#[inline(always)]
fn limit(values: &[Lanes]) -> f32 {
    let first = peak_below(values, f32::INFINITY);
    let third = peak_below(values, peak_below(values, first));
    third.max(first / 64.0).max(1e-9)
}

/// Returns the largest absolute value that is less than `ceiling`.
#[inline(always)]
fn peak_below(values: &[Lanes], ceiling: f32) -> f32 {
    let mut peaks = [0.0_f32; LANES];
    for lanes in values {
        for (peak, value) in peaks.iter_mut().zip(lanes) {
            let size = value.abs();
            *peak = peak.max(if size < ceiling { size } else { 0.0 });
        }
    }
    peaks.iter().copied().fold(0.0, f32::max)
}

/// Returns whether any value exceeds `limit`, looking at all of them: without a branch this is a few instructions.
#[inline(always)]
fn any_above(lanes: &Lanes, limit: f32) -> bool {
    lanes.iter().fold(false, |any, value| any | (value.abs() > limit))
}

/// Rounds a number of steps, as long as it is below 2^22.
#[inline(always)]
fn steps(value: f32) -> i32 {
    (value + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits()).cast_signed()
}
