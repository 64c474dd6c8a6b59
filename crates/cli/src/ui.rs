//! The two streams: stdout carries data, stderr carries talk. Nothing else prints.

use crate::clock::Clock;
use crate::layout;
pub(crate) use crate::palette::Tone;
use crate::palette::{QueryWords, joined, painted};
pub(crate) use backstory_app::words::{counted, memories, one_line};
use backstory_app::{App, AppError, Environment};
use backstory_memory::{MemoryId, Timestamp, clean};
use backstory_store::Store;
use clap::ValueEnum;
use serde::Serialize;
use std::ffi::OsString;
use std::io::{self, BufRead, ErrorKind, IsTerminal, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use terminal_size::terminal_size;

/// Whether data went to stdout. Standard output belongs to the process, and so does this.
static HAS_PRINTED: AtomicBool = AtomicBool::new(false);

/// Reads standard input whole.
pub(crate) fn read_stdin() -> Result<String, AppError> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| AppError::user("cannot read standard input").because(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether output carries colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// Where the stream is a terminal that shows it
    Auto,
    /// Also in a pipe or a file
    Always,
    /// Nowhere
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

/// How wide a screen is where nobody says.
const USUAL_WIDTH: usize = 80;
/// Text that is wrapped later than this is hard to read, however wide the screen is.
const WIDEST: usize = 120;
/// On a screen narrower than this, lines run over its edge.
const NARROWEST: usize = 40;

/// The way to the person at the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ui {
    coloured: bool,
    errors_coloured: bool,
    width: usize,
    /// Whether the width is known: where a program reads, a sentence stays one line.
    is_width_known: bool,
    /// How times are written.
    pub(crate) clock: Clock,
}

impl Ui {
    /// Looks at the screen: how wide it is, and whether it shows colour.
    pub(crate) fn new(colour: Option<Colour>, clock: Clock, environment: &Environment) -> Ui {
        let usual = if environment.no_color() { Colour::Never } else { Colour::Auto };
        let is_wanted = |is_terminal: bool| match colour.unwrap_or(usual) {
            Colour::Auto => is_terminal,
            Colour::Always => true,
            Colour::Never => false,
        };
        let screen = || {
            let size = io::stdout().is_terminal().then(terminal_size).flatten();
            size.map(|(width, _)| usize::from(width.0))
        };
        let width = environment.columns().or_else(screen);
        Ui {
            coloured: is_wanted(io::stdout().is_terminal()),
            errors_coloured: is_wanted(io::stderr().is_terminal()),
            width: width.unwrap_or(USUAL_WIDTH).clamp(NARROWEST, WIDEST),
            is_width_known: width.is_some(),
            clock,
        }
    }

    /// Returns how many columns a line may take.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Colours a text where that is wanted.
    pub(crate) fn tone(&self, tone: Tone, text: &str) -> String {
        if self.coloured { painted(tone, text) } else { text.to_owned() }
    }

    /// The same for what goes to standard error.
    fn error_tone(&self, tone: Tone, text: &str) -> String {
        if self.errors_coloured { joined(&painted(tone, text)) } else { text.to_owned() }
    }

    /// Returns the name of a kind in its colour.
    pub(crate) fn kind(&self, name: &str) -> String {
        self.tone(Tone::of_kind(name), name)
    }

    /// Returns the sign before a thing that is done or sound.
    pub(crate) fn check_mark(&self) -> String {
        self.tone(Tone::Good, "✓")
    }

    /// Says when something was.
    pub(crate) fn ago(&self, at: Timestamp, now: Timestamp) -> String {
        self.clock.ago(at, now)
    }

    /// Colours the words of a query in a text, and the rest of it in another tone.
    pub(crate) fn highlight(&self, text: &str, query: &QueryWords, rest: Option<Tone>) -> String {
        if !self.coloured {
            return text.to_owned();
        }
        // Each word is coloured by itself: a line may be wrapped between any two.
        let parts = query.split(text).into_iter().map(|(is_match, part)| match (is_match, rest) {
            (true, _) => self.tone(Tone::Match, part),
            (false, Some(tone)) if !part.trim().is_empty() => self.tone(tone, part),
            (false, _) => part.to_owned(),
        });
        parts.collect()
    }

    /// Prints a text, wrapped: its first line begins with `first`, the others stand under `hang` spaces.
    pub(crate) fn wrapped(&self, first: &str, text: &str, hang: usize) -> Result<(), AppError> {
        self.line(&layout::wrap(text, self.width, first, hang))
    }

    /// Prints a sentence, which may begin with spaces: it is wrapped under them.
    pub(crate) fn sentence(&self, text: &str) -> Result<(), AppError> {
        if !self.is_width_known {
            return self.line(text);
        }
        let indent = text.len() - text.trim_start_matches(' ').len();
        self.wrapped(&" ".repeat(indent), text, indent + 2)
    }

    /// Prints two lines of a text, under three spaces: what it says may be longer.
    pub(crate) fn excerpt(&self, text: &str) -> Result<(), AppError> {
        self.line(&layout::wrap_short(text, self.width, "   ", 3, 2))
    }

    /// Prints a label and what it says, wrapped beside it.
    pub(crate) fn labelled(&self, label: &str, text: &str) -> Result<(), AppError> {
        const LABEL: usize = 11;
        let label = layout::pad(&self.tone(Tone::Faint, label), LABEL);
        self.wrapped(&label, text, LABEL)
    }

    /// Prints a line of data.
    pub(crate) fn line(&self, text: &str) -> Result<(), AppError> {
        if self.coloured { self.raw(&format!("{}\n", joined(text))) } else { self.raw(&format!("{text}\n")) }
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
        let text = clean(text);
        // Where a program reads, a line stays one line.
        let wraps = io::stderr().is_terminal() && !text.contains('\n');
        let text = if wraps { layout::wrap(&text, self.width, "", 2) } else { text.into_owned() };
        let (mark, rest) = self.marked(&text);
        drop(writeln!(io::stderr().lock(), "{mark}{rest}"));
    }

    /// Prints an error to standard error.
    pub(crate) fn fail(&self, failure: &AppError) {
        let words = failure.words();
        let words = clean(&words);
        for line in words.lines() {
            let (mark, rest) = self.marked(line);
            drop(writeln!(io::stderr().lock(), "{mark}{rest}"));
        }
    }

    /// Colours the mark that a line of talk begins with.
    fn marked<'a>(&self, line: &'a str) -> (String, &'a str) {
        let marks = [
            ("error:", Tone::Bad),
            ("warning:", Tone::Warning),
            ("hint:", Tone::Path),
            ("note:", Tone::Path),
            ("bad:", Tone::Bad),
        ];
        let found = marks.iter().find_map(|(mark, tone)| Some((mark, *tone, line.strip_prefix(mark)?)));
        found.map_or((String::new(), line), |(mark, tone, rest)| (self.error_tone(tone, mark), rest))
    }

    /// Asks a question that is answered with yes or no. Without a terminal nobody can answer.
    pub(crate) fn confirm(&self, question: &str) -> Option<bool> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        let (_, answer) = self.ask(&format!("{question} [y/N]"))?;
        Some(matches!(answer.as_str(), "y" | "yes"))
    }

    /// The same where most people say yes: Enter alone agrees. The end of the input does not.
    pub(crate) fn confirm_usual(&self, question: &str) -> Option<bool> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        let (read, answer) = self.ask(&format!("{question} [Y/n]"))?;
        Some(read > 0 && matches!(answer.as_str(), "" | "y" | "yes"))
    }

    /// Asks a question, within the width of the screen. Returns how many bytes were typed, and what they say.
    fn ask(&self, question: &str) -> Option<(usize, String)> {
        drop(write!(io::stderr().lock(), "{} ", layout::wrap(question, self.width - 1, "", 0)));
        let mut answer = String::new();
        let read = io::stdin().lock().read_line(&mut answer).ok()?;
        Some((read, answer.trim().to_lowercase()))
    }
}
