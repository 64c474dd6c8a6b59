//! A store that is filled with made-up memories, for every bench alike.

use backstory_embed::{DIMENSION, Row, Vector, VectorWriter, model_name};
use backstory_store::Home;
use backstory_testkit::{Corpus, TestEnv};

pub(crate) fn fill(env: &TestEnv, memories: usize) {
    // The memories are of the project the hooks run in.
    std::fs::write(env.project().join(".backstory.toml"), "project = \"bench\"\n").expect("a project file");
    let mut corpus = Corpus::new(1);
    let lines: Vec<String> = (0..memories).map(|_| corpus.memory().line("bench")).collect();
    let outcome = env.run_with(["import", "-"], lines.join("\n"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}

/// Gives each memory a vector of its own, the same in every run.
pub(crate) fn make_up_vectors(env: &TestEnv, memories: usize) {
    let home = Home::at(env.home());
    let db = rusqlite::Connection::open(home.database()).expect("the database");
    db.execute_batch("DELETE FROM stale_vectors").expect("nothing waits");
    let mut writer = VectorWriter::rebuild(&home.vectors(), model_name()).expect("a vector file");
    let mut state: u64 = 1;
    let mut next = || {
        // xorshift: it need not be good, only the same everywhere.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    for memory in 1..=i64::try_from(memories).expect("a size") {
        let vector = Vector::normalised(std::array::from_fn::<f32, DIMENSION, _>(|_| next()));
        let vector = vector.expect("a direction").quantise();
        writer.append(&[Row { memory, project: 1, vector: &vector }]).expect("a vector appended");
    }
    writer.finish().expect("vectors on the disk");
}
