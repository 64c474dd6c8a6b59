//! Where everything lies in a vector file, as arithmetic. The picture is in `vector_file.rs`.

use crate::DIMENSION;

/// The first bytes of every vector file.
pub(super) const MAGIC: [u8; 16] = *b"backstory vector";
/// The version of this layout.
pub(super) const VERSION: u32 = 1;

pub(super) const HEADER_BYTES: usize = 4096;
pub(super) const VERSION_AT: usize = 16;
pub(super) const DIMENSION_AT: usize = 20;
/// How many blocks there are, as a `u64`; written after the block's directory entry.
pub(super) const BLOCKS_AT: usize = 24;
/// The model's name, filled up with zeros.
pub(super) const MODEL_AT: usize = 64;
pub(super) const MODEL_BYTES: usize = 64;

/// Rows in a block. A project wastes half a block on average; a block of 64 rows is 25 KB.
pub(super) const BLOCK_ROWS: usize = 64;
const IDS_BYTES: usize = BLOCK_ROWS * 8;
const SCALES_BYTES: usize = BLOCK_ROWS * 4;
const BLOCK_BYTES: usize = IDS_BYTES + SCALES_BYTES + BLOCK_ROWS * DIMENSION;

/// A directory entry: the project as an `i64`, the rows in use as a `u32`, four bytes unused.
pub(super) const ENTRY_BYTES: usize = 16;
const SEGMENT_BLOCKS: usize = 256;
const DIRECTORY_BYTES: usize = SEGMENT_BLOCKS * ENTRY_BYTES;
const SEGMENT_BYTES: usize = DIRECTORY_BYTES + SEGMENT_BLOCKS * BLOCK_BYTES;

// Vectors begin on a cache line, and ids and scales where an atomic load may read them.
const _: () = assert!(BLOCK_BYTES.is_multiple_of(64) && (IDS_BYTES + SCALES_BYTES).is_multiple_of(64));
const _: () = assert!(SEGMENT_BYTES.is_multiple_of(64) && HEADER_BYTES.is_multiple_of(4096));

/// Returns a model's name as the header holds it: cut or filled up with zeros.
pub(super) fn model_field(model: &str) -> [u8; MODEL_BYTES] {
    let mut field = [0; MODEL_BYTES];
    field.iter_mut().zip(model.bytes()).for_each(|(place, byte)| *place = byte);
    field
}

/// Returns where the directory entry of a block is.
pub(super) fn entry_at(block: usize) -> usize {
    HEADER_BYTES + block / SEGMENT_BLOCKS * SEGMENT_BYTES + block % SEGMENT_BLOCKS * ENTRY_BYTES
}

/// Returns where the number of rows in use is, for a block.
pub(super) fn used_at(block: usize) -> usize {
    entry_at(block) + 8
}

/// Returns where a block begins, which is where its ids are.
fn block_at(block: usize) -> usize {
    let segment = HEADER_BYTES + block / SEGMENT_BLOCKS * SEGMENT_BYTES;
    segment + DIRECTORY_BYTES + block % SEGMENT_BLOCKS * BLOCK_BYTES
}

/// Returns where the memory id of a row is.
pub(super) fn id_at(block: usize, row: usize) -> usize {
    block_at(block) + row * 8
}

/// Returns where the scale of a row is.
pub(super) fn scale_at(block: usize, row: usize) -> usize {
    block_at(block) + IDS_BYTES + row * 4
}

/// Returns where the vector of a row is.
pub(super) fn vector_at(block: usize, row: usize) -> usize {
    block_at(block) + IDS_BYTES + SCALES_BYTES + row * DIMENSION
}

/// Returns how long a file with this many blocks is, if such a file can exist.
pub(super) fn file_bytes(blocks: usize) -> Option<usize> {
    let last = blocks.checked_sub(1);
    last.map_or(Some(HEADER_BYTES), |last| {
        // Checked once here, the sums above cannot overflow for any smaller block.
        (last / SEGMENT_BLOCKS).checked_add(2)?.checked_mul(SEGMENT_BYTES)?.checked_add(HEADER_BYTES)?;
        Some(block_at(last) + BLOCK_BYTES)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_parts_overlap() {
        let mut parts = Vec::new();
        for block in [0, 1, 254, 255, 256, 257, 511, 512] {
            parts.push((entry_at(block), ENTRY_BYTES));
            for row in 0..BLOCK_ROWS {
                parts.extend([
                    (id_at(block, row), 8),
                    (scale_at(block, row), 4),
                    (vector_at(block, row), DIMENSION),
                ]);
            }
        }
        parts.sort_unstable();
        assert!(parts[0].0 >= HEADER_BYTES);
        assert!(parts.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0));
    }

    #[test]
    fn a_file_ends_with_its_last_row() {
        for blocks in [1, 2, 256, 257, 1000] {
            let end = vector_at(blocks - 1, BLOCK_ROWS - 1) + DIMENSION;
            assert_eq!(file_bytes(blocks), Some(end));
        }
        assert_eq!(file_bytes(0), Some(HEADER_BYTES));
        assert_eq!(file_bytes(usize::MAX), None);
    }
}
