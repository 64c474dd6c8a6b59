//! Connecting hosts and disconnecting them: which hosts are here, what would change in their files, and doing it.
//!
//! Not here: how a host's files look (`hosts`), and showing a plan to the user.

use crate::app::App;
use crate::error::{AppError, ErrorCode};
use backstory_hosts::{FileChange, Host, HostPaths, InstallError, InstallPlan, InstallRecords};
use serde::Serialize;
use std::path::Path;

/// What would be done to several hosts.
pub struct ConnectionPlan {
    /// The changes to each host.
    pub plans: Vec<InstallPlan>,
    /// Hosts that a plugin of ours connects, and its name.
    pub plugged: Vec<(Host, String)>,
    /// Hosts that cannot be changed, and why.
    pub refused: Vec<(Host, AppError)>,
}

/// Whether hosts are connected or disconnected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Ours is put in.
    Connect,
    /// Ours is taken out.
    Disconnect,
}

/// How the files of a host ended up.
#[derive(Debug, Serialize)]
pub struct ConnectedHostShape {
    host: &'static str,
    state: &'static str,
    files: Vec<ChangedFileShape>,
    next: Vec<String>,
    error: Option<String>,
}

impl ConnectedHostShape {
    fn new(host: Host, state: &'static str) -> ConnectedHostShape {
        ConnectedHostShape { host: host.as_str(), state, files: Vec::new(), next: Vec::new(), error: None }
    }
}

/// A file that changes.
#[derive(Debug, Serialize)]
pub struct ChangedFileShape {
    path: String,
    what: String,
    change: &'static str,
}

/// What `install --json` and `uninstall --json` answer.
#[derive(Debug, Serialize)]
pub struct ConnectionShape {
    version: u32,
    ok: bool,
    dry_run: bool,
    program: Option<String>,
    hosts: Vec<ConnectedHostShape>,
}

impl App {
    /// Returns where hosts keep their files.
    pub fn places(&self) -> Result<HostPaths, AppError> {
        self.environment.places().ok_or_else(|| {
            AppError::config("cannot tell where hosts keep their files")
                .hint("set `HOME` to your home directory")
        })
    }

    /// Returns the records of what hosts' files were before we changed them.
    pub fn installs(&self) -> InstallRecords {
        InstallRecords::at(self.home.root().join("installs"))
    }
}

/// Returns the hosts that are here.
pub fn hosts_here(places: &HostPaths) -> Vec<Host> {
    Host::ALL.into_iter().filter(|host| places.detect(*host).is_some()).collect()
}

/// Returns hosts in the order they were named, each once: a second plan for the same host would find its files changed by the first.
pub fn each_once(named: &[Host]) -> Vec<Host> {
    let mut hosts: Vec<Host> = Vec::new();
    for host in named {
        if !hosts.contains(host) {
            hosts.push(*host);
        }
    }
    hosts
}

/// Plans to connect hosts to a program.
pub fn plan_connection(hosts: &[Host], places: &HostPaths, program: &Path, app: &App) -> ConnectionPlan {
    let installs = app.installs();
    let mut plan_of_all = ConnectionPlan { plans: Vec::new(), plugged: Vec::new(), refused: Vec::new() };
    for host in hosts {
        if let Some(plugin) = host.plugin(places) {
            let is_twice =
                host.connection(places, program).is_ok_and(|connection| !connection.hooks.is_empty());
            match is_twice {
                true => plan_of_all.refused.push((*host, connected_twice(*host, &plugin))),
                false => plan_of_all.plugged.push((*host, plugin)),
            }
            continue;
        }
        match host.plan_install(places, program, &installs) {
            Ok(plan) => plan_of_all.plans.push(plan),
            Err(error) => plan_of_all.refused.push((*host, refusal(*host, Direction::Connect, &error))),
        }
    }
    plan_of_all
}

/// Plans to remove our parts from hosts. Hosts that were not named are skipped if they hold nothing of ours.
pub fn plan_removal(named: &[Host], places: &HostPaths, app: &App) -> ConnectionPlan {
    let installs = app.installs();
    let mut plan_of_all = ConnectionPlan { plans: Vec::new(), plugged: Vec::new(), refused: Vec::new() };
    let hosts = if named.is_empty() { Host::ALL.to_vec() } else { named.to_vec() };
    for host in hosts {
        let is_wanted = named.contains(&host) || installs.knows(host);
        match host.plan_uninstall(places, &installs) {
            Ok(plan) if is_wanted || !plan.changes.is_empty() => plan_of_all.plans.push(plan),
            Err(error) if is_wanted => {
                plan_of_all.refused.push((host, refusal(host, Direction::Disconnect, &error)));
            }
            _ => {}
        }
    }
    plan_of_all
}

impl ConnectionPlan {
    /// Whether nothing would change.
    pub fn is_idle(&self) -> bool {
        self.plans.iter().all(|plan| plan.changes.is_empty())
    }

