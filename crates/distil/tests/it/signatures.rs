//! The signatures of failures: outputs in the formats of real tools, and what holds for all of them.

use crate::cases::{Case, assert_none, cases};
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

#[test]
fn a_command_is_named_without_what_surrounds_it() {
    let cases = [
        ("cd x && cargo test", "cargo test"),
        ("cd x; RUST_LOG=debug cargo +nightly test --all 2>&1 | tee log | tail -5", "cargo test"),
        ("sudo -u postgres timeout -k 5 60 psql -c 'select 1; select 2'", "psql"),
        ("bash -lc \"cd /srv && npm run build -- --prod\"", "npm run build"),
        ("time nice -n 5 make -C sub -j 8 check", "make check"),
        ("/usr/bin/python3.12 -m pytest tests", "pytest"),
        ("uv run pytest -q", "pytest"),
        ("npx --yes jest --ci", "jest"),
        ("git add -A && git commit -m 'a; b | c'", "git commit"),
        ("npm --prefix web run lint > out.txt 2>&1", "npm run lint"),
        ("echo y | npm init", "npm init"),
        ("cargo build; echo done", "cargo build"),
        ("cargo test || true", "cargo test"),
        ("cargo build \\\n  --release", "cargo build"),
        ("cargo test && git status && ls", "cargo test"),
        ("(cd web && yarn run e2e)", "yarn run e2e"),
        ("cat > run.sh <<'END'\ncargo test\nEND\nmake lint", "make lint"),
        ("for f in a b; do cargo bench; done", "cargo bench"),
        ("if cargo doc; then echo fine; fi", "cargo doc"),
    ];
    for (command, task) in cases {
        let found = from_output(command, "error: it broke").map(|signature| signature.task);
        assert_eq!(found.as_deref(), Some(task), "{command}");
    }
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
fn the_same_failure_looks_the_same_elsewhere() {
    let pairs = [
        ("error: open /home/a/app/config.toml failed", "error: open /Users/b/code/app/config.toml failed"),
        ("src/main.c:10:5: error: x is gone", "lib/deep/main.c:99:1: error: x is gone"),
        (
            "2026-11-15T10:00:00Z ERROR it broke after 1.2s",
            "2025-01-02T23:59:59.123Z ERROR it broke after 340ms",
        ),
        ("error: object 3f2a9c1b7d at 0x7ffe12 is bad", "error: object 99aa00b1c2d3 at 0x55d0 is bad"),
        (
            "error: job 550e8400-e29b-41d4-a716-446655440000 lost",
            "error: job 123e4567-e89b-12d3-a456-426614174000 lost",
        ),
        ("error: cannot read /tmp/tmpab12cd34/x.json", "error: cannot read /tmp/tmpzz99yy88/x.json"),
        ("\u{1b}[31merror\u{1b}[0m: it broke", "error: it broke"),
        ("10%\r50%\r100%\rerror: it broke", "error: it broke"),
        ("error: tool v1.2.3 is too old", "error: tool v1.10.0-beta.2 is too old"),
        ("error: key [REDACTED:token:012abc] is bad", "error: key [REDACTED:token:fff000] is bad"),
        ("error: process 4711 gone", "error: process 9 gone"),
    ];
    for (one, other) in pairs {
        let digest = |output| from_output("tool run", output).expect("both fail").digest;
        assert_eq!(digest(one), digest(other), "{one:?} and {other:?}");
    }
}

#[test]
fn errors_about_different_things_differ() {
    let pairs = [
        ("error: open /a/config.toml failed", "error: open /a/secrets.toml failed"),
        ("error[E0412]: cannot find type `Foo`", "error[E0412]: cannot find type `Bar`"),
        ("error TS2322: no", "error TS2304: no"),
        ("HTTP/1.1 404 Not Found", "HTTP/1.1 403 Not Found"),
        ("ModuleNotFoundError: No module named 'a'", "ModuleNotFoundError: No module named 'b'"),
    ];
    for (one, other) in pairs {
        let digest = |output| from_output("tool run", output).expect("both fail").digest;
        assert_ne!(digest(one), digest(other), "{one:?} and {other:?}");
    }
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
