//! A command that ran, and whether to believe that it succeeded.
//!
//! Not here: what it says when it failed (`error_line`).

use super::{CommandLine, tells_failure};
use crate::testruns::{TestOutcome, TestRun};

/// A command that ran, as the host told it.
#[derive(Clone, Copy, Debug)]
pub struct CommandRun<'a> {
    /// The shell line.
    pub command: &'a str,
    /// What it printed, both streams.
    pub output: &'a str,
    /// What the host says of its exit status.
    pub succeeded: bool,
}

impl CommandRun<'_> {
    /// Whether it failed: by its status, or, where a pipe hides that (`cargo test | tail`), by what it printed.
    #[must_use]
    pub fn failed(&self) -> bool {
        if !self.succeeded {
            return true;
        }
        let line = CommandLine::parse(self.command);
        let is_doubtful = line.status_is_masked && line.main().is_some_and(|task| !task.is_bystander);
        is_doubtful
            && match TestRun::from_command(self) {
                Some(run) => run.outcome != TestOutcome::Green,
                None => tells_failure(self.output),
            }
    }
}
