//! The binary in a temporary home, with a clock that this module sets.

use crate::TaskResult;
use backstory_testkit::TestEnv;
use serde_json::{Value, json};
use std::cell::Cell;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// 2027-01-01, later than every date in the sets.
const START_MS: i64 = 1_798_761_600_000;
const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// One home, one project folder, one clock.
pub(crate) struct ScorecardWorld {
    env: TestEnv,
    now_ms: Cell<i64>,
}

impl ScorecardWorld {
    /// Creates an empty world for a binary.
    pub(crate) fn new(program: &Path) -> ScorecardWorld {
        let env = TestEnv::new(program).with("BACKSTORY_RECALL_VECTORS", "true");
        ScorecardWorld { env, now_ms: Cell::new(START_MS) }
    }

    /// Runs a command and returns its output. Exit code 1 is accepted: "nothing found" is an answer too.
    pub(crate) fn run(&self, arguments: &[&str], input: &str) -> TaskResult<String> {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn()?;
        let mut pipe = child.stdin.take().ok_or("no pipe to the binary")?;
        let input = input.to_owned();
        // Written on another thread: a long conversation fills both pipes.
        let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
        let ended = self.env.finish(child);
        drop(writer.join());
        match ended.code {
            Some(0 | 1) => Ok(ended.stdout),
            _ => Err(format!("`backstory {}` failed: {}", arguments.join(" "), ended.stderr).into()),
        }
    }

    /// Runs a command and parses its JSON.
    pub(crate) fn json(&self, arguments: &[&str]) -> TaskResult<Value> {
        self.json_with(arguments, "")
    }

    /// Runs a command with input and parses its JSON.
    pub(crate) fn json_with(&self, arguments: &[&str], input: &str) -> TaskResult<Value> {
        let output = self.run(arguments, input)?;
        serde_json::from_str(&output)
            .map_err(|error| format!("`backstory {}`: {error}: {output}", arguments.join(" ")).into())
    }

    /// Runs a hook, a minute after the last one.
    pub(crate) fn hook(&self, session: &str, event: &str, mut payload: Value) -> TaskResult<String> {
        self.now_ms.set(self.now_ms.get() + MINUTE_MS);
        if let Some(payload) = payload.as_object_mut() {
            payload.insert("session_id".to_owned(), session.into());
            payload.insert("hook_event_name".to_owned(), event.into());
            payload.insert("cwd".to_owned(), self.env.project().to_string_lossy().into());
            payload.insert("prompt_id".to_owned(), self.now_ms.get().to_string().into());
        }
        let reply = self.run(&["hook", "--host", "claude-code"], &payload.to_string())?;
        // A minute lies between two hooks: by then vectors were made.
        self.env.wait_for_background();
        Ok(reply)
    }

    /// Moves the clock by a day.
    pub(crate) fn next_day(&self) {
        self.now_ms.set(self.now_ms.get() + DAY_MS);
    }

    /// Calls one MCP tool many times over one connection, and returns the texts of the answers in order.
    pub(crate) fn call(&self, tool: &str, calls: &[Value]) -> TaskResult<Vec<String>> {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "scorecard", "version": "1"}}});
        let requests = calls.iter().enumerate().map(|(at, arguments)| {
            json!({"jsonrpc": "2.0", "id": at + 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        });
        let lines: Vec<String> =
            std::iter::once(hello).chain(requests).map(|line| line.to_string() + "\n").collect();
        let output = self.run(&["mcp"], &lines.concat())?;
        let answers = output.lines().skip(1).map(|line| -> TaskResult<String> {
            let answer: Value = serde_json::from_str(line)?;
            let text = answer.pointer("/result/content/0/text").and_then(Value::as_str);
            Ok(text.ok_or_else(|| format!("`{tool}` answered {answer}"))?.to_owned())
        });
        answers.collect()
    }

    /// Imports lines, and computes their vectors.
    pub(crate) fn import(&self, lines: &[Value]) -> TaskResult {
        let lines: String = lines.iter().map(|line| line.to_string() + "\n").collect();
        let file = self.scratch("import.jsonl");
        fs::write(&file, lines)?;
        // At the terminal of the world: an agent's import is not believed as the user's.
        let child =
            self.command(&["import", "--trust", "user", "--json", &file.to_string_lossy()]).spawn()?;
        let done: Value = serde_json::from_str(&self.env.finish(child).stdout)?;
        if done.pointer("/bad").and_then(Value::as_u64) == Some(0) {
            return Ok(());
        }
        Err(format!("`import` refused lines: {done}").into())
    }

    /// Exports every memory.
    pub(crate) fn memories(&self) -> TaskResult<Vec<Value>> {
        let lines = self.run(&["export"], "")?;
        lines.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }

    /// Returns a path for a temporary file.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.env.world().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.env.command(arguments);
        command.env("BACKSTORY_NOW_MS", self.now_ms.get().to_string());
        command
    }
}
