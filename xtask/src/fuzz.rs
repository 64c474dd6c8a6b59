//! `cargo xtask fuzz [TARGET…] [--seconds N]`: fuzzes the targets of `fuzz/`, starting from the committed seeds.
//!
//! Needs cargo-fuzz; runs it without a sanitizer, so that a stable compiler is enough. A failing input is written to `fuzz/artifacts/`:
//! fix the bug, and add the input to the seeds.

use crate::places::root;
use crate::{TaskResult, say};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Seconds per target by default.
const SECONDS: u32 = 60;

/// Runs the named targets, or all of them, one after the other.
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let (wanted, seconds) = parse(arguments).ok_or("usage: cargo xtask fuzz [TARGET…] [--seconds N]")?;
    let targets = targets();
    if let Some(unknown) = wanted.iter().find(|name| !targets.contains(name)) {
        return Err(format!("there is no target `{unknown}`: {}", targets.join(", ")).into());
    }
    if !Command::new(env!("CARGO")).args(["fuzz", "--version"]).output()?.status.success() {
        return Err("`cargo fuzz` is not installed; install it with `cargo install cargo-fuzz`".into());
    }
    let chosen = targets.iter().filter(|name| wanted.is_empty() || wanted.contains(name));
    match chosen.filter(|target| !fuzz_target(target, seconds)).count() {
        0 => Ok(()),
        broken => Err(format!("{broken} targets failed: see fuzz/artifacts").into()),
    }
}

fn parse(arguments: &[String]) -> Option<(Vec<String>, u32)> {
    let mut wanted = Vec::new();
    let mut seconds = SECONDS;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--seconds" => seconds = rest.next()?.parse().ok()?,
            flag if flag.starts_with('-') => return None,
            name => wanted.push(name.to_owned()),
        }
    }
    Some((wanted, seconds))
}

/// Fuzzes one target, prints the result, and returns whether it passed.
fn fuzz_target(target: &str, seconds: u32) -> bool {
    let corpus = folder().join("corpus").join(target);
    drop(fs::create_dir_all(&corpus));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["fuzz", "run", "--sanitizer", "none", "--fuzz-dir"]).arg(folder()).arg(target);
    // New inputs go to the corpus, not to the committed seeds.
    cargo.arg(corpus).arg(folder().join("seeds").join(target)).arg("--");
    cargo.args([format!("-max_total_time={seconds}"), "-timeout=1".to_owned(), "-max_len=65536".to_owned()]);
    cargo.args(["-rss_limit_mb=1024", "-print_final_stats=1"]);
    let Ok(run) = cargo.stdout(Stdio::null()).output() else { return false };
    let log = String::from_utf8_lossy(&run.stderr);
    let number = |name: &str| log.lines().find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()));
    let runs = number("stat::number_of_executed_units:").unwrap_or_else(|| "0".to_owned());
    let word = if run.status.success() { "ok" } else { "FAILED" };
    say(&format!("{target:<14} {word:<7} {runs} runs in {seconds} s"));
    if !run.status.success() {
        let tail: Vec<&str> = log.lines().rev().take(40).collect();
        tail.iter().rev().for_each(|line| say(line));
    }
    run.status.success()
}

/// The names of the targets: each has a program and a folder of seeds.
fn targets() -> Vec<String> {
    let files = fs::read_dir(folder().join("targets")).into_iter().flatten().flatten();
    let name = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
    let mut names: Vec<String> = files.filter_map(|file| name(file.path())).collect();
    names.sort();
    names
}

fn folder() -> PathBuf {
    root().join("fuzz")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_seeds_and_is_run_by_cargo_test_too() {
        let bodies = fs::read_to_string(folder().join("src/lib.rs")).unwrap();
        let manifest = fs::read_to_string(folder().join("Cargo.toml")).unwrap();
        let targets = targets();
        assert!(targets.len() >= 7, "{targets:?}");
        for target in targets {
            assert!(
                fs::read_dir(folder().join("seeds").join(&target)).is_ok_and(|seeds| seeds.count() > 3),
                "{target}"
            );
            assert!(bodies.contains(&format!("(\"{target}\", {target})")), "{target} is not in `TARGETS`");
            assert!(manifest.contains(&format!("name = \"{target}\"")), "{target} has no program");
        }
    }

    #[test]
    fn the_seconds_are_parsed() {
        let parsed = |words: &[&str]| parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(parsed(&["spool", "--seconds", "5"]), Some((vec!["spool".to_owned()], 5)));
        assert_eq!(parsed(&[]), Some((vec![], SECONDS)));
        assert_eq!((parsed(&["--seconds"]), parsed(&["--hours"])), (None, None));
    }
}
