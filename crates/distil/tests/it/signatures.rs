//! The signatures of failures: outputs in the formats of real tools, and what holds for all of them.

use crate::cases::{Case, Entry, assert_none, cases};
use backstory_distil::{CommandRun, FailureSignature};
use backstory_memory::{ExitStatus, TITLE_CHARS};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn failures() -> Vec<Case> {
    cases("failures.txt", &["fails", "class", "title"])
}

fn signature(case: &Case) -> FailureSignature {
    let ran = &case.entries[0];
    from_output(&ran.value, &ran.block('|')).expect("every case fails")
}

fn from_output(command: &str, output: &str) -> Option<FailureSignature> {
    CommandRun::new(command, output, ExitStatus::Failure).signature().cloned()
}

#[test]
fn each_failure_has_the_class_and_title_of_its_error_line() {
    let wrong = failures().into_iter().flat_map(|case| {
        let signature = signature(&case);
        [
            case.differs("class", &[format!("{:?}", signature.class)]),
            case.differs("title", &[signature.title]),
        ]
    });
    assert_none(&wrong.flatten().collect::<Vec<_>>());
}

#[test]
fn different_failures_have_different_digests_and_short_titles() {
    let mut titles = BTreeMap::new();
    for signature in failures().iter().map(signature) {
        assert!(signature.title.chars().count() <= TITLE_CHARS, "{}", signature.title);
        let other = titles.insert(signature.digest, signature.title.clone());
        assert_eq!(other, None, "the same digest as {}", signature.title);
    }
}

/// Cases of `signatures.txt` that have a key.
fn cases_with(key: &str) -> Vec<Case> {
    let mut cases = cases("signatures.txt", &["command", "task", "output", "same", "different"]);
    cases.retain(|case| !case.all(key).is_empty());
    cases
}

fn digests(case: &Case) -> Vec<String> {
    let outputs = case.entries.iter().map(Entry::text);
    outputs.map(|output| from_output("tool run", &output).expect("it fails").digest).collect()
}

#[test]
fn a_command_is_named_without_what_surrounds_it() {
    let wrong = cases_with("command").into_iter().filter_map(|case| {
        let found = from_output(&case.all("command")[0], "error: it broke").map(|signature| signature.task);
        case.differs("task", &[found.unwrap_or_default()])
    });
    assert_none(&wrong.collect::<Vec<_>>());
}

#[test]
fn looking_without_finding_is_no_failure() {
    assert_eq!(from_output("grep -r foo src", ""), None);
    assert_eq!(from_output("ls | wc -l", "3"), None);
    assert_eq!(from_output("cargo test", "^C"), None);
    assert_eq!(from_output("", "error: what"), None);
    assert_eq!(from_output("cd /nowhere", "bash: cd: /nowhere: No such file or directory"), None);
}

#[test]
fn the_same_failure_looks_the_same_elsewhere_and_others_do_not() {
    let is_wrong = |case: &Case| {
        let digests = digests(case);
        (digests[0] == digests[1]) != case.all("different").is_empty()
    };
    let cases = cases_with("output");
    let wrong = cases.iter().filter(|case| is_wrong(case)).map(|case| case.entries[0].at.clone());
    assert_none(&wrong.collect::<Vec<_>>());
}

#[test]
fn a_megabyte_of_output_is_fine() {
    let long = format!("{}\nerror: it broke\n{}", "x".repeat(500_000), "fine 12\n".repeat(60_000));
    let signature = from_output("make", &long).expect("it fails");
    assert_eq!(signature.title, "make: it broke");
}

#[test]
fn a_crate_called_like_an_error_is_progress_of_the_build() {
    let failed = "Failure/Error: expect(1).to eq(3)";
    let noisy = format!("{failed}\n   Compiling eperm v0.0.0");
    let signature = |output: &str| from_output("bundle exec rspec", output);
    assert_eq!(signature(&noisy), signature(failed));
}

/// How many of the cases, from the first, print a line that names the error: around it all else is noise.
const NAMING_AN_ERROR: usize = 50;

/// Lines that are noise whatever the error is.
fn noise() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,3}% \\[=*>? *\\]",
        "   Compiling [a-z]{3,8} v[0-9]\\.[0-9]{1,2}\\.[0-9]",
        "\u{1b}\\[[0-9]{1,2}m[0-9]{2}:[0-9]{2}:[0-9]{2}\u{1b}\\[0m tick",
        "warning: unused variable: `[a-z]{1,5}`",
        " *",
        "[0-9]{2}:[0-9]{2} INFO request [0-9a-f]{12} took [0-9]{1,4}ms",
    ]
}

proptest! {
    #[test]
    fn noise_around_an_error_does_not_change_it(
        at in 0..NAMING_AN_ERROR,
        before in prop::collection::vec(noise(), 0..6),
        after in prop::collection::vec(noise(), 0..6),
    ) {
        let ran = &failures()[at].entries[0];
        let (command, output) = (&ran.value, &ran.block('|'));
        let noisy = format!("{}\n{output}\n{}", before.join("\n"), after.join("\n"));
        prop_assert_eq!(from_output(command, &noisy), from_output(command, output));
    }

    #[test]
    fn numbers_paths_and_colours_in_an_error_do_not_change_it(
        number in 0u32..1_000_000, other in 0u32..1_000_000,
        home in "/[a-z]{2,8}/[a-z]{2,8}", millis in 1u32..100_000, address in any::<u32>(), colour in 30u8..38,
    ) {
        let output = |number: u32, home: &str, millis: u32, address: u32, colour: u8| format!(
            "\u{1b}[{colour}merror\u{1b}[0m: {home}/src/main.rs:{number}:5 lost {number} of it in {millis}ms at {address:#x}"
        );
        let one = from_output("tool", &output(number, &home, millis, address, colour));
        let two = from_output("tool", &output(other, "/x/y", 3, 255, 31));
        prop_assert_eq!(one, two);
    }

    #[test]
    fn any_command_and_output_is_survived(command in "\\PC{0,80}", output in any::<String>()) {
        if let Some(signature) = from_output(&command, &output) {
            prop_assert!(signature.title.chars().count() <= TITLE_CHARS);
            prop_assert_eq!(signature.digest.len(), 32);
        }
    }

    #[test]
    fn shell_punctuation_is_survived(command in "[a-c '\"\\\\|&;<>(){}#$=\n-]{0,60}") {
        let _signature = from_output(&command, "error: x");
    }
}
