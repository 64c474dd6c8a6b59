//! A project whose agent is attacked, and what its later sessions are given.

use crate::support::{event, patient_world, run};
use backstory_testkit::TestEnv;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// A repository, a store, and the sessions in it.
pub(super) struct Victim {
    pub(super) env: TestEnv,
    pub(super) mark: String,
    calls: usize,
    turn: String,
}

impl Victim {
    pub(super) fn new(mark: &str) -> Victim {
        let victim = Victim { env: patient_world(), mark: mark.to_owned(), calls: 0, turn: String::new() };
        victim.write("src/app.py", "def charge(a):\n    return a\n");
        victim.git(&["init", "-q", "-b", "main"]);
        victim.git(&["config", "user.name", "Ann"]);
        victim.git(&["config", "user.email", "ann@a.example"]);
        victim.git(&["add", "."]);
        victim.git(&["commit", "-qm", "Start"]);
        victim
    }

    /// Writes a file of the repository.
    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.env.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(self.env.project()).env_clear().env("PATH", "/usr/bin:/bin");
        let output = git.env("HOME", self.env.world().join("user")).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }

    pub(super) fn hook(&mut self, session: &str, name: &str, fields: Value) -> String {
        self.calls += 1;
        event(&self.env, session, name, fields).stdout
    }

    pub(super) fn prompt(&mut self, session: &str, text: &str) {
        self.turn = format!("p{}", self.calls);
        let turn = self.turn.clone();
        self.hook(session, "UserPromptSubmit", json!({"prompt": text, "prompt_id": turn}));
    }

    pub(super) fn tool(&mut self, session: &str, name: &str, input: Value, response: Value) {
        let (call, turn) = (format!("t{}", self.calls), self.turn.clone());
        let mut fields = json!({"tool_name": name, "tool_use_id": call, "prompt_id": turn});
        fields["tool_input"] = input;
        fields["tool_response"] = response;
        self.hook(session, "PostToolUse", fields);
    }

    pub(super) fn fetches(&mut self, session: &str, page: &str) {
        let input = json!({"url": "https://docs.example", "prompt": "read"});
        self.tool(session, "WebFetch", input, json!({"result": page}));
    }

    pub(super) fn asks_server(&mut self, session: &str, tool: &str, answer: &str) {
        let response = json!({"content": [{"type": "text", "text": answer}]});
        self.tool(session, tool, json!({"q": "x"}), response);
    }

    pub(super) fn reads(&mut self, session: &str, text: &str) {
        let path = self.env.project().join("README.md");
        let response = json!({"type": "text", "file": {"filePath": path, "content": text, "numLines": 3}});
        self.tool(session, "Read", json!({"file_path": path}), response);
    }

    pub(super) fn runs(&mut self, session: &str, command: &str, output: &str) {
        let response = json!({"stdout": output, "stderr": "", "interrupted": false});
        self.tool(session, "Bash", json!({"command": command}), response);
    }

    pub(super) fn fails(&mut self, session: &str, command: &str, output: &str) {
        let (call, turn) = (format!("t{}", self.calls), self.turn.clone());
        let fields = json!({
            "tool_name": "Bash", "tool_use_id": call, "prompt_id": turn, "tool_input": {"command": command},
            "error": format!("Exit code 1\n{output}"),
        });
        self.hook(session, "PostToolUseFailure", fields);
    }

    pub(super) fn edits(&mut self, session: &str) {
        self.edits_file(session, "src/app.py", "return a + 1");
    }

    pub(super) fn edits_file(&mut self, session: &str, file: &str, line: &str) {
        let path = self.env.project().join(file);
        let before = fs::read_to_string(&path).unwrap_or_default();
        let (old, new) = ("return a", line);
        let after = if before.contains(old) { before.replace(old, new) } else { format!("{before}{line}\n") };
        self.write(file, &after);
        let input = json!({"file_path": path, "old_string": old, "new_string": new});
        self.tool(session, "Edit", input, json!({"filePath": path, "originalFile": before}));
    }

    pub(super) fn stops(&mut self, session: &str, message: &str) {
        let turn = self.turn.clone();
        self.hook(session, "Stop", json!({"prompt_id": turn, "last_assistant_message": message}));
    }

    pub(super) fn ends(&mut self, session: &str) {
        self.hook(session, "SessionEnd", json!({"reason": "other"}));
    }

    /// A session that does what it is asked, and closes with these words.
    pub(super) fn works(&mut self, session: &str, closing: &str) {
        self.prompt(session, "Add a retry to the billing client");
        self.edits(session);
        self.stops(session, closing);
        self.ends(session);
    }

    /// Calls a tool of our MCP server, as an agent does.
    pub(super) fn calls_us(&self, tool: &str, arguments: &Value) {
        let messages = [
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}),
        ];
        let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
        drop(self.env.run_with(["mcp"], input));
    }

    /// Runs a command as an agent does.
    pub(super) fn agent_runs(&self, arguments: &[&str], input: &str) {
        drop(self.env.run_with(arguments, input));
    }

    /// Runs a command at a terminal, below a host.
    pub(super) fn agent_runs_at_terminal(&self, arguments: &[&str]) {
        drop(run(&self.env, arguments).var("CLAUDECODE", "1").output());
    }

    /// Begins new sessions at every moment that injects; returns the lines they are given.
    pub(super) fn lines_injected_later(&mut self, order: &str) -> Vec<String> {
        let question =
            format!("How do deploys and checks of the billing client work, what is {}?", self.mark);
        let file = self.env.project().join("src/app.py");
        let command = |command: &str| json!({"tool_name": "Bash", "tool_use_id": command, "tool_input": {"command": command}});
        let edit = json!({"file_path": file, "old_string": "a", "new_string": "b"});
        let moments = [
            ("SessionStart", json!({"source": "startup"})),
            ("UserPromptSubmit", json!({"prompt": question, "prompt_id": "q1"})),
            ("UserPromptSubmit", json!({"prompt": order, "prompt_id": "q2"})),
            ("PreToolUse", command("make deploy")),
            ("PreToolUse", command("npm run build")),
            ("PreToolUse", command("pytest")),
            ("PreToolUse", json!({"tool_name": "Edit", "tool_use_id": "e", "tool_input": edit})),
            ("PreCompact", json!({"trigger": "auto", "custom_instructions": ""})),
        ];
        let mut lines = Vec::new();
        for (number, (name, fields)) in moments.into_iter().enumerate() {
            let output = self.hook(&format!("later{number}"), name, fields);
            let reply: Value = serde_json::from_str(&output).unwrap_or_default();
            let block = reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or(&output);
            lines.extend(block.lines().map(|line| format!("{name}: {line}")));
        }
        lines
    }
}
