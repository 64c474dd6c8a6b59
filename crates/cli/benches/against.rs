//! The same hooks of another program on the same memories, in turns with ours:
//! `cargo bench -p backstory-cli --bench against -- PLUGIN 10000`, PLUGIN being the plugin folder of an installed claude-mem.
//!
//! Its own `hooks.json` says how its hooks are run; node and bun are found on the `PATH`. It lives in a temporary world like ours, and
//! its worker ends with it. What it would ask a model for is not measured: there is none here.

#![expect(clippy::print_stdout, reason = "a bench prints its numbers")]

#[path = "parts/filled.rs"]
mod filled;

use backstory_testkit::{Corpus, TestEnv, Times, format_figure, resident_mb};
use filled::filled;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const RUNS: usize = 30;
/// The hooks that are compared: the event, a word in the command that serves it, and how we call it.
const HOOKS: [(&str, &str, &str); 3] = [
    ("PostToolUse", "observation", "capture"),
    ("SessionStart", "context", "session start"),
    ("UserPromptSubmit", "session-init", "prompt"),
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let plugin = arguments.iter().map(PathBuf::from).find(|path| path.join("hooks/hooks.json").is_file());
    let memories = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(10_000);
    match plugin {
        Some(plugin) => compare(&plugin, memories),
        None => println!("SKIPPED: no folder with `hooks/hooks.json` was named, so nothing was compared"),
    }
}

fn compare(plugin: &Path, memories: usize) {
    let env = filled(memories);
    let other = Other::start(&env, plugin, memories);
    let mut asking = Corpus::new(2);
    println!(
        "{:<16} {:>10} {:>10} {:>8}   with {memories} memories, p50 of {RUNS}",
        "", "claude-mem", "backstory", "ratio"
    );
    for (event, word, name) in HOOKS {
        let (mut theirs, mut ours) = (Times::default(), Times::default());
        for run in 0..RUNS {
            let payload = payload(&env, event, run, &asking.question());
            let mut their_hook = other.hook(&env, event, word);
            theirs.measure(|| run_hook(&mut their_hook, &payload));
            let mut our_hook = env.command(["hook", "--host", "claude-code"]);
            ours.measure(|| run_hook(&mut our_hook, &payload));
        }
        let (theirs, ours) = (theirs.ms(50), ours.ms(50));
        println!("{name:<16} {theirs:>7.1} ms {ours:>7.1} ms {:>7.0}x", theirs / ours);
    }
    let resident = format_figure(other.worker().and_then(resident_mb), "MB");
    println!("{:<16} {resident:>10} {:>7} MB", "resident", 0);
    println!(
        "{:<16} {:>7.0} MB {:>7.0} MB",
        "installed",
        megabytes(plugin),
        megabytes(Path::new(env!("CARGO_BIN_EXE_backstory")))
    );
}

/// The other program in its own part of the world.
struct Other {
    plugin: PathBuf,
    hooks: Value,
    data: PathBuf,
    home: PathBuf,
}

impl Other {
    /// Starts it, and gives it the memories we have.
    fn start(env: &TestEnv, plugin: &Path, memories: usize) -> Other {
        let plugin = plugin.canonicalize().expect("a folder");
        let hooks = fs::read(plugin.join("hooks/hooks.json")).expect("its hooks");
        let hooks = serde_json::from_slice(&hooks).expect("its hooks as JSON");
        let (data, home) = (env.world().join("claude-mem"), env.world().join("other-user"));
        fs::create_dir_all(&home).expect("a home of its own");
        let other = Other { plugin, hooks, data, home };
        let begins = payload(env, "SessionStart", 0, "");
        run_hook(&mut other.hook(env, "SessionStart", "start"), &begins);
        other.fill(memories, &env.project());
        other
    }

