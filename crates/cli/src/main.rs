//! The binary: arguments in, words on the screen, an exit code out.
//!
//! `hook` is dispatched before anything slow is built: a host waits for it hundreds of times a day.

mod args;
mod clock;
mod commands;
mod connection_words;
mod demo;
mod exit;
mod filter_args;
mod help_groups;
mod layout;
mod outgoing_words;
mod palette;
mod progress;
mod project_args;
#[cfg(test)]
mod reference;
mod ui;
mod version;

use crate::args::{Cli, InternalCli};
use crate::clock::Clock;
use crate::exit::Exit;
use crate::ui::{OutputFormat, Ui};
use backstory_app::AppError;
use backstory_app::Environment;
use clap::Parser;
use clap::error::ErrorKind;
use std::io::IsTerminal;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Everything we make is for its owner only.
    backstory_platform::restrict_umask();
    backstory_platform::survive_file_size_limit();
    let environment = Environment::read();
    let mut arguments = std::env::args_os();
    if arguments.nth(1).is_some_and(|first| first == "hook") {
        let arguments: Vec<_> = arguments.collect();
        // A host never types this, and whatever comes with a payload is a host's (law 1).
        let is_help = arguments.first().is_some_and(|first| first == "--help" || first == "-h");
        if is_help && std::io::stdin().is_terminal() {
            return commands::hook::explain(&Ui::new(None, Clock::Local, &environment));
        }
        commands::hook::run(&arguments, environment);
        return ExitCode::SUCCESS;
    }
    let format = OutputFormat::from_arguments(std::env::args_os());
    match Cli::of_process(&environment) {
        Ok(cli) => {
            let ui = cli.globals.ui(&environment);
            exit_code(commands::run(cli, environment), &ui, format)
        }
        Err(error) if error.kind() == ErrorKind::InvalidSubcommand => match InternalCli::try_parse() {
            Ok(cli) => {
                let ui = cli.globals.ui(&environment);
                exit_code(commands::run_internal(cli, environment), &ui, format)
            }
            Err(_) => not_parsed(&error, format, &environment),
        },
        Err(error) => not_parsed(&error, format, &environment),
    }
}

fn exit_code(outcome: Result<Exit, AppError>, ui: &Ui, format: OutputFormat) -> ExitCode {
    match outcome {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::No) => ExitCode::from(1),
        Err(failure) => {
            ui.refuse(&failure, format);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Prints help, the version, or what is wrong with the arguments; a program that asked for JSON gets that first.
fn not_parsed(error: &clap::Error, format: OutputFormat, environment: &Environment) -> ExitCode {
    if error.use_stderr() && format == OutputFormat::Json {
        let message = what_is_wrong(&error.to_string());
        let refusal = AppError::usage(message).hint("`backstory help COMMAND` shows its arguments").refusal();
        // A reader that has gone needs no answer; the exit code says the same.
        drop(Ui::new(None, Clock::Local, environment).json(&refusal));
    }
    drop(error.print());
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Returns the first paragraph of clap's words on one line: the arguments it misses stand on lines of their own.
fn what_is_wrong(words: &str) -> String {
    let paragraph = words.lines().map(str::trim).take_while(|line| !line.is_empty());
    let (mut message, mut end) = (String::new(), "");
    for line in paragraph {
        message = format!("{message}{end}{}", line.trim_start_matches("error: "));
        end = if line.ends_with(':') { " " } else { ", " };
    }
    message
}
