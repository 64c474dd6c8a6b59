//! A store that is filled with made-up memories, for every bench alike.

use backstory_embed::{DIMENSION, Vector, VectorRow, VectorWriter, model_name};
use backstory_store::Home;
use backstory_testkit::{Corpus, TestEnv};

/// Makes a world whose store holds so many memories, each with a vector.
pub(crate) fn filled(memories: usize) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_backstory"));
    let mut corpus = Corpus::new(1);
    let lines: Vec<String> = (0..memories).map(|_| corpus.memory().line("bench")).collect();
    let outcome = env.import(lines.join("\n"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    // The memories are of the project the hooks run in.
    let linked = env.run(["project", "link", "bench", "--yes"]);
    assert_eq!(linked.code, Some(0), "{}", linked.stderr);
    make_up_vectors(&env, memories);
    env.with("BACKSTORY_RECALL_VECTORS", "true")
}

/// Gives each memory a vector of its own, the same in every run.
fn make_up_vectors(env: &TestEnv, memories: usize) {
    let home = Home::new(env.home());
    let db = rusqlite::Connection::open(home.database()).expect("the database");
    db.execute_batch("DELETE FROM stale_vectors").expect("nothing waits");
    let mut writer = VectorWriter::rebuild(&home.vectors(), model_name()).expect("a vector file");
    let mut corpus = Corpus::new(3);
    for memory in 1..=i64::try_from(memories).expect("a size") {
        let vector = Vector::normalised(corpus.vector::<DIMENSION>()).expect("a direction").quantise();
        writer.append(&[VectorRow { memory, project: 1, vector: &vector }]).expect("a vector appended");
    }
    writer.finish().expect("vectors on the disk");
}
