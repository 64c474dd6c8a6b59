//! The table of marks by which a line of output is known to tell of a failure, in lower case.
//!
//! The first row that fits decides. Not here: choosing among the lines that fit (`error_line`).

use super::FailureClass;

/// The marks of one class at one rank; a lower rank says more.
pub(super) struct ErrorPattern {
    pub(super) rank: u8,
    pub(super) class: FailureClass,
    /// The line begins so, decoration aside.
    begins: &'static [&'static str],
    /// It holds this.
    holds: &'static [&'static str],
    /// It holds this right after a place, as `main.c:4:5`.
    placed: &'static [&'static str],
    /// It holds both, in this order.
    both: &'static [(&'static str, &'static str)],
}

impl ErrorPattern {
    /// Returns the row a line fits, given in lower case, whole and without its decoration.
    pub(super) fn matching(line: &str, bare: &str) -> Option<&'static ErrorPattern> {
        ROWS.iter().find(|row| row.fits(line, bare))
    }

    fn fits(&self, line: &str, bare: &str) -> bool {
        let ends_place = |text: &str| text.ends_with(|c: char| c.is_ascii_digit() || c == ')');
        self.begins.iter().any(|start| line.starts_with(start) || bare.starts_with(start))
            || self.holds.iter().any(|part| line.contains(part))
            || self
                .placed
                .iter()
                .any(|part| line.split_once(part).is_some_and(|(place, _)| ends_place(place)))
            || self
                .both
                .iter()
                .any(|(first, second)| line.split_once(first).is_some_and(|(_, rest)| rest.contains(second)))
    }
}

/// The rank of what only repeats that something failed.
pub(super) const ECHO: u8 = 9;
const NO_MARKS: ErrorPattern =
    ErrorPattern { rank: ECHO, class: FailureClass::Other, begins: &[], holds: &[], placed: &[], both: &[] };

