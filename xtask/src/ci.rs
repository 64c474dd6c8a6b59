//! `cargo xtask ci`: the checks every change must pass. `--full` is what `.ci/run` runs: the same, then the suites that take long.
//!
//! Every step inherits this process's output, unfiltered: CI reads the result lines of `cargo test`. What cannot run on this machine is
//! reported as `SKIPPED` and fails nothing; a step that ran and failed ends the run.

use crate::TaskResult;
use crate::places::{released_program, root};
use std::io::IsTerminal;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

const USAGE: &str = "usage: cargo xtask ci [--full]";

/// Exit codes of the scripts in `tests/` and `scripts/` that mean "cannot run here".
const NOT_HERE: [i32; 2] = [3, 127];

/// Runs the checks.
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let is_full = match arguments {
        [] => false,
        [only] if only == "--full" => true,
        _ => return Err(USAGE.into()),
    };
    let started = Instant::now();
    cargo_step(&["fmt", "--all", "--check"])?;
    cargo_step(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"])?;
    // The crates that leave something out by default.
    cargo_step(&[
        "clippy",
        "--package",
        "backstory-sync",
        "--package",
        "backstory-capture",
        "--",
        "-D",
        "warnings",
    ])?;
    let mut doc = cargo(&["doc", "--workspace", "--all-features", "--no-deps", "--quiet"]);
    step("cargo doc", doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    if is_full {
        install_for_tests();
    }
    // Includes the checks of `tidy`, which are tests of this crate.
    cargo_step(&["test", "--workspace", "--all-features"])?;
    if is_full {
        // The build without the hub, as who builds from source gets it.
        cargo_step(&["test", "--package", "backstory-cli", "--test", "it", "no_team_hub"])?;
        long_suites()?;
    }
    report(&format!("all checks passed in {:.0} s", started.elapsed().as_secs_f64()));
    Ok(())
}

/// Installs what some tests need, where packages can be had; else those tests skip themselves.
fn install_for_tests() {
    for (script, arguments, skipped) in [
        (
            "scripts/install-for-tests",
            ["postgresql"].as_slice(),
            "the tests of teams will NOT be run: there is no PostgreSQL",
        ),
        (
            "scripts/install-pgvector",
            &[],
            "the tests of teams by meaning will NOT be run: there is no pgvector",
        ),
        (
            "scripts/install-for-tests",
            &["chromium"],
            "the viewer will NOT be driven in a browser: there is no chromium",
        ),
    ] {
        let mut install = Command::new(root().join(script));
        install.args(arguments).current_dir(root());
        if asks_before_installing() {
            install.env("BACKSTORY_CI_INSTALL", "0");
        }
        if !install.status().is_ok_and(|status| status.success()) {
            skip(skipped);
        }
    }
}

/// Whether a person sits at a terminal and did not allow installing packages: BACKSTORY_CI_INSTALL=1 allows it.
#[expect(clippy::disallowed_methods, reason = "CI passes its switches in the environment")]
fn asks_before_installing() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_interactive = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    is_interactive && !is_set("CI") && !is_set("BACKSTORY_CI_INSTALL")
}

fn long_suites() -> TaskResult {
    // Every bar of the reliability table at full size; a machine that is only too slow fails nothing.
    cargo_step(&["xtask", "torture"])?;
    // Counts of instructions, which are the same on a busy machine: finds a hook or a search that costs more than recorded.
    cargo_step(&["xtask", "guard"])?;
    dependencies()?;
    real_hosts()?;
    // Skips itself, loudly, without chromium or npm; its screenshots stay in target/browser/.
    step("tests/browser/run", script("tests/browser/run").env("BACKSTORY_BIN", released_program()))?;
    distribution()?;
    workflows()?;
    static_build()?;
    other_systems()
}

/// Makes a release of this system from the program that was just tested, and installs from it the ways a user does.
fn distribution() -> TaskResult {
    let status = script("tests/dist/run").env("BACKSTORY_BIN", released_program()).status()?;
    if status.success() {
        return Ok(());
    }
    if is_not_here(status) {
        skip("tests/dist, the installers and packages, was NOT run in full");
        return Ok(());
    }
    Err(format!("tests/dist/run failed: {status}").into())
}

/// Reads what can only run where this project is hosted, and every shell script.
fn workflows() -> TaskResult {
    let status = script("scripts/check-workflows").status()?;
    if status.success() {
        return Ok(());
    }
    if is_not_here(status) {
        skip("scripts/check-workflows did NOT read everything");
        return Ok(());
    }
    Err(format!("scripts/check-workflows failed: {status}").into())
}

