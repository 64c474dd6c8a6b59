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
pub(crate) mod set_bars;

use crate::places::root;
use crate::{TaskResult, say};
use model::{RelevanceModel, fitted_on, source};
use prepared_set::PreparedSet;
use ranked_query::{FittedSet, ranked};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const USAGE: &str = "usage: cargo xtask fit [--data DIR] [--recorded DIR] [--keep DIR] [--most-chars N] [--sets A,B] [--write]";
/// Where the weights go.
const WEIGHTS: &str = "crates/recall/src/relevance/fitted_table.rs";

/// Fits, and reports.
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let options = FitOptions::read(arguments)?;
    let mut sets: Vec<FittedSet> = Vec::new();
    for set in prepared_set::all(&options.data, &options.recorded, options.most_chars)? {
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
    set_bars::print(&sets, &held_out);
    let whole = fitted_on(sets.iter());
    say("\nfitted on every set, these included");
    report::table(&sets, &vec![whole.clone(); sets.len()]);
    report::weights(&whole);
    if options.write {
        fs::write(root().join(WEIGHTS), source(&whole, &provenance(&sets, arguments)))?;
        say(&format!("wrote {WEIGHTS}"));
    }
    Ok(())
}

/// Returns what the weights were fitted on, by which program and how, as the lines of a table.
fn provenance(sets: &[FittedSet], arguments: &[String]) -> Vec<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(root()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    let is_changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|it| !it.is_empty());
    let flags: Vec<&String> = arguments.iter().filter(|it| !it.contains('/')).collect();
    let mut lines = vec![
        format!("commit: {commit}{}", if is_changed { " and what was changed since" } else { "" }),
        format!("flags: {}", flags.into_iter().cloned().collect::<Vec<_>>().join(" ")),
    ];
    lines.extend(sets.iter().map(|set| {
        let answered = set.queries.iter().filter(|query| query.gold > 0).count();
        let unanswered = set.queries.len() - answered;
        let (name, documents) = (&set.name, set.documents);
        format!("{name}: {documents} documents, {answered} questions with an answer, {unanswered} without")
    }));
    lines
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
    /// The recorded sessions, if they are there.
    recorded: PathBuf,
    /// The beginnings of the names of the sets; all if empty.
    sets: Vec<String>,
    write: bool,
}

impl FitOptions {
    fn read(arguments: &[String]) -> TaskResult<FitOptions> {
        let target = std::env::current_exe()?.ancestors().nth(2).map(|target| target.join("fit"));
        let mut options = FitOptions {
            data: root().join("../shared/eval"),
            recorded: root().join("../shared/real"),
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
                "--recorded" => options.recorded = value()?.into(),
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
