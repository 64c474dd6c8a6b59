//! `install`: connects hosts. What is changed, how, and that it can be undone is `hosts`' business; here it is shown and agreed to.

use crate::app::App;
use crate::args::hosts;
use crate::connection_words::{PlanDetail, say_refused, show_plan};
use crate::env_vars::BACKSTORY_HOME;
use crate::failure::{Exit, Failure};
use crate::ui::Tone;
use backstory_app::connection::{
    ConnectionPlan, Direction, confirmation_missing, each_once, hosts_here, is_in_build_directory,
    next_steps, own_program, plan_connection,
};
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
pub(crate) fn run(args: &InstallArgs, app: &App) -> Result<Exit, Failure> {
    let places = app.places()?;
    let program = own_program(&places)?;
    let hosts = wanted_hosts(&args.hosts, &places)?;
    let mut proposal = plan_connection(&hosts, &places, &program, app);
    if args.dry_run {
        return show(args, &proposal, &program, app);
    }
    if !args.json {
        say_notes(&program, app);
    }
    if !proposal.is_idle() && !args.yes {
        match agreed(&proposal, app)? {
            Some(true) => {}
            Some(false) => return Ok(Exit::No),
            None => return Err(confirmation_missing()),
        }
    }
    app.home.prepare()?;
    let done = proposal.carry_out(Direction::Connect, app);
    if args.json {
        app.ui.json(&proposal.shape(Some(&done), Direction::Connect, Some(&program)))?;
    } else {
        say_connected(&done, app)?;
        say_refused(&proposal, app);
    }
    Ok(if proposal.refused.is_empty() { Exit::Done } else { Exit::No })
}

/// Returns the hosts that are to be connected.
fn wanted_hosts(named: &[Host], places: &HostPaths) -> Result<Vec<Host>, Failure> {
    let hosts = if named.is_empty() { hosts_here(places) } else { each_once(named) };
    if hosts.is_empty() {
        let names = Host::ALL.map(Host::as_str).join(", ");
        return Err(Failure::user("no host was found on this machine")
            .hint(format!("name one to connect it all the same: {names}")));
    }
    Ok(hosts)
}

fn show(args: &InstallArgs, proposal: &ConnectionPlan, program: &Path, app: &App) -> Result<Exit, Failure> {
    if args.json {
        app.ui.json(&proposal.shape(None, Direction::Connect, Some(program)))?;
    } else {
        say_notes(program, app);
        show_plan(proposal, PlanDetail::Diffs, app)?;
        for plan in proposal.plans.iter().filter(|plan| plan.changes.is_empty()) {
            app.ui.line(&format!("{} is connected already", plan.host.title()))?;
        }
        say_refused(proposal, app);
        app.ui.say("nothing was changed; without `--dry-run` this is done");
    }
    Ok(if proposal.refused.is_empty() { Exit::Done } else { Exit::No })
}

/// Shows what would change and asks; `None` where nobody is there to answer.
pub(crate) fn agreed(proposal: &ConnectionPlan, app: &App) -> Result<Option<bool>, Failure> {
    show_plan(proposal, PlanDetail::Files, app)?;
    let question = "Change these files? Each is kept as it was, and `backstory uninstall` puts it back.";
    Ok(app.ui.confirm(question))
}

/// Says what was done, what is left to do and how to undo it.
pub(crate) fn say_connected(done: &[InstallPlan], app: &App) -> Result<(), Failure> {
    for plan in done {
        let host = plan.host;
        if plan.changes.is_empty() {
            app.ui.line(&format!("{} is connected already; nothing was changed", host.title()))?;
            continue;
        }
        app.ui.line(&app.ui.tone(Tone::Good, &format!("{} is connected", host.title())))?;
        for change in &plan.changes {
            let path = app.ui.tone(Tone::Path, &change.path.display().to_string());
            app.ui.line(&format!("  {path}  ({})", change.what))?;
        }
        for step in next_steps(host) {
            app.ui.line(&format!("  next: {step}"))?;
        }
        app.ui.line(&format!("  undo: `backstory uninstall {}`", host.as_str()))?;
    }
    Ok(())
}

/// Says what will not be as the user may expect.
fn say_notes(program: &Path, app: &App) {
    if app.environment.get(BACKSTORY_HOME).is_some() {
        app.ui.say(
            "note: `BACKSTORY_HOME` is set here; hosts use this store only where it is set for them, too",
        );
    }
    if is_in_build_directory(program) {
        let program = program.display();
        app.ui.say(&format!("note: hosts will run `{program}`, which lies in a build directory; `backstory setup` copies it to a place that stays"));
    }
}
