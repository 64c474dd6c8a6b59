//! A model that is run as a program: it never outlives us (R21), and nothing it does is remembered (R23).

use crate::polish_server::{number, play, queue_polishing, run_with, work};
use crate::support::{
    Times, assert_absent, bar, count, exits, lock, program, prompt, remember, run, send, until,
    wait_for_processes, world,
};
use backstory_testkit::TestEnv;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Child;

const PROVIDER: (&str, &str) = ("BACKSTORY_DISTIL_PROVIDER", "claude-cli");

/// What the program prints in the end.
const ANSWER: &str = r#"printf '%s' '{"is_error":false,"result":"{\"title\":\"Let the retry loop give up sooner\",\"summary\":\"The retry loop gives up after 3 tries now.\"}","usage":{"input_tokens":100,"output_tokens":20}}'"#;

/// Puts a program called `claude` into the world that does what the script says, and returns a path to find it by.
fn agent(env: &TestEnv, script: &str) -> String {
    let bin = env.world().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let program = bin.join("claude");
    let counted = format!("echo \"$@\" >> '{}'", env.world().join("calls").display());
    fs::write(&program, format!("#!/bin/sh\n{counted}\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:/usr/bin:/bin", bin.display())
}

fn calls(env: &TestEnv) -> usize {
    fs::read_to_string(env.world().join("calls")).unwrap_or_default().lines().count()
}

#[test]
fn a_program_rewords_a_memory() {
    let env = world();
    let path = agent(&env, &format!("cat > '{}'\n{ANSWER}", env.world().join("prompt").display()));
    play(&env, "s", &[PROVIDER, ("PATH", &path)]);
    assert_eq!(work(&env).1, "Let the retry loop give up sooner");
    let prompt = fs::read_to_string(env.world().join("prompt")).unwrap();
    assert!(prompt.starts_with("[backstory asks") && prompt.contains("gives up after 3 tries"), "{prompt}");
    let arguments = fs::read_to_string(env.world().join("calls")).unwrap();
    for needed in [
        "-p",
        "--output-format json",
        "--no-session-persistence",
        "--strict-mcp-config",
        "disableAllHooks",
        "--session-id",
    ] {
        assert!(arguments.contains(needed), "{arguments}");
    }
    assert!(!arguments.contains("tries"), "the prompt stands in no list of processes: {arguments}");
    assert_eq!(number(&env, "SELECT tokens FROM model_calls WHERE outcome = 'used'"), 120);
}

/// Starts a runner whose program hangs, with a child of its own that hangs too.
fn hanging(env: &TestEnv) -> Child {
    play(env, "s", &[]);
    let (id, _) = work(env);
    queue_polishing(env, id);
    let ready = env.world().join("ready");
    let path = agent(env, &format!("sleep 1000 &\ntouch '{}'\nsleep 1000", ready.display()));
    let polish = run(env, ["polish"]).var(PROVIDER.0, PROVIDER.1).var("PATH", &path);
    let runner = polish.quiet().start();
    assert!(until(|| ready.exists()));
    runner
}

fn killed_with(signal: rustix::process::Signal) {
    let env = world();
    let mut runner = hanging(&env);
    // The runner, its guard, the program and the two it waits for.
    assert!(until(|| env.processes().len() == 5), "{:?}", env.processes());
    let second = run_with(&env, &[PROVIDER], &["polish"], "");
    assert_eq!((second.code, calls(&env)), (Some(0), 1), "one runner at a time, one program at a time");
    let pid = rustix::process::Pid::from_child(&runner);
    rustix::process::kill_process(pid, signal).unwrap();
    runner.wait().unwrap();
    let mut gone = Times::default();
    gone.measure(|| wait_for_processes(&env));
    bar("R21", format_args!("0 processes left of 5 after {signal:?}"));
    gone.report("R21", "children gone");
    assert_eq!(number(&env, "SELECT count(*) FROM jobs WHERE state = 'running'"), 1, "its lease will end");
    assert_eq!(number(&env, "SELECT count(*) FROM model_calls WHERE outcome = 'started' AND tokens > 0"), 1);
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
    let path = agent(&env, "sleep 1000 &\nsleep 1000");
    play(&env, "s", &[PROVIDER, ("PATH", &path), ("BACKSTORY_DISTIL_DEADLINE_SECONDS", "1")]);
    assert_eq!(calls(&env), 1);
    assert_eq!(number(&env, "SELECT count(*) FROM jobs WHERE state = 'waiting' AND attempts = 1"), 1);
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
    let note = env.home().join("polish.lock");
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
        ANSWER.to_owned(),
    ];
    agent(env, &script.join("\n"))
}

/// What is kept of sessions, and how often hooks kept something.
fn kept(env: &TestEnv) -> [i64; 4] {
    ["events", "sessions", "memories", "receipts"]
        .map(|table| number(env, &format!("SELECT count(*) FROM {table}")))
}

fn stands_alone(guard: Guard) {
    let env = world();
    // The same sessions, without a model and without its agent.
    let quiet = world();
    let path = firing_agent(&env, guard);
    for session in 0..10 {
        let session = format!("s{session}");
        play(&quiet, &session, &[]);
        play(&env, &session, &[PROVIDER, ("PATH", &path)]);
    }
    let mut expected = kept(&quiet);
    // The first line is known only with the prompt: the receipt of the session start before it stays.
    expected[3] += if guard == Guard::FirstLine { 10 } else { 0 };
    assert_eq!(kept(&env), expected, "not one row of it");
    assert_eq!(number(&env, "SELECT count(*) FROM model_calls"), 10);
    assert_eq!(calls(&env), 10, "one call a session, and none because of a call");
    assert_eq!(number(&env, "SELECT count(*) FROM memories WHERE polished_from IS NOT NULL"), 10);
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
    let ours =
        "[backstory asks for a title and a summary; this is not a session to remember]\n\nkind: change";
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
    play(&env, "s", &[PROVIDER, ("PATH", &path)]);
    assert!(count(&env, "sessions") > 1, "the agent was captured: the guards are what keeps it out");
    assert!(calls(&env) <= 10, "{}", calls(&env));
}
