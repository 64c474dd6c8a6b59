//! Runs a host's hooks as the host would: the same command line, through a shell, in a sandbox.
//!
//! The sandbox has a store with one memory in it, so that there is something to answer; nothing of the user's is read or written.

use crate::app::App;
use crate::caller::Caller;
use crate::env_vars::{BACKSTORY_CONFIG, BACKSTORY_HOME, SETTING_PREFIX};
use crate::error::AppError;
use crate::remember::{DuplicatePolicy, RememberRequest, TargetProject};
use backstory_hosts::{HookCommand, Host, SamplePayload};
use backstory_memory::ContentRecord;
use backstory_platform::{ChildGroup, ProgramOfLine, canonical, program_of_line, shell_of};
use backstory_store::{Home, Purpose, Store};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long to wait for a hook. A host waits longer, but the user of `doctor` is watching.
const PATIENCE: Duration = Duration::from_secs(10);

/// What every session in the sandbox must get.
const KNOWN: &str = "Backstory's doctor was here";

/// A folder with a store and a project of its own.
pub(super) struct HookSandbox<'a> {
    app: &'a App,
    world: TempDir,
    project: PathBuf,
}

/// How one hook did.
#[derive(Debug)]
pub(super) struct TriedHook {
    pub(super) event: String,
    pub(super) ms: f64,
    pub(super) problem: Option<String>,
}

