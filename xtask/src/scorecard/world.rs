//! The binary in a world of its own: a home nobody lives in, a clock that moves only when it is told to.

use super::Outcome;
use backstory_testkit::TestEnv;
use serde_json::{Value, json};
use std::cell::Cell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Later than anything the sets speak of: 2027-01-01.
const BEGINS_MS: i64 = 1_798_761_600_000;
const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// One home, one project folder, one clock.
pub(crate) struct World {
    env: TestEnv,
    now_ms: Cell<i64>,
}

impl World {
    /// Makes an empty world for a binary.
    pub(crate) fn new(program: &Path) -> World {
        let env = TestEnv::new(program).with("BACKSTORY_RECALL_VECTORS", "true");
        World { env, now_ms: Cell::new(BEGINS_MS) }
    }

    /// Runs a command and returns what it printed, whatever its exit code: "nothing found" is an answer too.
    pub(crate) fn say(&self, arguments: &[&str], input: &str) -> Outcome<String> {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn()?;
        let mut pipe = child.stdin.take().ok_or("no pipe to the binary")?;
        let input = input.to_owned();
        // Written beside the reading: a long conversation fills both pipes.
        let writing = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
        let ended = self.env.finish(child);
        drop(writing.join());
        match ended.code {
            Some(0 | 1) => Ok(ended.stdout),
            _ => Err(format!("`backstory {}` failed: {}", arguments.join(" "), ended.stderr).into()),
        }
    }

    /// Runs a command that answers in JSON.
    pub(crate) fn ask(&self, arguments: &[&str]) -> Outcome<Value> {
        self.ask_with(arguments, "")
    }

    /// Runs a command that reads something and answers in JSON.
    pub(crate) fn ask_with(&self, arguments: &[&str], input: &str) -> Outcome<Value> {
        let said = self.say(arguments, input)?;
        serde_json::from_str(&said)
            .map_err(|error| format!("`backstory {}`: {error}: {said}", arguments.join(" ")).into())
    }

    /// Lets a host tell something, a minute after the last.
    pub(crate) fn hook(&self, session: &str, event: &str, mut payload: Value) -> Outcome<String> {
        self.now_ms.set(self.now_ms.get() + MINUTE_MS);
        if let Some(payload) = payload.as_object_mut() {
            payload.insert("session_id".to_owned(), session.into());
            payload.insert("hook_event_name".to_owned(), event.into());
            payload.insert("cwd".to_owned(), self.env.project().to_string_lossy().into());
            payload.insert("prompt_id".to_owned(), self.now_ms.get().to_string().into());
        }
        self.say(&["hook", "--host", "claude-code"], &payload.to_string())
    }

    /// Lets a day pass.
    pub(crate) fn tomorrow(&self) {
        self.now_ms.set(self.now_ms.get() + DAY_MS);
    }

    /// Calls one tool of the MCP server many times, in one conversation, and returns the texts of the answers in order.
    pub(crate) fn call(&self, tool: &str, calls: &[Value]) -> Outcome<Vec<String>> {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "scorecard", "version": "1"}}});
        let asked = calls.iter().enumerate().map(|(at, arguments)| {
            json!({"jsonrpc": "2.0", "id": at + 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        });
        let lines: Vec<String> =
            std::iter::once(hello).chain(asked).map(|line| line.to_string() + "\n").collect();
        let said = self.say(&["mcp"], &lines.concat())?;
        let answers = said.lines().skip(1).map(|line| -> Outcome<String> {
            let answer: Value = serde_json::from_str(line)?;
            let text = answer.pointer("/result/content/0/text").and_then(Value::as_str);
            Ok(text.ok_or_else(|| format!("`{tool}` answered {answer}"))?.to_owned())
        });
        answers.collect()
    }

    /// Writes documents as `import` takes them, and makes their vectors.
    pub(crate) fn import(&self, lines: &[Value]) -> Outcome<()> {
        let lines: String = lines.iter().map(|line| line.to_string() + "\n").collect();
        let done = self.ask_with(&["import", "-", "--json"], &lines)?;
        if done.pointer("/bad").and_then(Value::as_u64) == Some(0) {
            return Ok(());
        }
        Err(format!("`import` refused lines: {done}").into())
    }

    /// Returns every memory as `export` writes it.
    pub(crate) fn memories(&self) -> Outcome<Vec<Value>> {
        let lines = self.say(&["export"], "")?;
        lines.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }

    /// Returns a place for a file that goes when the world does.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.env.world().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.env.command(arguments);
        command.env("BACKSTORY_NOW_MS", self.now_ms.get().to_string());
        command
    }
}
