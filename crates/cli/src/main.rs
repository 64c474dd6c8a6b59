//! The binary: arguments in, words on the screen, an exit code out.
//!
//! `hook` is dispatched before anything slow is built: a host waits for it hundreds of times a day.

mod args;
mod commands;
mod connection_words;
mod demo;
mod diff;
mod exit;
mod outgoing_words;
mod progress;
mod project_args;
#[cfg(test)]
mod reference;
mod ui;
mod version;

use crate::args::Cli;
use crate::exit::Exit;
use crate::ui::{Colour, OutputFormat, Ui};
use backstory_app::AppError;
use backstory_app::Environment;
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Everything we make is for its owner only.
    backstory_platform::restrict_umask();
    backstory_platform::survive_file_size_limit();
    let environment = Environment::read();
    let mut arguments = std::env::args_os();
    if arguments.nth(1).is_some_and(|first| first == "hook") {
        commands::hook::run(&arguments.collect::<Vec<_>>(), environment);
        return ExitCode::SUCCESS;
    }
    let format = OutputFormat::from_arguments(std::env::args_os());
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_parsed(&error, format, &environment),
    };
    let ui = cli.ui(&environment);
    match commands::run(cli, environment) {
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
        let colour = if environment.no_color() { Colour::Never } else { Colour::Auto };
        let words = error.to_string();
        let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
        let message = lines.next().unwrap_or_default().trim_start_matches("error: ");
        let refusal = AppError::usage(message).hint("`backstory help COMMAND` shows its arguments").refusal();
        // A reader that has gone needs no answer; the exit code says the same.
        drop(Ui::new(colour).json(&refusal));
    }
    drop(error.print());
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