impl HookSandbox<'_> {
    /// Makes a world in which this program remembers something.
    pub(super) fn prepare(app: &App) -> Result<HookSandbox<'_>, AppError> {
        let failed =
            |error: std::io::Error| AppError::user("cannot make a folder to try hooks in").because(&error);
        let world = tempfile::tempdir().map_err(failed)?;
        let root = canonical(world.path()).map_err(failed)?;
        let project = root.join("project");
        std::fs::create_dir(&project).map_err(failed)?;
        std::fs::write(root.join("config.toml"), "").map_err(failed)?;
        let trial = HookSandbox { app, world, project };
        trial.remember_something()?;
        Ok(trial)
    }

    /// Writes what every session in the sandbox must get, in the user's name.
    fn remember_something(&self) -> Result<(), AppError> {
        let (home, caller) = (Home::new(self.home()), Caller::User);
        let app = App { home, caller, cwd: self.project.clone(), ..self.app.clone() };
        let content =
            ContentRecord { body: Some(KNOWN.to_owned()), pinned: Some(true), ..ContentRecord::default() };
        let request = RememberRequest {
            memory: content.into(),
            project: TargetProject::OfRecord,
            duplicates: DuplicatePolicy::Refuse,
            quote: None,
        };
        app.remember(&mut app.store()?, request).map(drop)
    }

    /// Returns a session of a host in this world.
    pub(super) fn samples(&self, host: Host) -> Vec<SamplePayload> {
        host.samples(&self.project)
    }

    /// Plays a session through the hooks a host has.
    pub(super) fn hooks(&self, host: Host, hooks: &[HookCommand]) -> Vec<TriedHook> {
        let hooked = |sample: &SamplePayload| hooks.iter().find(|hook| hook.event == sample.event);
        let samples = self.samples(host);
        let first = samples.first().map(|sample| sample.event.clone()).unwrap_or_default();
        let mut tried: Vec<TriedHook> = samples
            .iter()
            .filter_map(|sample| {
                hooked(sample).map(|hook| self.hook(host, hook, sample, sample.event == first))
            })
            .collect();
        let kept = self.events_kept(host);
        for one in tried.iter_mut().filter(|one| one.problem.is_none() && !kept.contains(&one.event)) {
            one.problem =
                Some("it ran and left no trace: it is not this program, or has another store".to_owned());
        }
        tried
    }

    fn hook(&self, host: Host, hook: &HookCommand, sample: &SamplePayload, is_first: bool) -> TriedHook {
        let variable = |name: &str| self.app.environment.get(name).map(PathBuf::from);
        let ran = match shell_of(&hook.line, host.windows_shells(), variable) {
            Some((shell, arguments)) => self.run(self.command(&shell).args(arguments), &sample.payload),
            None => Err(format!("the shell that {} runs hooks with is not here", host.title())),
        };
        let (ms, problem) = match ran {
            Err(problem) => (0.0, Some(problem)),
            Ok(ran) => (ran.ms, wrong(host, &sample.event, &ran.output, is_first)),
        };
        TriedHook { event: sample.event.clone(), ms, problem }
    }

    /// Returns the events of a host that this world's store has a receipt of.
    fn events_kept(&self, host: Host) -> Vec<String> {
        let store = Store::open(&Home::new(self.home()), Purpose::Read, self.app.now);
        let receipts =
            store.and_then(|store| store.injections().receipts_of(host.as_str(), 100)).unwrap_or_default();
        receipts.into_iter().map(|receipt| receipt.event.into_inner()).collect()
    }

    /// Asks an MCP server who it is, the way a host begins.
    pub(super) fn server(&self, words: &[String]) -> Result<(), String> {
        let Some((program, arguments)) = words.split_first() else {
            return Err("no program is named".to_owned());
        };
        let client = json!({"name": "backstory doctor", "version": env!("CARGO_PKG_VERSION")});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        let ran = self.run(self.command(Path::new(program)).args(arguments), &format!("{request}\n"))?;
        let answer = ran.output.stdout.split(|byte| *byte == b'\n').next().unwrap_or_default();
        match serde_json::from_slice::<Value>(answer) {
            Ok(answer) if answer.pointer("/result/serverInfo/name").is_some() => Ok(()),
            _ => Err(format!("it does not answer as an MCP server: {}", first_line(&ran.output.stderr))),
        }
    }

    /// Returns the program a shell would run for a line.
    pub(super) fn program_in(&self, line: &str) -> Option<PathBuf> {
        let program = match program_of_line(line)? {
            ProgramOfLine::Named(program) => program,
            ProgramOfLine::PrintedBy(shell, arguments) => {
                let ran = self.run(self.command(&shell).args(arguments), "").ok()?;
                String::from_utf8(ran.output.stdout).ok()?.into()
            }
        };
        Some(program).filter(|program| program.is_absolute())
    }

    /// Returns the version a program of ours says it is.
    pub(super) fn version_of(&self, program: &Path) -> Result<String, String> {
        let ran = self.run(self.command(program).arg("--version"), "")?;
        let said = first_line(&ran.output.stdout);
        let version = said.strip_prefix("backstory ").map(str::to_owned);
        version.ok_or_else(|| format!("`{}` is not Backstory", program.display()))
    }

    fn home(&self) -> PathBuf {
        self.world.path().join("home")
    }

    /// Prepares a program as a host would run it, with no setting of the user's but its place in the world.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        for (name, _) in self.app.environment.pairs() {
            if name.starts_with(SETTING_PREFIX) || name == "CLAUDE_PROJECT_DIR" {
                command.env_remove(name);
            }
        }
        command.env(BACKSTORY_HOME, self.home()).env(BACKSTORY_CONFIG, self.world.path().join("config.toml"));
        // A backup would leave a process behind, and vectors would load the model.
        command.env("BACKSTORY_RETENTION_BACKUPS", "0").env("BACKSTORY_RECALL_VECTORS", "false");
        command.current_dir(&self.project);
        command
    }

    fn run(&self, command: &mut Command, input: &str) -> Result<FinishedRun, String> {
        let started = Instant::now();
        let program = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            ChildGroup::spawn(command).map_err(|error| format!("`{program}` cannot be run: {error}"))?;
        // A failed write is ignored: a program that has read enough may close its input, and its answer counts.
        drop(child.take_stdin().map(|mut pipe| pipe.write_all(input.as_bytes())));
        match child.output_within(PATIENCE) {
            Ok(Some(output)) => Ok(FinishedRun { output, ms: started.elapsed().as_secs_f64() * 1000.0 }),
            Ok(None) => Err(format!("it did not end within {} s", PATIENCE.as_secs())),
            Err(error) => Err(format!("`{program}` cannot be waited for: {error}")),
        }
    }
}

struct FinishedRun {
    output: Output,
    ms: f64,
}

/// Says what is wrong with how a hook ended and what it answered, by the rules of the host.
fn wrong(host: Host, event: &str, output: &Output, must_inject: bool) -> Option<String> {
    let said = first_line(&output.stderr);
    match output.status.code() {
        Some(0) => {}
        // A shell ends with 127 if it does not find a program, and with 126 if it may not run it.
        Some(127) => return Some(format!("its program is not there: {said}")),
        Some(126) => return Some(format!("its program cannot be run: {said}")),
        code => {
            let code = code.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
            return Some(format!("it ended with {code}: {said}"));
        }
    }
    if let Err(problem) = host.check_reply(event, &output.stdout) {
        return Some(format!("{} would not take its reply: {problem}", host.title()));
    }
    let has_injected = String::from_utf8_lossy(&output.stdout).contains(KNOWN);
    (must_inject && !has_injected).then(|| "it injected nothing of what is remembered".to_owned())
}

fn first_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}
