//! The two streams: stdout carries data, stderr carries talk. Nothing else prints.

pub(crate) use backstory_app::words::{counted, memories, one_line};
use backstory_app::{App, AppError};
use backstory_memory::{MemoryId, clean};
use backstory_store::Store;
use serde::Serialize;
use std::ffi::OsString;
use std::io::{self, BufRead, ErrorKind, IsTerminal, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether data went to stdout. Standard output belongs to the process, and so does this.
static HAS_PRINTED: AtomicBool = AtomicBool::new(false);

/// Reads standard input whole.
pub(crate) fn read_stdin() -> Result<String, AppError> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| AppError::user("cannot read standard input").because(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether output may carry colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    /// Where the stream is a terminal.
    Auto,
    /// Nowhere.
    Never,
}

/// Who reads the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    /// A person.
    Text,
    /// A program.
    Json,
}

impl OutputFormat {
    /// Returns what the arguments ask for, also where they cannot be parsed.
    pub(crate) fn from_arguments(mut arguments: impl Iterator<Item = OsString>) -> OutputFormat {
        // What follows `--` is text to search for or to remember.
        let is_json = arguments.by_ref().take_while(|one| one != "--").any(|one| one == "--json");
        if is_json { OutputFormat::Json } else { OutputFormat::Text }
    }
}

/// What a piece of text is, for colour. Meaning survives without it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tone {
    /// Something that stands out.
    Strong,
    /// Something that steps back.
    Faint,
    /// Done, sound.
    Good,
    /// A path or a command.
    Path,
}

/// Standard output that ends the process when whoever reads it has seen enough: then we are done.
pub(crate) struct PipeOut<W>(pub(crate) W);

impl<W: Write> Write for PipeOut<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).inspect_err(end_if_pipe_is_closed)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().inspect_err(end_if_pipe_is_closed)
    }
}

fn end_if_pipe_is_closed(error: &io::Error) {
    if error.kind() == ErrorKind::BrokenPipe {
        #[expect(clippy::exit, reason = "nobody is left to answer")]
        std::process::exit(0);
    }
}

/// The way to the person at the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ui {
    coloured: bool,
}

impl Ui {
    pub(crate) fn new(colour: Colour) -> Ui {
        Ui { coloured: colour == Colour::Auto && io::stdout().is_terminal() }
    }

    /// Colours a text where that is wanted.
    pub(crate) fn tone(&self, tone: Tone, text: &str) -> String {
        if !self.coloured {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Strong => "1",
            Tone::Faint => "2",
            Tone::Good => "32",
            Tone::Path => "36",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    /// Prints a line of data.
    pub(crate) fn line(&self, text: &str) -> Result<(), AppError> {
        self.raw(&format!("{text}\n"))
    }

    /// Prints data as it is.
    pub(crate) fn raw(&self, text: &str) -> Result<(), AppError> {
        HAS_PRINTED.store(true, Ordering::Relaxed);
        let mut out = PipeOut(io::stdout().lock());
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| AppError::user("cannot write to standard output").because(&error))
    }

    /// Reports why a command failed: in JSON where `--json` was typed, else in words. A program reads one object, so that a command
    /// that has printed data already adds words only; errors of usage and our own are said to the person in any case.
    pub(crate) fn refuse(&self, failure: &AppError, format: OutputFormat) {
        let is_answered = format == OutputFormat::Json
            && !HAS_PRINTED.load(Ordering::Relaxed)
            && self.json(&failure.refusal()).is_ok();
        if !is_answered || failure.exit_code() != 1 {
            self.fail(failure);
        }
    }

    /// Prints a value as JSON, on one line where nobody looks and readable where somebody does.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<(), AppError> {
        let pretty = io::stdout().is_terminal();
        let text = if pretty { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
        let text = text.map_err(|error| AppError::internal("cannot write JSON").because(&error))?;
        self.line(&text)
    }

    /// Prints an answer: as JSON where that is wanted, else in words.
    pub(crate) fn answer(
        &self,
        as_json: bool,
        answer: &impl Serialize,
        print_words: impl FnOnce() -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        if as_json { self.json(answer) } else { print_words() }
    }

    /// Prints what is wrong with the settings, where the command goes on all the same.
    pub(crate) fn say_faults(&self, app: &App) {
        app.faults.iter().for_each(|fault| self.fail(fault));
    }

    /// Prints which of the memories about to change belong to another project (law 8).
    pub(crate) fn say_if_elsewhere(
        &self,
        app: &App,
        store: &Store,
        ids: &[MemoryId],
    ) -> Result<(), AppError> {
        for (id, name) in app.of_other_projects(store, ids)? {
            self.say(&format!("note: #{id} is of another project, `{}`", one_line(&name)));
        }
        Ok(())
    }

    /// Prints a line to standard error.
    pub(crate) fn say(&self, text: &str) {
        // A closed standard error leaves nowhere to report the failure.
        drop(writeln!(io::stderr().lock(), "{}", clean(text)));
    }

    /// Prints an error to standard error.
    pub(crate) fn fail(&self, failure: &AppError) {
        drop(write!(io::stderr().lock(), "{}", clean(&failure.words())));
    }

    /// Asks a question that is answered with yes or no. Without a terminal nobody can answer.
    pub(crate) fn confirm(&self, question: &str) -> Option<bool> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        drop(write!(io::stderr().lock(), "{question} [y/N] "));
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer).ok()?;
        Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }
}