const ROWS: &[ErrorPattern] = &[
    // Echoes come first, so that no better rank takes them for a cause.
    ErrorPattern {
        rank: 9,
        class: FailureClass::Other,
        begins: &[
            "error: could not compile",
            "error: aborting due to",
            "error: test failed",
            "error: process didn't exit",
            "error: build failed",
            "npm error code",
            "npm error errno",
            "npm err! code",
            "npm err! errno",
            "npm error lifecycle",
            "npm error path",
            "npm error command",
            "exit code",
            "error: command failed",
            "error command failed",
            "error: recipe",
            "ninja: build stopped",
            "error: script",
            "build failed",
            "found ",
            "process completed with exit code",
        ],
        holds: &[
            "a complete log of this run",
            "collect2: error",
            "error: linker command failed",
            "elifecycle",
        ],
        both: &[("make", "*** ")],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 1,
        class: FailureClass::MissingCommand,
        begins: &["error: no such command"],
        holds: &["command not found", "is not recognized as an internal or external command"],
        both: &[("sh: ", ": not found")],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 1,
        class: FailureClass::OutOfMemory,
        begins: &["killed"],
        holds: &[
            "out of memory",
            "oomkilled",
            "cannot allocate memory",
            "memoryerror",
            "outofmemoryerror",
            "heap limit",
            "signal: 9, sigkill",
        ],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 1,
        class: FailureClass::DiskFull,
        holds: &["no space left on device", "disk quota exceeded", "enospc"],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 1,
        class: FailureClass::PortInUse,
        holds: &["address already in use", "eaddrinuse"],
        both: &[("port", "already in use"), ("port", "already allocated"), ("port", "is in use")],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 1,
        class: FailureClass::Link,
        begins: &["ld: "],
        holds: &[
            "undefined reference to",
            "undefined symbol",
            "linking with `",
            "unable to find library",
            "cannot find -l",
            "multiple definition of",
            "lnk2019",
        ],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 1,
        class: FailureClass::MissingModule,
        holds: &[
            "no module named",
            "cannot find module",
            "module not found",
            "cannot find package",
            "no required module provides",
            "could not resolve dependency",
            "failed to resolve import",
            "no matching distribution found",
            "could not find a version that satisfies",
            "could not find gem",
            "no matching package",
            "unable to locate package",
            "could not resolve dependencies",
            "eresolve",
        ],
        both: &[("cannot load such file", "--"), ("package", "does not exist"), ("class \"", "not found")],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 1,
        class: FailureClass::Crash,
        holds: &[
            "segmentation fault",
            "sigsegv",
            "core dumped",
            "addresssanitizer:",
            "signal: 6, sigabrt",
            "stack overflow",
        ],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 2,
        class: FailureClass::Syntax,
        holds: &["syntaxerror", "indentationerror", "syntax error", "unexpected token", "parse error"],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 2,
        class: FailureClass::Compile,
        begins: &["error[e", "error: expected ", "error: cannot find "],
        holds: &["] cannot find symbol", ": undefined: "],
        placed: &[": error: ", ": fatal error: "],
        both: &[
            ("error ts", ":"),
            ("error cs", ":"),
            (": error c", ":"),
            (".go:", "declared and not used"),
            (".go:", "imported and not used"),
            (".go:", "cannot use"),
            ("[error]", ".java:["),
        ],
    },
    ErrorPattern {
        rank: 2,
        class: FailureClass::Conflict,
        begins: &["conflict ("],
        holds: &[
            "merge conflict",
            "needs merge",
            "non-fast-forward",
            "would be overwritten by",
            "unmerged files",
        ],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 2,
        class: FailureClass::Panic,
        begins: &["panic: ", "fatal error: all goroutines"],
        holds: &["panicked at"],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 2,
        class: FailureClass::Permission,
        holds: &[
            "permission denied",
            "eacces",
            "eperm",
            "permissionerror",
            "operation not permitted",
            "access is denied",
            "access denied",
            "outside allowed",
            "authentication failed",
            "could not read username",
        ],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 3,
        class: FailureClass::Network,
        holds: &[
            "connection refused",
            "was refused",
            "econnrefused",
            "connection reset",
            "econnreset",
            "could not resolve host",
            "enotfound",
            "name or service not known",
            "network is unreachable",
            "certificate verify failed",
            "temporary failure in name resolution",
            "is the docker daemon running",
            "connection timed out",
        ],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 3,
        class: FailureClass::Timeout,
        holds: &[
            "timed out",
            "timeout of ",
            "etimedout",
            "deadline exceeded",
            "timeouterror",
            "exceeded timeout",
        ],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 3,
        class: FailureClass::Assertion,
        begins: &["assertionerror", "e       assert ", "e   assert ", "assertion ", "expected:", "expected "],
        holds: &["assertion failed", "assertionfailederror", "failure/error:", "comparisonfailure"],
        both: &[("expect(", "to")],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 3,
        class: FailureClass::Http,
        holds: &[
            "requested url returned error",
            "http error ",
            "status code 4",
            "status code 5",
            "404 not found",
            "403 forbidden",
            "401 unauthorized",
            "bad gateway",
            "internal server error",
            "service unavailable",
            "too many requests",
        ],
        both: &[("http/", " 4"), ("http/", " 5")],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 3,
        class: FailureClass::MissingFile,
        holds: &[
            "no such file or directory",
            "enoent",
            "filenotfounderror",
            "cannot find the path",
            "does not match any file",
            "did not match any file",
            "no rule to make target",
        ],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 3,
        class: FailureClass::Lint,
        begins: &["diff in "],
        holds: &["would reformat", "code style issues", "error: lint "],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 4,
        class: FailureClass::Usage,
        holds: &[
            // zsh, of a pattern that no file fits.
            "no matches found:",
            "unrecognized argument",
            "unexpected argument",
            "unknown option",
            "invalid option",
            "unknown command",
            "missing script",
            "unknown flag",
            "is not a git command",
        ],
        ..NO_MARKS
    },
    ErrorPattern {
        rank: 5,
        class: FailureClass::Other,
        begins: &[
            "error",
            "fatal",
            "e: ",
            "npm err!",
            "npm error",
            "[error]",
            "[fatal]",
            "failure:",
            "--- fail",
            "failed",
        ],
        holds: &["error:"],
        ..NO_MARKS
    },
    // What a program prints below what it has to say.
    ErrorPattern { rank: 6, class: FailureClass::Usage, begins: &["usage:"], ..NO_MARKS },
    ErrorPattern {
        rank: 6,
        class: FailureClass::Other,
        holds: &[" failed", "failed ", " error ", "cannot ", "could not ", "unable to "],
        ..NO_MARKS
    },
];
