//! `cargo xtask bench`: measures the performance figures on this machine, and prints them in one table beside their targets.
//!
//! The benches measure and record; the targets are here. Being slow fails nothing, because a busy machine is no fault of the code:
//! `guard` catches regressions by counting instructions.

use crate::places::target;
use crate::{TaskResult, cargo};
use std::collections::HashMap;
use std::fs;
use std::process::Command;

/// One figure: what is measured, with how many memories, and its target.
struct BenchRow {
    what: &'static str,
    memories: usize,
    target: BenchTarget,
}

enum BenchTarget {
    AtMost(f64, &'static str),
    AtLeast(f64, &'static str),
    /// At most this ratio to the figure with a thousand memories.
    Growth(f64),
    /// No target, only reported.
    Stated(&'static str),
}

use BenchTarget::{AtLeast, AtMost, Growth, Stated};

const fn row(what: &'static str, memories: usize, target: BenchTarget) -> BenchRow {
    BenchRow { what, memories, target }
}

const ROWS: &[BenchRow] = &[
    row("an empty process, p50", 10_000, Stated("ms")),
    row("capture, p50", 10_000, AtMost(8.0, "ms")),
    row("capture, times an empty process", 10_000, AtMost(3.0, "x")),
    row("capture, p50", 100_000, Growth(2.0)),
    row("session start, p50", 10_000, AtMost(15.0, "ms")),
    row("session start, p50", 100_000, AtMost(25.0, "ms")),
    row("session start, p50", 100_000, Growth(2.0)),
    row("prompt, p50", 10_000, AtMost(15.0, "ms")),
    row("prompt, p50", 100_000, AtMost(30.0, "ms")),
    row("prompt, p50", 100_000, Growth(2.0)),
    row("end of a turn, p50", 10_000, AtMost(25.0, "ms")),
    row("search, words and meaning, p50", 10_000, AtMost(5.0, "ms")),
    row("search, words and meaning, p50", 100_000, AtMost(12.0, "ms")),
    row("search, words and meaning, p50", 1_000_000, AtMost(60.0, "ms")),
    row("search over the socket, p50", 10_000, Stated("ms")),
    row("search over the socket, p50", 100_000, AtMost(15.0, "ms")),
    row("write to readable, p50", 10_000, Stated("ms")),
    row("import, MB/s of transcripts", 0, AtLeast(20.0, "MB/s")),
    row("import, memories a second", 0, AtLeast(5_000.0, "a second")),
    row("worker, resident", 10_000, AtMost(40.0, "MB")),
    row("worker, resident", 100_000, AtMost(120.0, "MB")),
    row("worker, idle", 100_000, AtMost(0.0, "ticks")),
    row("worker, failed of 40,000", 100_000, AtMost(0.0, "")),
    row("mcp, peak MB", 10_000, AtMost(25.0, "MB")),
    row("binary, MB", 0, AtMost(35.0, "MB")),
    row("bytes a memory on the disk", 10_000, Stated("bytes")),
    row("disk, times the text", 10_000, AtMost(3.0, "x")),
    row("capture, p50", 1_000_000, Growth(2.0)),
    row("session start, p50", 1_000_000, Growth(2.0)),
    row("prompt, p50", 1_000_000, Growth(2.0)),
];

/// The benches with their sizes, and more sizes for `--million`; the size of `import` is in megabytes. A million memories take minutes.
const BENCHES: &[(&str, &str, &[&str], &[&str])] = &[
    ("backstory-cli", "hook", &["1000", "10000", "100000"], &["1000000"]),
    ("backstory-recall", "search", &["1000", "10000", "100000"], &["1000000"]),
    ("backstory-cli", "worker", &["10000", "100000"], &[]),
    ("backstory-cli", "footprint", &["10000"], &[]),
    ("backstory-cli", "import", &["100"], &[]),
];

/// The measured values, by name and number of memories.
type BenchFigures = HashMap<(String, usize), f64>;

/// Measures, and prints the table.
#[expect(clippy::print_stdout, reason = "a task for developers talks to them")]
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let with_a_million = match arguments {
        [] => false,
        [only] if only == "--million" => true,
        [against, name, plugin] if against == "--against" && name == "claude-mem" => {
            return cargo(&[
                "bench",
                "--package",
                "backstory-cli",
                "--bench",
                "against",
                "--",
                plugin,
                "10000",
            ]);
        }
        _ => return Err("usage: cargo xtask bench [--million | --against claude-mem PLUGIN-FOLDER]".into()),
    };
    let gathered = target().join("figures.tsv");
    drop(fs::remove_file(&gathered));
    for (package, bench, sizes, more) in BENCHES {
        let mut command = Command::new(env!("CARGO"));
        command
            .args(["bench", "--quiet", "--package", package, "--all-features", "--bench", bench, "--"])
            .args(*sizes);
        command.args(if with_a_million { *more } else { &[] }).env("BACKSTORY_FIGURES", &gathered);
        if !command.status()?.success() {
            return Err(format!("the bench `{bench}` of {package} failed").into());
        }
    }
    let figures = parse(&fs::read_to_string(&gathered)?);
    println!("\n{:<36} {:>9}  {:>14}  {:>16}", "", "memories", "measured", "target");
    let (mut missed, mut unmeasured) = (0, 0);
    for row in ROWS {
        let (line, verdict) = table_line(row, &figures);
        println!("{line}");
        missed += usize::from(verdict == BenchVerdict::Missed);
        unmeasured += usize::from(verdict == BenchVerdict::NotMeasured);
    }
    println!("{missed} missed, {unmeasured} not measured");
    Ok(())
}

fn parse(lines: &str) -> BenchFigures {
    let figure = |line: &str| {
        let mut fields = line.split('\t');
        let what = fields.next()?.to_owned();
        Some(((what, fields.next()?.parse().ok()?), fields.next()?.parse().ok()?))
    };
    lines.lines().filter_map(figure).collect()
}

/// Whether a row meets its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BenchVerdict {
    Holds,
    Missed,
    Stated,
    NotMeasured,
}

/// Returns a row of the table, and whether it meets its target.
fn table_line(row: &BenchRow, figures: &BenchFigures) -> (String, BenchVerdict) {
    let figure = |memories| figures.get(&(row.what.to_owned(), memories)).copied();
    let beside = if let Growth(_) = row.target { figure(1_000) } else { Some(1.0) };
    let memories = if row.memories == 0 { String::new() } else { row.memories.to_string() };
    let (Some(measured), Some(beside)) = (figure(row.memories), beside) else {
        return (
            format!("{:<36} {memories:>9}  {:>14}", row.what, "not measured"),
            BenchVerdict::NotMeasured,
        );
    };
    let measured = measured / beside;
    let (unit, target, holds) = match row.target {
        AtMost(most, unit) => (unit, format!("<= {most} {unit}"), Some(measured <= most)),
        AtLeast(least, unit) => (unit, format!(">= {least} {unit}"), Some(measured >= least)),
        Growth(most) => ("x of 1,000", format!("<= {most} x"), Some(measured <= most)),
        Stated(unit) => (unit, "stated".to_owned(), None),
    };
    let verdict = match holds {
        Some(true) => BenchVerdict::Holds,
        Some(false) => BenchVerdict::Missed,
        None => BenchVerdict::Stated,
    };
    let mark = if verdict == BenchVerdict::Missed { "  MISSED" } else { "" };
    let measured = format!("{measured:.1} {unit}");
    (format!("{:<36} {memories:>9}  {measured:>14}  {target:>16}{mark}", row.what), verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_whether_it_holds() {
        let figures = parse("a\t1000\t2\na\t100000\t5\nspoilt line\na\tx\t1\n");
        assert_eq!(figures.len(), 2);
        let verdict = |memories, hold| table_line(&row("a", memories, hold), &figures).1;
        assert_eq!(verdict(1_000, AtMost(2.0, "ms")), BenchVerdict::Holds);
        assert_eq!(verdict(1_000, AtLeast(3.0, "ms")), BenchVerdict::Missed);
        assert_eq!(verdict(100_000, Growth(2.0)), BenchVerdict::Missed);
        assert_eq!(verdict(100_000, Growth(2.5)), BenchVerdict::Holds);
        assert_eq!(verdict(1_000, Stated("ms")), BenchVerdict::Stated);
        assert_eq!(table_line(&row("b", 1_000, AtMost(1.0, "ms")), &figures).1, BenchVerdict::NotMeasured);
    }
}
