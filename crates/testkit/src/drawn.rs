//! Random text that looks like a secret, so that no look-alike has to be written into the repository.

/// Hexadecimal digits.
pub const HEX: &str = "0123456789abcdef";
/// The alphabet of base 32.
pub const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// Digits and letters.
pub const BASE62: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Draws `length` characters from an alphabet: always the same for the same `seed`.
#[must_use]
pub fn drawn(alphabet: &str, length: usize, seed: u64) -> String {
    let alphabet = alphabet.as_bytes();
    let mut state = seed.wrapping_add(7);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        alphabet
            .get((state >> 33) as usize % alphabet.len().max(1))
            .copied()
            .map(char::from)
            .unwrap_or_default()
    };
    (0..length).map(|_| next()).collect()
}
