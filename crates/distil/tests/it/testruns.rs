//! Test runs recognised by command and output, and what was fixed between two of them.

use crate::cases::{assert_none, cases};
use backstory_distil::{CommandRun, TestRun, red_to_green};
use backstory_memory::ExitStatus;
use proptest::prelude::*;

fn run(command: &str, output: &str, succeeded: bool) -> Option<TestRun> {
    let status = if succeeded { ExitStatus::Success } else { ExitStatus::Failure };
    CommandRun::new(command, output, status).test_run().cloned()
}

fn describe(run: &TestRun) -> String {
    let count = |count: Option<u32>| count.map_or_else(|| "?".to_owned(), |count| count.to_string());
    let outcome = format!("{:?}", run.outcome).to_lowercase();
    let (passed, failed) = (count(run.passed), count(run.failed));
    format!("{}, {outcome}, {passed} passed, {failed} failed", run.runner.as_str())
}

#[test]
fn test_runs_are_read_from_command_and_output() {
    let wrong = cases("testruns.txt", &["passes", "fails", "is", "failing"]).into_iter().flat_map(|case| {
        let ran = &case.entries[0];
        let run = run(&ran.value, &ran.block('|'), ran.key == "passes");
        let is = run.as_ref().map_or_else(|| "no test run".to_owned(), describe);
        let failing = run.map(|run| run.failing).unwrap_or_default();
        [case.differs("is", &[is]), case.differs("failing", &failing)]
    });
    assert_none(&wrong.flatten().collect::<Vec<_>>());
}

#[test]
fn red_then_green_names_what_was_fixed() {
    let cargo = |output: &str, succeeded| run("cargo test", output, succeeded).expect("a test run");
    let red = cargo("test a ... FAILED\ntest b ... FAILED\ntest result: FAILED. 3 passed; 2 failed;", false);
    let half = cargo("test b ... FAILED\ntest result: FAILED. 4 passed; 1 failed;", false);
    let green = cargo("test result: ok. 5 passed; 0 failed;", true);
    let narrow = cargo("test result: ok. 1 passed; 0 failed;", true);
    let only_those = cargo("test result: ok. 2 passed; 0 failed;", true);
    let nothing = cargo("test result: ok. 0 passed; 0 failed;", true);
    let broken = cargo("error: could not compile `x`", false);
    let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    assert_eq!(red_to_green(&red, &green), names(&["a", "b"]));
    assert_eq!(red_to_green(&red, &half), names(&["a"]));
    assert_eq!(red_to_green(&red, &only_those), names(&["a", "b"]));
    for after in [&narrow, &nothing, &broken, &red] {
        assert_eq!(red_to_green(&red, after), None);
    }
    assert_eq!(red_to_green(&green, &green), None);
    assert_eq!(red_to_green(&broken, &green), None);
}

proptest! {
    #[test]
    fn any_output_of_any_runner_is_survived(
        command in prop::sample::select(vec!["cargo test", "cargo nextest run", "pytest", "python -m unittest", "jest", "vitest", "mocha", "go test", "mvn test", "gradle test", "rspec", "rails test", "ctest", "dotnet test", "phpunit"]),
        output in prop_oneof![any::<String>(), "[a-z0-9 :.,()\\[\\]%>\n-]{0,200}", "(Tests?|FAIL|Failed|ran|[0-9]{1,12}|passed|failed|:|=|●|\\)| |\n){0,60}"],
        succeeded in any::<bool>(),
    ) {
        if let Some(run) = run(command, &output, succeeded) {
            prop_assert!(run.failing.len() <= 200);
        }
    }
}
