//! `setup`: makes the store, connects the hosts that are here if the user confirms it, and ends with a demo.
//!
//! What it changes outside our own directories is a copy of this program, where it runs from a build directory, and what `install`
//! changes. The proof runs in a temporary store: the user's is not written to.

use super::import::{ImportRun, list_transcripts};
use super::install::{agreed, say_connected};
use crate::connection_words::say_refused;
use crate::exit::Exit;
use crate::proof::prove;
use crate::ui::{Tone, Ui, counted, memories};
use backstory_app::connection::{
    ConnectionPlan, Direction, hosts_here, is_in_build_directory, own_program, plan_connection,
};
use backstory_app::{App, AppError};
use backstory_hosts::HostPaths;
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};

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
    take_in_what_is_there(args, app, ui)?;
    ui.line("")?;
    prove(app, ui)?;
    if is_connected {
        ui.line("")?;
        ui.line("ready     begin a session as ever; the next one in the same project gets what it leaves. `backstory view` shows all of it")?;
    }
    Ok(exit)
}

fn make_store(app: &App, ui: &Ui) -> Result<(), AppError> {
    let was_there = app.home.database().exists();
    let status = app.store()?.upkeep().status()?;
    let home = ui.tone(Tone::Path, &app.home.root().display().to_string());
    let count = status.counts.live;
    if was_there {
        ui.line(&format!("store     {home} is there, with {}", memories(count)))?;
    } else {
        ui.line(&format!("store     {home} was made; only you can read it"))?;
    }
    if let Some(file) = app.environment.config_file() {
        let told = if file.exists() { "is read" } else { "would be read; the defaults hold" };
        ui.line(&format!("config    {} {told}", ui.tone(Tone::Path, &file.display().to_string())))?;
    }
    if !app.config.capture.enabled {
        ui.line("capture   is off in your configuration: hooks will keep nothing")?;
    }
    Ok(())
}

/// Connects the hosts that are here, if the user confirms it. Returns whether one is connected now.
fn connect_hosts(args: &SetupArgs, app: &App, ui: &Ui) -> Result<(Exit, bool), AppError> {
    let places = app.places()?;
    let running = own_program(&places)?;
    let program = lasting_place(args, &running, &places);
    let mut proposal = plan_connection(&hosts_here(&places), &places, &program, app);
    say_found(&proposal, ui)?;
    let must_copy = running != program && !is_same(&running, &program);
    if must_copy {
        let place = ui.tone(Tone::Path, &program.display().to_string());
        ui.line(&format!("program   hosts are to run a copy of this build, {place}"))?;
    }
    if must_copy || !proposal.is_idle() {
        match if args.yes { Some(true) } else { agreed(&proposal, ui)? } {
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
        copy_program(&running, &program, &places, ui)?;
    }
    let done = proposal.carry_out(Direction::Connect, app);
    let is_connected = !done.is_empty() || !proposal.plugged.is_empty();
    say_connected(&done, ui)?;
    say_refused(&proposal, ui);
    Ok((if proposal.refused.is_empty() { Exit::Done } else { Exit::No }, is_connected))
}

/// Takes in what hosts and other programs have kept on this machine: the first day need not begin empty.
fn take_in_what_is_there(args: &SetupArgs, app: &App, ui: &Ui) -> Result<(), AppError> {
    if args.no_import || !app.config.capture.enabled {
        return Ok(());
    }
    let (sessions, bytes) = list_transcripts(app)?;
    let recorded = format!("{} of hosts ({:.0} MB), ", counted(sessions, "session"), bytes as f64 / 1e6);
    let what = format!("{}git history and memory files", if sessions > 0 { &recorded } else { "" });
    let agrees =
        if args.yes { Some(true) } else { ui.confirm(&format!("take in what is here already: {what}?")) };
    let later = "`backstory import --all` does it whenever you like";
    match agrees {
        Some(true) => {}
        Some(false) => return ui.line(&format!("import    nothing: {later}")),
        None => return ui.line(&format!("import    nothing yet of {what}: {later}")),
    }
    let mut store = app.store()?;
    let summary = ImportRun::everything().run(&mut store, app)?;
    if summary.is_empty() {
        return ui.line("import    nothing is here yet that could be taken in");
    }
    ui.line(&format!("import    {what}"))?;
    summary.say(&store, app, ui)?;
    if app.config.recall.vectors && store.vectors().count_stale()? > 0 {
        ui.line("search works by words now; vectors come with every session, or at once by `backstory index --vectors`")?;
    }
    Ok(())
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

/// Returns the path hosts are to run this program by: where it is, or a place that outlives the next build.
fn lasting_place(args: &SetupArgs, running: &Path, places: &HostPaths) -> PathBuf {
    if args.bin_dir.is_none() && !is_in_build_directory(running) {
        return running.to_owned();
    }
    let directory = args.bin_dir.clone().unwrap_or_else(|| places.home.join(".local/bin"));
    std::path::absolute(&directory).unwrap_or(directory).join("backstory")
}

/// What every build of ours has in it, and no other program.
const OURS: &[u8] = b"Gives coding agents the story so far";

/// Refuses to replace a program that only has our name (law 10).
fn refuse_foreign(program: &Path) -> Result<(), AppError> {
    let is_foreign =
        fs::read(program).is_ok_and(|there| !there.windows(OURS.len()).any(|bytes| bytes == OURS));
    if !is_foreign {
        return Ok(());
    }
    Err(AppError::user(format!("`{}` is another program and stays as it is", program.display()))
        .hint("name another directory with `--bin-dir`"))
}

fn is_same(one: &Path, other: &Path) -> bool {
    let length = |path: &Path| path.metadata().map(|it| it.len()).ok();
    length(one) == length(other) && fs::read(one).ok() == fs::read(other).ok()
}

/// Copies this program to where hosts will run it, whole or not at all: one that is running there goes on undisturbed.
fn copy_program(running: &Path, program: &Path, places: &HostPaths, ui: &Ui) -> Result<(), AppError> {
    refuse_foreign(program)?;
    let directory = program.parent().unwrap_or(Path::new("/"));
    let copy = || -> std::io::Result<()> {
        fs::create_dir_all(directory)?;
        let draft = tempfile::NamedTempFile::new_in(directory)?;
        fs::copy(running, draft.path())?;
        backstory_platform::make_executable(draft.path())?;
        draft.as_file().sync_all()?;
        draft.persist(program).map_err(|error| error.error)?;
        Ok(())
    };
    copy().map_err(|error| {
        AppError::user(format!("cannot copy this program to `{}`", program.display()))
            .because(&error)
            .hint("name another directory with `--bin-dir`")
    })?;
    ui.line(&format!("program   copied to {}", ui.tone(Tone::Path, &program.display().to_string())))?;
    if !places.programs.iter().any(|path| path == directory) {
        ui.line(&format!("          add {} to your `PATH` to run it by its name", directory.display()))?;
    }
    Ok(())
}