    /// Carries out the plan host by host. A host whose change fails is left as it was.
    pub fn carry_out(&mut self, direction: Direction, app: &App) -> Vec<InstallPlan> {
        let mut plans = std::mem::take(&mut self.plans);
        let mut done = Vec::new();
        // Disconnecting goes in reverse order: a directory made for the first host may also hold files of the second.
        if direction == Direction::Disconnect {
            plans.reverse();
        }
        for plan in plans {
            match plan.clone().apply(&app.installs()) {
                Ok(()) => done.push(plan),
                Err(error) => self.refused.push((plan.host, refusal(plan.host, direction, &error))),
            }
        }
        if direction == Direction::Disconnect {
            done.reverse();
        }
        done
    }

    /// Returns the JSON of what was done, or of the plans where nothing was.
    pub fn shape(
        &self,
        done: Option<&[InstallPlan]>,
        direction: Direction,
        program: Option<&Path>,
    ) -> ConnectionShape {
        let is_planned = done.is_none();
        let plans = done.unwrap_or(&self.plans);
        let state = |plan: &InstallPlan| match (plan.changes.is_empty(), is_planned, direction) {
            (true, _, _) => "unchanged",
            (false, true, _) => "planned",
            (false, false, Direction::Connect) => "connected",
            (false, false, Direction::Disconnect) => "disconnected",
        };
        let hosts = plans.iter().map(|plan| ConnectedHostShape {
            files: plan.changes.iter().map(file_shape).collect(),
            next: match direction {
                Direction::Connect if !plan.changes.is_empty() => next_steps(plan.host),
                _ => Vec::new(),
            },
            ..ConnectedHostShape::new(plan.host, state(plan))
        });
        let plugged = self.plugged.iter().map(|(host, _)| ConnectedHostShape::new(*host, "plugin"));
        let refused = self.refused.iter().map(|(host, failure)| ConnectedHostShape {
            next: failure.hints(),
            error: Some(failure.line()),
            ..ConnectedHostShape::new(*host, "refused")
        });
        ConnectionShape {
            version: 1,
            ok: self.refused.is_empty(),
            dry_run: is_planned,
            program: program.map(|program| program.display().to_string()),
            hosts: hosts.chain(plugged).chain(refused).collect(),
        }
    }
}

/// Files would change, and nobody is there to confirm it.
pub fn confirmation_missing() -> AppError {
    AppError::new(
        ErrorCode::ConfirmationMissing,
        "this changes files of your hosts, and nobody is here to confirm it",
    )
    .hint("pass `--yes` to confirm")
    .hint("`--dry-run` shows each change")
}

/// What the user has to do for a host that was just connected.
pub fn next_steps(host: Host) -> Vec<String> {
    let restart = format!("restart {} where it is running", host.title());
    std::iter::once(restart).chain(host.after_install().map(str::to_owned)).collect()
}

fn connected_twice(host: Host, plugin: &str) -> AppError {
    let title = host.title();
    AppError::user(format!(
        "{title} is connected twice, by its plugin `{plugin}` and by its settings: every hook runs twice"
    ))
    .hint(format!("`backstory uninstall {}` keeps the plugin alone", host.as_str()))
}

fn refusal(host: Host, direction: Direction, error: &InstallError) -> AppError {
    let act = match direction {
        Direction::Connect => "connect",
        Direction::Disconnect => "disconnect",
    };
    let hint = match error {
        InstallError::Refused { .. } => "mend the file by hand, then run this again".to_owned(),
        InstallError::ReadOnly { path } => {
            format!(
                "`chmod u+w {}` lets it be changed; if a program writes it for you, add ours there",
                path.display()
            )
        }
        InstallError::NotAFile { path } | InstallError::TooBig { path, .. } => {
            format!("move `{}` out of the way, then run this again", path.display())
        }
        InstallError::Dangling { path } => format!("remove `{}`, or make what it points to", path.display()),
        InstallError::Changed { .. } => "close the host, then run this again".to_owned(),
        InstallError::Program { .. } => {
            "call this program `backstory`, under a path of plain characters: `backstory setup --bin-dir DIR` copies it"
                .to_owned()
        }
        InstallError::Io { .. } => "check who owns it, and that there is space left".to_owned(),
    };
    AppError::user(format!("cannot {act} {}: none of its files was touched", host.title()))
        .because(error)
        .hint(hint)
}

/// Says what happens to a file.
pub fn verb(change: &FileChange) -> &'static str {
    match (change.before(), &change.after) {
        (None, _) => "create",
        (Some(_), Some(_)) => "change",
        (Some(_), None) => "remove",
    }
}

fn file_shape(change: &FileChange) -> ChangedFileShape {
    ChangedFileShape {
        path: change.path.display().to_string(),
        what: change.what.clone(),
        change: verb(change),
    }
}
