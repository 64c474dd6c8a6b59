//! How long words take to find and to write, by the size of the store: `cargo bench -p backstory-recall --bench words -- 10000 1000000`.
//!
//! Everything is in one project and every question holds common words: the hard case. Stores are built once and kept with the
//! build's own files; a million memories take some minutes. Not here: meaning, and reading the memories that were found.

#![expect(clippy::print_stdout, reason = "a bench prints its numbers")]

#[path = "kept/stores.rs"]
mod kept;

use backstory_memory::Timestamp;
use backstory_recall::word_query;
use backstory_store::{Filter, Home, NewMemory, Purpose, Reach, Store};
use backstory_testkit::Corpus;
use kept::{bench_project, kept_home, new_memory, open, show, sizes};
use std::fs;
use std::path::Path;
use std::time::Instant;

const QUESTIONS: usize = 300;
/// Each question is asked so often, and the quickest counts: other work on the machine is not what is measured.
const ASKED: usize = 3;
const WRITES: u32 = 2_000;

fn main() {
    for memories in sizes() {
        let home = kept_home(memories);
        let (store, project) = open(&home);
        ask("everything in one project", memories, &store, Reach::Project(project), question);
        ask("a misspelt word", memories, &store, Reach::Project(project), misspelt);
        ask("only common words", memories, &store, Reach::Project(project), common);
        ask("every project", memories, &store, Reach::Everywhere, question);
        drop(store);
        write(memories, &home);
    }
}

fn question(corpus: &mut Corpus) -> String {
    corpus.question()
}

fn misspelt(corpus: &mut Corpus) -> String {
    corpus.question().replace("trouble", "migartion")
}

fn common(corpus: &mut Corpus) -> String {
    let question = corpus.question();
    question.rsplit_once(" and ").map_or(question.clone(), |(common, _)| common.to_owned())
}

fn ask(
    what: &str,
    memories: u32,
    store: &Store,
    reach: Reach,
    mut question: impl FnMut(&mut Corpus) -> String,
) {
    let mut corpus = Corpus::new(7);
    let filter = Filter { limit: 100, ..Filter::within(reach) };
    let worked = cpu_time();
    let took = (0..QUESTIONS).map(|_| {
        let query = word_query(&question(&mut corpus));
        let once = |_| {
            let begun = Instant::now();
            store.find_words(&query, &filter).expect("an answer");
            begun.elapsed()
        };
        (0..ASKED).map(once).min().unwrap_or_default()
    });
    show(what, memories, took.collect());
    let each = (cpu_time() - worked) / (QUESTIONS * ASKED) as f64;
    println!("{:<34} {each:>7.2} ms", "  of the processor, on average");
}

/// Returns the milliseconds this thread has run, whatever else the machine was doing; 0 where the system does not tell.
fn cpu_time() -> f64 {
    let told = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    told.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).unwrap_or(0.0) / 1e6
}

/// Writes into a copy, one memory a transaction, as a command does and as a hook does.
fn write(memories: u32, home: &Path) {
    let copy = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory");
    fs::create_dir_all(copy.path().join("home")).expect("a home");
    for file in fs::read_dir(home).expect("the kept store").flatten().filter(|file| file.path().is_file()) {
        fs::copy(file.path(), copy.path().join("home").join(file.file_name())).expect("a copy");
    }
    for (what, purpose) in [("write one (command)", Purpose::Command), ("write one (hook)", Purpose::Hook)] {
        let mut store =
            Store::open(&Home::at(copy.path().join("home")), purpose, Timestamp(0)).expect("a store");
        let project = bench_project(&mut store);
        let mut corpus = Corpus::new(memories.into());
        let took = (0..WRITES).map(|_| {
            let memory = NewMemory { uid: None, ..new_memory(&corpus.memory(), project) };
            let begun = Instant::now();
            store.remember(&memory).expect("a memory written");
            begun.elapsed()
        });
        show(what, memories, took.collect());
    }
}
