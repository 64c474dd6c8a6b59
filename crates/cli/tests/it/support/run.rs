//! A run of the binary that differs from the usual one.

use backstory_testkit::{ProgramOutput, TestEnv, TypedTerminal};
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A run with other variables, in another folder, with an input, or through another program.
pub(crate) struct Run<'a> {
    env: &'a TestEnv,
    command: Command,
    input: Option<Vec<u8>>,
}

/// Prepares a run.
pub(crate) fn run<S: AsRef<OsStr>>(env: &TestEnv, arguments: impl IntoIterator<Item = S>) -> Run<'_> {
    Run { env, command: env.command(arguments), input: None }
}

impl Run<'_> {
    /// Sets a variable.
    pub(crate) fn var(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Removes a variable.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Sets the clock.
    pub(crate) fn at(self, now_ms: i64) -> Self {
        self.var("BACKSTORY_NOW_MS", now_ms.to_string())
    }

    /// Changes the folder.
    pub(crate) fn within(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Sets what stands on standard input.
    pub(crate) fn input(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.input = Some(bytes.as_ref().to_vec());
        self
    }

    /// Puts it at a terminal at which these lines are typed, to be read and answered there.
    pub(crate) fn at_terminal(mut self, terminal: &TypedTerminal) -> Self {
        self.command.stdin(terminal.stream().expect("a stream")).stderr(terminal.stream().expect("a stream"));
        self
    }

    /// Has another program start the binary: it gets these arguments, then the command line.
    pub(crate) fn through(mut self, program: impl AsRef<OsStr>, arguments: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).arg(self.command.get_program()).args(self.command.get_args());
        command.env_clear().envs(self.command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(self.command.get_current_dir().expect("a folder"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        self.command = command;
        self
    }

    /// Has a shell start the binary, after these commands.
    pub(crate) fn after(self, commands: &str) -> Self {
        self.through("/bin/sh", &["-c", &format!("{commands}; exec \"$0\" \"$@\"")])
    }

    /// Discards what it prints.
    pub(crate) fn quiet(mut self) -> Self {
        self.command.stdout(Stdio::null()).stderr(Stdio::null());
        self
    }

    /// Starts it with a pipe to its standard input.
    pub(crate) fn start_open(mut self) -> Child {
        self.command.stdin(Stdio::piped()).spawn().expect("the binary under test")
    }

    /// Starts it and writes its whole input.
    pub(crate) fn start(mut self) -> Child {
        let Some(input) = self.input.take() else {
            return self.command.spawn().expect("the binary under test");
        };
        let mut child = self.start_open();
        // The binary may close its end early; only its answer counts.
        drop(child.stdin.take().expect("a pipe").write_all(&input));
        child
    }

    /// Runs it to its end.
    pub(crate) fn output(self) -> ProgramOutput {
        let env = self.env;
        env.finish(self.start())
    }
}
