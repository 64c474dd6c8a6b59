//! How long words take to find and to write, by the size of the store: `cargo bench -p backstory-recall --bench words -- 10000 1000000`.
//!
//! Everything is in one project and every question holds common words: the hard case. Stores are built once and kept with the
//! build's own files; a million memories take some minutes. Not here: meaning, and reading the memories that were found.

#![expect(clippy::print_stdout, reason = "a bench prints its numbers")]

#[path = "kept/stores.rs"]
mod kept;

use backstory_memory::Timestamp;
use backstory_recall::word_query;
use backstory_store::{Filter, Home, NewMemory, Purpose, Scope, Store};
use backstory_testkit::{Corpus, Times, format_figure};
use kept::{bench_project, kept_home, new_memory, open, show, sizes};
use std::fs;
use std::path::Path;
use std::time::Instant;

const QUESTIONS: usize = 300;
/// Each question is asked so often, and the quickest counts: other work on the machine is not what is measured.
const REPEATS: usize = 3;
const WRITES: u32 = 2_000;

fn main() {
    for memories in sizes() {
        let home = kept_home(memories);
        let (store, project) = open(&home);
        ask("everything in one project", memories, &store, Scope::Project(project), question);
        ask("a misspelt word", memories, &store, Scope::Project(project), misspelt);
        ask("only common words", memories, &store, Scope::Project(project), frequent_words);
        ask("every project", memories, &store, Scope::Everywhere, question);
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

fn frequent_words(corpus: &mut Corpus) -> String {
    let question = corpus.question();
    question.rsplit_once(" and ").map_or(question.clone(), |(question, _)| question.to_owned())
}

fn ask(
    what: &str,
    memories: usize,
    store: &Store,
    reach: Scope,
    mut question: impl FnMut(&mut Corpus) -> String,
) {
    let mut corpus = Corpus::new(7);
    let filter = Filter { limit: 100, ..Filter::within(reach) };
    let worked = cpu_time();
    let took: Times = (0..QUESTIONS)
        .map(|_| {
            let query = word_query(&question(&mut corpus));
            let once = |_| {
                let begun = Instant::now();
                store.search().corrected(&query, &filter).expect("an answer");
                begun.elapsed()
            };
            (0..REPEATS).map(once).min().expect("at least one run")
        })
        .collect();
    show(what, memories, &took);
    let each = cpu_time().zip(worked).map(|(after, before)| (after - before) / (QUESTIONS * REPEATS) as f64);
    println!("{:<34} {:>10}", "  of the processor, on average", format_figure(each, "ms"));
}

/// Returns the milliseconds this thread has run, whatever else the machine was doing, where the system tells.
fn cpu_time() -> Option<f64> {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(stat.split(' ').next()?.parse::<f64>().ok()? / 1e6)
}

/// Writes into a copy, one memory a transaction, as a command does and as a hook does.
fn write(memories: usize, home: &Path) {
    let copy = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory");
    fs::create_dir_all(copy.path().join("home")).expect("a home");
    for file in fs::read_dir(home).expect("the kept store").flatten().filter(|file| file.path().is_file()) {
        fs::copy(file.path(), copy.path().join("home").join(file.file_name())).expect("a copy");
    }
    for (what, purpose) in [("write one (command)", Purpose::Command), ("write one (hook)", Purpose::Hook)] {
        let mut store =
            Store::open(&Home::new(copy.path().join("home")), purpose, Timestamp(0)).expect("a store");
        let project = bench_project(&mut store);
        let mut corpus = Corpus::new(memories as u64);
        let mut took = Times::default();
        for _ in 0..WRITES {
            let memory = NewMemory { uid: None, ..new_memory(&corpus.memory(), project) };
            took.measure(|| store.memories_mut().remember(&memory).expect("a memory written"));
        }
        show(what, memories, &took);
    }
}
