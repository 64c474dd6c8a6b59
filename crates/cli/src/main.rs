//! The binary: arguments in, words on the screen, an exit code out.
//!
//! `hook` is dispatched before anything slow is built: a host waits for it hundreds of times a day.

mod app;
mod args;
mod commands;
mod connection_words;
mod diff;
mod evaluation;
mod failure;
mod mcp;
mod outgoing;
mod progress;
mod proof;
#[cfg(test)]
mod reference;
mod refused_files;
mod serving;
mod teams;
mod ui;
mod unshare;
mod version;

use crate::args::Cli;
use crate::env_vars::Environment;
use crate::failure::Exit;
use backstory_app::{config, engine, env_vars, explain, log, settings, synonyms, times};
use backstory_app::{self_capture_guard as ourselves, vectors};
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
    let cli = Cli::parse();
    let ui = cli.ui(&environment);
    match commands::run(cli, environment) {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::No) => ExitCode::from(1),
        Err(failure) => {
            ui.fail(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}
