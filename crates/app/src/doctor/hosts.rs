//! Whether hosts are connected, and whether what they would run works: their files are read, their hooks run, their receipts checked.

use super::receipts;
use super::report::{Finding, HookTrialShape, HostFileShape, HostReportShape, group_by_problem, last_hook};
use super::run_hook::{HookSandbox, TriedHook};
use crate::app::App;
use crate::connection::hosts_here;
use crate::error::AppError;
use crate::program::own_program;
use backstory_hosts::{ConnectionState, Host, HostConnection, HostPaths};
use backstory_store::Store;
use std::path::{Path, PathBuf};

/// Examines a host that was named, or all that are here or connected.
pub(super) fn examine(
    named: Option<Host>,
    store: &Store,
    app: &App,
) -> Result<Vec<HostReportShape>, AppError> {
    // Without a home directory there are no hosts.
    let Some(places) = app.environment.places() else { return Ok(Vec::new()) };
    let program = own_program(&places)?;
    let here = hosts_here(&places);
    let mut looked = Vec::new();
    for host in named.map_or_else(|| Host::ALL.to_vec(), |host| vec![host]) {
        let connection = look(host, &places, &program)?;
        if named.is_some() || here.contains(&host) || is_connected(&connection) {
            looked.push((host, connection));
        }
    }
    // A sandbox needs a store of its own, so it is made only if there is something to try.
    let needs_trial = looked.iter().any(|(_, connection)| is_connected(connection));
    let trial = needs_trial.then(|| HookSandbox::prepare(app)).transpose()?;
    let examine = |(host, connection): (Host, HostConnection)| match trial
        .as_ref()
        .filter(|_| is_connected(&connection))
    {
        Some(trial) => Examined::new(host, connection).look(trial, &program).check_receipts(store, app),
        None => Ok(Examined::new(host, connection).disconnected(named.is_some(), here.contains(&host)).shape),
    };
    looked.into_iter().map(examine).collect()
}

/// Returns the hosts that would call us; a file that cannot be read connects none.
pub(crate) fn connected_hosts(app: &App) -> Vec<Host> {
    let Some(places) = app.environment.places() else { return Vec::new() };
    let Ok(program) = own_program(&places) else { return Vec::new() };
    let is_connected =
        |host: &Host| look(*host, &places, &program).is_ok_and(|connection| is_connected(&connection));
    Host::ALL.into_iter().filter(is_connected).collect()
}

/// Reads what a host's files say. Where they name another program than this one, that is reported apart and is no fault of the files: they are
/// compared with what that program would have written.
fn look(host: Host, places: &HostPaths, program: &Path) -> Result<HostConnection, AppError> {
    let read =
        |program: &Path| host.connection(places, program).map_err(|error| AppError::user(error.to_string()));
    let connection = read(program)?;
    let other = connection.server.iter().flatten().next().map(PathBuf::from);
    match other.filter(|other| other.is_file() && other != program) {
        Some(other) => read(&other),
        None => Ok(connection),
    }
}

fn is_connected(connection: &HostConnection) -> bool {
    connection.is_connected() || connection.plugin.is_some()
}

/// A host while it is looked at.
struct Examined {
    host: Host,
    connection: HostConnection,
    shape: HostReportShape,
}

impl Examined {
    fn new(host: Host, connection: HostConnection) -> Examined {
        let files = connection.files.iter().map(|file| HostFileShape {
            path: file.path.display().to_string(),
            what: file.what.clone(),
            state: match file.state {
                ConnectionState::Absent => "absent",
                ConnectionState::Current => "current",
                ConnectionState::Different => "different",
                ConnectionState::Unreadable(_) => "unreadable",
            },
        });
        let shape = HostReportShape {
            host: host.as_str(),
            title: host.title(),
            state: "not connected",
            files: files.collect(),
            program: None,
            program_version: None,
            hooks: Vec::new(),
            mcp: connection.server.clone(),
            mcp_ok: None,
            plugin: connection.plugin.clone(),
            last_hook: None,
            usual_ms: None,
            findings: Vec::new(),
        };
        Examined { host, connection, shape }
    }

    /// Says what there is to say about a host that nothing of ours is in.
    fn disconnected(mut self, is_named: bool, is_here: bool) -> Examined {
        self.read_files();
        let todo = Some(self.install());
        let what = if is_here { "nothing of it is remembered" } else { "it is not on this machine" };
        let finding = if is_named { Finding::broken(what, todo) } else { Finding::note(what, todo) };
        self.shape.findings.push(finding);
        self
    }

    /// Looks at what the host's files say, and tries it.
    fn look(mut self, trial: &HookSandbox<'_>, program: &Path) -> Examined {
        self.read_files();
        self.compare_events();
        let lines = self.connection.hooks.iter().map(|hook| hook.line.as_str());
        let mut programs: Vec<PathBuf> = lines.filter_map(|line| trial.program_in(line)).collect();
        programs.extend(self.connection.server.iter().filter_map(|words| words.first()).map(PathBuf::from));
        programs.sort();
        programs.dedup();
        let can_run: Vec<bool> = programs.iter().map(|one| self.check_program(one, program, trial)).collect();
        // If a program is missing, every hook would fail with the same finding.
        if can_run.iter().all(|can_run| *can_run) {
            self.try_hooks(trial.hooks(self.host, &self.connection.hooks));
            self.try_server(trial);
        }
        self
    }

