//! `install`: connects hosts. What is changed, how, and that it can be undone is `hosts`' business; here it is shown and agreed to.

use crate::args::hosts;
use crate::connection_words::{PlanDetail, say_refused, show_plan};
use crate::exit::Exit;
use crate::ui::{Tone, Ui};
use backstory_app::connection::{
    ConnectionPlan, Direction, confirmation_missing, each_once, hosts_here, is_in_build_directory,
    next_steps, own_program, plan_connection,
};
use backstory_app::env_vars::BACKSTORY_HOME;
use backstory_app::{App, AppError};
use backstory_hosts::{Host, HostPaths, InstallPlan};
use clap::Args;
use std::path::Path;

/// Arguments of `install`.
#[derive(Args, Debug)]
pub(crate) struct InstallArgs {
    /// The hosts to connect (default: all that are found)
    #[arg(value_name = "HOST", value_parser = hosts())]
    pub(crate) hosts: Vec<Host>,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Connects hosts.
pub(crate) fn run(args: &InstallArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let places = app.places()?;
    let program = own_program(&places)?;
    let hosts = wanted_hosts(&args.hosts, &places)?;
    let mut proposal = plan_connection(&hosts, &places, &program, app);
    if args.dry_run {
        return show(args, &proposal, &program, app, ui);
    }
    if !args.json {
        say_notes(&program, app, ui);
    }
    if !proposal.is_idle() && !args.yes {
        // What asks a person cannot ask a program.
        if args.json {
            return Err(confirmation_missing());
        }
        match agreed(&proposal, ui)? {
            Some(true) => {}
            Some(false) => return Ok(Exit::No),
            None => return Err(confirmation_missing()),
        }
    }
    app.home.prepare()?;
    let done = proposal.carry_out(Direction::Connect, app);
    if args.json {
        ui.json(&proposal.shape(Some(&done), Direction::Connect, Some(&program)))?;
    } else {
        say_connected(&done, ui)?;
        say_refused(&proposal, ui);
    }
    Ok(if proposal.refused.is_empty() { Exit::Done } else { Exit::No })
}

/// Returns the hosts that are to be connected.
fn wanted_hosts(named: &[Host], places: &HostPaths) -> Result<Vec<Host>, AppError> {
    let hosts = if named.is_empty() { hosts_here(places) } else { each_once(named) };
    if hosts.is_empty() {
        let names = Host::ALL.map(Host::as_str).join(", ");
        return Err(AppError::user("no host was found on this machine")
            .hint(format!("name one to connect it all the same: {names}")));
    }
    Ok(hosts)
}

fn show(
    args: &InstallArgs,
    proposal: &ConnectionPlan,
    program: &Path,
    app: &App,
    ui: &Ui,
) -> Result<Exit, AppError> {
    if args.json {
        ui.json(&proposal.shape(None, Direction::Connect, Some(program)))?;
    } else {
        say_notes(program, app, ui);
        show_plan(proposal, PlanDetail::Diffs, ui)?;
        for plan in proposal.plans.iter().filter(|plan| plan.changes.is_empty()) {
            ui.line(&format!("{} is connected already", plan.host.title()))?;
        }
        say_refused(proposal, ui);
        ui.say("nothing was changed; without `--dry-run` this is done");
    }
    Ok(if proposal.refused.is_empty() { Exit::Done } else { Exit::No })
}

/// Shows what would change and asks; `None` where nobody is there to answer.
pub(crate) fn agreed(proposal: &ConnectionPlan, ui: &Ui) -> Result<Option<bool>, AppError> {
    show_plan(proposal, PlanDetail::Files, ui)?;
    let question = "Change these files? Each is kept as it was, and `backstory uninstall` puts it back.";
    Ok(ui.confirm(question))
}

/// Says what was done, what is left to do and how to undo it.
pub(crate) fn say_connected(done: &[InstallPlan], ui: &Ui) -> Result<(), AppError> {
    for plan in done {
        let host = plan.host;
        if plan.changes.is_empty() {
            ui.line(&format!("{} is connected already; nothing was changed", host.title()))?;
            continue;
        }
        ui.line(&ui.tone(Tone::Good, &format!("{} is connected", host.title())))?;
        for change in &plan.changes {
            let path = ui.tone(Tone::Path, &change.path.display().to_string());
            ui.line(&format!("  {path}  ({})", change.what))?;
        }
        for step in next_steps(host) {
            ui.line(&format!("  next: {step}"))?;
        }
        ui.line(&format!("  undo: `backstory uninstall {}`", host.as_str()))?;
    }
    Ok(())
}

/// Says what will not be as the user may expect.
fn say_notes(program: &Path, app: &App, ui: &Ui) {
    if app.environment.get(BACKSTORY_HOME).is_some() {
        ui.say("note: `BACKSTORY_HOME` is set here; hosts use this store only where it is set for them, too");
    }
    if is_in_build_directory(program) {
        let program = program.display();
        ui.say(&format!("note: hosts will run `{program}`, which lies in a build directory; `backstory setup` copies it to a place that stays"));
    }
}
