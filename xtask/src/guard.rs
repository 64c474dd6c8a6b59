//! `cargo xtask guard`: counts the instructions of the hot paths, and fails when one costs noticeably more than recorded.
//!
//! Instructions, not seconds: valgrind counts the same on a busy machine. `instructions.txt` has the recorded counts; `--accept` rewrites
//! them, and the commit says why. Counts differ with the compiler, the C library and the processor: there the comparison is skipped, loudly.

use crate::places::{released_program, root};
use crate::{TaskResult, cargo};
use backstory_testkit::{Corpus, TestEnv};
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The ratio to the recorded count that fails.
const MOST_MORE: f64 = 1.05;
/// Memories in the store, each with a vector.
const MEMORIES: usize = 300;

/// The counted paths: name, arguments, input. Injections are measured through `context`: a hook would stop early at its deadline,
/// because valgrind is fifty times slower.
const PATHS: &[(&str, &[&str], &str)] = &[
    ("an empty process", &["--version"], ""),
    (
        "capture",
        &["hook", "--host", "claude-code"],
        r#"{"session_id":"s1","cwd":"$CWD","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"cargo test"},"tool_response":{"stdout":"test result: ok. 12 passed"},"tool_use_id":"t1"}"#,
    ),
    ("session start", &["context"], ""),
    ("prompt", &["context", "--prompt", "why does the scheduler lose stale rows"], ""),
    ("search", &["search", "--json", "why does the scheduler lose stale rows"], ""),
];

/// Counts, and compares with the recorded counts.
#[expect(clippy::print_stdout, reason = "a task for developers talks to them")]
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let accepts = arguments == ["--accept"];
    if !accepts && !arguments.is_empty() {
        return Err("usage: cargo xtask guard [--accept]".into());
    }
    let Some(machine) = machine() else {
        println!("SKIPPED: there is no valgrind here, so the instructions were NOT counted");
        return Ok(());
    };
    if accepts {
        let lines: String = counted()?.iter().map(|(name, count)| format!("{count}\t{name}\n")).collect();
        return Ok(fs::write(known_file(), format!("{machine}\n{lines}"))?);
    }
    let known = fs::read_to_string(known_file())?;
    match known.lines().next() {
        Some(counted_on) if counted_on.contains('\t') => {
            Err("xtask/instructions.txt does not name its machine; `cargo xtask guard --accept` rewrites it"
                .into())
        }
        Some(counted_on) if counted_on != machine => {
            println!(
                "SKIPPED: the recorded counts are from {counted_on}, this is {machine}: the instructions were NOT compared"
            );
            Ok(())
        }
        _ => compare(&counted()?, &known),
    }
}

/// Describes what the counts depend on beside the code; `None` without valgrind.
fn machine() -> Option<String> {
    let first_line = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned())
    };
    let valgrind = first_line("valgrind", &["--version"])?;
    let compiler = first_line("rustc", &["--version"]).unwrap_or_default();
    let libc = first_line("getconf", &["GNU_LIBC_VERSION"]).unwrap_or_default();
    Some(format!("{} {}, {compiler}, {libc}, {valgrind}", std::env::consts::ARCH, vectors()))
}

/// The widest vector instructions the model uses under valgrind, which supports none beyond these.
fn vectors() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        return "with AVX2";
    }
    "plain"
}

fn known_file() -> PathBuf {
    root().join("xtask/instructions.txt")
}

#[expect(clippy::print_stdout, reason = "a task for developers talks to them")]
fn compare(counts: &[(&str, u64)], known: &str) -> TaskResult {
    let mut slower = Vec::new();
    println!("{:<18} {:>13} {:>13}", "instructions", "now", "recorded");
    for (name, count) in counts {
        let is_of_it = |line: &&str| line.split_once('\t').is_some_and(|(_, known)| known == *name);
        let before =
            known.lines().find(is_of_it).and_then(|line| line.split_once('\t')?.0.parse::<u64>().ok());
        let ratio = *count as f64 / before.unwrap_or_default() as f64;
        println!(
            "{name:<18} {count:>13} {:>13} {:>+7.1} %",
            before.unwrap_or_default(),
            (ratio - 1.0) * 100.0
        );
        if ratio > MOST_MORE {
            slower.push(*name);
        }
    }
    if slower.is_empty() {
        return Ok(());
    }
    let slower = slower.join(", ");
    Err(format!(
        "more than 5 % more instructions: {slower}; if that is intended, run `cargo xtask guard --accept` and say why in the commit"
    )
    .into())
}

/// Builds the binary, and counts each path in a temporary world.
fn counted() -> Result<Vec<(&'static str, u64)>, Box<dyn Error>> {
    cargo(&["build", "--release", "--package", "backstory-cli", "--features", "full"])?;
    let env = TestEnv::new(released_program()).with("BACKSTORY_RECALL_VECTORS", "true");
    let mut corpus = Corpus::new(1);
    let memories: Vec<String> = (0..MEMORIES).map(|_| corpus.memory().line("guarded")).collect();
    let filled = env.import(memories.join("\n"));
    let linked = env.run(["project", "link", "guarded", "--yes"]);
    for done in [filled, linked] {
        if done.code != Some(0) {
            return Err(done.stderr.into());
        }
    }
    PATHS.iter().map(|(name, arguments, input)| Ok((*name, count(&env, arguments, input)?))).collect()
}

/// Runs the binary under valgrind, and returns the number of instructions.
fn count(env: &TestEnv, arguments: &[&str], input: &str) -> Result<u64, Box<dyn Error>> {
    let input = input.replace("$CWD", &env.project().to_string_lossy());
    let plain = env.command(arguments);
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(plain.get_program()).args(plain.get_args()).current_dir(env.project()).env_clear();
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        // The binary may close its end early.
        drop(pipe.write_all(input.as_bytes()));
    }
    let output = child.wait_with_output()?;
    // A command without output did nothing, which would count as cheap. Only a capture hook may print nothing.
    if !output.status.success() || (output.stdout.is_empty() && input.is_empty()) {
        return Err(format!("`backstory {}` printed nothing", arguments.join(" ")).into());
    }
    let report = String::from_utf8_lossy(&output.stderr);
    let counted = report.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    counted.ok_or_else(|| format!("valgrind counted nothing: {report}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_instructions_or_an_unknown_path_fail() {
        let known = "a machine\n100\tprompt\n";
        assert!(compare(&[("prompt", 104)], known).is_ok());
        assert!(compare(&[("prompt", 106)], known).is_err());
        assert!(compare(&[("search", 1)], known).is_err());
    }
}
