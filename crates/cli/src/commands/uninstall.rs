//! `uninstall`: takes out of hosts what `install` put in. Memories stay.

use crate::args::hosts;
use crate::connection_words::{PlanDetail, say_refused, show_plan};
use crate::exit::Exit;
use crate::ui::{Tone, Ui};
use backstory_app::connection::{Direction, confirmation_missing, each_once, plan_removal};
use backstory_app::{App, AppError};
use backstory_hosts::{Host, InstallPlan};
use clap::Args;

/// Arguments of `uninstall`.
#[derive(Args, Debug)]
pub(crate) struct UninstallArgs {
    /// The hosts to disconnect (default: all that are connected)
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

/// Disconnects hosts.
pub(crate) fn run(args: &UninstallArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    ui.say_faults(app);
    let places = app.places()?;
    let mut proposal = plan_removal(&each_once(&args.hosts), &places, app);
    let exit = |refused: &[(Host, AppError)]| if refused.is_empty() { Exit::Done } else { Exit::No };
    if args.dry_run {
        if args.json {
            ui.json(&proposal.shape(None, Direction::Disconnect, None))?;
        } else {
            show_plan(&proposal, PlanDetail::Diffs, ui)?;
            say_refused(&proposal, ui);
            ui.say("nothing was changed; without `--dry-run` this is done");
        }
        return Ok(exit(&proposal.refused));
    }
    if !proposal.is_idle() && !args.yes {
        // What asks a person cannot ask a program.
        if args.json {
            return Err(confirmation_missing());
        }
        show_plan(&proposal, PlanDetail::Files, ui)?;
        match ui.confirm("Take Backstory out of these files?") {
            Some(true) => {}
            Some(false) => return Ok(Exit::No),
            None => return Err(confirmation_missing()),
        }
    }
    let done = proposal.carry_out(Direction::Disconnect, app);
    if args.json {
        ui.json(&proposal.shape(Some(&done), Direction::Disconnect, None))?;
    } else {
        say_disconnected(&done, app, ui)?;
        say_refused(&proposal, ui);
    }
    Ok(exit(&proposal.refused))
}

fn say_disconnected(done: &[InstallPlan], app: &App, ui: &Ui) -> Result<(), AppError> {
    for plan in done {
        let title = plan.host.title();
        if plan.changes.is_empty() {
            ui.line(&format!("nothing of Backstory is in the files of {title}"))?;
            continue;
        }
        ui.line(&ui.tone(Tone::Good, &format!("{title} is no longer connected")))?;
        for change in &plan.changes {
            let path = ui.tone(Tone::Path, &change.path.display().to_string());
            let became = if change.after.is_some() { "" } else { " was removed" };
            ui.line(&format!("  {path}{became}"))?;
        }
    }
    if done.is_empty() {
        ui.line("no host is connected")?;
    }
    let home = app.home.root().display();
    ui.line(&format!("memories stay in {home}; hosts that are running let go of it when they end"))
}
