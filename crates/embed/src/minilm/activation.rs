//! The functions between the matrices: reading packed numbers, exponential, GELU, layer normalisation.
//!
//! Polynomials instead of library calls, without branches, so that the compiler computes sixteen at a time.

use super::asset::{LANES, Lanes, Norm, PackedLanes, ROW};
use crate::DIMENSION;

/// Adding this to a small number and looking at the low bits rounds it to a whole number: 1.5 * 2^23, where
/// neighbouring floats are one apart.
pub(super) const ROUNDER: f32 = 12_582_912.0;

#[inline(always)]
pub(super) fn floats(packed: &PackedLanes) -> Lanes {
    let words = packed.as_chunks::<4>().0;
    std::array::from_fn(|lane| words.get(lane).map_or(0.0, |word| f32::from_le_bytes(*word)))
}

#[inline(always)]
pub(super) fn integers(packed: &PackedLanes) -> [i32; LANES] {
    let words = packed.as_chunks::<4>().0;
    std::array::from_fn(|lane| words.get(lane).map_or(0, |word| i32::from_le_bytes(*word)))
}

/// Widens a 16-bit float. Infinities and NaN, which the model does not have, come out wrong.
#[inline(always)]
pub(super) fn half(bytes: [u8; 2]) -> f32 {
    let bits = u32::from(u16::from_le_bytes(bytes));
    // Moves exponent and mantissa to their places, then corrects the exponent's bias by multiplying with
    // 2^112, which handles subnormal numbers too.
    f32::from_bits((bits & 0x8000) << 16 | (bits & 0x7fff) << 13) * f32::from_bits(0x7780_0000)
}

/// Computes e^x for x up to 88; relative error about 1e-6 (the polynomial is that of Cephes).
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let x = x.max(-87.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUNDER;
    let power = shifted - ROUNDER;
    // ln 2 in two parts, the first of which has so few bits that the product is exact.
    let rest = x - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let series = ((((1.987_569_1e-4 * rest + 1.398_199_9e-3) * rest + 8.333_452e-3) * rest + 4.166_579_6e-2)
        * rest
        + 1.666_666_5e-1)
        * rest
        + 0.5;
    let whole = shifted.to_bits().wrapping_sub(ROUNDER.to_bits());
    f32::from_bits(whole.wrapping_add(127) << 23) * (series * rest * rest + rest + 1.0)
}

/// Computes x times the share of the normal distribution below x (Abramowitz and Stegun, 7.1.26).
#[inline(always)]
pub(super) fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let series =
        ((((1.061_405_4 * t - 1.453_152) * t + 1.421_413_7) * t - 0.284_496_74) * t + 0.254_829_6) * t;
    let error_function = (1.0 - series * exp(-z * z)).copysign(x);
    0.5 * x * (1.0 + error_function)
}

/// Normalises each row to mean 0 and variance 1, then applies gain and bias.
#[inline(always)]
pub(super) fn normalise(rows: &mut [Lanes], norm: &Norm) {
    for row in rows.chunks_exact_mut(ROW) {
        let mean = sum(row, |value| value) / DIMENSION as f32;
        let variance = sum(row, |value| (value - mean) * (value - mean)) / DIMENSION as f32;
        let factor = 1.0 / (variance + 1e-12).sqrt();
        for ((lanes, gain), bias) in row.iter_mut().zip(norm.gain).zip(norm.bias) {
            for ((value, gain), bias) in lanes.iter_mut().zip(floats(gain)).zip(floats(bias)) {
                *value = (*value - mean) * factor * gain + bias;
            }
        }
    }
}

#[inline(always)]
fn sum(row: &[Lanes], term: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0; LANES];
    for lanes in row {
        for (sum, value) in sums.iter_mut().zip(lanes) {
            *sum += term(*value);
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_that_of_the_library() {
        for step in -8_600..880 {
            let x = step as f32 / 100.0;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) / exact - 1.0).abs() < 2e-6, "e^{x}");
        }
        assert!(exp(-1e9) < 1e-37);
    }

    #[test]
    fn gelu_follows_its_definition() {
        // Values of x * normal_cdf(x), from tables.
        for (x, expected) in
            [(0.0, 0.0), (1.0, 0.841_345), (-1.0, -0.158_655), (2.0, 1.954_5), (-3.0, -0.004_05)]
        {
            assert!((gelu(x) - expected).abs() < 1e-5, "gelu({x}) = {}", gelu(x));
        }
        assert_eq!(gelu(20.0), 20.0);
        assert_eq!(gelu(-20.0).abs(), 0.0);
    }

    #[test]
    fn half_floats_widen_exactly() {
        for (bits, expected) in
            [(0x3c00_u16, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (0x0001, 5.960_464_5e-8)]
        {
            assert_eq!(half(bits.to_le_bytes()), expected);
        }
    }
}
