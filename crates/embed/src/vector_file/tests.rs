//! The vector file as its users see it: written, searched, shared between processes, damaged, rebuilt.

use super::layout::{BLOCK_ROWS, HEADER_BYTES, id_at, vector_at};
use super::*;
use crate::{DIMENSION, Quantised, Vector};
use proptest::prelude::*;
use std::fs::{self, OpenOptions};
use std::path::PathBuf;
use tempfile::TempDir;

const MODEL: &str = "a-model";

/// A directory with a place for a vector file.
struct TestFile {
    _directory: TempDir,
    path: PathBuf,
}

impl TestFile {
    fn empty() -> TestFile {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("vectors");
        TestFile { _directory: directory, path }
    }

    /// Holds one row for each pair of a memory and its project.
    fn with(rows: &[(i64, i64)]) -> TestFile {
        let place = TestFile::empty();
        append(&mut place.writer(), rows);
        place
    }

    fn writer(&self) -> VectorWriter {
        if !self.path.exists() {
            VectorWriter::rebuild(&self.path, MODEL).unwrap().finish().unwrap();
        }
        VectorWriter::open(&self.path, MODEL).unwrap()
    }

    fn reader(&self) -> VectorFile {
        VectorFile::open(&self.path, MODEL).unwrap()
    }
}

/// A vector that only depends on `seed` and is far from those of other seeds.
fn vector(seed: i64) -> Vector {
    let mut state = seed.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    Vector::normalised(std::array::from_fn(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / 8_388_608.0 - 1.0
    }))
    .unwrap()
}

fn append(writer: &mut VectorWriter, rows: &[(i64, i64)]) {
    let vectors: Vec<Quantised> = rows.iter().map(|(memory, _)| vector(*memory).quantise()).collect();
    let pairs = rows.iter().zip(&vectors);
    let rows: Vec<VectorRow<'_>> = pairs
        .map(|((memory, project), vector)| VectorRow { memory: *memory, project: *project, vector })
        .collect();
    writer.append(&rows).unwrap();
}

fn found(neighbours: &[Neighbour]) -> Vec<i64> {
    neighbours.iter().map(|neighbour| neighbour.memory).collect()
}

#[test]
fn a_memory_is_found_by_its_own_vector() {
    let place = TestFile::with(&[(1, 7), (2, 7), (3, 8)]);
    let nearest = place.reader().scan(&vector(2), VectorScope::Everything, 2).unwrap();
    assert_eq!((nearest.len(), nearest[0].memory), (2, 2));
    assert!((nearest[0].cosine - 1.0).abs() < 0.002);
}

#[test]
fn a_scope_hides_other_projects() {
    let rows: Vec<(i64, i64)> = (1..=500).map(|memory| (memory, memory % 3)).collect();
    let file = TestFile::with(&rows).reader();
    let of_one = file.scan(&vector(4), VectorScope::Projects(&[1]), 1_000).unwrap();
    assert!(of_one.len() == 167 && of_one.iter().all(|neighbour| neighbour.memory % 3 == 1));
    assert_eq!(file.scan(&vector(4), VectorScope::Projects(&[0, 2]), 1_000).unwrap().len(), 333);
    assert_eq!(file.scan(&vector(4), VectorScope::Projects(&[]), 1_000).unwrap(), []);
    assert_eq!(file.scores_for(&vector(4), VectorScope::Projects(&[0]), &[4]).unwrap(), []);
}

#[test]
fn a_memory_of_several_chunks_counts_once_by_its_best() {
    let place = TestFile::empty();
    let chunks = [vector(10).quantise(), vector(11).quantise(), vector(12).quantise()];
    let rows: Vec<VectorRow<'_>> =
        chunks.iter().map(|vector| VectorRow { memory: 5, project: 1, vector }).collect();
    let mut writer = place.writer();
    writer.append(&rows).unwrap();
    append(&mut writer, &[(6, 1)]);
    let nearest = place.reader().scan(&vector(11), VectorScope::Everything, 10).unwrap();
    assert_eq!(found(&nearest), [5, 6]);
    assert!(nearest[0].cosine > 0.99);
    assert_eq!(place.reader().scores_for(&vector(11), VectorScope::Everything, &[5]).unwrap(), nearest[..1]);
}

