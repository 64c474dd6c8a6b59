//! A model writes the notes of sessions: in the background, within its caps, and nothing depends on it. Models over HTTP; those run as a
//! program are in `writer_program`.

use crate::support::{
    HOOK, NOW_MS, answer, ask, assert_absent, assert_exit, bar, configure, count, done, exits, file,
    harmless, log, payload, query, run, wait_for_processes, world,
};
use backstory_testkit::{StubReply, StubServer, TestEnv};
use serde_json::{Value, json};

/// What a test sets beside the world's own variables.
pub(crate) type Variables<'a> = &'a [(&'a str, &'a str)];

/// Runs the binary with more variables and something on standard input.
pub(crate) fn run_with(
    env: &TestEnv,
    variables: Variables<'_>,
    arguments: &[&str],
    input: &str,
) -> backstory_testkit::ProgramOutput {
    let run = run(env, arguments).input(input);
    variables.iter().fold(run, |run, (name, value)| run.var(name, value)).output()
}

/// Plays a session of one turn that changes a file and ends, and waits until whatever it started is done.
pub(crate) fn play(env: &TestEnv, session: &str, variables: Variables<'_>) {
    fire(env, &turn(env, session, "p"), variables);
    fire(env, &[end(session)], variables);
}

/// Sends payloads to the hook, and waits until whatever they started is done.
fn fire(env: &TestEnv, payloads: &[String], variables: Variables<'_>) {
    for payload in payloads {
        harmless(&run_with(env, variables, &HOOK, payload));
    }
    wait_for_processes(env);
}

fn turn(env: &TestEnv, session: &str, id: &str) -> [String; 3] {
    let file = env.project().join("src/retry.rs");
    let prompt = format!(
        "Make the retry loop of {session} give up sooner. Never wait longer than 3 seconds between tries."
    );
    let edit = json!({"tool_name": "Edit", "tool_use_id": format!("{id}-t"),
        "tool_input": {"file_path": file, "old_string": "tries < 9", "new_string": "tries < 3"},
        "tool_response": {"filePath": file, "oldString": "tries < 9", "newString": "tries < 3"}});
    let closing = format!("The retry loop of {session} gives up after 3 tries now.");
    [
        payload(session, "UserPromptSubmit", json!({"prompt_id": id, "prompt": prompt})),
        payload(session, "PostToolUse", edit),
        payload(session, "Stop", json!({"last_assistant_message": closing})),
    ]
}

pub(crate) fn end(session: &str) -> String {
    payload(session, "SessionEnd", json!({"reason": "exit"}))
}

pub(crate) fn number(env: &TestEnv, sql: &str) -> i64 {
    query(env, sql)
}

/// What a good model makes of the turn.
pub(crate) fn good_notes() -> Value {
    json!({
        "summary": {"title": "The retry loop gives up sooner", "request": "Make the retry loop give up sooner",
            "done": "The retry loop gives up after 3 tries."},
        "handoff": {"state": "done", "where": "The retry loop gives up after 3 tries.", "next_steps": [], "open_questions": []},
        "add": [{"kind": "constraint", "title": "Retries never wait longer than 3 seconds between tries",
            "body": "The user wants short waits.", "quote": "Never wait longer than 3 seconds between tries",
            "needed_when": "someone changes the retry loop", "evidence": ["t1"], "files": []}],
        "change": [],
    })
}

fn chat(text: &str) -> StubReply {
    let usage = json!({"prompt_tokens": 300, "completion_tokens": 21});
    StubReply::Response(200, json!({"choices": [{"message": {"content": text}}], "usage": usage}).to_string())
}

/// Makes a server the model, with more lines of the section.
fn write_by(env: &TestEnv, server: &StubServer, more: &str) {
    let section = format!(
        "[writer]\nprovider = \"openai-compatible\"\nmodel = \"local\"\nurl = \"{}/v1\"\n",
        server.url()
    );
    configure(env, &(section + more));
}

fn good_server() -> StubServer {
    StubServer::start(|_| chat(&good_notes().to_string()))
}

