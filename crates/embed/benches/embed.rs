//! How long encoding and scanning take. `examples/cold_query.rs` is for the cost of a process that has just begun.

#![expect(clippy::unwrap_used, reason = "a bench that cannot set itself up has nothing to measure")]

use backstory_embed::{
    DIMENSION, Encoder, MiniLm, Quantised, Vector, VectorFile, VectorRow, VectorScope, VectorWriter,
    model_name,
};
use divan::Bencher;
use std::path::PathBuf;
use tempfile::TempDir;

fn main() {
    divan::main();
}

const QUESTION: &str = "how did we fix the database migration that failed during startup yesterday";

/// A text of 200 words, such as a session's summary.
fn passage() -> String {
    [QUESTION; 17].join(" ").split(' ').take(200).collect::<Vec<_>>().join(" ")
}

#[divan::bench]
fn question_of_12_words(bencher: Bencher<'_, '_>) {
    let model = MiniLm::load();
    bencher.bench(|| model.encode_query(QUESTION));
}

#[divan::bench]
fn passage_of_200_words(bencher: Bencher<'_, '_>) {
    let (model, text) = (MiniLm::load(), passage());
    bencher.bench(|| model.encode(&text));
}

#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn scan_of_everything(bencher: Bencher<'_, '_>, rows: usize) {
    let (_directory, path) = file_of(rows);
    let (file, question) = (VectorFile::open(&path, model_name()).unwrap(), vector(0));
    bencher.bench(|| file.scan(&question, VectorScope::Everything, 100).unwrap());
}

/// What a hook does: nothing is mapped yet, though the file is in the page cache.
#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn open_and_scan_of_everything(bencher: Bencher<'_, '_>, rows: usize) {
    let (_directory, path) = file_of(rows);
    let question = vector(0);
    bencher.bench(|| {
        let file = VectorFile::open(&path, model_name()).unwrap();
        file.scan(&question, VectorScope::Everything, 100).unwrap()
    });
}

#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn open_and_scan_of_one_project_in_ten(bencher: Bencher<'_, '_>, rows: usize) {
    let (_directory, path) = file_of(rows);
    let question = vector(0);
    bencher.bench(|| {
        let file = VectorFile::open(&path, model_name()).unwrap();
        file.scan(&question, VectorScope::Projects(&[3]), 100).unwrap()
    });
}

#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn scores_for_100_memories(bencher: Bencher<'_, '_>, rows: usize) {
    let (_directory, path) = file_of(rows);
    let (file, question) = (VectorFile::open(&path, model_name()).unwrap(), vector(0));
    let memories: Vec<i64> = (1..=100).map(|step| step * rows as i64 / 100).collect();
    bencher.bench(|| file.scores_for(&question, VectorScope::Everything, &memories).unwrap());
}

/// What a new memory costs beside being embedded: whoever writes opens the file for each batch.
#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn open_and_append(bencher: Bencher<'_, '_>, rows: usize) {
    let (_directory, path) = file_of(rows);
    let vector = vector(1).quantise();
    bencher.bench(|| {
        let mut writer = VectorWriter::open(&path, model_name()).unwrap();
        writer.append(&[VectorRow { memory: rows as i64 + 1, project: 3, vector: &vector }]).unwrap();
    });
}

/// What a memory costs more when it had vectors before.
#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn open_and_forget(bencher: Bencher<'_, '_>, rows: usize) {
    let (_directory, path) = file_of(rows);
    bencher.bench(|| {
        let mut writer = VectorWriter::open(&path, model_name()).unwrap();
        writer.forget(&[rows as i64 / 2]).unwrap()
    });
}

/// Writes a file of random vectors in ten projects.
fn file_of(rows: usize) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vectors");
    let vectors: Vec<Quantised> = (1..=1_000).map(|seed| vector(seed).quantise()).collect();
    VectorWriter::rebuild(&path, model_name()).unwrap().finish().unwrap();
    let mut writer = VectorWriter::open(&path, model_name()).unwrap();
    for batch in 0..rows / 1_000 {
        let row = |(at, vector)| VectorRow {
            memory: (batch * 1_000 + at + 1) as i64,
            project: (at % 10) as i64,
            vector,
        };
        writer.append(&vectors.iter().enumerate().map(row).collect::<Vec<_>>()).unwrap();
    }
    (directory, path)
}

fn vector(seed: u64) -> Vector {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let values: [f32; DIMENSION] = std::array::from_fn(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / 8_388_608.0 - 1.0
    });
    Vector::normalised(values).unwrap()
}
