//! `setup`: makes the store, connects the hosts that are here if the user confirms it, and ends with a demo.
//!
//! What it changes outside our own directories is a copy of this program, where it runs from a build directory, and what `install`
//! changes. The demo runs in a temporary store: the user's is not written to.

use super::import::print_import;
use super::install::{agreed, say_connected};
use crate::connection_words::say_refused;
use crate::demo::show_demo;
use crate::exit::Exit;
use crate::progress::with_bar;
use crate::ui::{Tone, Ui, counted, memories};
use backstory_app::connection::{ConnectionPlan, Direction, hosts_here, plan_connection};
use backstory_app::import::MachineImportRequest;
use backstory_app::program::ProgramPlace;
use backstory_app::{App, AppError, vectors};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `setup`.
#[derive(Args, Debug)]
pub(crate) struct SetupArgs {
    /// Connect the hosts that are found, without asking for confirmation
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Where this program is copied to if it runs from a build directory (default: ~/.local/bin)
    #[arg(long, value_name = "DIR")]
    pub(crate) bin_dir: Option<PathBuf>,
    /// Do not import what is on this machine already
    #[arg(long)]
    pub(crate) no_import: bool,
}

/// Sets up.
pub(crate) fn run(args: &SetupArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    make_store(app, ui)?;
    let (exit, is_connected) = connect_hosts(args, app, ui)?;
    import_what_is_there(args, app, ui)?;
    offer_writer(app, ui)?;
    ui.line("")?;
    show_demo(app, ui)?;
    if is_connected {
        ui.line("")?;
        ui.line("ready     start a session as usual; the next one in the same project gets what it leaves. `backstory view` shows all of it")?;
    }
    Ok(exit)
}

fn make_store(app: &App, ui: &Ui) -> Result<(), AppError> {
    let was_there = app.home.database().exists();
    let status = app.stats(&app.store()?)?.status;
    let home = ui.tone(Tone::Path, &app.home.root().display().to_string());
    let count = status.counts.live;
    if was_there {
        ui.line(&format!("store     {home} is there, with {}", memories(count)))?;
    } else {
        ui.line(&format!("store     {home} was made; only you can read it"))?;
    }
    if let Some(file) = app.environment.config_file() {
        let state = if file.exists() { "is read" } else { "would be read; the defaults hold" };
        ui.line(&format!("config    {} {state}", ui.tone(Tone::Path, &file.display().to_string())))?;
    }
    if !app.config.capture.enabled {
        ui.line("capture   is off in your configuration: hooks will keep nothing")?;
    }
    Ok(())
}

/// Connects the hosts that are here, if the user confirms it. Returns whether one is connected now.
fn connect_hosts(args: &SetupArgs, app: &App, ui: &Ui) -> Result<(Exit, bool), AppError> {
    let places = app.places()?;
    let program = ProgramPlace::choose(args.bin_dir.as_deref(), &places)?;
    let path = ui.tone(Tone::Path, &program.path.display().to_string());
    let mut proposal = plan_connection(&hosts_here(&places), &places, &program.path, app);
    say_found(&proposal, ui)?;
    let must_copy = program.must_copy();
    if must_copy {
        ui.line(&format!("program   hosts are to run a copy of this build, {path}"))?;
    }
    if must_copy || !proposal.is_idle() {
        match if args.yes { Some(true) } else { agreed(&proposal, Direction::Connect, ui)? } {
            Some(true) => {}
            Some(false) => {
                ui.line("changes   none: everything stays as it is")?;
                return Ok((Exit::Done, false));
            }
            None => {
                ui.line("changes   none yet: `backstory setup --yes` makes them, `backstory install --dry-run` shows each line")?;
                return Ok((Exit::Done, false));
            }
        }
    }
    if must_copy {
        program.copy()?;
        ui.line(&format!("program   copied to {path}"))?;
        if let Some(directory) = program.directory_not_on_path(&places) {
            ui.line(&format!("          add {} to your `PATH` to run it by its name", directory.display()))?;
        }
    }
    let done = proposal.carry_out(Direction::Connect, app);
    let is_connected = !done.is_empty() || !proposal.plugged.is_empty();
    say_connected(&done, ui)?;
    say_refused(&proposal, ui);
    Ok((if proposal.refused.is_empty() { Exit::Done } else { Exit::No }, is_connected))
}