    fn fill(&self, memories: usize, project: &Path) {
        let mut db = rusqlite::Connection::open(self.data.join("claude-mem.db")).expect("its database");
        db.busy_timeout(Duration::from_secs(60)).expect("patience");
        let name = project.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let all = db.transaction().expect("a transaction");
        all.execute(
            "INSERT INTO sdk_sessions (content_session_id, memory_session_id, project, started_at, started_at_epoch, status)
             VALUES ('filled', 'filled', ?1, '2026-04-01T00:00:00Z', 1775001600000, 'completed')",
            [&name],
        )
        .expect("a session");
        let mut corpus = Corpus::new(1);
        for _ in 0..memories {
            let made_up = corpus.memory();
            let files = json!([made_up.file]).to_string();
            all.prepare_cached(
                "INSERT INTO observations (memory_session_id, project, type, title, narrative, facts, concepts, files_read, files_modified, created_at, created_at_epoch)
                 VALUES ('filled', ?1, 'discovery', ?2, ?3, '[]', '[]', '[]', ?4, '2026-04-01T00:00:00Z', ?5)",
            )
            .expect("a statement")
            .execute((&name, &made_up.title, &made_up.body, files, made_up.created_at_ms))
            .expect("an observation");
        }
        all.commit().expect("its memories");
    }

    /// Prepares the hook its own file names for an event, the one whose command holds a word.
    fn hook(&self, env: &TestEnv, event: &str, word: &str) -> Command {
        let listed = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
        let groups = listed(self.hooks.pointer(&format!("/hooks/{event}")));
        let hooks: Vec<Value> = groups.iter().flat_map(|group| listed(group.get("hooks"))).collect();
        let mut commands = hooks.iter().filter_map(|hook| hook.get("command")?.as_str());
        let command = commands.find(|command| command.trim_end().ends_with(word)).expect("such a hook");
        self.shell(env, command)
    }

    fn shell(&self, env: &TestEnv, line: &str) -> Command {
        #[expect(clippy::disallowed_methods, reason = "node and bun are wherever this machine has them")]
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(env.project()).env_clear();
        command.env("PATH", path).env("HOME", &self.home).env("CLAUDE_CONFIG_DIR", self.home.join(".claude"));
        command.env("CLAUDE_PLUGIN_ROOT", &self.plugin).env("CLAUDE_MEM_DATA_DIR", &self.data);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn worker(&self) -> Option<u32> {
        let note = fs::read(self.data.join("worker.pid")).ok()?;
        serde_json::from_slice::<Value>(&note).ok()?.get("pid")?.as_u64()?.try_into().ok()
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        if let Some(pid) = self.worker() {
            drop(Command::new("kill").arg(pid.to_string()).status());
        }
    }
}

fn payload(env: &TestEnv, event: &str, run: usize, prompt: &str) -> String {
    let mut payload =
        json!({"session_id": format!("{event}-{run}"), "cwd": env.project(), "hook_event_name": event});
    let more = match event {
        "SessionStart" => json!({"source": "startup"}),
        "UserPromptSubmit" => json!({"prompt": prompt}),
        _ => {
            json!({"tool_name": "Bash", "tool_input": {"command": "cargo test"}, "tool_response": {"stdout": "test result: ok. ".repeat(100)}, "tool_use_id": format!("t{run}")})
        }
    };
    if let (Some(payload), Value::Object(more)) = (payload.as_object_mut(), more) {
        payload.extend(more);
    }
    payload.to_string()
}

fn run_hook(command: &mut Command, payload: &str) {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("a hook");
    let mut input = child.stdin.take().expect("a pipe");
    drop(input.write_all(payload.as_bytes()));
    drop(input);
    child.wait().expect("the end of the hook");
}

fn megabytes(path: &Path) -> f64 {
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0.0 };
    if !metadata.is_dir() {
        return metadata.len() as f64 / 1e6;
    }
    fs::read_dir(path).into_iter().flatten().flatten().map(|entry| megabytes(&entry.path())).sum()
}