#[test]
fn a_forgotten_memory_is_gone_from_answers_and_from_the_disk() {
    let place = TestFile::with(&[(1, 7), (2, 7), (3, 8)]);
    let reader = place.reader();
    assert_eq!(place.writer().forget(&[2, 99]).unwrap(), 1);
    assert_eq!(reader.memories().collect::<Vec<_>>(), [1, 3]);
    assert!(!found(&reader.scan(&vector(2), VectorScope::Everything, 10).unwrap()).contains(&2));
    let bytes = fs::read(&place.path).unwrap();
    assert_eq!(bytes[vector_at(0, 1)..][..DIMENSION], [0; DIMENSION]);
    assert_eq!(bytes[id_at(0, 1)..][..8], [0; 8]);
    assert_eq!(place.writer().forget(&[2]).unwrap(), 0);
}

#[test]
fn an_open_file_shows_what_is_appended_later() {
    let place = TestFile::with(&[(1, 7)]);
    let mut reader = place.reader();
    let mut writer = place.writer();
    append(&mut writer, &[(2, 7)]);
    assert_eq!(reader.memories().count(), 2, "a block that was mapped needs no refresh");
    append(&mut writer, &(3..=300).map(|memory| (memory, 7)).collect::<Vec<_>>());
    assert_eq!(reader.memories().count(), BLOCK_ROWS);
    reader.refresh().unwrap();
    assert_eq!(reader.memories().count(), 300);
}

#[test]
fn a_writer_goes_on_where_the_last_one_stopped() {
    let place = TestFile::with(&[(1, 7), (2, 8)]);
    append(&mut place.writer(), &[(3, 7), (4, 8), (5, 9)]);
    assert_eq!(place.reader().memories().collect::<Vec<_>>(), [1, 3, 2, 4, 5]);
    assert_eq!(place.reader().map.blocks(), 3);
}

#[test]
fn there_is_one_writer_at_a_time() {
    let place = TestFile::empty();
    let writer = place.writer();
    assert!(matches!(VectorWriter::open(&place.path, MODEL), Err(VectorFileError::Busy { .. })));
    assert!(matches!(VectorWriter::rebuild(&place.path, MODEL), Err(VectorFileError::Busy { .. })));
    drop(writer);
    place.writer();
}

#[test]
fn a_reader_beside_a_writer_sees_only_whole_rows() {
    let place = TestFile::with(&[(1, 1)]);
    let mut writer = place.writer();
    std::thread::scope(|scope| {
        let writing = scope.spawn(move || {
            for memory in 2..400 {
                append(&mut writer, &[(memory, memory % 5)]);
            }
        });
        let mut reader = place.reader();
        let mut seen = 0;
        loop {
            let finished = writing.is_finished();
            reader.refresh().unwrap();
            let memories: Vec<i64> = reader.memories().collect();
            assert!(memories.len() >= seen, "rows do not vanish");
            seen = memories.len();
            let latest = *memories.iter().max().unwrap();
            let score = reader.scores_for(&vector(latest), VectorScope::Everything, &[latest]).unwrap();
            assert!(score[0].cosine > 0.99, "{latest} is there but is not whole");
            if finished {
                break;
            }
        }
        assert_eq!(seen, 399);
    });
}

#[test]
fn memory_zero_is_refused() {
    let row = VectorRow { memory: 0, project: 1, vector: &vector(1).quantise() };
    assert!(matches!(TestFile::empty().writer().append(&[row]), Err(VectorFileError::MemoryZero)));
}

#[test]
fn a_file_that_is_not_there_is_missing() {
    let error = VectorFile::open(&TestFile::empty().path, MODEL).unwrap_err();
    assert!(matches!(error, VectorFileError::Missing { .. }) && error.is_stale());
}

#[test]
fn vectors_of_another_model_are_refused_and_both_are_named() {
    let place = TestFile::with(&[(1, 1)]);
    let error = VectorFile::open(&place.path, "another-model").unwrap_err();
    assert!(error.is_stale());
    let message = error.to_string();
    assert!(message.contains("`a-model`") && message.contains("`another-model`"), "{message}");
}

#[test]
fn a_file_that_became_shorter_is_an_error() {
    let place = TestFile::with(&[(1, 1)]);
    let mut reader = place.reader();
    let file = OpenOptions::new().write(true).open(&place.path).unwrap();
    file.set_len(HEADER_BYTES as u64).unwrap();
    assert!(matches!(
        reader.scan(&vector(1), VectorScope::Everything, 1),
        Err(VectorFileError::Damaged { .. })
    ));
    assert!(matches!(
        reader.scores_for(&vector(1), VectorScope::Everything, &[1]),
        Err(VectorFileError::Damaged { .. })
    ));
    assert!(reader.refresh().is_err());
    assert!(VectorFile::open(&place.path, MODEL).unwrap_err().is_stale());
}

