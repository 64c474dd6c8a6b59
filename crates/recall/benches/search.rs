//! How long a whole search takes in process, by words and by meaning: `cargo bench -p backstory-recall --bench search -- 10000 1000000`.
//!
//! Rows of `cargo xtask bench`. Everything is in one project and every question holds common words: the hard case. The vectors are made up,
//! one for each memory: a million real ones would take hours, and a scan looks at each whatever it says. The question is really read
//! by the model. Also printed: what lies on the disk, and what the process holds in memory.

#![expect(clippy::print_stdout, reason = "a bench prints its numbers")]

#[path = "kept/stores.rs"]
mod kept;

use backstory_embed::{DIMENSION, Vector, VectorRow, VectorWriter, model_name};
use backstory_memory::{ProjectId, Timestamp};
use backstory_recall::{RankingWeights, SearchQuery, Searcher, SemanticIndex, Synonyms, VectorCache};
use backstory_store::{Filter, Home, Scope, Store};
use backstory_testkit::{Corpus, Times, record_figure};
use kept::{kept_home, open, show, sizes};
use std::fs;
use std::path::Path;

const QUESTIONS: usize = 400;
const NOW: Timestamp = Timestamp(1_790_000_000_000);

fn main() {
    for memories in sizes() {
        let home = Home::new(kept_home(memories));
        let (store, project) = open(home.root());
        if !home.vectors().exists() {
            make_up_vectors(&home, project, memories);
        }
        let meaning = SemanticIndex::open(&home.vectors(), &VectorCache::default()).expect("vectors");
        let bench = SearchBench { memories, store: &store, project };
        bench.ask("search, words and meaning", Some(&meaning), &RankingWeights::SEARCH, Corpus::question);
        bench.ask("search, words alone", None, &RankingWeights::SEARCH, Corpus::question);
        bench.ask("unasked, words and meaning", Some(&meaning), &RankingWeights::INJECT, Corpus::question);
        bench.ask("search, odd questions", Some(&meaning), &RankingWeights::SEARCH, odd_question);
        let mb = |path: &Path| fs::metadata(path).map_or(0, |file| file.len()) / 1_000_000;
        println!(
            "{memories} on disk: {} MB database, {} MB vectors; in memory: {}",
            mb(&home.database()),
            mb(&home.vectors()),
            resident()
        );
    }
}

struct SearchBench<'a> {
    memories: usize,
    store: &'a Store,
    project: ProjectId,
}

impl SearchBench<'_> {
    fn ask(
        &self,
        what: &str,
        meaning: Option<&SemanticIndex>,
        weights: &RankingWeights,
        question: impl Fn(&mut Corpus) -> String,
    ) {
        let (mut corpus, synonyms) = (Corpus::new(7), Synonyms::built_in());
        let searcher = Searcher::new(self.store, weights).with_meaning(meaning).with_synonyms(&synonyms);
        let filter = Filter::within(Scope::Project(self.project));
        let mut took = Times::default();
        for _ in 0..QUESTIONS {
            let question = question(&mut corpus);
            took.measure(|| searcher.search(&SearchQuery::new(&question, NOW), &filter).expect("an answer"));
        }
        show(what, self.memories, &took);
        record_figure(&format!("{what}, p50"), self.memories, took.ms(50));
    }
}

/// A question nobody would ask: syntax, beginnings of words, many words, no words.
fn odd_question(corpus: &mut Corpus) -> String {
    let plain = corpus.question();
    match plain.len() % 5 {
        0 => format!("\"{plain}* NEAR( OR AND -title:{plain}"),
        1 => plain.chars().filter(|c| c.is_alphabetic()).collect(),
        2 => plain.split(' ').map(|word| word.chars().take(3).collect::<String>() + " ").collect(),
        3 => format!("{plain} ").repeat(200),
        _ => "the of and to in is it you that he was".to_owned(),
    }
}

/// Gives each memory a vector of its own, the same in every run.
fn make_up_vectors(home: &Home, project: ProjectId, memories: usize) {
    let mut writer = VectorWriter::rebuild(&home.vectors(), model_name()).expect("a vector file");
    let mut corpus = Corpus::new(3);
    for memory in 1..=i64::try_from(memories).expect("a size") {
        let vector = Vector::normalised(corpus.vector::<DIMENSION>()).expect("a direction").quantise();
        writer
            .append(&[VectorRow { memory, project: project.0, vector: &vector }])
            .expect("a vector appended");
    }
    writer.finish().expect("vectors on the disk");
}

/// Returns what of this process is in memory, its own and that of mapped files apart, where the system says so.
fn resident() -> String {
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return "not measured".to_owned() };
    let lines = status.lines().filter(|line| line.starts_with("RssAnon") || line.starts_with("RssFile"));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join(", ")
}
