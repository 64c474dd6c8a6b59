//! What `install`, `uninstall` and `setup` share: which hosts are meant, what would change, whether that is agreed to, and saying so.

use crate::app::App;
use crate::diff::{Fate, diff};
use crate::failure::Failure;
use crate::ui::Tone;
use backstory_hosts::{FileChange, Host, HostPaths, InstallError, InstallPlan, InstallRecords};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What would be done to several hosts.
pub(crate) struct Proposal {
    pub(crate) plans: Vec<InstallPlan>,
    /// Hosts that a plugin of ours connects, and its name.
    pub(crate) plugged: Vec<(Host, String)>,
    pub(crate) refused: Vec<(Host, Failure)>,
}

/// Which way hosts are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Ours is put in.
    In,
    /// Ours is taken out.
    Out,
}

/// How the files of a host ended up, for other programs.
#[derive(Debug, Serialize)]
pub(crate) struct HostShape {
    host: &'static str,
    state: &'static str,
    files: Vec<FileShape>,
    next: Vec<String>,
    error: Option<String>,
}

#[derive(Debug, Serialize)]
struct FileShape {
    path: String,
    what: String,
    change: &'static str,
}

/// What `install` and `uninstall` answer.
#[derive(Debug, Serialize)]
pub(crate) struct InstallShape {
    version: u32,
    ok: bool,
    dry_run: bool,
    program: Option<String>,
    hosts: Vec<HostShape>,
}

impl App {
    /// Returns where hosts keep their files.
    pub(crate) fn places(&self) -> Result<HostPaths, Failure> {
        self.environment.places().ok_or_else(|| {
            Failure::usage("cannot tell where hosts keep their files")
                .hint("set `HOME` to your home directory")
        })
    }

    /// Returns where it is remembered what hosts' files were before us.
    pub(crate) fn installs(&self) -> InstallRecords {
        InstallRecords::at(self.home.root().join("installs"))
    }
}

/// Returns the path hosts are to run this program by: its name on the search path where that leads here, so that it outlives an
/// update that moves the file behind it.
pub(crate) fn own_program(places: &HostPaths) -> Result<PathBuf, Failure> {
    let failed = |error: std::io::Error| Failure::user("cannot tell where this program is").because(&error);
    let real = std::env::current_exe().and_then(|path| path.canonicalize()).map_err(failed)?;
    let named = places.program("backstory").filter(|named| named.is_absolute());
    Ok(named.filter(|named| named.canonicalize().is_ok_and(|path| path == real)).unwrap_or(real))
}

/// Whether a program lies where builds put it: gone with the next cleaning. Cargo's other mark, `CACHEDIR.TAG`, is missing where somebody
/// else made the directory.
pub(crate) fn is_in_build_directory(program: &Path) -> bool {
    program.ancestors().skip(1).any(|parent| parent.join(".rustc_info.json").exists())
}

/// Returns the hosts that are here.
pub(crate) fn hosts_here(places: &HostPaths) -> Vec<Host> {
    Host::ALL.into_iter().filter(|host| places.detect(*host).is_some()).collect()
}

/// Returns hosts in the order they were named, each once: a plan for one that is done already would find its files changed.
pub(crate) fn each_once(named: &[Host]) -> Vec<Host> {
    let mut hosts: Vec<Host> = Vec::new();
    for host in named {
        if !hosts.contains(host) {
            hosts.push(*host);
        }
    }
    hosts
}

/// Plans to connect hosts to a program.
pub(crate) fn propose(hosts: &[Host], places: &HostPaths, program: &Path, app: &App) -> Proposal {
    let installs = app.installs();
    let mut proposal = Proposal { plans: Vec::new(), plugged: Vec::new(), refused: Vec::new() };
    for host in hosts {
        if let Some(plugin) = host.plugin(places) {
            let is_twice =
                host.connection(places, program).is_ok_and(|connection| !connection.hooks.is_empty());
            match is_twice {
                true => proposal.refused.push((*host, connected_twice(*host, &plugin))),
                false => proposal.plugged.push((*host, plugin)),
            }
            continue;
        }
        match host.plan_install(places, program, &installs) {
            Ok(plan) => proposal.plans.push(plan),
            Err(error) => proposal.refused.push((*host, refusal(*host, Way::In, &error))),
        }
    }
    proposal
}

/// Plans to take ours out of hosts. Hosts nobody named are passed over where nothing of ours is.
pub(crate) fn propose_removal(named: &[Host], places: &HostPaths, app: &App) -> Proposal {
    let installs = app.installs();
    let mut proposal = Proposal { plans: Vec::new(), plugged: Vec::new(), refused: Vec::new() };
    let hosts = if named.is_empty() { Host::ALL.to_vec() } else { named.to_vec() };
    for host in hosts {
        let is_meant = named.contains(&host) || installs.knows(host);
        match host.plan_uninstall(places, &installs) {
            Ok(plan) if is_meant || !plan.changes.is_empty() => proposal.plans.push(plan),
            Err(error) if is_meant => proposal.refused.push((host, refusal(host, Way::Out, &error))),
            _ => {}
        }
    }
    proposal
}

impl Proposal {
    /// Whether nothing would change.
    pub(crate) fn is_idle(&self) -> bool {
        self.plans.iter().all(|plan| plan.changes.is_empty())
    }