#[test]
fn a_rebuilt_file_takes_its_place_only_when_finished() {
    let place = TestFile::with(&[(1, 1), (2, 1)]);
    let before = place.reader();
    let mut rebuilt = VectorWriter::rebuild(&place.path, MODEL).unwrap();
    append(&mut rebuilt, &[(3, 1)]);
    assert_eq!(place.reader().memories().collect::<Vec<_>>(), [1, 2]);
    rebuilt.finish().unwrap();
    assert_eq!(place.reader().memories().collect::<Vec<_>>(), [3]);
    assert_eq!(before.memories().collect::<Vec<_>>(), [1, 2], "who has the old file open keeps it");
}

#[test]
fn an_abandoned_rebuild_changes_nothing() {
    let place = TestFile::with(&[(1, 1)]);
    append(&mut VectorWriter::rebuild(&place.path, MODEL).unwrap(), &[(2, 1)]);
    append(&mut place.writer(), &[(3, 1)]);
    assert_eq!(place.reader().memories().collect::<Vec<_>>(), [1, 3]);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let place = TestFile::with(&[(1, 1)]);
    assert_eq!(fs::metadata(&place.path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn equally_near_memories_come_in_the_order_of_their_ids() {
    let place = TestFile::empty();
    let same = vector(1).quantise();
    let rows: Vec<VectorRow<'_>> =
        (1..=200).rev().map(|memory| VectorRow { memory, project: 1, vector: &same }).collect();
    place.writer().append(&rows).unwrap();
    let nearest = place.reader().scan(&vector(1), VectorScope::Everything, 5).unwrap();
    assert_eq!(found(&nearest), [1, 2, 3, 4, 5]);
}

/// So many blocks are looked through by two threads.
#[test]
fn a_long_scan_finds_what_comparing_each_finds() {
    // Every project has a block of its own.
    let rows: Vec<(i64, i64)> = (1..=900).map(|memory| (memory, memory % 450)).collect();
    let (place, question) = (TestFile::with(&rows), vector(1_000));
    let ids: Vec<i64> = rows.iter().map(|(memory, _)| *memory).collect();
    let mut each = place.reader().scores_for(&question, VectorScope::Everything, &ids).unwrap();
    each.truncate(40);
    assert_eq!(place.reader().scan(&question, VectorScope::Everything, 40).unwrap(), each);
    // Some of each half are among them, or it would prove nothing.
    let is_early = |memory: &i64| memory % 450 < 225;
    assert!(found(&each).iter().any(is_early) && !found(&each).iter().all(is_early));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_scan_finds_what_comparing_everything_finds(
        rows in prop::collection::vec((1..60_i64, 0..4_i64), 0..300),
        forgotten in prop::collection::vec(1..60_i64, 0..5),
        count in 0..40_usize,
    ) {
        let place = TestFile::with(&rows);
        place.writer().forget(&forgotten).unwrap();
        let question = vector(1_000);
        let mut expected: Vec<(f32, i64)> = rows.iter()
            .filter(|(memory, project)| *project != 0 && !forgotten.contains(memory))
            .map(|(memory, _)| (question.cosine(&vector(*memory)), *memory)).collect();
        expected.sort_by(|a, b| b.0.total_cmp(&a.0));
        expected.dedup();
        let nearest = place.reader().scan(&question, VectorScope::Projects(&[1, 2, 3]), count).unwrap();
        prop_assert_eq!(nearest.len(), expected.len().min(count));
        for (neighbour, (cosine, _)) in nearest.iter().zip(&expected) {
            prop_assert!((neighbour.cosine - cosine).abs() < 0.003);
        }
        let ids = found(&nearest);
        prop_assert_eq!(place.reader().scores_for(&question, VectorScope::Projects(&[1, 2, 3]), &ids).unwrap(), nearest);
    }

    #[test]
    fn damage_is_an_error_or_a_wrong_number_but_never_worse(
        length in 0..40_000_usize,
        changes in prop::collection::vec((0..8_192_usize, any::<u8>()), 0..40),
    ) {
        let place = TestFile::with(&[(1, 1), (2, 2)]);
        let mut bytes = fs::read(&place.path).unwrap();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        bytes.truncate(length);
        fs::write(&place.path, &bytes).unwrap();
        if let Ok(file) = VectorFile::open(&place.path, MODEL) {
            file.scan(&vector(1), VectorScope::Everything, 10).unwrap();
            file.scores_for(&vector(1), VectorScope::Everything, &[1, 2]).unwrap();
        }
        VectorWriter::open(&place.path, MODEL).map(|mut writer| writer.forget(&[1]).unwrap()).ok();
    }
}
