//! A model that is run as a program: it never outlives us (R21), and nothing it does is remembered (R23).

use crate::support::{
    NOW_MS, Times, assert_absent, bar, configure, count, execute, exits, lock, program, prompt, remember,
    run, send, until, wait_for_processes, world,
};
use crate::writer_server::{good_notes, number, play, run_with};
use backstory_memory::estimate;
use backstory_testkit::TestEnv;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Child;

/// A line of a script that prints what Claude Code does in the end.
fn claude_answer() -> String {
    let usage = json!({"input_tokens": 100, "output_tokens": 20});
    let result = json!({"is_error": false, "result": good_notes().to_string(), "usage": usage});
    format!("printf '%s' '{result}'")
}

/// Makes a program the writer, with more lines of the section.
fn write_by(env: &TestEnv, provider: &str, more: &str) {
    configure(env, &format!("[writer]\nprovider = \"{provider}\"\n{more}"));
}

/// Puts a program into the world that does what the script says, and returns a path to find it by.
fn agent(env: &TestEnv, name: &str, script: &str) -> String {
    let bin = env.world().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let program = bin.join(name);
    // One line a call, whatever stands in the arguments.
    let counted =
        format!("echo $* | tr '\\n' ' ' >> '{0}'; echo >> '{0}'", env.world().join("calls").display());
    fs::write(&program, format!("#!/bin/sh\n{counted}\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:/usr/bin:/bin", bin.display())
}

fn calls(env: &TestEnv) -> usize {
    fs::read_to_string(env.world().join("calls")).unwrap_or_default().lines().count()
}

/// What a host's program prints around an answer, as a line of a script.
fn printed_by(provider: &str) -> String {
    let text = good_notes().to_string();
    let lines = match provider {
        "claude-code" => return claude_answer(),
        "gemini-cli" => vec![
            json!({"response": text, "stats": {"models": {"m": {"tokens": {"prompt": 100, "candidates": 20}}}}}),
        ],
        "codex" => vec![
            json!({"type": "item.completed", "item": {"type": "agent_message", "text": text}}),
            json!({"type": "turn.completed", "usage": {"input_tokens": 100, "output_tokens": 20}}),
        ],
        "opencode" => vec![
            json!({"type": "text", "sessionID": "ses_own", "part": {"text": text}}),
            json!({"type": "step_finish", "part": {"tokens": {"input": 100, "output": 20}}}),
        ],
        "copilot-cli" => vec![json!({"type": "assistant.message", "data": {"content": text}})],
        _ => return format!("printf '%s' '{text}'"),
    };
    lines.iter().map(|line| format!("printf '%s\\n' '{line}'\n")).collect()
}

fn a_program_writes_notes(provider: &str, name: &str, more: &str, flags: &[&str]) {
    let env = world();
    let prompt = env.world().join("prompt");
    let path = agent(&env, name, &format!("cat > '{}'\n{}", prompt.display(), printed_by(provider)));
    write_by(&env, provider, more);
    play(&env, "s", &[("PATH", &path), ("CLAUDECODE", "1")]);
    assert_eq!(number(&env, "SELECT count(*) FROM model_calls WHERE outcome = 'used'"), 1, "{provider}");
    let prompt = fs::read_to_string(prompt).unwrap();
    assert!(prompt.starts_with("[backstory asks") && prompt.contains("Never wait longer"), "{prompt}");
    let arguments = fs::read_to_string(env.world().join("calls")).unwrap();
    for flag in flags {
        assert!(arguments.contains(flag), "{flag}: {arguments}");
    }
    assert!(!arguments.contains("Never wait"), "the prompt stands in no list of processes: {arguments}");
    let spent = number(&env, "SELECT tokens_in * 1000 + tokens_out FROM model_calls");
    if matches!(provider, "copilot-cli" | "command") {
        // Neither says what it used: what was sent and what came back is estimated, not what was set aside for it.
        let [read, written] = [&prompt, &good_notes().to_string()].map(|text| i64::from(estimate(text).0));
        // The parts of a prompt are rounded one by one.
        assert!(
            (spent / 1000 - read).abs() <= 3 && spent % 1000 == written,
            "{provider}: {spent} {read} {written}"
        );
    } else {
        assert_eq!(spent, 100_020, "{provider}");
    }
}

#[test]
fn claude_code_writes_notes_without_tools_hooks_servers_and_a_transcript() {
    let flags = [
        "-p",
        "--no-session-persistence",
        "--strict-mcp-config",
        "disableAllHooks",
        "--session-id",
        "--tools",
    ];
    a_program_writes_notes("claude-code", "claude", "", &flags);
}

#[test]
fn codex_writes_notes_without_a_shell_hooks_and_a_transcript() {
    let flags = [
        "exec",
        "--ephemeral",
        "--sandbox read-only",
        "--disable hooks",
        "--disable shell_tool",
        "--model small",
    ];
    a_program_writes_notes("codex", "codex", "model = \"small\"\n", &flags);
}

#[test]
fn gemini_cli_writes_notes_without_extensions_and_servers() {
    let flags = ["--extensions none", "--allowed-mcp-server-names none", "--session-id"];
    a_program_writes_notes("gemini-cli", "gemini", "", &flags);
}

#[test]
fn opencode_writes_notes_without_plugins_and_tools() {
    a_program_writes_notes("opencode", "opencode", "", &["run --pure", "--agent backstory-notes"]);
}

#[test]
fn copilot_cli_writes_notes_without_tools_and_servers() {
    let flags = ["--available-tools=none", "--disable-builtin-mcps", "--session-id"];
    a_program_writes_notes("copilot-cli", "copilot", "", &flags);
}

#[test]
fn any_command_writes_notes() {
    a_program_writes_notes("command", "llm", "command = [\"llm\", \"-m\", \"tiny\"]\n", &["-m tiny"]);
}

/// Starts a runner whose program hangs, with a child of its own that hangs too.
fn hanging(env: &TestEnv) -> Child {
    play(env, "s", &[]);
    execute(
        env,
        "INSERT INTO writer_jobs (session_id, attempts, due_at_ms, state) SELECT id, 0, 0, 'waiting' FROM sessions",
    );
    let ready = env.world().join("ready");
    let path = agent(env, "claude", &format!("sleep 1000 &\ntouch '{}'\nsleep 1000", ready.display()));
    write_by(env, "claude-code", "");
    let runner = run(env, ["write-notes"]).var("PATH", &path).quiet().start();
    assert!(until(|| ready.exists()));
    runner
}

fn killed_with(signal: rustix::process::Signal) {
    let env = world();
    let mut runner = hanging(&env);
    // The runner, its guard, the program and the two it waits for.
    assert!(until(|| env.processes().len() == 5), "{:?}", env.processes());
    let second = run_with(&env, &[], &["write-notes"], "");
    assert_eq!((second.code, calls(&env)), (Some(0), 1), "one runner at a time, one program at a time");
    let pid = rustix::process::Pid::from_child(&runner);
    rustix::process::kill_process(pid, signal).unwrap();
    runner.wait().unwrap();
    let mut gone = Times::default();
    gone.measure(|| wait_for_processes(&env));
    bar("R21", format_args!("0 processes left of 5 after {signal:?}"));
    gone.report("R21", "children gone");
    assert_eq!(
        number(&env, "SELECT count(*) FROM writer_jobs WHERE state = 'running'"),
        1,
        "its lease will end"
    );
    assert_eq!(
        number(&env, "SELECT count(*) FROM model_calls WHERE outcome = 'started' AND tokens_in > 0"),
        1
    );
    writes_once_after_the_lease(&env);
}

/// Runs the writer again after a runner was killed half-way: nothing before its lease ends, the notes once after that.
fn writes_once_after_the_lease(env: &TestEnv) {
    let path = agent(env, "claude", &claude_answer());
    let write_at = |ms: i64| done_at(env, &path, ms);
    let made = |sql: &str| number(env, sql);
    let notes = "SELECT count(*) FROM memories WHERE title = 'Retries never wait longer than 3 seconds between tries'";
    write_at(NOW_MS + 1_000);
    assert_eq!((calls(env), made(notes)), (1, 0), "the lease holds");
    let after_lease = NOW_MS + 11 * 60_000;
    write_at(after_lease);
    assert_eq!((calls(env), made(notes)), (2, 1), "a later run writes what the killed one did not");
    let all = made("SELECT count(*) FROM memories");
    for later in 1..=3 {
        write_at(after_lease + later * 3_600_000);
    }
    assert_eq!(
        (calls(env), made(notes), made("SELECT count(*) FROM memories")),
        (2, 1, all),
        "and nothing twice"
    );
    assert_eq!(made("SELECT count(*) FROM writer_jobs"), 0);
    assert_eq!(made("SELECT count(*) FROM model_calls WHERE outcome = 'used'"), 1);
    bar("R21", "the notes of a killed runner written once by the next");
}

/// Runs the writer at a time, with a program on its path.
fn done_at(env: &TestEnv, path: &str, ms: i64) {
    let outcome = run(env, ["write-notes"]).var("PATH", path).at(ms).output();
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    wait_for_processes(env);
}

#[test]
fn r21_a_terminated_runner_leaves_no_process_behind() {
    killed_with(rustix::process::Signal::TERM);
}

#[test]
fn r21_a_killed_runner_leaves_no_process_behind() {
    killed_with(rustix::process::Signal::KILL);
}

#[test]
fn r21_a_program_that_hangs_is_ended_by_its_deadline() {
    let env = world();
    let path = agent(&env, "claude", "sleep 1000 &\nsleep 1000");
    write_by(&env, "claude-code", "deadline_seconds = 1\n");
    play(&env, "s", &[("PATH", &path)]);
    assert_eq!(calls(&env), 1);
    assert_eq!(number(&env, "SELECT count(*) FROM writer_jobs WHERE state = 'waiting' AND attempts = 1"), 1);
    assert_eq!(number(&env, "SELECT count(*) FROM model_calls WHERE outcome = 'failed'"), 1);
}

#[test]
fn a_guard_refuses_to_run_outside_its_process_group() {
    let env = world();
    exits(&env, 2, &["guard", "--", "true"], "process group");
}

/// The ways our own sessions are recognised. A fake agent goes round all but one of them.
#[derive(Clone, Copy, PartialEq)]
enum Guard {
    Environment,
    Folder,
    SessionName,
    FirstLine,
    Ancestry,
    /// None stands: what the agent does must be captured, or these tests prove nothing.
    Nobody,
}

/// An agent that fires all our hooks, as a host would with us installed, and answers well.
fn firing_agent(env: &TestEnv, stands: Guard) -> String {
    let unless = |guard, go_round: &str| if stands == guard { String::new() } else { go_round.to_owned() };
    let elsewhere = env.world().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    let note = env.home().join("writer.process");
    let script = [
        "while [ $# -gt 0 ]; do [ \"$1\" = --session-id ] && session=$2; shift; done".to_owned(),
        "read -r prompt".to_owned(),
        // So that only the guard under test can recognise it.
        "unset CLAUDE_PROJECT_DIR".to_owned(),
        unless(Guard::Environment, "unset BACKSTORY_INSIDE"),
        unless(Guard::Folder, &format!("cd '{}'", elsewhere.display())),
        unless(Guard::SessionName, "session=another-$$"),
        unless(Guard::FirstLine, "prompt='Make the parser of tables faster'"),
        unless(Guard::Ancestry, &format!(": > '{}'", note.display())),
        format!("fire() {{ printf '%s' \"$1\" | '{}' hook --host claude-code; }}", program()),
        r#"head="\"session_id\":\"$session\",\"cwd\":\"$PWD\",\"hook_event_name\"""#.to_owned(),
        r#"fire "{$head:\"SessionStart\",\"source\":\"startup\"}""#.to_owned(),
        r#"fire "{$head:\"UserPromptSubmit\",\"prompt_id\":\"p\",\"prompt\":\"$prompt\"}""#.to_owned(),
        r#"fire "{$head:\"PostToolUse\",\"tool_use_id\":\"t\",\"tool_name\":\"Edit\",\"tool_input\":{\"file_path\":\"$PWD/a.rs\",\"old_string\":\"a\",\"new_string\":\"b\"}}""#.to_owned(),
        r#"fire "{$head:\"Stop\",\"last_assistant_message\":\"The parser of tables is faster now.\"}""#.to_owned(),
        r#"fire "{$head:\"SessionEnd\",\"reason\":\"exit\"}""#.to_owned(),
        claude_answer(),
    ];
    agent(env, "claude", &script.join("\n"))
}

/// What is kept of sessions, and how often hooks kept something.
fn kept(env: &TestEnv) -> [i64; 3] {
    ["events", "sessions", "receipts"].map(|table| number(env, &format!("SELECT count(*) FROM {table}")))
}

fn stands_alone(guard: Guard) {
    let env = world();
    // The same sessions, without a model and without its agent.
    let quiet = world();
    let path = firing_agent(&env, guard);
    write_by(&env, "claude-code", "");
    for session in 0..10 {
        let session = format!("s{session}");
        play(&quiet, &session, &[]);
        play(&env, &session, &[("PATH", &path)]);
    }
    let mut expected = kept(&quiet);
    // The first line is known only with the prompt: the receipt of the session start before it stays.
    expected[2] += if guard == Guard::FirstLine { 10 } else { 0 };
    assert_eq!(kept(&env), expected, "not one row of it");
    assert_eq!(number(&env, "SELECT count(*) FROM model_calls"), 10);
    assert_eq!(calls(&env), 10, "one call a session, and none because of a call");
    assert_eq!(number(&env, "SELECT count(*) FROM model_calls WHERE outcome = 'used'"), 10);
    assert_eq!(fs::read_dir(env.home().join("spool")).map_or(0, Iterator::count), 0);
    bar("R23", "0 rows of our own doing, 10 calls in 10 sessions");
}

#[test]
fn r23_the_environment_alone_keeps_our_own_doing_out() {
    stands_alone(Guard::Environment);
}

#[test]
fn r23_the_folder_alone_keeps_our_own_doing_out() {
    stands_alone(Guard::Folder);
}

#[test]
fn r23_the_name_of_the_session_alone_keeps_our_own_doing_out() {
    stands_alone(Guard::SessionName);
}

#[test]
fn r23_the_first_line_alone_keeps_our_own_doing_out() {
    stands_alone(Guard::FirstLine);
}

#[test]
fn r23_the_ancestry_alone_keeps_our_own_doing_out() {
    stands_alone(Guard::Ancestry);
}

#[test]
fn r23_our_own_words_do_not_even_wait_in_the_spool() {
    let env = world();
    remember(&env, "The store is there");
    let held = lock(&env);
    let ours = "[backstory asks for the notes of a session that has ended; this is not a session to remember]\n\nt1 U: do it";
    send(&env, prompt("s", ours));
    send(&env, prompt("s", "and this is somebody else's"));
    drop(held);
    assert_eq!(count(&env, "events"), 1);
    assert_absent(&env, b"not a session to remember");
}

#[test]
fn r23_even_with_no_guard_at_all_the_caps_end_it() {
    let env = world();
    let path = firing_agent(&env, Guard::Nobody);
    write_by(&env, "claude-code", "");
    play(&env, "s", &[("PATH", &path)]);
    assert!(count(&env, "sessions") > 1, "the agent was captured: the guards are what keeps it out");
    assert!(calls(&env) <= 10, "{}", calls(&env));
}