#[test]
fn without_a_provider_no_job_is_queued_and_nothing_is_started() {
    let env = world();
    play(&env, "s", &[]);
    assert_eq!(
        number(&env, "SELECT (SELECT count(*) FROM writer_jobs) + (SELECT count(*) FROM model_calls)"),
        0
    );
    assert!(!env.home().join("writer.lock").exists() && !env.home().join("jail").exists());
    assert_eq!(ask(&env, 0, &["status", "--json"])["writer"], Value::Null);
    assert!(!env.run(["status"]).stdout.contains("writer "));
    done(&env, &["write-notes"]);
    assert!(!env.home().join("writer.lock").exists());
}

#[test]
fn a_model_writes_the_notes_of_a_session_that_ends() {
    let env = world();
    let server = good_server();
    write_by(&env, &server, "price = [1, 5]\n");
    fire(&env, &turn(&env, "s", "p"), &[]);
    assert_eq!(server.requests().len(), 0, "the session may go on");
    fire(&env, &[end("s")], &[]);
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].body.contains("Never wait longer than 3 seconds"), "{}", requests[0].body);
    let writer = &answer(&run_with(&env, &[], &["status", "--json"], ""))["writer"];
    assert_eq!(writer["provider"], "openai-compatible");
    let day = &writer["last_day"];
    assert_eq!((&day["calls"], &day["tokens_in"], &day["tokens_out"]), (&json!(1), &json!(300), &json!(21)));
    assert_eq!(
        (&writer["waiting"], &writer["dead"], &writer["rests_until"]),
        (&json!(0), &json!(0), &Value::Null)
    );
    let status = env.run(["status"]).stdout;
    assert!(status.contains("writer     openai-compatible; sessions waiting 0, given up 0"), "{status}");
    assert!(status.contains("in 24 hours: 1 call, 300 tokens in, 21 out, $0.00; notes kept "), "{status}");
    let log = log(&env);
    assert!(log.contains("asked openai-compatible about session ") && !log.contains("seconds"), "{log}");
}

#[test]
fn a_session_that_was_left_idle_is_found_by_the_next_hook() {
    let env = world();
    let server = good_server();
    write_by(&env, &server, "");
    fire(&env, &turn(&env, "s", "p"), &[]);
    let start = payload("next", "SessionStart", json!({"source": "startup"}));
    let after = |minutes: i64| (NOW_MS + minutes * 60_000).to_string();
    fire(&env, std::slice::from_ref(&start), &[("BACKSTORY_NOW_MS", &after(29))]);
    assert_eq!(server.requests().len(), 0);
    fire(&env, &[start], &[("BACKSTORY_NOW_MS", &after(31))]);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_session_is_written_again_only_after_new_words_and_three_times_at_most() {
    let env = world();
    let server = good_server();
    write_by(&env, &server, "");
    play(&env, "s", &[]);
    fire(&env, &[end("s"), end("s")], &[]);
    assert_eq!(server.requests().len(), 1, "nobody said anything since");
    for (turn_id, calls) in [("p2", 2), ("p3", 3), ("p4", 3)] {
        fire(&env, &turn(&env, "s", turn_id), &[]);
        fire(&env, &[end("s")], &[]);
        assert_eq!(server.requests().len(), calls, "{turn_id}");
    }
}

#[test]
fn a_new_secret_is_redacted_before_a_model_is_called() {
    let env = world();
    let server = good_server();
    write_by(&env, &server, "");
    fire(&env, &turn(&env, "s", "p"), &[]);
    fire(&env, &[end("s")], &[("BACKSTORY_REDACT_LITERALS", "[\"sooner\"]")]);
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].body.contains("retry loop") && !requests[0].body.contains("sooner"));
}

