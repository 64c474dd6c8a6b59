//! The first day with the program, the same on every system: what is run where a system is only emulated, and the rest of the tests is not.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "clippy allows this in a `#[test]`, but not in what tests share"
)]

use backstory_testkit::{ProgramOutput, TestEnv};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The longest that anything may take, emulated on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

fn world() -> TestEnv {
    #[expect(clippy::disallowed_methods, reason = "chosen by who runs the tests")]
    let program =
        std::env::var("BACKSTORY_BIN").unwrap_or_else(|_| env!("CARGO_BIN_EXE_backstory").to_owned());
    // Hooks may take their time: emulated ones are slow.
    TestEnv::new(program).with("BACKSTORY_DEADLINE_MS", "60000")
}

#[track_caller]
fn done(env: &TestEnv, arguments: &[&str]) -> String {
    let outcome = env.run(arguments);
    assert_eq!(outcome.code, Some(0), "{arguments:?}: {outcome:?}");
    outcome.stdout
}

#[track_caller]
fn ask(env: &TestEnv, arguments: &[&str]) -> Value {
    serde_json::from_str(&done(env, arguments)).unwrap()
}

/// Plays a line of a host's configuration as the host does: through a shell of the system, with the event on its input.
fn play(env: &TestEnv, line: &str, payload: &Value) -> ProgramOutput {
    let template = env.command([""; 0]);
    let mut shell = if cfg!(windows) { Command::new("cmd.exe") } else { Command::new("/bin/sh") };
    shell.arg(if cfg!(windows) { "/C" } else { "-c" }).arg(line).current_dir(env.project());
    shell.env_clear().envs(template.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut child =
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let outcome = env.finish(child);
    assert_eq!(outcome.code, Some(0), "{line}: {outcome:?}");
    outcome
}

/// Returns the line that the host would run at an event.
fn line_of(settings: &Value, event: &str) -> String {
    settings["hooks"][event][0]["hooks"][0]["command"]
        .as_str()
        .unwrap_or_else(|| panic!("{event}: {settings}"))
        .to_owned()
}

#[test]
fn setup_connects_a_host_and_its_second_session_knows_the_rule_of_the_first() {
    let env = world();
    let settings = env.world().join("user/.claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(&settings, "{}").unwrap();
    let tools = env.world().join("tools");
    let report = done(&env, &["setup", "--yes", "--no-import", "--bin-dir", tools.to_str().unwrap()]);
    assert!(report.contains("Claude Code connected") || report.contains("connected: "), "{report}");
    let copy = tools.join(format!("backstory{}", std::env::consts::EXE_SUFFIX));
    assert!(copy.is_file(), "hosts run a copy that stays");

    let settings: Value = serde_json::from_str(&fs::read_to_string(&settings).unwrap()).unwrap();
    let send = |session: &str, event: &str, mut fields: Value| {
        fields["session_id"] = session.into();
        fields["hook_event_name"] = event.into();
        fields["cwd"] = json!(env.project());
        play(&env, &line_of(&settings, event), &fields).stdout
    };
    send("one", "SessionStart", json!({"source": "startup"}));
    send(
        "one",
        "UserPromptSubmit",
        json!({"prompt": "From now on always run `make tide-check` before you commit."}),
    );
    send("one", "Stop", json!({"last_assistant_message": "Understood."}));
    send("one", "SessionEnd", json!({"reason": "exit"}));
    let injected = send("two", "SessionStart", json!({"source": "startup"}));
    assert!(injected.contains("make tide-check"), "{injected}\n{}", done(&env, &["status"]));
}

#[test]
fn what_is_remembered_is_found_and_shown() {
    let env = world();
    let id =
        ask(&env, &["remember", "--json", "The ferry timetable is cached for ten minutes"])["id"].to_string();
    let found = ask(&env, &["search", "--json", "timetable cache"]);
    assert_eq!(found["hits"][0]["id"].to_string(), id, "{found}");
    assert!(done(&env, &["show", &id]).contains("ten minutes"));
    assert_eq!(ask(&env, &["status", "--json"])["memories"], 1);
}

#[test]
fn an_agent_finds_by_mcp_what_it_noted() {
    let env = world();
    let call = |id: u64, name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let handshake = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": handshake}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        call(
            3,
            "remember",
            json!({"title": "The lighthouse service listens on port 8123", "body": "Its configuration says so.", "kind": "fact"}),
        ),
        call(4, "search", json!({"query": "lighthouse port"})),
    ];
    let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let outcome = env.run_with(["mcp"], input);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{outcome:?}");
    let replies: Vec<Value> =
        outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(replies.len(), 4, "{outcome:?}");
    let text = replies[3]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("lighthouse service"), "{text}");
}

#[test]
fn a_worker_serves_the_viewer_and_the_users_own_programs_until_it_is_stopped() {
    let env = world();
    done(&env, &["remember", "The store is there"]);
    let mut worker = env.command(["serve"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let status = loop {
        let outcome = env.run(["serve", "--status", "--json"]);
        let status: Value = serde_json::from_str(&outcome.stdout).unwrap_or_default();
        if status["running"] == true {
            break status;
        }
        assert!(begun.elapsed() < PATIENCE && worker.try_wait().unwrap().is_none(), "no worker: {outcome:?}");
    };
    assert_eq!(status["pid"], worker.id());
    let note: Value =
        serde_json::from_str(&fs::read_to_string(env.home().join("worker.json")).unwrap()).unwrap();
    let socket = note["socket"].as_str().unwrap();
    let (code, body) = backstory_server::ask(socket.as_ref(), "GET", "/api/status", "", PATIENCE).unwrap();
    let answer: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((code, answer["memories"].clone()), (200, json!(1)));
    let port = note["port"].as_u64().and_then(|port| u16::try_from(port).ok()).unwrap();
    let mut page = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(page, "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n").unwrap();
    let page = std::io::read_to_string(page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<html"), "{page}");
    done(&env, &["serve", "--stop"]);
    assert_eq!(worker.wait().unwrap().code(), Some(0));
}
