//! `install` connects hosts, `uninstall` takes out what it put in. What is changed, how, and that it can be undone is `hosts`' business;
//! here it is shown and agreed to.

use crate::args::hosts;
use crate::connection_words::{PlanDetail, say_refused, show_plan};
use crate::exit::Exit;
use crate::ui::{Tone, Ui};
use backstory_app::connection::{
    ConnectionPlan, Direction, confirmation_missing, each_once, hosts_here, next_steps, plan_connection,
    plan_removal,
};
use backstory_app::env_vars::BACKSTORY_HOME;
use backstory_app::program::{is_in_build_directory, own_program};
use backstory_app::{App, AppError};
use backstory_hosts::{Host, HostPaths, InstallPlan};
use clap::Args;
use std::path::{Path, PathBuf};

/// Arguments of `install` and `uninstall`.
#[derive(Args, Debug)]
pub(crate) struct InstallArgs {
    /// The hosts (default: all that are found, or all that are connected)
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

/// What is to be done to hosts, and with which program.
struct Proposal {
    plan: ConnectionPlan,
    direction: Direction,
    program: Option<PathBuf>,
}

/// Connects hosts.
pub(crate) fn run(args: &InstallArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let places = app.places()?;
    let program = own_program(&places)?;
    let plan = plan_connection(&wanted_hosts(&args.hosts, &places)?, &places, &program, app);
    if !args.json {
        say_notes(&program, app, ui);
    }
    Proposal { plan, direction: Direction::Connect, program: Some(program) }.carry_out(args, app, ui)
}

/// Disconnects hosts. Memories stay.
pub(crate) fn run_uninstall(args: &InstallArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    ui.say_faults(app);
    let plan = plan_removal(&each_once(&args.hosts), &app.places()?, app);
    Proposal { plan, direction: Direction::Disconnect, program: None }.carry_out(args, app, ui)
}

impl Proposal {
    /// Does what is proposed, or only shows it.
    fn carry_out(mut self, args: &InstallArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
        if args.dry_run {
            self.show(args, ui)?;
            return Ok(self.exit());
        }
        if !self.plan.is_idle() && !args.yes {
            // What asks a person cannot ask a program.
            let answer = if args.json { None } else { agreed(&self.plan, self.direction, ui)? };
            match answer {
                Some(true) => {}
                Some(false) => return Ok(Exit::No),
                None => return Err(confirmation_missing()),
            }
        }
        if self.direction == Direction::Connect {
            app.home.prepare()?;
        }
        let done = self.plan.carry_out(self.direction, app);
        if args.json {
            ui.json(&self.plan.shape(Some(&done), self.direction, self.program.as_deref()))?;
        } else {
            match self.direction {
                Direction::Connect => say_connected(&done, ui)?,
                Direction::Disconnect => say_disconnected(&done, app, ui)?,
            }
            say_refused(&self.plan, ui);
        }
        Ok(self.exit())
    }

    fn show(&self, args: &InstallArgs, ui: &Ui) -> Result<(), AppError> {
        if args.json {
            return ui.json(&self.plan.shape(None, self.direction, self.program.as_deref()));
        }
        show_plan(&self.plan, PlanDetail::Diffs, ui)?;
        if self.direction == Direction::Connect {
            for plan in self.plan.plans.iter().filter(|plan| plan.changes.is_empty()) {
                ui.sentence(&format!("{} is connected already", plan.host.title()))?;
            }
        }
        say_refused(&self.plan, ui);
        ui.say("nothing was changed; without `--dry-run` this is done");
        Ok(())
    }

    fn exit(&self) -> Exit {
        if self.plan.refused.is_empty() { Exit::Done } else { Exit::No }
    }
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

/// Shows what would change and asks; `None` where nobody is there to answer.
pub(crate) fn agreed(plan: &ConnectionPlan, direction: Direction, ui: &Ui) -> Result<Option<bool>, AppError> {
    show_plan(plan, PlanDetail::Files, ui)?;
    Ok(ui.confirm(match direction {
        Direction::Connect => {
            "Change these files? Each is kept as it was, and `backstory uninstall` puts it back."
        }
        Direction::Disconnect => "Take Backstory out of these files?",
    }))
}

/// Says what was done, what is left to do and how to undo it.
pub(crate) fn say_connected(done: &[InstallPlan], ui: &Ui) -> Result<(), AppError> {
    for plan in done {
        let host = plan.host;
        if plan.changes.is_empty() {
            ui.sentence(&format!("{} is connected already; nothing was changed", host.title()))?;
            continue;
        }
        ui.sentence(&ui.tone(Tone::Good, &format!("{} is connected", host.title())))?;
        for change in &plan.changes {
            let path = ui.tone(Tone::Path, &change.path.display().to_string());
            ui.sentence(&format!("  {path}  ({})", change.what))?;
        }
        for step in next_steps(host) {
            ui.sentence(&format!("  next: {step}"))?;
        }
        ui.sentence(&format!("  undo: `backstory uninstall {}`", host.as_str()))?;
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

fn say_disconnected(done: &[InstallPlan], app: &App, ui: &Ui) -> Result<(), AppError> {
    for plan in done {
        let title = plan.host.title();
        if plan.changes.is_empty() {
            ui.sentence(&format!("nothing of Backstory is in the files of {title}"))?;
            continue;
        }
        ui.sentence(&ui.tone(Tone::Good, &format!("{title} is no longer connected")))?;
        for change in &plan.changes {
            let path = ui.tone(Tone::Path, &change.path.display().to_string());
            let became = if change.after.is_some() { "" } else { " was removed" };
            ui.sentence(&format!("  {path}{became}"))?;
        }
    }
    if done.is_empty() {
        ui.sentence("no host is connected")?;
    }
    let home = app.home.root().display();
    ui.sentence(&format!("memories stay in {home}; hosts that are running use it until they end"))
}
