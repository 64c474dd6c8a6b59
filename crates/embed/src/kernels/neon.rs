//! The kernel for 64-bit ARM processors with the dot-product extension: nearly all since 2018.

#![expect(unsafe_code, reason = "loads through pointers, and functions compiled for a detected processor")]
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a load and the step to its address belong together"
)]

use super::simd::simd_kernel;
use super::{Kernel, Rows, TILE_OUTPUTS, Task};
use crate::DIMENSION;
use std::arch::aarch64::*;
use std::arch::asm;
use std::arch::is_aarch64_feature_detected;

simd_kernel! {
    /// Proves that the processor has the dot-product extension.
    Neon {
        features: "neon,dotprod",
        is_detected: is_aarch64_feature_detected!("dotprod"),
        offset: 0,
        widest_tile: 4
    }
}

/// Multiplies a tile.
///
/// # Safety
///
/// `R * inputs` bytes must be readable from `activations`, and `16 * inputs` from `weights`.
#[inline]
#[target_feature(enable = "neon,dotprod")]
unsafe fn tile<const R: usize>(activations: *const u8, inputs: usize, weights: *const u8) -> [[i32; 16]; R] {
    let mut sums = [[vdupq_n_s32(0); 4]; R];
    for step in 0..inputs / 4 {
        let weights: [int8x16_t; 4] = std::array::from_fn(|quarter| {
            // SAFETY: step * 64 + quarter * 16 + 16 <= 16 * inputs.
            unsafe { vld1q_s8(weights.add(step * 64 + quarter * 16).cast()) }
        });
        for (row, sums) in sums.iter_mut().enumerate() {
            // SAFETY: row < R and step * 4 + 4 <= inputs.
            let four = unsafe { activations.add(row * inputs + step * 4).cast::<i32>().read_unaligned() };
            let inputs = vreinterpretq_s8_s32(vdupq_n_s32(four));
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum = add_products(*sum, weights, inputs);
            }
        }
    }
    // SAFETY: four registers of four 32-bit numbers and sixteen 32-bit numbers are the same bytes.
    sums.map(|four| unsafe { std::mem::transmute::<[int32x4_t; 4], [i32; 16]>(four) })
}

/// Adds to each 32-bit number of `sum` the four products of the bytes at its place.
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn add_products(sum: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
    let mut result = sum;
    // The intrinsic `vdotq_s32` is not stable yet: https://github.com/rust-lang/rust/issues/117224
    // SAFETY: the extension is enabled for this function; the instruction touches only its registers.
    unsafe {
        asm!("sdot {sum:v}.4s, {a:v}.16b, {b:v}.16b", sum = inout(vreg) result, a = in(vreg) a, b = in(vreg) b,
            options(pure, nomem, nostack, preserves_flags));
    }
    result
}

/// Multiplies a query with one row.
///
/// # Safety
///
/// [`DIMENSION`] bytes must be readable from `row`.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn dot(query: &[i16; DIMENSION], row: *const i8) -> i32 {
    let mut sums = [vdupq_n_s32(0); 4];
    for (step, query) in query.as_chunks::<16>().0.iter().enumerate() {
        // SAFETY: step * 16 + 16 <= DIMENSION.
        let narrow = unsafe { vld1q_s8(row.add(step * 16)) };
        // SAFETY: this part of the query has 16 numbers.
        let (low, high) = unsafe { (vld1q_s16(query.as_ptr()), vld1q_s16(query.as_ptr().add(8))) };
        let (first, second) = (vmovl_s8(vget_low_s8(narrow)), vmovl_high_s8(narrow));
        sums = [
            vmlal_s16(sums[0], vget_low_s16(low), vget_low_s16(first)),
            vmlal_high_s16(sums[1], low, first),
            vmlal_s16(sums[2], vget_low_s16(high), vget_low_s16(second)),
            vmlal_high_s16(sums[3], high, second),
        ];
    }
    vaddvq_s32(vaddq_s32(vaddq_s32(sums[0], sums[1]), vaddq_s32(sums[2], sums[3])))
}
