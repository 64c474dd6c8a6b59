//! How long a search takes in process, by the size of the store: `cargo bench -p backstory-recall`.
//!
//! The median column is the p50 of DESIGN §11. Each question is another one, and everything is in one project: the worst case.

use backstory_memory::{Draft, ProjectKey, Sighting, Timestamp, Uid};
use backstory_recall::recall;
use backstory_store::{Filter, Home, NewMemory, Origin, Purpose, Reach, Store};
use backstory_testkit::{Corpus, MadeUp};
use divan::Bencher;
use tempfile::TempDir;

fn main() {
    divan::main();
}

#[divan::bench(args = [1_000, 10_000, 100_000], sample_count = 200, sample_size = 1)]
fn search(bencher: Bencher<'_, '_>, memories: usize) {
    let (_dir, store, reach) = filled(memories);
    let mut questions = Corpus::new(7);
    bencher
        .with_inputs(|| questions.question())
        .bench_local_values(|question| recall(&store, &question, &Filter::within(reach)));
}

fn filled(memories: usize) -> (TempDir, Store, Reach) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let mut store =
        Store::open(&Home::at(dir.path().join("home")), Purpose::Command, Timestamp(0)).expect("a store");
    let keys = vec![ProjectKey::Named("bench".to_owned())];
    let sighting = Sighting { keys, name: "bench".to_owned(), root: "/bench".to_owned(), parent: None };
    let project = store.project_at(&sighting, Timestamp(0)).expect("a project");
    let mut corpus = Corpus::new(1);
    let mut left = memories;
    while left > 0 {
        let batch: Vec<NewMemory> =
            (0..left.min(1_000)).map(|_| new_memory(&corpus.memory(), project)).collect();
        left -= batch.len();
        store.remember_all(&batch).expect("memories written");
    }
    (dir, store, Reach::Project(project))
}

fn new_memory(made_up: &MadeUp, project: backstory_memory::ProjectId) -> NewMemory {
    let kind = made_up.kind.parse().expect("a kind");
    let mut content = Draft::new(kind, &made_up.title, &made_up.body);
    content.files = vec![made_up.file.clone()];
    NewMemory {
        uid: Uid::parse(&made_up.uid).ok(),
        project,
        origin: Origin::default(),
        content,
        created_at: Timestamp(made_up.created_at_ms),
    }
}
