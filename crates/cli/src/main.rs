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
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn main() -> ExitCode {
    // Everything we make is for its owner only.
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    // A file size limit must be an error we can handle, not a signal that kills us. If it cannot be set, it kills us as before.
    drop(signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false))));
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