    fn read_files(&mut self) {
        let install = self.install();
        let is_connected = is_connected(&self.connection);
        for file in &self.connection.files {
            let (path, what) = (file.path.display(), &file.what);
            let finding = match &file.state {
                ConnectionState::Unreadable(why) => {
                    Finding::broken(why, Some("mend the file by hand".to_owned()))
                }
                ConnectionState::Different => Finding::note(
                    &format!("`{path}` is not as this version writes it"),
                    Some(install.clone()),
                ),
                ConnectionState::Absent if is_connected && self.connection.plugin.is_none() => {
                    Finding::note(&format!("`{path}` does not hold our {what}"), Some(install.clone()))
                }
                _ => continue,
            };
            self.shape.findings.push(finding);
        }
        let Some(plugin) = &self.connection.plugin else { return };
        let finding = if self.connection.hooks.is_empty() {
            Finding::note(
                &format!("it is connected by its plugin `{plugin}`, whose hooks are not tried here"),
                None,
            )
        } else {
            let todo = format!("`backstory uninstall {}` keeps the plugin alone", self.host.as_str());
            let what = format!(
                "it is connected twice, by the plugin `{plugin}` and by its settings: every hook runs twice"
            );
            Finding::note(&what, Some(todo))
        };
        self.shape.findings.push(finding);
    }

    fn compare_events(&mut self) {
        let (hooks, install) = (&self.connection.hooks, Some(self.install()));
        let is_hooked = |event: &&str| hooks.iter().any(|hook| hook.event == *event);
        let missing: Vec<&str> = self.host.events().into_iter().filter(|event| !is_hooked(event)).collect();
        let finding = match (missing.is_empty(), hooks.is_empty(), &self.connection.plugin) {
            (true, _, _) | (_, true, Some(_)) => return,
            (false, true, None) => Finding::broken("it runs no hook of ours", install),
            (false, false, _) => Finding::note(&format!("no hook for {}", missing.join(", ")), install),
        };
        self.shape.findings.push(finding);
    }

    /// Looks whether a program is there and is the one that looks. Returns whether it can be run.
    fn check_program(&mut self, one: &Path, ours: &Path, trial: &HookSandbox<'_>) -> bool {
        self.shape.program = Some(one.display().to_string());
        let install = Some(self.install());
        match trial.version_of(one) {
            Err(problem) => {
                self.shape.findings.push(Finding::broken(&problem, install));
                false
            }
            Ok(version) => {
                if version != env!("CARGO_PKG_VERSION") {
                    let what = format!(
                        "`{}` is version {version}, this is {}",
                        one.display(),
                        env!("CARGO_PKG_VERSION")
                    );
                    self.shape.findings.push(Finding::note(&what, install));
                } else if one.canonicalize().ok() != ours.canonicalize().ok() {
                    let what = format!("it runs `{}`, this is `{}`", one.display(), ours.display());
                    self.shape.findings.push(Finding::note(&what, None));
                }
                self.shape.program_version = Some(version);
                true
            }
        }
    }

    fn try_hooks(&mut self, tried: Vec<TriedHook>) {
        let problems = tried.iter().filter_map(|one| Some((one.event.as_str(), one.problem.as_deref()?)));
        for (problem, events) in group_by_problem(problems) {
            let what = format!("its hooks for {events} do not work: {problem}");
            self.shape.findings.push(Finding::broken(&what, Some(self.install())));
        }
        let shape = |one: TriedHook| HookTrialShape {
            event: one.event,
            ok: one.problem.is_none(),
            ms: (one.ms * 10.0).round() / 10.0,
            problem: one.problem,
        };
        self.shape.hooks = tried.into_iter().map(shape).collect();
    }

    fn try_server(&mut self, trial: &HookSandbox<'_>) {
        let Some(words) = &self.connection.server else { return };
        let served = trial.server(words);
        self.shape.mcp_ok = Some(served.is_ok());
        if let Err(problem) = served {
            let what = format!("its MCP server does not work: {problem}");
            self.shape.findings.push(Finding::broken(&what, Some(self.install())));
        }
    }

    /// Checks what the host's hooks left in the user's own store.
    fn check_receipts(mut self, store: &Store, app: &App) -> Result<HostReportShape, AppError> {
        let newest = store.injections().receipts_of(self.host.as_str(), receipts::NEWEST)?;
        self.shape.findings.extend(receipts::findings(self.host, &newest));
        self.shape.usual_ms = receipts::usual_ms(&newest);
        self.shape.last_hook = newest.first().map(|receipt| last_hook(receipt, app));
        self.shape.state = match (self.shape.is_broken(), newest.is_empty()) {
            (true, _) => "broken",
            // Only its own hooks show that the host really runs them.
            (false, true) => "ready",
            (false, false) => "working",
        };
        Ok(self.shape)
    }

    fn install(&self) -> String {
        format!("run `backstory install {}`", self.host.as_str())
    }
}
