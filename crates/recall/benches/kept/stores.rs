//! Stores of a size that are built once and kept with the build's own files; a million memories take some minutes.

use backstory_memory::{Content, ProjectId, ProjectKey, ProjectRef, Redacted, Timestamp, Uid};
use backstory_store::{Home, MemoryOrigin, NewMemory, Purpose, Store};
use backstory_testkit::{Corpus, GeneratedMemory, Times};
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the sizes that were asked for, and prints the head of the table.
pub(crate) fn sizes() -> Vec<usize> {
    println!("{:<34} {:>10} {:>10} {:>10} {:>10}", "", "p50", "p90", "p99", "slowest");
    backstory_testkit::sizes(&[1_000, 10_000, 100_000])
}

/// Prints how long something took.
pub(crate) fn show(what: &str, memories: usize, took: &Times) {
    let percentile = |percent| format!("{:.2} ms", took.ms(percent));
    let what = format!("{memories} {what}");
    println!(
        "{what:<34} {:>10} {:>10} {:>10} {:>10}",
        percentile(50),
        percentile(90),
        percentile(99),
        percentile(100)
    );
}

/// Returns the home of a store of this size, filled if this is the first time.
pub(crate) fn kept_home(memories: usize) -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("words-{memories}"));
    if !home.exists() {
        let building = home.with_extension("building");
        if building.exists() {
            fs::remove_dir_all(&building).expect("an unfinished store removed");
        }
        fill(&building, memories);
        fs::rename(&building, &home).expect("the finished store in its place");
    }
    home
}

fn fill(home: &Path, memories: usize) {
    let (mut store, project) = open(home);
    let mut corpus = Corpus::new(1);
    let mut left = memories;
    while left > 0 {
        let batch: Vec<NewMemory> =
            (0..left.min(2_000)).map(|_| new_memory(&corpus.memory(), project)).collect();
        left -= batch.len();
        store.memories_mut().remember_all(&batch).expect("memories written");
    }
    // As `import` leaves it.
    store.upkeep_mut().merge_word_index().expect("one word index");
}

pub(crate) fn open(home: &Path) -> (Store, ProjectId) {
    let mut store =
        Store::open(&Home::new(home.to_owned()), Purpose::Command, Timestamp(0)).expect("a store");
    let project = bench_project(&mut store);
    (store, project)
}

pub(crate) fn bench_project(store: &mut Store) -> ProjectId {
    let keys = vec![ProjectKey::Named("bench".to_owned())];
    let project_ref = ProjectRef { keys, name: "bench".to_owned(), root: "/bench".to_owned(), parent: None };
    store.projects_mut().find_or_create(&Redacted::vouch(project_ref), Timestamp(0)).expect("a project")
}

pub(crate) fn new_memory(made_up: &GeneratedMemory, project: ProjectId) -> NewMemory {
    let kind = made_up.kind.parse().expect("a kind");
    let mut content = Content::new(kind, &made_up.title, &made_up.body);
    content.files = vec![made_up.file.clone()];
    NewMemory {
        uid: Uid::parse(&made_up.uid).ok(),
        project,
        origin: MemoryOrigin::default(),
        content: Redacted::vouch(content),
        created_at: Timestamp(made_up.created_at_ms),
    }
}
