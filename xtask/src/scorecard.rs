//! `cargo xtask scorecard`: what Backstory finds, makes of sessions, leaves unsaid and costs, on data sets we do not ship.
//!
//! Everything goes through the binary's own doors, in worlds of their own, at a fixed time: the same binary and data give the
//! same page, but for a few tokens: the nonce of a fence does not always cost the same. The page is `docs/scorecard.md`; a line a question goes where `--per-query` says. Not here: speed.

mod abstention;
mod amendment;
mod extraction;
mod forbidden;
mod heard;
mod made_up;
mod page;
mod passing;
mod retrieval;
mod sets;
mod stock;
mod telling;
mod tokens;
mod wording;
mod world;

use crate::places::{released_program, root};
use page::Page;
use sets::Sets;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// What can go wrong: a door that does not answer as it says, a set that is not as it was published.
type Outcome<T> = Result<T, Box<dyn Error>>;

const USAGE: &str = "usage: cargo xtask scorecard [--data DIR] [--per-query DIR] [--program FILE]";

/// Measures all parts and writes the page.
pub(crate) fn run(arguments: &[String]) -> Outcome<()> {
    let options = Options::read(arguments)?;
    let program = options.program.map_or_else(built, Ok)?;
    let sets = Sets { data: options.data, program };
    let mut page = Page::new(&said_of_itself(&sets)?, options.per_query);
    let reports = retrieval::measure(&sets, &mut page)?;
    extraction::measure(&sets, &mut page)?;
    passing::measure(&sets, &mut page)?;
    heard::measure(&sets, &mut page)?;
    abstention::measure(&sets, &reports, &mut page)?;
    amendment::measure(&sets, &mut page)?;
    forbidden::measure(&sets, &mut page)?;
    tokens::measure(&sets, &mut page)?;
    page.write(&root().join("docs/scorecard.md"))
}

/// What was asked for on the command line.
struct Options {
    data: PathBuf,
    per_query: Option<PathBuf>,
    program: Option<PathBuf>,
}

impl Options {
    fn read(arguments: &[String]) -> Outcome<Options> {
        let mut options = Options { data: root().join("../shared/eval"), per_query: None, program: None };
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
        // The program runs in folders of its own. Without any set, a page of nothing would take the place of the last one.
        options.data = fs::canonicalize(&options.data)
            .map_err(|_| format!("there are no sets in {}; {USAGE}", options.data.display()))?;
        Ok(options)
    }
}

/// Builds the binary people install, so that nobody measures an old one.
fn built() -> Outcome<PathBuf> {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--package", "backstory-cli"])
        .current_dir(root())
        .status()?;
    if !built.success() {
        return Err("the binary does not build".into());
    }
    Ok(released_program())
}

/// Which program is measured, as it says itself: the checkout may be ahead of it.
fn said_of_itself(sets: &Sets) -> Outcome<String> {
    let said = sets.world().say(&["--version"], "")?;
    let lines: Vec<String> =
        said.lines().take(3).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    Ok(lines.join(", "))
}
