//! Vectors: as the encoder makes them, as they are stored, and as they are asked with.

use crate::kernels::{Cpu, Kernel, Rows, Task, dispatch};
use std::fmt;

/// How many numbers a vector has.
pub const DIMENSION: usize = 384;

/// How many bytes a stored vector takes: its scale, then one byte a number.
pub const QUANTISED_BYTES: usize = size_of::<f32>() + DIMENSION;

/// A vector of length one.
#[derive(Clone, PartialEq)]
pub struct Vector([f32; DIMENSION]);

impl Vector {
    /// Scales `values` to length one; returns `None` when they have no direction (all zero, or not finite).
    #[must_use]
    pub fn normalised(mut values: [f32; DIMENSION]) -> Option<Vector> {
        let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
        if !length.is_normal() {
            return None;
        }
        values.iter_mut().for_each(|value| *value /= length);
        Some(Vector(values))
    }

    /// Returns the numbers.
    #[must_use]
    pub fn values(&self) -> &[f32; DIMENSION] {
        &self.0
    }

    /// Returns the cosine of the angle between two vectors: 1 for the same direction, 0 for unrelated ones.
    #[must_use]
    pub fn cosine(&self, other: &Vector) -> f32 {
        self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
    }

    /// Rounds to eight bits a number. Cosines move by about 0.001.
    #[must_use]
    pub fn quantise(&self) -> Quantised {
        let (scale, values) = rounded(&self.0, f32::from(i8::MAX));
        Quantised { scale, values: values.map(|value| value as i8) }
    }
}

impl fmt::Debug for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vector({:?}, …)", self.0.first_chunk::<3>())
    }
}

/// A vector in eight bits a number, as stored and scanned.
#[derive(Clone, PartialEq)]
pub struct Quantised {
    scale: f32,
    values: [i8; DIMENSION],
}

impl Quantised {
    /// Returns the bytes to store: the scale, little-endian, then the numbers.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; QUANTISED_BYTES] {
        let mut bytes = [0; QUANTISED_BYTES];
        let all =
            self.scale.to_le_bytes().into_iter().chain(self.values.iter().map(|value| value.cast_unsigned()));
        bytes.iter_mut().zip(all).for_each(|(place, byte)| *place = byte);
        bytes
    }

    /// Reads what [`Quantised::to_bytes`] wrote; returns `None` when it cannot be that.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Quantised> {
        let (scale, values) = bytes.split_first_chunk()?;
        let values: [u8; DIMENSION] = values.try_into().ok()?;
        Quantised::from_parts(f32::from_le_bytes(*scale), values.map(u8::cast_signed))
    }

    /// Puts a vector together again; returns `None` when it cannot be one.
    pub(crate) fn from_parts(scale: f32, values: [i8; DIMENSION]) -> Option<Quantised> {
        (scale.is_normal() && scale > 0.0).then_some(Quantised { scale, values })
    }

    /// Returns the vector this was rounded from, as far as eight bits tell; `None` when all numbers are zero.
    #[must_use]
    pub fn to_vector(&self) -> Option<Vector> {
        Vector::normalised(self.values.map(f32::from))
    }

    /// Returns the cosine of the angle between two stored vectors, within about 0.002 of the exact one.
    #[must_use]
    pub fn cosine(&self, other: &Quantised) -> f32 {
        let (query, mut product) = (ScanQuery::from(self), [0]);
        query.products(Cpu::detect(), std::slice::from_ref(&other.values).into(), &mut product);
        let [product] = product;
        query.cosine(product, other.scale)
    }

    pub(crate) fn scale(&self) -> f32 {
        self.scale
    }

    pub(crate) fn values(&self) -> &[i8; DIMENSION] {
        &self.values
    }
}

impl fmt::Debug for Quantised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Quantised({:?}, …)", self.values.first_chunk::<3>())
    }
}

/// A vector to compare many stored ones with.
///
/// In 16 bits a number, because that costs nothing: the sum of 384 products of 16 and 8 bits fits 32.
pub(crate) struct ScanQuery {
    scale: f32,
    values: [i16; DIMENSION],
}

impl ScanQuery {
    /// Returns the cosine that a product with a row of the given scale stands for.
    pub(crate) fn cosine(&self, product: i32, scale: f32) -> f32 {
        product as f32 * self.scale * scale
    }

    /// Computes the product with each row, still to be scaled.
    pub(crate) fn products(&self, cpu: Cpu, rows: Rows<'_>, products: &mut [i32]) {
        dispatch(cpu, Products { query: self, rows, products });
    }
}

impl From<&Vector> for ScanQuery {
    fn from(vector: &Vector) -> ScanQuery {
        let (scale, values) = rounded(&vector.0, f32::from(i16::MAX));
        ScanQuery { scale, values: values.map(|value| value as i16) }
    }
}

impl From<&Quantised> for ScanQuery {
    fn from(quantised: &Quantised) -> ScanQuery {
        ScanQuery { scale: quantised.scale, values: quantised.values.map(i16::from) }
    }
}

struct Products<'a> {
    query: &'a ScanQuery,
    rows: Rows<'a>,
    products: &'a mut [i32],
}

impl Task for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, kernel: impl Kernel) {
        kernel.dots(&self.query.values, self.rows, self.products);
    }
}

/// Returns whole numbers up to `largest` either way, and what to multiply them with to get the values back.
fn rounded(values: &[f32; DIMENSION], largest: f32) -> (f32, [f32; DIMENSION]) {
    let peak = values.iter().fold(f32::MIN_POSITIVE, |peak, value| peak.max(value.abs()));
    (peak / largest, values.map(|value| (value / peak * largest).round()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_vector() -> impl Strategy<Value = Vector> {
        prop::collection::vec(-1.0_f32..1.0, DIMENSION)
            .prop_filter_map("no direction", |values| Vector::normalised(values.try_into().ok()?))
    }

    proptest! {
        #[test]
        fn quantising_keeps_the_direction(vector in any_vector(), other in any_vector()) {
            let exact = vector.cosine(&other);
            prop_assert!((vector.quantise().cosine(&other.quantise()) - exact).abs() < 0.005);
            prop_assert!((vector.quantise().cosine(&vector.quantise()) - 1.0).abs() < 0.002);
        }

        #[test]
        fn stored_bytes_read_back_the_same(vector in any_vector()) {
            let quantised = vector.quantise();
            prop_assert_eq!(Quantised::from_bytes(&quantised.to_bytes()), Some(quantised));
        }

        #[test]
        fn no_bytes_make_reading_panic(bytes in prop::collection::vec(any::<u8>(), 380..396)) {
            let read = Quantised::from_bytes(&bytes);
            prop_assert!(read.is_none() || bytes.len() == QUANTISED_BYTES);
        }
    }

    #[test]
    fn values_without_a_direction_make_no_vector() {
        assert_eq!(Vector::normalised([0.0; DIMENSION]), None);
        assert_eq!(Vector::normalised([f32::NAN; DIMENSION]), None);
        assert_eq!(Vector::normalised([f32::INFINITY; DIMENSION]), None);
    }

    #[test]
    fn a_vector_with_one_large_number_survives_quantising() {
        let mut values = [0.0; DIMENSION];
        values[7] = -1.0;
        let vector = Vector::normalised(values).unwrap();
        assert_eq!(vector.quantise().values()[7], -127);
        assert!((vector.quantise().cosine(&vector.quantise()) - 1.0).abs() < 1e-6);
    }
}
