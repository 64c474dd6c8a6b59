//! Failures and what fixed them, over the steps of a turn.

use backstory_distil::{CommandRun, FailureStep, FixAttempt, pair, should_promote};

const MISSING: &str = "error[E0412]: cannot find type `Foo` in this scope\n --> src/a.rs:3:12";
const MISMATCH: &str = "error[E0308]: mismatched types\n --> src/a.rs:9:1";

fn fails<'a>(command: &'a str, output: &'a str) -> FailureStep<'a> {
    FailureStep::Command(CommandRun { command, output, succeeded: false })
}

fn passes(command: &str) -> FailureStep<'_> {
    FailureStep::Command(CommandRun { command, output: "", succeeded: true })
}

fn edit(file: &str) -> FixAttempt {
    FixAttempt::Edit(file.to_owned())
}

#[test]
fn an_edit_between_failing_and_passing_is_the_fix() {
    let steps = [
        fails("cargo build", MISSING),
        FailureStep::Edit { file: "src/a.rs" },
        passes("cd x && cargo build 2>&1"),
    ];
    let failures = pair(&steps);
    assert_eq!(failures.open, []);
    let fix = &failures.fixed[0];
    assert_eq!(fix.signature.title, "cargo build: cannot find type Foo in this scope");
    assert_eq!((&fix.by, fix.failed_at, fix.fixed_at), (&vec![edit("src/a.rs")], 0, 2));
}

#[test]
fn what_did_not_help_is_kept_apart_from_what_did() {
    let steps = [
        fails("cargo build", MISSING),
        FailureStep::Edit { file: "src/wrong.rs" },
        fails("cargo build", MISSING),
        FailureStep::Edit { file: "src/right.rs" },
        passes("cargo build"),
    ];
    let fix = &pair(&steps).fixed[0];
    assert_eq!(
        (fix.times, &fix.tried, &fix.by),
        (2, &vec![edit("src/wrong.rs")], &vec![edit("src/right.rs")])
    );
}

#[test]
fn one_error_after_another_each_has_its_own_fix() {
    let steps = [
        fails("cargo build", MISSING),
        FailureStep::Edit { file: "src/a.rs" },
        fails("cargo build", MISMATCH),
        FailureStep::Edit { file: "src/b.rs" },
        passes("cargo build"),
    ];
    let fixed = pair(&steps).fixed;
    assert_eq!(fixed[0].by, [edit("src/a.rs")]);
    assert_eq!(fixed[1].by, [edit("src/b.rs")]);
}

#[test]
fn a_command_can_be_the_fix() {
    let steps = [
        fails("pytest", "ModuleNotFoundError: No module named 'requests'"),
        passes("pip install requests"),
        passes("pytest"),
    ];
    assert_eq!(pair(&steps).fixed[0].by, [FixAttempt::Command("pip install requests".to_owned())]);
}

#[test]
fn a_failure_that_never_passes_stays_open() {
    let steps = [fails("cargo build", MISSING), FailureStep::Edit { file: "src/a.rs" }, passes("cargo fmt")];
    let failures = pair(&steps);
    assert_eq!(failures.fixed, []);
    assert_eq!(failures.open[0].tried, [edit("src/a.rs"), FixAttempt::Command("cargo fmt".to_owned())]);
}

#[test]
fn passing_again_without_a_change_has_no_fix() {
    let fixed = pair(&[fails("pytest", "TimeoutError: slow"), passes("ls"), passes("pytest")]).fixed;
    assert_eq!(fixed[0].by, []);
}

#[test]
fn a_status_hidden_by_a_pipe_is_not_believed() {
    let ran = |command, output| CommandRun { command, output, succeeded: true };
    assert!(ran("cargo build 2>&1 | tail -5", MISSING).failed());
    assert!(ran("cargo test | tail", "test a ... FAILED\ntest result: FAILED. 0 passed; 1 failed;").failed());
    assert!(!ran("cargo test | tail", "test result: ok. 3 passed; 0 failed;").failed());
    assert!(!ran("cat build.log | tail", MISSING).failed());
    assert!(!ran("cargo build", "warning: permission denied is a string here").failed());
    let steps = [
        FailureStep::Command(ran("cargo build 2>&1 | tail -5", MISSING)),
        FailureStep::Edit { file: "src/a.rs" },
        passes("cargo build 2>&1 | tail -5"),
    ];
    assert_eq!(pair(&steps).fixed[0].by, [edit("src/a.rs")]);
}

#[test]
fn an_empty_turn_has_no_failures() {
    assert_eq!(pair(&[]), backstory_distil::PairedFailures::default());
}

#[test]
fn the_third_time_makes_a_pattern() {
    assert_eq!([1, 2, 3, 9].map(should_promote), [false, false, true, true]);
}
