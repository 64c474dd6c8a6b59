//! The kernel for any processor: plain Rust, written so that the compiler turns the loops into whatever vector
//! instructions the architecture always has.
//!
//! It multiplies in floating point: every architecture has vector instructions for that, while those for small
//! integers differ so much that compilers rarely find them. The results are exact integers all the same,
//! because floats count up to 2^24 without rounding and sums are moved to integers before they get there.

#![expect(clippy::indexing_slicing, reason = "hot loops over buffers whose sizes follow from the model's")]
#![expect(unsafe_code, reason = "rows are read through a pointer, see `rows`")]

use super::{Kernel, Rows, TILE_INPUTS, TILE_OUTPUTS};
use crate::DIMENSION;

/// Needs nothing beyond the architecture's minimum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

/// How many inputs are added up in floating point: 128 * 127 * 127 is well below 2^24.
const RUN: usize = 128;
/// How many outputs are computed at a time, so that the sums of four rows fit sixteen registers.
const OUTPUTS: usize = 8;
/// The bytes of packed weights that hold four inputs of every output.
const STEP: usize = TILE_OUTPUTS * TILE_INPUTS;

impl Kernel for Portable {
    const OFFSET: i32 = 0;
    const WIDEST_TILE: usize = 4;

    #[inline(always)]
    fn tile<const R: usize>(self, activations: &[u8], weights: &[u8]) -> [[i32; TILE_OUTPUTS]; R] {
        let inputs = activations.len() / R;
        let mut sums = [[0; TILE_OUTPUTS]; R];
        for (run, weights) in weights.chunks(RUN * TILE_OUTPUTS).enumerate() {
            let mut steps = [[[0.0; TILE_INPUTS]; R]; RUN / TILE_INPUTS];
            for (row, bytes) in activations.chunks_exact(inputs).enumerate() {
                let bytes = bytes.chunks(RUN).nth(run).unwrap_or_default();
                for (step, four) in steps.iter_mut().zip(bytes.as_chunks::<TILE_INPUTS>().0) {
                    step[row] = four.map(|byte| f32::from(byte.cast_signed()));
                }
            }
            for outputs in 0..TILE_OUTPUTS / OUTPUTS {
                let partial = multiply(&steps, weights, outputs);
                for (sums, partial) in sums.iter_mut().zip(&partial) {
                    let sums = sums.as_chunks_mut::<OUTPUTS>().0.get_mut(outputs);
                    for (sum, partial) in sums.into_iter().flatten().zip(partial) {
                        *sum += *partial as i32;
                    }
                }
            }
        }
        sums
    }

    #[inline(always)]
    fn multiply_add(self, a: f32, b: f32, c: f32) -> f32 {
        // Without an instruction for it, `mul_add` would call a slow library function.
        a * b + c
    }

    #[inline(always)]
    fn dots(self, query: &[i16; DIMENSION], rows: Rows<'_>, products: &mut [i32]) {
        for (row, product) in rows.addresses().zip(products) {
            // SAFETY: `addresses` gives places where a whole row is readable; bytes need no alignment.
            let row: [i8; DIMENSION] = unsafe { row.cast::<[i8; DIMENSION]>().read_unaligned() };
            *product = query.iter().zip(&row).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        }
    }
}

/// Multiplies a run of each row, given four inputs at a time, with the weights of some of the outputs.
#[inline(never)]
fn multiply<const R: usize>(
    steps: &[[[f32; TILE_INPUTS]; R]],
    weights: &[u8],
    outputs: usize,
) -> [[f32; OUTPUTS]; R] {
    let mut sums = [[0.0; OUTPUTS]; R];
    for (rows, packed) in steps.iter().zip(weights.as_chunks::<STEP>().0) {
        let Some(packed) = packed.as_chunks::<{ OUTPUTS * TILE_INPUTS }>().0.get(outputs) else { break };
        // Four weights of one output as one number, so that a shift brings out one weight of every output.
        let mut fours = [0; OUTPUTS];
        for (four, bytes) in fours.iter_mut().zip(packed.as_chunks::<TILE_INPUTS>().0) {
            *four = i32::from_le_bytes(*bytes);
        }
        for input in 0..TILE_INPUTS {
            let mut weights = [0.0; OUTPUTS];
            for (weight, four) in weights.iter_mut().zip(&fours) {
                *weight = ((four << (24 - 8 * input)) >> 24) as f32;
            }
            for (sums, row) in sums.iter_mut().zip(rows) {
                for (sum, weight) in sums.iter_mut().zip(&weights) {
                    *sum += row[input] * weight;
                }
            }
        }
    }
    sums
}
