//! `setup`: makes the store, connects the hosts that are here if the user confirms it, and ends with a demo.
//!
//! What it changes outside our own directories is a copy of this program, where it runs from a build directory, and what `install`
//! changes. The demo runs in a temporary store: the user's is not written to.

use super::import::print_import;
use super::install::say_connected;
use crate::connection_words::{PlanDetail, say_refused, show_plan};
use crate::demo::{DemoDetail, show_demo};
use crate::exit::Exit;
use crate::layout::{columns, pad};
use crate::progress::with_bar;
use crate::ui::{Tone, Ui, counted, memories};
use backstory_app::connection::{ConnectionPlan, Direction, hosts_here, next_steps, plan_connection};
use backstory_app::import::MachineImportRequest;
use backstory_app::program::ProgramPlace;
use backstory_app::{App, AppError, vectors};
use backstory_hosts::InstallPlan;
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
    /// Show every file that changes, what was imported, and the whole demo
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// Sets up.
pub(crate) fn run(args: &SetupArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    make_store(args, app, ui)?;
    let (exit, is_connected) = connect_hosts(args, app, ui)?;
    import_what_is_there(args, app, ui)?;
    offer_writer(args, app, ui)?;
    if args.verbose {
        ui.line("")?;
    }
    let detail = if args.verbose { DemoDetail::Everything } else { DemoDetail::Verdict };
    show_demo(app, detail, ui)?;
    if is_connected {
        done("ready", "work as usual; `backstory view` shows what is remembered", ui)?;
    }
    Ok(exit)
}

/// Prints a step that is done.
fn done(step: &str, text: &str, ui: &Ui) -> Result<(), AppError> {
    step_line(&ui.check_mark(), step, text, ui)
}

/// Prints a step that is left to do, or was left out.
fn todo(step: &str, text: &str, ui: &Ui) -> Result<(), AppError> {
    step_line(" ", step, text, ui)
}

fn step_line(mark: &str, step: &str, text: &str, ui: &Ui) -> Result<(), AppError> {
    const STEP: usize = 11;
    let first = format!("{mark} {} ", pad(step, STEP));
    ui.wrapped(&first, text, columns(&first))
}

