//! A command that ran: what its line runs, which tests it ran, whether it failed and of what, and the commit it made.
//!
//! Line and output are each parsed when they are first asked for, and then kept: many parts of a distillation look at the same command.
//! Not here: how they are parsed (`command`, `error_line`, `testruns`, `commits`).

use super::error_line::{ErrorLine, FIRM, error_line, refusal};
use super::{CommandLine, CommandTask, FailureSignature};
use crate::commits::MadeCommit;
use crate::testruns::{TestOutcome, TestRun};
use backstory_memory::ExitStatus;
use std::cell::OnceCell;

/// A command that ran, as the host reports it.
#[derive(Clone, Debug)]
pub struct CommandRun<'a> {
    /// The shell line.
    pub command: &'a str,
    /// What it printed, both streams.
    pub output: &'a str,
    /// What the host says of its exit status.
    pub status: ExitStatus,
    line: OnceCell<CommandLine>,
    error_line: OnceCell<Option<ErrorLine>>,
    test_run: OnceCell<Option<TestRun>>,
    signature: OnceCell<Option<FailureSignature>>,
    commit: OnceCell<Option<MadeCommit>>,
}

impl<'a> CommandRun<'a> {
    /// Takes a command as the host reports it.
    #[must_use]
    pub fn new(command: &'a str, output: &'a str, status: ExitStatus) -> CommandRun<'a> {
        CommandRun {
            command,
            output,
            status,
            line: OnceCell::new(),
            error_line: OnceCell::new(),
            test_run: OnceCell::new(),
            signature: OnceCell::new(),
            commit: OnceCell::new(),
        }
    }

    /// Whether the host says that it succeeded.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.status == ExitStatus::Success
    }

    /// Whether it failed: by its status, or, where a pipe hides that (`cargo test | tail`), by what it printed.
    #[must_use]
    pub fn failed(&self) -> bool {
        if !self.succeeded() {
            return true;
        }
        let is_doubtful = self.line().status_is_masked && self.task().is_some();
        is_doubtful
            && match self.test_run() {
                Some(run) => run.outcome != TestOutcome::Green,
                None => self.error_line().is_some_and(|error_line| error_line.rank <= FIRM),
            }
    }

    /// Returns the test run it was; nothing when it runs no tests or does not say how they went.
    #[must_use]
    pub fn test_run(&self) -> Option<&TestRun> {
        self.test_run.get_or_init(|| TestRun::read(self)).as_ref()
    }

    /// Returns what its output says of a failure, if it failed.
    ///
    /// Nothing when there is no command, or when it only looked: a `grep` without a match has not failed.
    #[must_use]
    pub fn signature(&self) -> Option<&FailureSignature> {
        self.signature.get_or_init(|| FailureSignature::read(self)).as_ref()
    }

    /// Returns the name of the command the line is about, `cargo test`; nothing for a line that only looks.
    #[must_use]
    pub fn task(&self) -> Option<&str> {
        self.line().main().filter(|task| !task.is_bystander).map(|task| task.name.as_str())
    }

    /// Returns the commit it made.
    pub(crate) fn commit(&self) -> Option<&MadeCommit> {
        self.commit.get_or_init(|| MadeCommit::read(self)).as_ref()
    }

    /// Whether one of its commands has a name.
    pub(crate) fn runs(&self, task: &str) -> bool {
        self.tasks().iter().any(|it| it.name == task)
    }

    /// Returns every command of the line worth naming, in order.
    #[must_use]
    pub fn tasks(&self) -> &[CommandTask] {
        &self.line().tasks
    }

    pub(crate) fn line(&self) -> &CommandLine {
        self.line.get_or_init(|| CommandLine::parse(self.command))
    }

    pub(super) fn error_line(&self) -> Option<&ErrorLine> {
        let read = || match error_line(self.output) {
            // Who runs the hooks only says that one failed.
            Some(error)
                if self.is_refused_by_hook()
                    && (!error.names_error()
                        || ["pre-commit", "pre-push", "hook"].iter().any(|it| error.line.contains(it))) =>
            {
                refusal(self.output)
            }
            error => error,
        };
        self.error_line.get_or_init(read).as_ref()
    }

    /// Whether a hook of the repository refused a commit or a push: git itself would say so in a line that names an error.
    fn is_refused_by_hook(&self) -> bool {
        let says = |words: &str| self.output.contains(words);
        self.status == ExitStatus::Failure
            && self.task().is_some_and(|task| matches!(task, "git commit" | "git push"))
            && !says("nothing to commit")
            && !says("no changes added")
            && !says("nothing added")
    }
}