#[test]
fn the_api_key_comes_from_the_named_variable_and_reaches_no_file() {
    let env = world();
    let server = StubServer::start(|_| {
        let usage = json!({"input_tokens": 5, "output_tokens": 5});
        let text = good_notes().to_string();
        StubReply::Response(
            200,
            json!({"content": [{"type": "text", "text": text}], "usage": usage}).to_string(),
        )
    });
    let key = ["not", "a", "real", "key"].join("-");
    let url = server.url();
    configure(
        &env,
        &format!("[writer]\nprovider = \"anthropic\"\nurl = \"{url}\"\napi_key_env = \"MY_KEY\"\n"),
    );
    play(&env, "s", &[("MY_KEY", &key)]);
    assert!(server.requests()[0].head.contains(&format!("x-api-key: {key}")));
    assert_eq!(number(&env, "SELECT count(*) FROM model_calls WHERE outcome = 'used'"), 1);
    assert_absent(&env, &key);
    assert_exit(&run_with(&env, &[], &["write-notes"], ""), 2, "`MY_KEY`");
}

/// R22: whatever a model does wrong, it is called rarely, and what the rules made stays.
fn misbehaves(reply: impl Fn() -> StubReply + Send + 'static) {
    let env = world();
    let quiet = world();
    let server = StubServer::start(move |_| reply());
    write_by(&env, &server, "");
    for session in 0..12 {
        let session = format!("s{session}");
        play(&env, &session, &[]);
        play(&quiet, &session, &[]);
    }
    let in_a_minute = server.requests().len();
    assert!((1..=10).contains(&in_a_minute), "{in_a_minute}");
    let status = env.run(["status"]).stdout;
    assert!(status.contains("rests for 11 min: the last calls all failed"), "{status}");
    // Days later, over and over.
    for later in 1..80 {
        let now = (NOW_MS + later * 25 * 3_600_000).to_string();
        let run = run_with(&env, &[("BACKSTORY_NOW_MS", &now)], &["write-notes"], "");
        assert_eq!(run.code, Some(0), "{run:?}");
    }
    let tries = number(
        &env,
        "SELECT max(tries) FROM (SELECT count(*) AS tries FROM model_calls GROUP BY session_id)",
    );
    assert!(tries <= 3, "{tries}");
    assert_eq!(number(&env, "SELECT count(*) FROM writer_jobs WHERE state <> 'dead'"), 0);
    assert_eq!(number(&env, "SELECT max(attempts) FROM writer_jobs"), 3);
    assert_eq!(server.requests().len(), 36, "three tries for each of twelve sessions and not one more");
    assert_eq!(count(&env, "memories"), count(&quiet, "memories"), "what the rules made, and nothing else");
    bar(
        "R22",
        format_args!("{in_a_minute} calls in a minute, {tries} tries a session, the rules' memories stay"),
    );
}

#[test]
fn r22_a_model_that_always_refuses_is_called_rarely() {
    misbehaves(|| StubReply::Response(429, "{}".to_owned()));
}

#[test]
fn r22_a_model_that_always_replies_nonsense_is_called_rarely() {
    misbehaves(|| chat("Sure! I rewrote all of main.rs in 4 days."));
}

#[test]
fn r22_the_budget_of_a_day_is_checked_before_each_call() {
    let env = world();
    // It costs more than anybody could expect.
    let usage = json!({"prompt_tokens": 9000, "completion_tokens": 0});
    let dear =
        json!({"choices": [{"message": {"content": good_notes().to_string()}}], "usage": usage}).to_string();
    let server = StubServer::start(move |_| StubReply::Response(200, dear.clone()));
    write_by(&env, &server, "tokens_per_day = 12000\n");
    for session in ["one", "two", "three", "four"] {
        play(&env, session, &[]);
    }
    let requests = server.requests().len();
    assert!(
        (1..=2).contains(&requests),
        "one call was within the budget, the next could not know: {requests}"
    );
    let waiting = number(&env, "SELECT count(*) FROM writer_jobs WHERE state = 'waiting' AND attempts = 0");
    assert_eq!(waiting + i64::try_from(requests).unwrap(), 4);
}