fn make_store(args: &SetupArgs, app: &App, ui: &Ui) -> Result<(), AppError> {
    let was_there = app.home.database().exists();
    let status = app.stats(&app.store()?)?.status;
    let home = ui.tone(Tone::Path, &app.home.root().display().to_string());
    if was_there {
        done("store", &format!("{home} is there, with {}", memories(status.counts.live)), ui)?;
    } else {
        done("store", &format!("{home} was made; only you can read it"), ui)?;
    }
    if let Some(file) = app.environment.config_file().filter(|_| args.verbose) {
        let state = if file.exists() { "is read" } else { "would be read; the defaults hold" };
        todo("config", &format!("{} {state}", ui.tone(Tone::Path, &file.display().to_string())), ui)?;
    }
    if !app.config.capture.enabled {
        todo("capture", "is off in your configuration: hooks will keep nothing", ui)?;
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
    if (must_copy || !proposal.is_idle()) && !args.yes && !agrees(args, &proposal, ui)? {
        return Ok((Exit::Done, false));
    }
    if must_copy {
        program.copy()?;
        done("program", &format!("copied to {path}"), ui)?;
        if let Some(directory) = program.directory_not_on_path(&places) {
            todo("", &format!("next: add {} to your `PATH`", directory.display()), ui)?;
        }
    }
    let connected = proposal.carry_out(Direction::Connect, app);
    let is_connected = !connected.is_empty() || !proposal.plugged.is_empty();
    say_done(args, &connected, ui)?;
    say_refused(&proposal, ui);
    Ok((if proposal.refused.is_empty() { Exit::Done } else { Exit::No }, is_connected))
}

/// Asks whether hosts may be connected, and says what that changes. Most people are here for that: Enter agrees.
fn agrees(args: &SetupArgs, proposal: &ConnectionPlan, ui: &Ui) -> Result<bool, AppError> {
    if args.verbose {
        show_plan(proposal, PlanDetail::Files, ui)?;
    }
    let files: usize = proposal.plans.iter().map(|plan| plan.changes.len()).sum();
    let what = counted(files as u64, "file");
    let question = match host_names(proposal) {
        // Only the program is to be copied.
        names if files == 0 => format!("Copy this program to where {names} run it?"),
        names => format!("Connect {names}? That changes {what}; `backstory uninstall` puts back all."),
    };
    match ui.confirm_usual(&question) {
        Some(true) => return Ok(true),
        Some(false) => todo("changes", "none: everything stays as it is", ui)?,
        None => {
            let next = "`backstory setup --yes` connects, `backstory install --dry-run` shows each line";
            todo("changes", &format!("none yet to {}: {next}", host_names(proposal)), ui)?;
        }
    }
    Ok(false)
}

/// Names the hosts that would be connected.
fn host_names(proposal: &ConnectionPlan) -> String {
    let changed = proposal.plans.iter().filter(|plan| !plan.changes.is_empty());
    let names: Vec<&str> = changed.map(|plan| plan.host.title()).collect();
    if names.is_empty() { "hosts".to_owned() } else { names.join(", ") }
}

/// Says which hosts are connected now, and what is left to do in them.
fn say_done(args: &SetupArgs, connected: &[InstallPlan], ui: &Ui) -> Result<(), AppError> {
    if args.verbose {
        return say_connected(connected, ui);
    }
    for plan in connected.iter().filter(|plan| !plan.changes.is_empty()) {
        let what: Vec<&str> = plan.changes.iter().map(|change| change.what.as_str()).collect();
        done(plan.host.title(), &format!("connected: {}", what.join(", ")), ui)?;
        next_steps(plan.host).iter().try_for_each(|step| todo("", &format!("next: {step}"), ui))?;
    }
    Ok(())
}

/// Imports what hosts and other programs have kept on this machine: the first day need not begin empty.
fn import_what_is_there(args: &SetupArgs, app: &App, ui: &Ui) -> Result<(), AppError> {
    if args.no_import || !app.config.capture.enabled {
        return Ok(());
    }
    let (sessions, bytes) = app.recorded_sessions()?;
    let recorded = format!("{} of hosts ({:.0} MB), ", counted(sessions, "session"), bytes as f64 / 1e6);
    let what = format!("{}git history and memory files", if sessions > 0 { &recorded } else { "" });
    let agrees = if args.yes {
        Some(true)
    } else {
        ui.confirm_usual(&format!("Import what is here already: {what}?"))
    };
    let later = "`backstory import --all` does it whenever you like";
    match agrees {
        Some(true) => {}
        Some(false) => return todo("import", &format!("nothing: {later}"), ui),
        None => return todo("import", &format!("nothing yet of {what}: {later}"), ui),
    }
    let mut store = app.store()?;
    let everything = MachineImportRequest::default();
    let imported = with_bar(|on_progress| app.import_machine(&mut store, &everything, on_progress))?;
    if imported.report.is_empty() {
        return done("import", "nothing is here yet that could be imported", ui);
    }
    match imported.report.memories().len() as u64 {
        0 => done("import", "nothing new", ui)?,
        count => {
            let places = counted(imported.projects.len() as u64, "project");
            done("import", &format!("{} in {places}, from {what}", memories(count)), ui)?;
        }
    }
    if args.verbose {
        print_import(&imported, &store, app, ui)?;
    }
    // Without them search works already, and they come by themselves.
    if args.verbose && vectors::waiting(&store, &app.config)? > 0 {
        todo(
            "",
            "search works by words now; vectors come with every session, or at once by `backstory index --vectors`",
            ui,
        )?;
    }
    Ok(())
}

/// Says what a background writer would send, to whom, and what it costs; turns it on only if the user says so.
fn offer_writer(args: &SetupArgs, app: &App, ui: &Ui) -> Result<(), AppError> {
    let Some(provider) = app.possible_writer(&app.places()?) else { return Ok(()) };
    let name = provider.as_str();
    let writer = &app.config.writer;
    let later = format!("`backstory config set writer.provider {name}` turns it on");
    // Without a person to agree, what it would send is no news.
    if args.yes && !args.verbose {
        return todo("writer", &format!("off: a model could write the notes; {later}"), ui);
    }
    let offer = format!(
        "off. A model can write better notes as a session ends. It gets a digest (no secrets, \
         up to {} tokens) through your own `{name}`: 0.6 cents a session, up to {} tokens a day",
        writer.tokens, writer.tokens_per_day
    );
    todo("writer", &offer, ui)?;
    match ui.confirm("Let it write the notes?") {
        Some(true) => {
            let file = app.choose_writer(provider)?;
            done(
                "writer",
                &format!("{name}, set in {}", ui.tone(Tone::Path, &file.display().to_string())),
                ui,
            )
        }
        Some(false) => todo("writer", &format!("stays off; {later}"), ui),
        None => todo("writer", &format!("stays off: nobody is here to agree; {later}"), ui),
    }
}

fn say_found(proposal: &ConnectionPlan, ui: &Ui) -> Result<(), AppError> {
    let plugged = proposal.plugged.iter().map(|(host, _)| (*host, true));
    let connected = proposal.plans.iter().map(|plan| (plan.host, plan.changes.is_empty())).chain(plugged);
    let hosts: Vec<_> = connected.collect();
    for (host, _) in hosts.iter().filter(|(_, is_connected)| *is_connected) {
        done(host.title(), "is connected", ui)?;
    }
    // Those that are not yet are named where that is asked, done or refused.
    if hosts.is_empty() && proposal.refused.is_empty() {
        todo("hosts", "none was found; `backstory install HOST` connects one all the same", ui)?;
    }
    Ok(())
}