/// Checks licences, sources and banned crates. Known vulnerabilities need the network and are not checked here (docs/torture.md).
fn dependencies() -> TaskResult {
    let has_deny = cargo(&["deny", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !has_deny.is_ok_and(|status| status.success()) {
        skip("cargo-deny is not installed, the rules of deny.toml were NOT checked");
        return Ok(());
    }
    // cargo-deny reads the manifests of every platform's dependencies; a build fetches only this platform's.
    cargo_step(&["fetch", "--locked", "--quiet"])?;
    cargo_step(&["deny", "--offline", "check", "bans", "licenses", "sources"])
}

/// Runs the suite against the real hosts, where npm can install them.
fn real_hosts() -> TaskResult {
    let status = script("tests/e2e/install-hosts").status()?;
    if status.success() {
        return step("tests/e2e/run", script("tests/e2e/run").env("BACKSTORY_BIN", released_program()));
    }
    if is_not_here(status) {
        skip("tests/e2e, the suite against the real hosts, was NOT run");
        return Ok(());
    }
    Err(format!("tests/e2e/install-hosts failed: {status}").into())
}

/// Builds the static binary: another whole build, so only on request.
#[expect(clippy::disallowed_methods, reason = "CI passes its switches in the environment")]
fn static_build() -> TaskResult {
    if std::env::var_os("BACKSTORY_CI_STATIC").is_none_or(|value| value.is_empty()) {
        skip("scripts/build-static was NOT run; BACKSTORY_CI_STATIC=1 asks for it");
        return Ok(());
    }
    let status = script("scripts/build-static").status()?;
    if status.success() || status.code() == Some(3) {
        return Ok(());
    }
    Err(format!("scripts/build-static failed: {status}").into())
}

/// Other systems, and what shows most of each here: no program for macOS can be run.
const OTHER_SYSTEMS: [(&str, &str); 4] = [
    ("x86_64-pc-windows-gnu", "test"),
    ("aarch64-unknown-linux-musl", "test"),
    ("aarch64-apple-darwin", "build"),
    ("x86_64-apple-darwin", "build"),
];

/// Checks the program for other systems whose toolchain is there already. BACKSTORY_CI_CROSS=1 has it fetched, and does what shows most;
/// 0 leaves them out.
#[expect(clippy::disallowed_methods, reason = "CI passes its switches in the environment")]
fn other_systems() -> TaskResult {
    let wish = std::env::var("BACKSTORY_CI_CROSS").unwrap_or_default();
    if wish == "0" {
        skip("macOS, Windows and arm64 were NOT checked: BACKSTORY_CI_CROSS=0");
        return Ok(());
    }
    for (target, thorough) in OTHER_SYSTEMS {
        if wish.is_empty() {
            other_system(
                script("scripts/build-for").args([target, "check"]).env("BACKSTORY_CROSS_CACHED", "1"),
                target,
            )?;
        } else {
            other_system(script("scripts/build-for").args([target, "check"]), target)?;
            other_system(script("scripts/build-for").args([target, thorough]), target)?;
        }
    }
    Ok(())
}

fn other_system(command: &mut Command, target: &str) -> TaskResult {
    let started = Instant::now();
    let status = command.status()?;
    if is_not_here(status) {
        skip(&format!(
            "{target} was NOT checked: its toolchain is not here; BACKSTORY_CI_CROSS=1 fetches it"
        ));
        return Ok(());
    }
    if !status.success() {
        return Err(format!("{command:?} failed: {status}").into());
    }
    report(&format!("{target}: ok, {:.1} s", started.elapsed().as_secs_f64()));
    Ok(())
}

fn is_not_here(status: ExitStatus) -> bool {
    status.code().is_some_and(|code| NOT_HERE.contains(&code))
}

fn script(path: &str) -> Command {
    let mut command = Command::new(root().join(path));
    command.current_dir(root());
    command
}

fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).current_dir(root());
    command
}

fn cargo_step(arguments: &[&str]) -> TaskResult {
    step(&format!("cargo {}", arguments.join(" ")), &mut cargo(arguments))
}

/// Runs a step, and prints how long it took.
fn step(name: &str, command: &mut Command) -> TaskResult {
    report(name);
    let started = Instant::now();
    let status = command.status().map_err(|error| format!("{name}: {error}"))?;
    if !status.success() {
        return Err(format!("`{name}` failed: {status}").into());
    }
    report(&format!("{name}: ok, {:.1} s", started.elapsed().as_secs_f64()));
    Ok(())
}

fn skip(what: &str) {
    crate::say(&format!("SKIPPED: {what}"));
}

#[expect(clippy::print_stderr, reason = "a task for developers talks to them")]
fn report(line: &str) {
    eprintln!("ci: {line}");
}
