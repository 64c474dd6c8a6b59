//! Which line of an output says what failed, and what sort of failure it is.
//!
//! By the table of `error_patterns`: a cause (`command not found`) beats a symptom (`error:`), and a symptom
//! beats its echo (`make: *** Error 1`). Not here: what varies within the line (`shape`).

use super::error_patterns::{ECHO, ErrorPattern};
use super::shape::{shape, shown};
/// What sort of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum FailureClass {
    Assertion,
    Compile,
    Conflict,
    Crash,
    DiskFull,
    Exception,
    Http,
    Link,
    Lint,
    MissingCommand,
    MissingFile,
    MissingModule,
    Network,
    OutOfMemory,
    Panic,
    Permission,
    PortInUse,
    Syntax,
    Timeout,
    Usage,
    Other,
}

impl FailureClass {
    /// Returns the words it is stored and shown by.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            FailureClass::Assertion => "assertion",
            FailureClass::Compile => "compile",
            FailureClass::Conflict => "conflict",
            FailureClass::Crash => "crash",
            FailureClass::DiskFull => "disk full",
            FailureClass::Exception => "exception",
            FailureClass::Http => "http",
            FailureClass::Link => "link",
            FailureClass::Lint => "lint",
            FailureClass::MissingCommand => "missing command",
            FailureClass::MissingFile => "missing file",
            FailureClass::MissingModule => "missing module",
            FailureClass::Network => "network",
            FailureClass::OutOfMemory => "out of memory",
            FailureClass::Panic => "panic",
            FailureClass::Permission => "permission",
            FailureClass::PortInUse => "port in use",
            FailureClass::Syntax => "syntax",
            FailureClass::Timeout => "timeout",
            FailureClass::Usage => "usage",
            FailureClass::Other => "other",
        }
    }

    /// Whether it is of the machine and how it is set up, rather than of the code at hand.
    #[must_use]
    pub const fn is_of_the_machine(self) -> bool {
        matches!(
            self,
            FailureClass::DiskFull
                | FailureClass::Http
                | FailureClass::MissingCommand
                | FailureClass::MissingModule
                | FailureClass::Network
                | FailureClass::OutOfMemory
                | FailureClass::Permission
                | FailureClass::PortInUse
        )
    }
}

/// The line chosen, brought to its shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ErrorLine {
    pub(crate) line: String,
    pub(crate) class: FailureClass,
    /// How much the line says: at most [`FIRM`] for one that can hardly mean anything else.
    pub(super) rank: u8,
}

impl ErrorLine {
    /// Whether it names an error, and was not merely the last line.
    pub(crate) fn names_error(&self) -> bool {
        self.rank < LAST_RESORT
    }
}

/// Up to this rank a line shows a failure even where the exit status does not.
pub(super) const FIRM: u8 = 2;
/// A place without a word for error: less than any such word, more than an echo.
const PLACED_RANK: u8 = 7;
/// A line of this rank names nothing: it was merely the last.
pub(super) const LAST_RESORT: u8 = 10;

/// Chooses the line that names the error: the first of the best rank, else the last that says anything.
pub(crate) fn error_line(output: &str) -> Option<ErrorLine> {
    let mut best: Option<ErrorLine> = None;
    let mut last = None;
    let mut lines = output.lines();
    while let Some(line) = lines.next() {
        let line = shown(without_progress(line));
        let Some((rank, class)) = judge(&line) else {
            last = Some(line).filter(|line| line.chars().any(char::is_alphabetic)).or(last);
            continue;
        };
        if best.as_ref().is_some_and(|best| best.rank <= rank) {
            continue;
        }
        let (line, class) = match class {
            FailureClass::Panic => (panic_message(&line, lines.clone()), class),
            _ => {
                go_message(&line, lines.clone()).map_or((line, class), |said| (said, FailureClass::Assertion))
            }
        };
        best =
            Some(ErrorLine { line: message(&line), class, rank }).filter(|one| !one.line.is_empty()).or(best);
    }
    best.or_else(|| Some(ErrorLine { line: message(&last?), class: FailureClass::Other, rank: LAST_RESORT }))
        .filter(|error_line| !error_line.line.is_empty())
}

/// The line with which a hook of a repository begins to say why it refuses: it has no word for error.
pub(super) fn refusal(output: &str) -> Option<ErrorLine> {
    let says = |line: &&str| line.chars().filter(|c| c.is_alphabetic()).count() >= LEAST_LETTERS;
    let line = output.lines().map(str::trim).find(says)?;
    let line = message(line.trim_start_matches(|c: char| !c.is_alphanumeric()));
    Some(ErrorLine { line, class: FailureClass::Other, rank: PLACED_RANK })
}

/// A line with fewer says nothing.
const LEAST_LETTERS: usize = 12;

/// Drops what a progress bar left on the line before the error was printed over it.
pub(crate) fn without_progress(line: &str) -> &str {
    const GAP: &str = "   ";
    let line = line.trim_end().rsplit('\r').next().unwrap_or(line);
    let begins = ["error: ", "fatal: "].iter().filter_map(|word| line.find(&format!("{GAP}{word}"))).min();
    begins.and_then(|at| line.get(at..)).map_or(line, str::trim_start)
}

