//! The kernel for x86-64 processors with AVX2 and FMA: nearly all since 2013.

#![expect(unsafe_code, reason = "loads through pointers, and functions compiled for a detected processor")]
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a load and the step to its address belong together"
)]

use super::simd::simd_kernel;
use super::{Kernel, Rows, TILE_OUTPUTS, Task};
use crate::DIMENSION;
use std::arch::x86_64::*;

simd_kernel! {
    /// Proves that the processor has AVX2 and FMA.
    Avx2 {
        features: "avx2,fma",
        is_detected: (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")),
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
#[target_feature(enable = "avx2")]
unsafe fn tile<const R: usize>(activations: *const u8, inputs: usize, weights: *const u8) -> [[i32; 16]; R] {
    let ones = _mm256_set1_epi16(1);
    let mut sums = [[_mm256_setzero_si256(); 2]; R];
    for step in 0..inputs / 4 {
        // SAFETY: step * 64 + 64 <= 16 * inputs.
        let low = unsafe { _mm256_loadu_si256(weights.add(step * 64).cast()) };
        // SAFETY: as above.
        let high = unsafe { _mm256_loadu_si256(weights.add(step * 64 + 32).cast()) };
        for (row, sums) in sums.iter_mut().enumerate() {
            // SAFETY: row < R and step * 4 + 4 <= inputs.
            let four = unsafe { activations.add(row * inputs + step * 4).cast::<i32>().read_unaligned() };
            let inputs = _mm256_set1_epi32(four);
            // The instruction wants one unsigned factor: the sign of the input moves to the weight. With
            // factors up to 127 the sum of two products stays within 16 bits.
            let unsigned = _mm256_abs_epi8(inputs);
            for (sum, weights) in sums.iter_mut().zip([low, high]) {
                let pairs = _mm256_maddubs_epi16(unsigned, _mm256_sign_epi8(weights, inputs));
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
            }
        }
    }
    // SAFETY: two registers of eight 32-bit numbers and sixteen 32-bit numbers are the same bytes.
    sums.map(|pair| unsafe { std::mem::transmute::<[__m256i; 2], [i32; 16]>(pair) })
}

/// Multiplies a query with one row.
///
/// # Safety
///
/// [`DIMENSION`] bytes must be readable from `row`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn dot(query: &[i16; DIMENSION], row: *const i8) -> i32 {
    let mut sums = [_mm256_setzero_si256(); 4];
    for (step, query) in query.as_chunks::<64>().0.iter().enumerate() {
        for (quarter, sum) in sums.iter_mut().enumerate() {
            // SAFETY: step * 64 + quarter * 16 + 16 <= DIMENSION.
            let narrow = unsafe { _mm_loadu_si128(row.add(step * 64 + quarter * 16).cast()) };
            // SAFETY: quarter * 16 + 16 <= 64, the length of this part of the query.
            let query = unsafe { _mm256_loadu_si256(query.as_ptr().add(quarter * 16).cast()) };
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(query, _mm256_cvtepi8_epi16(narrow)));
        }
    }
    let [a, b, c, d] = sums;
    let sum = _mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d));
    let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b00_00_11_10>(sum));
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b00_00_00_01>(sum));
    _mm_cvtsi128_si32(sum)
}