/// A repository turns the model off for its own sessions, wherever the writer runs.
#[test]
fn a_session_of_a_project_that_wants_no_model_is_not_sent() {
    let env = world();
    let server = good_server();
    write_by(&env, &server, "");
    fire(&env, &turn(&env, "s", "p"), &[]);
    file(&env, ".backstory.toml", "[writer]\nprovider = \"none\"\n");
    let now = (NOW_MS + 31 * 60_000).to_string();
    let elsewhere = run(&env, ["write-notes"]).within(env.home()).var("BACKSTORY_NOW_MS", &now).output();
    assert_exit(&elsewhere, 0, "");
    assert_eq!(server.requests().len(), 0);
    assert_eq!(number(&env, "SELECT count(*) FROM writer_jobs"), 0, "it does not wait");
}

/// A server that does not count reports zeros, and is no cheaper for it.
#[test]
fn a_model_that_reports_no_tokens_is_estimated_and_stays_within_the_budget() {
    let env = world();
    let usage = json!({"prompt_tokens": 0, "completion_tokens": 0});
    let notes = good_notes().to_string();
    let reply = json!({"choices": [{"message": {"content": notes}}], "usage": usage}).to_string();
    let server = StubServer::start(move |_| StubReply::Response(200, reply.clone()));
    write_by(&env, &server, "tokens_per_day = 7000\n");
    for session in ["one", "two", "three", "four", "five", "six"] {
        play(&env, session, &[]);
    }
    let spent = number(&env, "SELECT sum(tokens_in + tokens_out) FROM model_calls");
    assert!((1_000..=7_000).contains(&spent), "{spent}");
    assert!(number(&env, "SELECT count(*) FROM writer_jobs WHERE state = 'waiting'") > 0, "the rest waits");
}

#[test]
fn r22_twenty_sessions_that_end_at_once_stay_within_the_budget() {
    let env = world();
    let server = good_server();
    for session in 0..20 {
        fire(&env, &turn(&env, &format!("s{session}"), "p"), &[]);
    }
    write_by(&env, &server, "tokens_per_day = 7000\n");
    let ends: Vec<_> =
        (0..20).map(|session| run(&env, HOOK).input(end(&format!("s{session}"))).quiet().start()).collect();
    for mut end in ends {
        assert!(end.wait().unwrap().success());
    }
    wait_for_processes(&env);
    // Whichever was refused waits; a later run must not find room either.
    done(&env, &["write-notes"]);
    let spent = number(&env, "SELECT sum(tokens_in + tokens_out) FROM model_calls");
    assert!((1..=7000).contains(&spent), "{spent}");
    assert_eq!(number(&env, "SELECT count(*) FROM model_calls WHERE outcome <> 'used'"), 0);
    let calls = number(&env, "SELECT count(*) FROM model_calls");
    assert!(calls > 1, "one call proves nothing: {calls}");
    bar("R22", format_args!("20 sessions end at once: {calls} calls, {spent} of 7000 tokens"));
}

#[test]
fn an_incomplete_model_configuration_says_what_is_missing() {
    let env = world();
    let incomplete = |provider: &str, missing: &str| {
        configure(&env, &format!("[writer]\nprovider = \"{provider}\"\n"));
        exits(&env, 2, &["write-notes"], missing);
    };
    incomplete("openai-compatible", "`writer.url`");
    incomplete("command", "`writer.command`");
    incomplete("oracle", "writer.provider");
}

#[test]
fn only_the_users_own_file_names_a_writer_and_a_project_can_only_turn_it_off() {
    let env = world();
    exits(&env, 2, &["--set", "writer.provider=claude-code", "status"], "your configuration file only");
    let by_variable = run_with(&env, &[("BACKSTORY_WRITER_PROVIDER", "claude-code")], &["status"], "");
    assert_exit(&by_variable, 2, "your configuration file only");
    file(&env, ".backstory.toml", "[writer]\nprovider = \"claude-code\"\n");
    assert_exit(&env.run(["status"]), 2, "writer.provider");
    let server = good_server();
    write_by(&env, &server, "");
    file(&env, ".backstory.toml", "[writer]\nprovider = \"none\"\n");
    play(&env, "s", &[]);
    assert_eq!((server.requests().len(), number(&env, "SELECT count(*) FROM writer_jobs")), (0, 0));
}