/// Returns rank and class of a line that names an error.
fn judge(line: &str) -> Option<(u8, FailureClass)> {
    let lower = line.trim_start().to_ascii_lowercase();
    if lower.is_empty() || is_report_of_none(&lower) || is_build_progress(&lower) {
        return None;
    }
    let found = ErrorPattern::matching(&lower, undecorated(&lower)).map(|row| (row.rank, row.class));
    match found {
        // An exception's name says more than the word `error` beside it, and less than a known cause.
        Some((rank, _)) if rank <= 3 || rank == ECHO => found,
        _ if names_exception(line) => Some((FIRM, FailureClass::Exception)),
        None if names_place(line) => Some((PLACED_RANK, FailureClass::Lint)),
        _ => found,
    }
}

/// `src/a.py:3:1: F401 …`: linters put a place before what they find, and no word for error.
fn names_place(line: &str) -> bool {
    let rest = without_leading_place(line);
    rest.len() < line.len()
        && !["warning", "note", "info"].iter().any(|word| starts_with_ignoring_case(rest, word))
}

/// Lines that speak of failing and tell of none: counts of zero, warnings, what a test is called that passed.
fn is_report_of_none(lower: &str) -> bool {
    ["0 failed", "0 errors", "0 error(s)", "failures: 0", " ... ok", "no errors", "--- pass"]
        .iter()
        .any(|none| lower.contains(none))
        || [
            "warning",
            "note:",
            "hint:",
            "help:",
            "= note",
            "= help",
            "info",
            "debug",
            "warn",
            "traceback",
            "✓",
            "pass ",
        ]
        .iter()
        .any(|start| lower.starts_with(start))
}

/// `Compiling eperm v0.1.0`: cargo reports progress, and a crate may be called like an error.
fn is_build_progress(lower: &str) -> bool {
    let mut words = lower.split_whitespace();
    let is_step = matches!(words.next(), Some("compiling" | "checking" | "downloaded" | "downloading"));
    let version = words.nth(1).and_then(|word| word.strip_prefix('v'));
    is_step && version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
}

/// `ValueError: …`, `java.lang.IllegalStateException: …`, `E   KeyError: 'x'`, `Uncaught TypeError: …`.
fn names_exception(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '●' | '>'));
    let line = line.strip_prefix("E ").unwrap_or(line).trim_start();
    line.split_whitespace().take(5).any(|word| {
        let name = word.trim_end_matches(':');
        let is_named = name.len() < word.len() || word.ends_with("Exception");
        let name = name.rsplit(['.', ':', '\\']).next().unwrap_or(name);
        is_named
            && name.len() > 5
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && (name.ends_with("Error") || name.ends_with("Exception"))
    })
}

/// The message of a Rust panic stands on the line after its place; older ones hold it in quotes.
fn panic_message<'a>(line: &str, mut rest: impl Iterator<Item = &'a str>) -> String {
    if !line.trim_end().ends_with(':') {
        return line.to_owned();
    }
    rest.next().map_or_else(|| line.to_owned(), |next| format!("panicked: {}", shown(next)))
}

/// Go names the test that failed, and says why on the line after: `--- FAIL: TestX (0.01s)`, `    x_test.go:9: got 1, want 2`.
fn go_message<'a>(line: &str, mut rest: impl Iterator<Item = &'a str>) -> Option<String> {
    let next = shown(rest.next().filter(|_| line.trim_start().starts_with("--- FAIL: "))?);
    let (place, said) = next.trim_start().split_once(": ")?;
    (place.contains("_test.go:") && !said.trim().is_empty()).then(|| said.to_owned())
}

/// Prefixes that say who speaks, not what is said.
const SPEAKERS: [&str; 12] = [
    "npm err! ",
    "npm error ",
    "[error] ",
    "[fatal] ",
    "e   ",
    "error: error: ",
    "error: ",
    "fatal: ",
    "> ",
    "- ",
    "* ",
    "uncaught ",
];

fn undecorated(line: &str) -> &str {
    let mut rest = line.trim_start();
    for _ in 0..3 {
        let speaker = SPEAKERS.iter().take(5).find(|speaker| starts_with_ignoring_case(rest, speaker));
        let Some(speaker) = speaker else { break };
        rest = rest.get(speaker.len()..).unwrap_or_default().trim_start();
    }
    rest
}

/// Returns what a line says: without speaker, place and variation.
fn message(line: &str) -> String {
    let line = undecorated(without_leading_place(undecorated(line)));
    let shaped = shape(line);
    let mut rest = shaped.as_str();
    for _ in 0..4 {
        let speaker = SPEAKERS.iter().find(|speaker| starts_with_ignoring_case(rest, speaker));
        let Some(speaker) = speaker else { break };
        rest = rest.get(speaker.len()..).unwrap_or_default().trim_start();
    }
    rest.trim_end_matches([' ', '.', ':', ',']).to_owned()
}

fn starts_with_ignoring_case(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// Takes `src/main.c:10:5: ` and `src/a.ts(3,4): ` off the front.
fn without_leading_place(line: &str) -> &str {
    // Maven writes `App.java:[5,9] message`.
    if let Some((place, rest)) = line.split_once("] ")
        && place.contains(":[")
        && !place.contains(' ')
    {
        return rest;
    }
    let Some((place, rest)) = line.split_once(": ") else { return line };
    let ends_in_number = place.ends_with(|c: char| c.is_ascii_digit() || c == ')' || c == ']');
    let is_place = ends_in_number && !place.contains(' ') && place.contains(['.', '/']);
    if is_place { rest } else { line }
}
