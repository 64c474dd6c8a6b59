//! Compares the token estimate with real vocabularies; `cargo xtask calibrate` runs it.
//!
//! Counts the samples of `crates/memory/samples/tokens`, records the counts for that crate's test, and compares the estimate with them
//! and with the repository's own sources. Run it after a change to the estimate or to a sample. Exits with 1 if a text is
//! under-estimated by more than 10 %.

use backstory_memory::estimate;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tiktoken_rs::{CoreBPE, cl100k_base, o200k_base};

type Error = Box<dyn std::error::Error>;

/// Shorter sources are skipped: one odd word would dominate the ratio.
const LEAST_BYTES: usize = 400;
const LEAST_RATIO: f64 = 0.90;
/// `noise-` samples show how far random letters are under-estimated. They may fail: storage replaces such text by a digest.
const NOISE: &str = "noise-";

struct Vocabularies {
    o200k: CoreBPE,
    cl100k: CoreBPE,
}

struct Comparison {
    name: String,
    ratio: f64,
    estimated: usize,
    real: usize,
}

fn main() -> Result<ExitCode, Error> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let vocabularies = Vocabularies { o200k: o200k_base()?, cl100k: cl100k_base()? };
    let samples = record_samples(&root.join("crates/memory/samples/tokens"), &vocabularies)?;
    let mut files = Vec::new();
    for folder in ["crates", "xtask", "docs"] {
        collect_sources(&root.join(folder), &mut files)?;
    }
    let mut sources = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path)?;
        if text.len() >= LEAST_BYTES {
            let name = path.strip_prefix(&root)?.display().to_string();
            sources.push(vocabularies.compare(name, &text).0);
        }
    }
    let fine = [report("samples", samples), report("sources", sources)];
    Ok(if fine == [true; 2] { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Vocabularies {
    /// Compares the estimate with the dearer count, and returns both counts.
    fn compare(&self, name: String, text: &str) -> (Comparison, [usize; 2]) {
        let counts = [&self.o200k, &self.cl100k].map(|vocabulary| vocabulary.encode_ordinary(text).len());
        let real = counts[0].max(counts[1]);
        let estimated = estimate(text).0 as usize;
        (Comparison { name, ratio: estimated as f64 / real as f64, estimated, real }, counts)
    }
}

fn record_samples(folder: &Path, vocabularies: &Vocabularies) -> Result<Vec<Comparison>, Error> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    let mut table = String::from("# sample\tbytes\to200k\tcl100k (written by calibrate)\n");
    let mut comparisons = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (comparison, [o200k, cl100k]) = vocabularies.compare(name.clone(), &text);
        writeln!(table, "{name}\t{}\t{o200k}\t{cl100k}", text.len())?;
        comparisons.push(comparison);
    }
    fs::write(folder.join("counts.tsv"), table)?;
    Ok(comparisons)
}

fn collect_sources(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_source =
            path.extension().is_some_and(|it| ["rs", "md", "toml", "sql"].iter().any(|known| it == *known));
        if path.is_dir() && !path.ends_with("samples") {
            collect_sources(&path, files)?;
        } else if is_source {
            files.push(path);
        }
    }
    Ok(())
}

/// Prints a summary and the texts that are furthest off; returns whether none is under-estimated too far.
fn report(what: &str, mut comparisons: Vec<Comparison>) -> bool {
    comparisons.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    let sum = |part: fn(&Comparison) -> usize| comparisons.iter().map(part).sum::<usize>() as f64;
    let total = sum(|it| it.estimated) / sum(|it| it.real);
    let median = comparisons.get(comparisons.len() / 2).map_or(1.0, |it| it.ratio);
    println!("{what}: {} texts, total {total:.3}, median {median:.3}", comparisons.len());
    let count = comparisons.len();
    for (at, it) in comparisons.iter().enumerate() {
        if at < 8 || at + 8 >= count || it.ratio < LEAST_RATIO {
            println!("  {:.2}  {:6} for {:6}  {}", it.ratio, it.estimated, it.real, it.name);
        }
    }
    comparisons.iter().all(|it| it.ratio >= LEAST_RATIO || it.name.starts_with(NOISE))
}