    /// Shows which files would change, and how if that was asked for.
    pub(crate) fn show(&self, with_diff: bool, app: &App) -> Result<(), Failure> {
        for plan in self.plans.iter().filter(|plan| !plan.changes.is_empty()) {
            app.ui.line(&app.ui.tone(Tone::Strong, plan.host.title()))?;
            for change in &plan.changes {
                app.ui.line(&format!("  {:<7} {}  ({})", verb(change), path_of(change, app), change.what))?;
                if with_diff {
                    show_diff(change, app)?;
                }
            }
        }
        Ok(())
    }

    /// Does it, host by host; one that cannot be done is left as it was.
    pub(crate) fn carry_out(&mut self, way: Way, app: &App) -> Vec<InstallPlan> {
        let mut plans = std::mem::take(&mut self.plans);
        let mut done = Vec::new();
        // The way back is the way in reversed: a directory made for one host may hold another by now.
        if way == Way::Out {
            plans.reverse();
        }
        for plan in plans {
            match plan.clone().apply(&app.installs()) {
                Ok(()) => done.push(plan),
                Err(error) => self.refused.push((plan.host, refusal(plan.host, way, &error))),
            }
        }
        if way == Way::Out {
            done.reverse();
        }
        done
    }

    /// Says which hosts were left as they are, and why.
    pub(crate) fn say_refused(&self, app: &App) {
        for (host, plugin) in &self.plugged {
            app.ui.say(&format!(
                "note: {} is connected by its plugin `{plugin}`; its settings stay as they are",
                host.title()
            ));
        }
        for (_, failure) in &self.refused {
            app.ui.fail(failure);
        }
    }

    /// Returns what other programs are told: of what was done, or of the plans where nothing was.
    pub(crate) fn shape(
        &self,
        done: Option<&[InstallPlan]>,
        way: Way,
        program: Option<&Path>,
    ) -> InstallShape {
        let is_planned = done.is_none();
        let plans = done.unwrap_or(&self.plans);
        let state = |plan: &InstallPlan| match (plan.changes.is_empty(), is_planned, way) {
            (true, _, _) => "unchanged",
            (false, true, _) => "planned",
            (false, false, Way::In) => "connected",
            (false, false, Way::Out) => "disconnected",
        };
        let files = |plan: &InstallPlan| plan.changes.iter().map(file_shape).collect();
        let next = |plan: &InstallPlan| match way {
            Way::In if !plan.changes.is_empty() => next_steps(plan.host),
            _ => Vec::new(),
        };
        let hosts = plans.iter().map(|plan| HostShape {
            host: plan.host.as_str(),
            state: state(plan),
            files: files(plan),
            next: next(plan),
            error: None,
        });
        let plugged = self.plugged.iter().map(|(host, _)| HostShape {
            host: host.as_str(),
            state: "plugin",
            files: Vec::new(),
            next: Vec::new(),
            error: None,
        });
        let refused = self.refused.iter().map(|(host, failure)| HostShape {
            host: host.as_str(),
            state: "refused",
            files: Vec::new(),
            next: failure.hints().to_vec(),
            error: Some(failure.line()),
        });
        InstallShape {
            version: 1,
            ok: self.refused.is_empty(),
            dry_run: is_planned,
            program: program.map(|program| program.display().to_string()),
            hosts: hosts.chain(plugged).chain(refused).collect(),
        }
    }
}

/// What is said where files would change and nobody is there to agree.
pub(crate) fn nobody_agrees() -> Failure {
    Failure::usage("this changes files of your hosts, and nobody is here to agree to it")
        .hint("say `--yes` to do it without asking")
        .hint("`--dry-run` shows each change")
}

/// What the user has to do for a host that was just connected.
pub(crate) fn next_steps(host: Host) -> Vec<String> {
    let restart = format!("restart {} where it is running", host.title());
    std::iter::once(restart).chain(host.after_install().map(str::to_owned)).collect()
}

fn connected_twice(host: Host, plugin: &str) -> Failure {
    let title = host.title();
    Failure::user(format!(
        "{title} is connected twice, by its plugin `{plugin}` and by its settings: every hook runs twice"
    ))
    .hint(format!("`backstory uninstall {}` keeps the plugin alone", host.as_str()))
}

fn refusal(host: Host, way: Way, error: &InstallError) -> Failure {
    let act = match way {
        Way::In => "connect",
        Way::Out => "disconnect",
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
    Failure::user(format!("cannot {act} {}: none of its files was touched", host.title()))
        .because(error)
        .hint(hint)
}

fn verb(change: &FileChange) -> &'static str {
    match (change.before(), &change.after) {
        (None, _) => "create",
        (Some(_), Some(_)) => "change",
        (Some(_), None) => "remove",
    }
}

fn file_shape(change: &FileChange) -> FileShape {
    FileShape { path: change.path.display().to_string(), what: change.what.clone(), change: verb(change) }
}

fn path_of(change: &FileChange, app: &App) -> String {
    let path = app.ui.tone(Tone::Path, &change.path.display().to_string());
    if change.target() == change.path { path } else { format!("{path} -> {}", change.target().display()) }
}

fn show_diff(change: &FileChange, app: &App) -> Result<(), Failure> {
    let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    for line in diff(&text(change.before()), &text(change.after.as_deref())) {
        let line = match line {
            None => app.ui.tone(Tone::Faint, "      ..."),
            Some((Fate::Stays, line)) => format!("      {}", backstory_memory::clean(&line)),
            Some((Fate::Goes, line)) => format!("    - {}", backstory_memory::clean(&line)),
            Some((Fate::Comes, line)) => {
                app.ui.tone(Tone::Good, &format!("    + {}", backstory_memory::clean(&line)))
            }
        };
        app.ui.line(line.trim_end())?;
    }
    Ok(())
}
