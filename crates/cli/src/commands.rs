//! One file a command: its arguments, and what it does with them.

pub(crate) mod browse;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod distil;
pub(crate) mod doctor;
pub(crate) mod eval;
pub(crate) mod export;
pub(crate) mod forget;
pub(crate) mod handoff;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod install;
pub(crate) mod maintain;
pub(crate) mod mcp;
pub(crate) mod missing;
pub(crate) mod pin;
pub(crate) mod program_update;
pub(crate) mod project;
pub(crate) mod redact;
pub(crate) mod remember;
pub(crate) mod review;
pub(crate) mod revise;
pub(crate) mod rules;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod setup;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod sync;
pub(crate) mod team;
pub(crate) mod team_search;
pub(crate) mod timeline;
pub(crate) mod view;
pub(crate) mod why;

use crate::args::{Cli, Command, InternalCli, InternalCommand};
use crate::exit::Exit;
use backstory_app::Environment;
use backstory_app::{App, AppError};
use backstory_app::{background_writer, vectors};
use backstory_store::Verdict;

/// Does what was typed.
pub(crate) fn run(cli: Cli, environment: Environment) -> Result<Exit, AppError> {
    let ui = &cli.globals.ui(&environment);
    let colour = cli.globals.colour(&environment);
    let (command, settings) = (cli.command, cli.globals.settings);
    let app = || App::new(environment.clone(), &settings);
    // What shows or mends a fault of the settings must not stop at it.
    let app_with_faults = || App::with_faults(environment.clone(), &settings);
    match command {
        Command::Setup(args) => setup::run(&args, &app()?, ui),
        Command::Install(args) => install::run(&args, &app()?, ui),
        Command::Uninstall(args) => install::run_uninstall(&args, &app_with_faults()?, ui),
        Command::Remember(args) => remember::run(args, &app()?, ui),
        Command::Revise(args) => revise::run(args, &app()?, ui),
        Command::Supersede(args) => revise::run_supersede(args, &app()?, ui),
        Command::Forget(args) => forget::run(&args, &app()?, ui),
        Command::Review(args) => review::run(&args, &app()?, ui),
        Command::Confirm(args) => review::run_verdict(&args, Verdict::Confirm, &app()?, ui),
        Command::Retire(args) => review::run_verdict(&args, Verdict::Retire, &app()?, ui),
        Command::Rules(args) => rules::run(args, &app()?, ui),
        Command::Pin(args) => pin::run(&args, &app()?, ui),
        Command::Show(args) => show::run(&args, &app()?, ui),
        Command::Search(args) => search::run(&args, &app()?, ui),
        Command::Browse(args) => browse::run(&args, &app()?, (ui, colour)),
        Command::Why(args) => why::run(&args, &app()?, ui),
        Command::Context(args) => context::run(&args, &app()?, ui),
        Command::Timeline(args) => timeline::run(&args, &app()?, ui),
        Command::Sessions(args) => sessions::run(&args, &app()?, ui),
        Command::Distil(args) => distil::run(&args, &app()?, ui),
        Command::Handoff(args) => handoff::run(args, &app()?, ui),
        Command::Project(args) => project::run(args, &app()?, ui),
        Command::Team(args) => team::run(&args, &app()?, ui),
        Command::Sync(args) => sync::run(&args, &app()?, ui),
        Command::Import(args) => import::run(&args, &app()?, ui),
        Command::Export(args) => export::run(&args, &app()?, ui),
        Command::Index(args) => index::run(&args, &app()?, ui),
        Command::Status(args) => status::run(&args, &app()?, ui),
        Command::Doctor(args) => doctor::run(&args, &app_with_faults()?, ui),
        Command::Eval(args) => eval::run(&args, &app()?, ui),
        Command::Config(args) => config::run(&args, &app_with_faults()?, ui),
        Command::Redact(args) => redact::run(&args, &app()?, ui),
        Command::Mcp(args) => mcp::run(&args, environment, settings),
        Command::Serve(args) => serve::run(&args, environment, settings, ui),
        Command::View(args) => view::run(&args, environment, &settings, ui),
        Command::Completions(args) => completions::run(&args, ui),
        Command::SelfProgram(args) => program_update::run(&args, ui),
    }
}

/// Does what a host or one of our own processes asks for.
pub(crate) fn run_internal(cli: InternalCli, environment: Environment) -> Result<Exit, AppError> {
    let ui = &cli.globals.ui(&environment);
    let settings = cli.globals.settings;
    let app = || App::new(environment.clone(), &settings);
    match cli.command {
        InternalCommand::Hook { arguments } => {
            hook::run(&arguments, environment);
            Ok(Exit::Done)
        }
        InternalCommand::WriteNotes => background_writer::run(&app()?).map(|()| Exit::Done),
        InternalCommand::Guard { command } => background_writer::run_watchdog(&command).map(|()| Exit::Done),
        InternalCommand::MakeVectors => vectors::make_waiting(&app()?).map(|()| Exit::Done),
        InternalCommand::Maintain(args) => maintain::run(&args, &app()?, ui),
    }
}
