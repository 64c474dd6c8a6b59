//! How fast a host's own records are read: `cargo bench -p backstory-hosts`. Whoever imports gigabytes waits for this.
//!
//! The records are made up, in the proportions of long sessions: most of one is what was read from files, written down twice,
//! and rows nobody reads.

use backstory_hosts::{DatabaseOpener, Host, HostTranscript, TableReader};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

fn main() {
    divan::main();
}

struct NoDatabaseOpener;

impl DatabaseOpener for NoDatabaseOpener {
    fn open(&self, _: &Path) -> Result<Box<dyn TableReader>, String> {
        Err("there is none".to_owned())
    }
}

#[divan::bench]
fn claude_code(bencher: Bencher<'_, '_>) {
    read(bencher, Host::ClaudeCode, &session_of_claude_code());
}

#[divan::bench]
fn codex(bencher: Bencher<'_, '_>) {
    read(bencher, Host::Codex, &rollout_of_codex());
}

fn read(bencher: Bencher<'_, '_>, host: Host, text: &str) {
    let file = tempfile::NamedTempFile::with_suffix(".jsonl").expect("a file can be made");
    std::fs::write(file.path(), text).expect("it can be written");
    let record = HostTranscript::from_file(host, file.path()).expect("it is a file");
    bencher.counter(BytesCount::of_str(text)).bench(|| {
        let entries = record.read(&NoDatabaseOpener).expect("it can be read");
        black_box(entries.count())
    });
}

const TURNS: usize = 100;
const FILE: &str = "/home/dev/project/order.rs";

/// Part of a source file.
fn source(lines: usize) -> String {
    let line = |line| format!("    let total_{line} = order.items[{line}].price * \"12\".parse::<u64>()?;\n");
    (0..lines).map(line).collect()
}

fn session_of_claude_code() -> String {
    let mut text = String::new();
    let mut number = 0;
    let mut put = |kind: &str, content: Value, more: Value| {
        number += 1;
        let message =
            json!({"role": kind, "content": content, "usage": {"input_tokens": 1, "output_tokens": 2}});
        let mut row = json!({"parentUuid": format!("u{}", number - 1), "isSidechain": false, "promptId": "p", "type": kind,
            "message": message, "uuid": format!("u{number}"), "timestamp": "2026-05-01T12:00:00.000Z", "cwd": "/home/dev/project",
            "sessionId": "s", "version": "2.1.325", "gitBranch": "main"});
        if let (Value::Object(row), Value::Object(more)) = (&mut row, more) {
            row.extend(more);
        }
        writeln!(text, "{row}").expect("a string takes it");
    };
    let asks = |id: &str, tool: &str, input: Value| json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]);
    let answers =
        |id: &str, content: &str| json!([{"type": "tool_result", "tool_use_id": id, "content": content}]);
    for turn in 0..TURNS {
        put("user", json!("Sum the prices of an order, and test it"), json!({}));
        for read in 0..4 {
            let (id, found) = (format!("r{turn}-{read}"), source(150));
            put("assistant", asks(&id, "Read", json!({"file_path": FILE})), json!({}));
            let result = json!({"type": "text", "file": {"filePath": FILE, "content": found}});
            put("user", answers(&id, &found), json!({"toolUseResult": result}));
        }
        let (id, file) = (format!("e{turn}"), source(150));
        let input = json!({"file_path": FILE, "old_string": "a", "new_string": "b"});
        put("assistant", asks(&id, "Edit", input), json!({}));
        let result = json!({"filePath": FILE, "oldString": "a", "newString": "b", "originalFile": file, "structuredPatch": []});
        put("user", answers(&id, "The file was updated"), json!({"toolUseResult": result}));
        let (id, printed) = (format!("b{turn}"), "test orders::sum ... ok\n".repeat(80));
        put("assistant", asks(&id, "Bash", json!({"command": "cargo test"})), json!({}));
        let result = json!({"stdout": printed, "stderr": "", "interrupted": false});
        put("user", answers(&id, &printed), json!({"toolUseResult": result}));
        put(
            "attachment",
            json!(null),
            json!({"attachment": {"type": "environment", "content": source(100)}}),
        );
        let said = json!([{"type": "text", "text": "The prices are summed, and a test holds it."}]);
        put("assistant", said, json!({}));
    }
    text
}

fn rollout_of_codex() -> String {
    let mut text = String::new();
    let mut put = |kind: &str, payload: Value| {
        let row = json!({"timestamp": "2026-05-01T12:00:00.000Z", "type": kind, "payload": payload});
        writeln!(text, "{row}").expect("a string takes it");
    };
    let message = |role: &str, said: &str| json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": said}]});
    put(
        "session_meta",
        json!({"id": "t", "timestamp": "2026-05-01T12:00:00.000Z", "cwd": "/home/dev/project"}),
    );
    for turn in 0..TURNS {
        put("response_item", message("user", "Sum the prices of an order, and test it"));
        for run in 0..5 {
            let id = format!("c{turn}-{run}");
            let arguments = json!({"cmd": "cat order.rs"}).to_string();
            put(
                "response_item",
                json!({"type": "function_call", "name": "exec_command", "call_id": id, "arguments": arguments}),
            );
            let header = "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n";
            let output = format!("{header}{}", source(100));
            put("response_item", json!({"type": "function_call_output", "call_id": id, "output": output}));
            put(
                "event_msg",
                json!({"type": "token_count", "info": {"total_token_usage": {"input_tokens": 1}}}),
            );
        }
        put("response_item", json!({"type": "reasoning", "encrypted_content": "A".repeat(4000)}));
        put("response_item", message("assistant", "The prices are summed, and a test holds it."));
    }
    text
}
