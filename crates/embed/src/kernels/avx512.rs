//! The kernel for x86-64 processors with AVX-512 and its neural-network instructions (VNNI).

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
    /// Proves that the processor has the AVX-512 features that are used here. Their instruction multiplies unsigned activations with
    /// signed weights, hence the offset.
    Avx512 {
        features: "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma",
        is_detected: (is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")),
        offset: 128,
        widest_tile: 8
    }
}

/// Multiplies a tile.
///
/// # Safety
///
/// `R * inputs` bytes must be readable from `activations`, and `16 * inputs` from `weights`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn tile<const R: usize>(activations: *const u8, inputs: usize, weights: *const u8) -> [[i32; 16]; R] {
    let mut sums = [_mm512_setzero_si512(); R];
    for step in 0..inputs / 4 {
        // SAFETY: step * 64 + 64 <= 16 * inputs.
        let weights = unsafe { _mm512_loadu_si512(weights.add(step * 64).cast()) };
        for (row, sum) in sums.iter_mut().enumerate() {
            // SAFETY: row < R and step * 4 + 4 <= inputs.
            let four = unsafe { activations.add(row * inputs + step * 4).cast::<i32>().read_unaligned() };
            *sum = _mm512_dpbusd_epi32(*sum, _mm512_set1_epi32(four), weights);
        }
    }
    // SAFETY: a register of sixteen 32-bit numbers and sixteen 32-bit numbers are the same bytes.
    sums.map(|sum| unsafe { std::mem::transmute::<__m512i, [i32; 16]>(sum) })
}

/// Multiplies a query with one row.
///
/// # Safety
///
/// [`DIMENSION`] bytes must be readable from `row`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn dot(query: &[i16; DIMENSION], row: *const i8) -> i32 {
    let mut sums = [_mm512_setzero_si512(); 4];
    for (step, query) in query.as_chunks::<128>().0.iter().enumerate() {
        for (quarter, sum) in sums.iter_mut().enumerate() {
            // SAFETY: step * 128 + quarter * 32 + 32 <= DIMENSION.
            let narrow = unsafe { _mm256_loadu_si256(row.add(step * 128 + quarter * 32).cast()) };
            // SAFETY: quarter * 32 + 32 <= 128, the length of this part of the query.
            let query = unsafe { _mm512_loadu_si512(query.as_ptr().add(quarter * 32).cast()) };
            *sum = _mm512_add_epi32(*sum, _mm512_madd_epi16(query, _mm512_cvtepi8_epi16(narrow)));
        }
    }
    let [a, b, c, d] = sums;
    _mm512_reduce_add_epi32(_mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d)))
}
