//! `cargo xtask fit`: fits the weights of relevance on public data sets, and shows how they do on sets they have not seen.
//!
//! Each set is written into a store that is kept in the target folder, because making vectors takes longer than all the rest. The engine
//! itself makes the features of every candidate. Weights are fitted with one set left out at a time, and those of its family, and the table shows each set with the
//! weights that never saw it, beside plain BM25 over the same index in the same run. `--write` stores the weights fitted on all sets.

mod model;
mod prepared_set;
mod rank_figures;
mod ranked_query;
mod report;

use crate::places::root;
use crate::{TaskResult, say};
use model::{RelevanceModel, fitted_on, source};
use prepared_set::PreparedSet;
use ranked_query::{FittedSet, ranked};
use std::fs;
use std::path::PathBuf;

const USAGE: &str =
    "usage: cargo xtask fit [--data DIR] [--keep DIR] [--most-chars N] [--sets A,B] [--write]";
/// Where the weights go.
const WEIGHTS: &str = "crates/recall/src/relevance/fitted_table.rs";

/// Fits, and reports.
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let options = FitOptions::read(arguments)?;
    let mut sets: Vec<FittedSet> = Vec::new();
    for set in prepared_set::in_folder(&options.data, options.most_chars)? {
        if !options.sets.is_empty() && !options.sets.iter().any(|name| set.name.starts_with(name.as_str())) {
            continue;
        }
        say(&format!("{}: {} documents, {} queries", set.name, set.documents.len(), set.queries.len()));
        sets.push(search(&set, &options.keep)?);
    }
    let held_out: Vec<RelevanceModel> =
        sets.iter().map(|set| fitted_on(sets.iter().filter(|it| family(it) != family(set)))).collect();
    report::table(&sets, &held_out);
    report::injection(&sets);
    report::reliability(&sets, &held_out);
    report::silence(&sets, &held_out);
    let whole = fitted_on(sets.iter());
    say("\nfitted on every set, these included");
    report::table(&sets, &vec![whole.clone(); sets.len()]);
    report::weights(&whole);
    if options.write {
        let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
        fs::write(root().join(WEIGHTS), source(&whole, &names))?;
        say(&format!("wrote {WEIGHTS}"));
    }
    Ok(())
}

/// The first part of a name: the turns and the sessions of the same conversations are of one family.
fn family(set: &FittedSet) -> &str {
    set.name.split('-').next().unwrap_or_default()
}

fn search(set: &PreparedSet, keep: &std::path::Path) -> TaskResult<FittedSet> {
    let store = set.store(&keep.join(&set.name))?;
    ranked(set, &store)
}

struct FitOptions {
    data: PathBuf,
    keep: PathBuf,
    most_chars: usize,
    /// The beginnings of the names of the sets; all if empty.
    sets: Vec<String>,
    write: bool,
}

impl FitOptions {
    fn read(arguments: &[String]) -> TaskResult<FitOptions> {
        let target = std::env::current_exe()?.ancestors().nth(2).map(|target| target.join("fit"));
        let mut options = FitOptions {
            data: root().join("../shared/eval"),
            keep: target.ok_or(USAGE)?,
            most_chars: usize::MAX,
            sets: Vec::new(),
            write: false,
        };
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            let mut value = || rest.next().ok_or(USAGE);
            match name.as_str() {
                "--data" => options.data = value()?.into(),
                "--keep" => options.keep = value()?.into(),
                "--most-chars" => options.most_chars = value()?.parse()?,
                "--sets" => options.sets = value()?.split(',').map(str::to_owned).collect(),
                "--write" => options.write = true,
                _ => return Err(USAGE.into()),
            }
        }
        Ok(options)
    }
}
