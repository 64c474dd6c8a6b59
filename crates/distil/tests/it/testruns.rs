//! Test runs recognised by command and output, four or more for each runner: passing, failing, not built, odd.

use backstory_distil::{CommandRun, TestOutcome, TestRun, TestRunner, red_to_green};
use proptest::prelude::*;

/// What a run is expected to be: runner, outcome, passed, failed, names of the failing.
type Expected<'a> = (TestRunner, TestOutcome, Option<u32>, Option<u32>, &'a [&'a str]);

fn run(command: &str, output: &str, succeeded: bool) -> Option<TestRun> {
    TestRun::from_command(&CommandRun { command, output, succeeded })
}

fn check(command: &str, output: &str, (runner, outcome, passed, failed, failing): Expected<'_>) {
    let found = run(command, output, outcome == TestOutcome::Green);
    let failing = failing.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(found, Some(TestRun { runner, passed, failed, failing, outcome }), "{command}\n{output}");
}

use TestOutcome::{Broken, Green, Red};

#[test]
fn cargo_test_is_read() {
    use TestRunner::Cargo;
    let ok = "running 2 tests\ntest a ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
    check("cargo test", ok, (Cargo, Green, Some(2), Some(0), &[]));
    check("cargo test --workspace", &format!("{ok}\n\n{ok}"), (Cargo, Green, Some(4), Some(0), &[]));
    let red = "test calc::adds ... FAILED\ntest calc::odd - should panic ... FAILED\nfailures:\n    calc::adds\ntest result: FAILED. 3 passed; 2 failed; 0 ignored";
    check("cd x && cargo test -q 2>&1", red, (Cargo, Red, Some(3), Some(2), &["calc::adds", "calc::odd"]));
    let broken = "error[E0412]: cannot find type `Foo`\nerror: could not compile `app` (lib test) due to 1 previous error";
    check("cargo test", broken, (Cargo, Broken, None, None, &[]));
    check("cargo test", &format!("{ok}\nerror: doctest crashed"), (Cargo, Green, Some(2), Some(0), &[]));
    check("make test", &format!("cargo test\n{ok}"), (Cargo, Green, Some(2), Some(0), &[]));
}

#[test]
fn nextest_is_read() {
    use TestRunner::Nextest;
    let ok = "     Summary [   0.012s] 5 tests run: 5 passed, 1 skipped";
    check("cargo nextest run", ok, (Nextest, Green, Some(5), Some(0), &[]));
    let red = "        FAIL [   0.003s] (2/5) app calc::adds\n     Summary [   0.012s] 5 tests run: 4 passed, 1 failed, 0 skipped\n        FAIL [   0.003s] (2/5) app calc::adds";
    check("cargo nextest run --all", red, (Nextest, Red, Some(4), Some(1), &["app calc::adds"]));
    check("cargo nextest run", "error: could not compile `app`", (Nextest, Broken, None, None, &[]));
    let slow = "     TIMEOUT [  60.003s] app calc::slow\n     Summary [  60.1s] 2 tests run: 1 passed, 1 timed out, 0 skipped";
    check("cargo nextest run", slow, (Nextest, Red, Some(1), Some(1), &["app calc::slow"]));
}

#[test]
fn pytest_is_read() {
    use TestRunner::Pytest;
    check("pytest", "===== 4 passed, 1 skipped in 0.12s =====", (Pytest, Green, Some(4), Some(0), &[]));
    let red = "FAILED tests/test_calc.py::test_adds - assert 2 == 3\nFAILED tests/test_calc.py::TestX::test_y[1-2]\n===== 2 failed, 3 passed in 0.12s =====";
    check(
        "python -m pytest -x",
        red,
        (
            Pytest,
            Red,
            Some(3),
            Some(2),
            &["tests/test_calc.py::test_adds", "tests/test_calc.py::TestX::test_y[1-2]"],
        ),
    );
    let broken = "ERROR tests/test_calc.py - ModuleNotFoundError: No module named 'x'\n!!!!! Interrupted: 1 error during collection !!!!!\n===== 1 error in 0.08s =====";
    check("uv run pytest", broken, (Pytest, Broken, Some(0), Some(1), &["tests/test_calc.py"]));
    check("pytest -q", "....\n4 passed in 0.01s", (Pytest, Green, Some(4), Some(0), &[]));
    check(
        "tox",
        "===== test session starts =====\n===== 1 failed in 2.00s (0:00:02) =====",
        (Pytest, Red, Some(0), Some(1), &[]),
    );
    check("pytest -k nothing", "===== no tests ran in 0.01s =====", (Pytest, Broken, Some(0), Some(0), &[]));
}

#[test]
fn unittest_is_read() {
    use TestRunner::Unittest;
    check(
        "python -m unittest",
        "...\n-----\nRan 3 tests in 0.001s\n\nOK",
        (Unittest, Green, Some(3), Some(0), &[]),
    );
    let red = "FAIL: test_adds (tests.Calc.test_adds)\nERROR: test_y (tests.Calc.test_y)\nRan 5 tests in 0.001s\n\nFAILED (failures=1, errors=1)";
    check("python3 -m unittest discover", red, (Unittest, Red, Some(3), Some(2), &["test_adds", "test_y"]));
    let broken = "ERROR: test_calc (unittest.loader._FailedTest.test_calc)\nImportError: Failed to import test module: test_calc\nRan 1 test in 0.000s\n\nFAILED (errors=1)";
    check("python -m unittest", broken, (Unittest, Broken, Some(0), Some(1), &["test_calc"]));
    check(
        "python -m unittest",
        "Ran 3 tests in 0.001s\n\nOK (skipped=1)",
        (Unittest, Green, Some(2), Some(0), &[]),
    );
}

#[test]
fn jest_is_read() {
    use TestRunner::Jest;
    check(
        "npx jest",
        "Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total",
        (Jest, Green, Some(3), Some(0), &[]),
    );
    let red = "  ● Calc › adds\n\n    expect(received).toBe(expected)\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total";
    check("npm test", red, (Jest, Red, Some(2), Some(1), &["Calc › adds"]));
    let broken = "FAIL src/a.test.js\n  ● Test suite failed to run\n\n    Cannot find module './a'\n\nTest Suites: 1 failed, 1 total\nTests:       0 total";
    check("yarn jest", broken, (Jest, Broken, Some(0), Some(0), &[]));
    let coloured = "\u{1b}[1mTest Suites: \u{1b}[22m1 passed\n\u{1b}[1mTests:       \u{1b}[22m\u{1b}[32m3 passed\u{1b}[39m, 3 total";
    check("npm run test:unit", coloured, (Jest, Green, Some(3), Some(0), &[]));
}

#[test]
fn vitest_is_read() {
    use TestRunner::Vitest;
    check(
        "npx vitest run",
        " Test Files  1 passed (1)\n      Tests  3 passed (3)",
        (Vitest, Green, Some(3), Some(0), &[]),
    );
    let red = " FAIL  src/a.test.ts > calc > adds\nAssertionError: expected 2 to be 3\n Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)";
    check("npm test -- --run", red, (Vitest, Red, Some(2), Some(1), &["src/a.test.ts > calc > adds"]));
    let broken = " FAIL  src/a.test.ts [ src/a.test.ts ]\nError: Failed to resolve import \"./b\"\n Test Files  1 failed (1)\n      Tests  no tests";
    check("pnpm exec vitest", broken, (Vitest, Broken, Some(0), Some(0), &[]));
    check(
        "vitest --coverage",
        "      Tests  3 passed | 1 skipped (4)",
        (Vitest, Green, Some(3), Some(0), &[]),
    );
}

#[test]
fn mocha_is_read() {
    use TestRunner::Mocha;
    check("npx mocha", "  Calc\n    ✔ adds\n\n  1 passing (4ms)", (Mocha, Green, Some(1), Some(0), &[]));
    let red = "  Calc\n    1) adds\n\n  2 passing (4ms)\n  1 failing\n\n  1) Calc\n       adds:\n\n      AssertionError: 2 == 3\n      at Context.<anonymous>";
    check("npm test", red, (Mocha, Red, Some(2), Some(1), &["Calc adds"]));
    check("mocha", "Error: Cannot find module './calc'\nRequire stack:", (Mocha, Broken, None, None, &[]));
    check(
        "mocha",
        "  0 passing (1ms)\n  1 failing\n\n  1) \"before all\" hook for \"adds\":\n     Error: no",
        (Mocha, Red, Some(0), Some(1), &["\"before all\" hook for \"adds\""]),
    );
}

#[test]
fn go_test_is_read() {
    use TestRunner::Go;
    check("go test ./...", "ok  \texample.com/app\t0.003s", (Go, Green, None, Some(0), &[]));
    let red = "--- FAIL: TestAdds (0.00s)\n    --- FAIL: TestAdds/small (0.00s)\n        calc_test.go:9: got 2\nFAIL\nFAIL\texample.com/app\t0.003s\nFAIL";
    check("go test ./...", red, (Go, Red, None, Some(1), &["TestAdds/small"]));
    let broken =
        "# example.com/app\n./calc.go:3:2: undefined: foo\nFAIL\texample.com/app [build failed]\nFAIL";
    check("go test", broken, (Go, Broken, None, Some(1), &[]));
    check(
        "go test -v",
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tx\t0.1s",
        (Go, Green, Some(1), Some(0), &[]),
    );
}

#[test]
fn maven_is_read() {
    use TestRunner::Maven;
    check(
        "mvn test",
        "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in CalcTest\n[INFO] Results:\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0",
        (Maven, Green, Some(3), Some(0), &[]),
    );
    let red = "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! -- in CalcTest\n[ERROR] com.x.CalcTest.adds -- Time elapsed: 0.01 s <<< FAILURE!\n[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE";
    check("./mvnw -q test", red, (Maven, Red, Some(2), Some(1), &["com.x.CalcTest.adds"]));
    check(
        "mvn test",
        "[ERROR] COMPILATION ERROR : \n[ERROR] /x/App.java:[5,9] cannot find symbol",
        (Maven, Broken, None, None, &[]),
    );
    check(
        "mvn package",
        "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1",
        (Maven, Green, Some(2), Some(0), &[]),
    );
    assert_eq!(run("mvn package", "[INFO] BUILD SUCCESS", true), None);
}

#[test]
fn gradle_is_read() {
    use TestRunner::Gradle;
    check(
        "./gradlew test",
        "BUILD SUCCESSFUL in 2s\n3 actionable tasks: 1 executed",
        (Gradle, Green, None, None, &[]),
    );
    let red = "> Task :test FAILED\n\nCalcTest > adds() FAILED\n    org.opentest4j.AssertionFailedError at CalcTest.java:9\n\n3 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.";
    check("gradle test", red, (Gradle, Red, Some(2), Some(1), &["CalcTest > adds()"]));
    check(
        "gradle test",
        "> Task :compileJava FAILED\n/x/App.java:5: error: cannot find symbol",
        (Gradle, Broken, None, None, &[]),
    );
    check("gradle build", "> Task :test\n\nBUILD SUCCESSFUL in 2s", (Gradle, Green, None, None, &[]));
}

#[test]
fn rspec_is_read() {
    use TestRunner::Rspec;
    check(
        "bundle exec rspec",
        "Finished in 0.01 seconds\n5 examples, 0 failures",
        (Rspec, Green, Some(5), Some(0), &[]),
    );
    let red =
        "5 examples, 1 failure, 1 pending\n\nFailed examples:\n\nrspec ./spec/calc_spec.rb:4 # Calc adds";
    check("rspec", red, (Rspec, Red, Some(3), Some(1), &["Calc adds"]));
    check(
        "rspec",
        "An error occurred while loading ./spec/calc_spec.rb.\n0 examples, 0 failures, 1 error occurred outside of examples",
        (Rspec, Broken, Some(0), Some(0), &[]),
    );
    check("rake spec", "1 example, 0 failures", (Rspec, Green, Some(1), Some(0), &[]));
}

#[test]
fn minitest_is_read() {
    use TestRunner::Minitest;
    check(
        "rails test",
        "5 runs, 7 assertions, 0 failures, 0 errors, 0 skips",
        (Minitest, Green, Some(5), Some(0), &[]),
    );
    let red = "  1) Failure:\nCalcTest#test_adds [test/calc_test.rb:9]:\nExpected: 3\n\n5 runs, 7 assertions, 1 failures, 0 errors, 0 skips";
    check("bin/rails test", red, (Minitest, Red, Some(4), Some(1), &["CalcTest#test_adds"]));
    check(
        "rake test",
        "rake aborted!\nLoadError: cannot load such file -- calc",
        (Minitest, Broken, None, None, &[]),
    );
    check(
        "ruby test/calc_test.rb",
        "  1) Error:\nCalcTest#test_x:\nNameError: y\n2 runs, 1 assertions, 0 failures, 1 errors, 0 skips",
        (Minitest, Red, Some(1), Some(1), &["CalcTest#test_x"]),
    );
}

#[test]
fn ctest_is_read() {
    use TestRunner::Ctest;
    check("ctest", "100% tests passed, 0 tests failed out of 5", (Ctest, Green, Some(5), Some(0), &[]));
    let red = "80% tests passed, 1 tests failed out of 5\n\nThe following tests FAILED:\n\t  2 - calc_adds (Failed)\nErrors while running CTest";
    check("cd build && ctest --output-on-failure", red, (Ctest, Red, Some(4), Some(1), &["calc_adds"]));
    check(
        "ctest",
        "Could not find executable calc\n0% tests passed, 1 tests failed out of 1\n\t  1 - calc (Not Run)",
        (Ctest, Broken, Some(0), Some(1), &["calc"]),
    );
    check("make test", "100% tests passed, 0 tests failed out of 2", (Ctest, Green, Some(2), Some(0), &[]));
    check("ctest", "No tests were found!!!", (Ctest, Green, None, None, &[]));
}

#[test]
fn dotnet_test_is_read() {
    use TestRunner::Dotnet;
    check(
        "dotnet test",
        "Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5, Duration: 9 ms - App.Tests.dll (net8.0)",
        (Dotnet, Green, Some(5), Some(0), &[]),
    );
    let red = "  Failed App.Tests.Calc.Adds [12 ms]\nFailed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5, Duration: 9 ms";
    check("dotnet test --no-restore", red, (Dotnet, Red, Some(4), Some(1), &["App.Tests.Calc.Adds"]));
    check(
        "dotnet test",
        "/x/Calc.cs(3,5): error CS0103: The name 'y' does not exist",
        (Dotnet, Broken, None, None, &[]),
    );
    check(
        "dotnet test",
        "Test summary: total: 5, failed: 0, succeeded: 5, skipped: 0, duration: 1.0s",
        (Dotnet, Green, Some(5), Some(0), &[]),
    );
}

#[test]
fn phpunit_is_read() {
    use TestRunner::Phpunit;
    check(
        "vendor/bin/phpunit",
        "PHPUnit 11.0\n\nOK (5 tests, 7 assertions)",
        (Phpunit, Green, Some(5), Some(0), &[]),
    );
    let red = "There was 1 failure:\n\n1) CalcTest::testAdds\nFailed asserting that 2 matches 3.\n\nFAILURES!\nTests: 5, Assertions: 7, Failures: 1.";
    check("./vendor/bin/phpunit", red, (Phpunit, Red, Some(4), Some(1), &["CalcTest::testAdds"]));
    check(
        "phpunit",
        "PHP Fatal error:  Uncaught Error: Class \"Calc\" not found",
        (Phpunit, Broken, None, None, &[]),
    );
    check(
        "composer test",
        "PHPUnit 11.0\n\nOK (1 test, 1 assertion)",
        (Phpunit, Green, Some(1), Some(0), &[]),
    );
}

#[test]
fn what_runs_no_tests_is_no_test_run() {
    assert_eq!(run("cargo build", "test result: ok. 2 passed; 0 failed;", true), None);
    assert_eq!(run("cat test.log", "nothing here", true), None);
    assert_eq!(run("cargo test --no-run", "Finished", true), None);
    assert_eq!(run("cargo test 2>&1 | grep warning", "warning: x", true), None);
    assert_eq!(run("npm run build", "Tests:       3 passed, 3 total", true), None);
}

#[test]
fn a_pipe_does_not_hide_a_failing_test() {
    let piped = run("cargo test | tail", "test a ... FAILED\ntest result: FAILED. 0 passed; 1 failed;", true);
    assert_eq!(piped.map(|run| run.outcome), Some(Red));
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
