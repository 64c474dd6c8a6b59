//! `cargo xtask scorecard`: measures retrieval, distillation, abstention and token costs on published data sets, which we do not ship.
//!
//! Everything runs through the binary (commands, hooks, MCP) in temporary homes at a fixed time: the same binary and data give the same
//! page, except for a few tokens, because the nonce of a fence varies in cost. Writes `docs/scorecard.md`, and one line per query to
//! `--per-query DIR`. Not here: speed (`bench`).

mod abstention;
mod corrections;
mod ephemeral;
mod extraction;
mod forbidden;
mod page;
mod playback;
mod retrieval;
mod samples;
mod scored_store;
mod session_answers;
mod sets;
mod tokens;
mod wording;
mod world;

use crate::TaskResult;
use crate::places::{released_program, root};
use page::ScorecardPage;
use sets::EvalSets;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const USAGE: &str = "usage: cargo xtask scorecard [--data DIR] [--per-query DIR] [--program FILE]";

/// Measures all parts and writes the page.
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let options = ScorecardOptions::read(arguments)?;
    let program = options.program.map_or_else(build, Ok)?;
    let sets = EvalSets { data: options.data, program };
    let mut page = ScorecardPage::new(&program_version(&sets)?, options.per_query);
    let reports = retrieval::measure(&sets, &mut page)?;
    extraction::measure(&sets, &mut page)?;
    ephemeral::measure(&sets, &mut page)?;
    session_answers::measure(&sets, &mut page)?;
    abstention::measure(&sets, &reports, &mut page)?;
    corrections::measure(&sets, &mut page)?;
    forbidden::measure(&sets, &mut page)?;
    tokens::measure(&sets, &mut page)?;
    page.write(&root().join("docs/scorecard.md"))
}

/// The command line.
struct ScorecardOptions {
    data: PathBuf,
    per_query: Option<PathBuf>,
    program: Option<PathBuf>,
}

impl ScorecardOptions {
    fn read(arguments: &[String]) -> TaskResult<ScorecardOptions> {
        let mut options =
            ScorecardOptions { data: root().join("../shared/eval"), per_query: None, program: None };
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            let value = rest.next().map(PathBuf::from).ok_or(USAGE)?;
            match name.as_str() {
                "--data" => options.data = value,
                "--per-query" => {
                    fs::create_dir_all(&value)?;
                    options.per_query = Some(fs::canonicalize(value)?);
                }
                "--program" => options.program = Some(fs::canonicalize(value)?),
                _ => return Err(USAGE.into()),
            }
        }
        // Absolute, because the program runs in other folders. Required, because an empty page would replace the last one.
        options.data = fs::canonicalize(&options.data)
            .map_err(|_| format!("there are no sets in {}; {USAGE}", options.data.display()))?;
        Ok(options)
    }
}

/// Builds the release binary, so that no outdated one is measured.
fn build() -> TaskResult<PathBuf> {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--package", "backstory-cli", "--features", "full"])
        .current_dir(root())
        .status()?;
    if !status.success() {
        return Err("the binary does not build".into());
    }
    Ok(released_program())
}

/// The version of the measured program: the checkout may be ahead of it.
fn program_version(sets: &EvalSets) -> TaskResult<String> {
    let output = sets.world().run(&["--version"], "")?;
    let lines: Vec<String> =
        output.lines().take(3).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    Ok(lines.join(", "))
}