/// Imports what hosts and other programs have kept on this machine: the first day need not begin empty.
fn import_what_is_there(args: &SetupArgs, app: &App, ui: &Ui) -> Result<(), AppError> {
    if args.no_import || !app.config.capture.enabled {
        return Ok(());
    }
    let (sessions, bytes) = app.recorded_sessions()?;
    let recorded = format!("{} of hosts ({:.0} MB), ", counted(sessions, "session"), bytes as f64 / 1e6);
    let what = format!("{}git history and memory files", if sessions > 0 { &recorded } else { "" });
    let agrees =
        if args.yes { Some(true) } else { ui.confirm(&format!("Import what is here already: {what}?")) };
    let later = "`backstory import --all` does it whenever you like";
    match agrees {
        Some(true) => {}
        Some(false) => return ui.line(&format!("import    nothing: {later}")),
        None => return ui.line(&format!("import    nothing yet of {what}: {later}")),
    }
    let mut store = app.store()?;
    let everything = MachineImportRequest::default();
    let imported = with_bar(|on_progress| app.import_machine(&mut store, &everything, on_progress))?;
    if imported.report.is_empty() {
        return ui.line("import    nothing is here yet that could be imported");
    }
    ui.line(&format!("import    {what}"))?;
    print_import(&imported, &store, app, ui)?;
    if vectors::waiting(&store, &app.config)? > 0 {
        ui.line("search works by words now; vectors come with every session, or at once by `backstory index --vectors`")?;
    }
    Ok(())
}

/// Says what a background writer would send, to whom, and what it costs; turns it on only if the user says so.
fn offer_writer(app: &App, ui: &Ui) -> Result<(), AppError> {
    let Some(provider) = app.possible_writer(&app.places()?) else { return Ok(()) };
    let name = provider.as_str();
    let writer = &app.config.writer;
    ui.line("writer    off. A model can write the notes of each session when it ends, better than rules do. It would send a digest of the")?;
    ui.line(&format!(
        "          session, secrets removed, {} tokens at most, through your own `{name}` to the model that program uses. About 3,000 tokens in",
        writer.tokens
    ))?;
    ui.line(&format!(
        "          and 600 out a session, of your subscription or key; never more than {} tokens a day",
        writer.tokens_per_day
    ))?;
    let later =
        format!("`provider = \"{name}\"` in the section `[writer]` of your configuration turns it on");
    match ui.confirm("Let it write the notes?") {
        Some(true) => {
            let file = app.choose_writer(provider)?;
            ui.line(&format!("writer    {name}, set in {}", ui.tone(Tone::Path, &file.display().to_string())))
        }
        Some(false) => ui.line(&format!("writer    stays off; {later}")),
        None => ui.line(&format!("writer    stays off: nobody is here to agree; {later}")),
    }
}

fn say_found(proposal: &ConnectionPlan, ui: &Ui) -> Result<(), AppError> {
    let plugged = proposal.plugged.iter().map(|(host, _)| (*host, true));
    let connected = proposal.plans.iter().map(|plan| (plan.host, plan.changes.is_empty())).chain(plugged);
    let refused = proposal.refused.iter().map(|(host, _)| (*host, false));
    let hosts: Vec<_> = connected.chain(refused).collect();
    for (host, is_connected) in &hosts {
        let state = if *is_connected { "is connected" } else { "is here" };
        ui.line(&format!("host      {} {state}", host.title()))?;
    }
    if hosts.is_empty() {
        ui.line("host      none was found; `backstory install HOST` connects one all the same")?;
    }
    Ok(())
}
