//! Refusals with `--json`: whatever a command refuses, a program reads one JSON object with the code, the error and what to do next.

use crate::support::{answer, configure, done, done_in, execute, file, remember, set_schema, world};
use backstory_app::ErrorCode;
use backstory_testkit::{ProgramOutput, TestEnv};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;

/// How a command is called, and what may refuse it whatever its arguments say.
struct CommandCase {
    name: &'static str,
    /// Arguments that are fine in a healthy home; nothing where the command has no `--json`.
    call: Option<Arguments>,
    /// Whether a configuration that cannot be read stops it.
    needs_config: bool,
    /// Whether a store that cannot be opened stops it.
    needs_store: bool,
    /// What its own arguments are refused for.
    refusals: &'static [Refusal],
}

/// Arguments, the exit code, and the code of the refusal.
type Refusal = (Arguments, i32, &'static str);

type Arguments = &'static [&'static str];

const fn reads(name: &'static str, call: Arguments, refusals: &'static [Refusal]) -> CommandCase {
    CommandCase { name, call: Some(call), needs_config: true, needs_store: true, refusals }
}

const fn without_store(name: &'static str, call: Arguments, refusals: &'static [Refusal]) -> CommandCase {
    CommandCase { needs_store: false, ..reads(name, call, refusals) }
}

const fn without_json(name: &'static str) -> CommandCase {
    CommandCase { name, call: None, needs_config: false, needs_store: false, refusals: &[] }
}

const COMMANDS: &[CommandCase] = &[
    without_json("setup"),
    without_store(
        "install",
        &["claude-code", "--dry-run"],
        &[(&["no-such-host"], 2, "bad_request"), (&["claude-code"], 2, "confirmation_missing")],
    ),
    CommandCase {
        needs_config: false,
        ..without_store("uninstall", &["--dry-run"], &[(&["no-such-host"], 2, "bad_request")])
    },
    reads(
        "remember",
        &["We deploy on Tuesdays"],
        &[
            (&["Use BM25 for search"], 1, "near_duplicate"),
            (&["x", "--kind", "no-such-kind"], 2, "bad_request"),
            (&["x", "--project", "atlantis"], 1, "no_such_project"),
            (&["x", "--project", "site"], 1, "ambiguous_project"),
            (&["x", "--importance", "9"], 2, "bad_request"),
            (&[r#"{"body": "x", "created_at": "soon"}"#], 1, "refused"),
            (&[r#"{"body": "#], 1, "refused"),
            (&[r#"{"body": "x", "kind": "no-such-kind"}"#], 2, "bad_request"),
            (&[r#"{"body": "x", "supersedes": "y"}"#], 2, "bad_request"),
            (&[r#"{"body": "Vectors find what words miss", "uid": "deploy"}"#], 1, "uid_taken"),
            (&["The staging password changes each night"], 1, "forgotten"),
            (&[""], 1, "refused"),
        ],
    ),
    reads(
        "revise",
        &["1", "Use BM25 for every search"],
        &[
            (&["999", "x"], 1, "no_such_memory"),
            (&["first", "x"], 2, "bad_request"),
            (&["1", r#"{"kind": "no-such-kind"}"#], 2, "bad_request"),
            (&[], 2, "bad_request"),
        ],
    ),
    reads(
        "supersede",
        &["1", "Use vectors for search"],
        &[
            (&["999", "x"], 1, "no_such_memory"),
            (&["4", "We deploy on Sundays"], 1, "superseded"),
            (&["1", r#"{"body": "x", "kind": "no-such-kind"}"#], 2, "bad_request"),
            (&[], 2, "bad_request"),
        ],
    ),
    reads(
        "forget",
        &["1", "--yes"],
        &[
            (&["999", "--yes"], 1, "no_such_memory"),
            (&["1"], 2, "confirmation_missing"),
            (&[], 2, "bad_request"),
            (&["--event", "999", "--yes"], 1, "no_such_event"),
            (&["--event", "first"], 2, "bad_request"),
            (&["--event", "1", "--text", "x"], 2, "bad_request"),
            (&["--text", "BM25"], 2, "confirmation_missing"),
            (&["--text", "ab", "--yes"], 2, "bad_request"),
        ],
    ),
    reads("review", &[], &[(&["--since", "soon"], 2, "bad_request")]),
    reads("confirm", &["1"], &[(&["999"], 1, "no_such_memory"), (&[], 2, "bad_request")]),
    reads("retire", &["1"], &[(&["999"], 1, "no_such_memory"), (&[], 2, "bad_request")]),
    reads(
        "rules",
        &[],
        &[
            (&["--project", "atlantis"], 1, "no_such_project"),
            (&["add"], 2, "bad_request"),
            (&["add", ""], 1, "refused"),
            (&["edit", "999", "x"], 1, "no_such_memory"),
            (&["edit", "1", "x"], 1, "refused"),
            (&["edit", "1"], 2, "bad_request"),
            (&["retire", "999"], 1, "no_such_memory"),
            (&["retire", "1"], 1, "refused"),
            (&["--write", "AGENTS.md"], 1, "refused"),
            (&["--write", "OTHER.md"], 2, "bad_request"),
            (&["--remove", "CLAUDE.md"], 1, "refused"),
            (&["--remove", "CLAUDE.md", "--write", "CLAUDE.md"], 2, "bad_request"),
        ],
    ),
    reads("pin", &["1"], &[(&["999"], 1, "no_such_memory"), (&[], 2, "bad_request")]),
    // A number nobody has is data here: `missing`.
    reads("show", &["1"], &[(&["first"], 2, "bad_request"), (&[], 2, "bad_request")]),
    reads(
        "search",
        &["search"],
        &[
            (&["x", "--limit", "0"], 2, "bad_request"),
            (&["x", "--kind", "no-such-kind"], 2, "bad_request"),
            (&["x", "--since", "soon"], 2, "bad_request"),
            (&["x", "--until", "soon"], 2, "bad_request"),
            (&["x", "--project", "atlantis"], 1, "no_such_project"),
            (&["x", "--project", "site"], 1, "ambiguous_project"),
            (&["x", "--project", "site", "--all-projects"], 2, "bad_request"),
            (&["x", "--profile", "none"], 2, "bad_request"),
            (&["x", "--team"], 1, "refused"),
            (&["x", "--team", "--all-projects"], 1, "hub_unusable"),
        ],
    ),
    without_json("browse"),
    reads(
        "why",
        &["1"],
        &[
            (&["999"], 1, "no_such_memory"),
            (&["1", "--profile", "inject"], 2, "bad_request"),
            (&[], 2, "bad_request"),
        ],
    ),
    reads(
        "context",
        &[],
        &[
            (&["--moment", "prompt"], 2, "bad_request"),
            (&["--moment", "never"], 2, "bad_request"),
            (&["--prompt", "x", "--command", "y"], 2, "bad_request"),
            (&["--project", "atlantis"], 1, "no_such_project"),
        ],
    ),
    reads(
        "timeline",
        &[],
        &[
            (&["999"], 1, "no_such_memory"),
            (&["--limit", "0"], 2, "bad_request"),
            (&["--project", "site"], 1, "ambiguous_project"),
        ],
    ),
    reads(
        "sessions",
        &[],
        &[
            (&["--limit", "0"], 2, "bad_request"),
            (&["--project", "atlantis"], 1, "no_such_project"),
            (&["show", "no-such-session"], 1, "no_such_session"),
            (&["show", "tuesday"], 1, "ambiguous_session"),
            (&["show", "last"], 1, "no_such_session"),
            (&["show"], 2, "bad_request"),
        ],
    ),
    reads(
        "distil",
        &[],
        &[
            (&["--session", "no-such-session"], 1, "no_such_session"),
            (&["--show"], 1, "no_such_session"),
            (&["--requests", "requests", "--session", "no-such-session"], 1, "no_such_session"),
            (&["--requests", "memories.jsonl"], 1, "file_unusable"),
            (&["--requests", "requests", "--answers", "answers"], 2, "bad_request"),
            (&["--answers", "answers", "--session", "no-such-session"], 1, "no_such_session"),
            (&["--answers", "no-such-folder"], 1, "file_unusable"),
            (&["--answers"], 2, "bad_request"),
        ],
    ),
    reads(
        "handoff",
        &[],
        &[
            (&["--session", "no-such-session"], 1, "no_such_session"),
            (&["--project", "atlantis"], 1, "no_such_project"),
            (&[" "], 1, "refused"),
            (&["x", "--session", "last"], 2, "bad_request"),
            (&[r#"{"body":"x","supersedes":"u1"}"#], 2, "bad_request"),
        ],
    ),
    reads(
        "project",
        &[],
        &[
            (&["show", "atlantis"], 1, "no_such_project"),
            (&["show", "site"], 1, "ambiguous_project"),
            (&["rename", "atlantis", "x"], 1, "no_such_project"),
            (&["rename", "1", " "], 2, "bad_request"),
            (&["link", "atlantis", "--yes"], 1, "no_such_project"),
            (&["link", "site", "--yes"], 1, "ambiguous_project"),
            (&["link", "2"], 2, "confirmation_missing"),
            (&["link", "--yes"], 2, "bad_request"),
            (&["unlink", "2"], 2, "bad_request"),
            (&["merge", "2", "3"], 2, "confirmation_missing"),
            (&["merge", "2", "2", "--yes"], 1, "refused"),
            (&["unshare", "atlantis"], 1, "no_such_project"),
            (&["share"], 1, "hub_unusable"),
            (&["share", "--team", "no-such-team"], 1, "refused"),
            (&["share", "--team", "no team"], 2, "bad_request"),
            (&["juggle"], 2, "bad_request"),
        ],
    ),
    reads(
        "team",
        &[],
        &[
            (&["init", UNREACHABLE_HUB], 1, "hub_unusable"),
            (&["init", "postgres://ada:secret@127.0.0.1/hub"], 2, "bad_request"),
            (&["init", UNREACHABLE_HUB, "--team", "no team"], 2, "bad_request"),
            (&["invite", "bob"], 1, "refused"),
            (&["invite", "no name"], 2, "bad_request"),
            (&["revoke", "bob"], 1, "refused"),
            (&["join", UNREACHABLE_HUB], 1, "hub_unusable"),
            (&["join", "nowhere"], 2, "bad_request"),
            (&["join"], 2, "bad_request"),
            (&["leave", "no-such-team"], 1, "refused"),
            (&["held", "1"], 2, "bad_request"),
            (&["restore", "999"], 1, "refused"),
            (&["restore"], 2, "bad_request"),
            (&["restore", "1", "--all"], 2, "bad_request"),
            (&["discard", "999"], 1, "refused"),
            (&["discard"], 2, "bad_request"),
            (&["juggle"], 2, "bad_request"),
        ],
    ),
    reads("sync", &[], &[(&["now"], 2, "bad_request")]),
    reads(
        "import",
        &["memories.jsonl"],
        &[
            (&["no-such-file"], 1, "file_unusable"),
            (&["--from", "nowhere"], 2, "bad_request"),
            (&["--all", "--since", "soon"], 2, "bad_request"),
            (&["--all", "--from", "git"], 2, "bad_request"),
            (&[], 2, "bad_request"),
        ],
    ),
    reads(
        "export",
        &["--git", "shared", "--as", "Ada", "--dry-run"],
        // Without `--git` an export is JSON itself.
        &[(&[], 2, "bad_request"), (&["--git", "shared", "--since", "7d"], 2, "bad_request")],
    ),
    reads("index", &[], &[(&["--vectors"], 2, "bad_request")]),
    reads("status", &[], &[(&["now"], 2, "bad_request")]),
    CommandCase {
        needs_config: false,
        ..reads("doctor", &[], &[(&["--host", "no-such-host"], 2, "bad_request")])
    },
    without_store("eval", &["set.json"], &[(&["no-such-file"], 1, "file_unusable"), (&[], 2, "bad_request")]),
    CommandCase {
        needs_config: false,
        ..without_store(
            "config",
            &[],
            &[(&["get", "no.such.setting"], 2, "bad_request"), (&["get"], 2, "bad_request")],
        )
    },
    without_store("redact", &[], &[(&["x"], 2, "bad_request")]),
    without_json("mcp"),
    without_store("serve", &["--status"], &[(&["--stop", "--status"], 2, "bad_request")]),
    without_json("view"),
    without_json("completions"),
    CommandCase { refusals: &[(&[], 2, "bad_request")], ..without_json("self") },
];

/// Commands that no help lists: hosts and this program itself run them.
const HIDDEN_COMMANDS: &[CommandCase] = &[
    reads("maintain", &[], &[(&["now"], 2, "bad_request")]),
    without_json("write-notes"),
    CommandCase { refusals: &[(&["true"], 2, "bad_request")], ..without_json("guard") },
];

/// What only the user may do: an agent is refused with this code.
const ONLY_BY_THE_USER: &[&[&str]] = &[
    &["confirm", "1"],
    &["retire", "1"],
    &["project", "rename", "1", "x"],
    &["rules", "--write", "CLAUDE.md"],
];
const USER_ONLY: &str = ErrorCode::UserOnly.as_str();

const HUB_SILENT: &str = ErrorCode::HubSilent.as_str();
const BAD_CONFIG: &str = ErrorCode::BadConfig.as_str();
const STORE_UNUSABLE: &str = ErrorCode::StoreUnusable.as_str();

/// Codes that no command ends with, and why.
const OF_NO_COMMAND: [(&str, &str); 7] = [
    ("project_missing", "a command takes the project of its folder"),
    ("projects_missing", "a command takes the project of its folder"),
    ("project_path_missing", "a command takes its folder"),
    ("project_path_relative", "a command takes its folder"),
    ("no_such_injection", "no command names an injection"),
    ("out_of_time", "only a read over HTTP has a deadline"),
    ("internal_error", "is a bug, and mended once an input is known that leads to it"),
];

/// A hub nobody listens at.
const UNREACHABLE_HUB: &str = "postgres://ada@127.0.0.1:9/hub?sslmode=disable";

fn all_commands() -> impl Iterator<Item = &'static CommandCase> {
    COMMANDS.iter().chain(HIDDEN_COMMANDS)
}

/// Returns a home with a memory in it, two projects of one name, sessions whose names begin alike, a memory with a uid that is
/// superseded, one that was forgotten, a team whose hub cannot be reached, and the files the calls name.
fn home() -> TestEnv {
    let env = world();
    remember(&env, "Use BM25 for search");
    for folder in ["a/site", "b/site"] {
        done_in(&env, folder, &["remember", &format!("Written in {folder}")]);
    }
    for session in ["tuesday-morning", "tuesday-evening"] {
        let insert = "INSERT INTO sessions (project_id, host, host_session, started_at_ms, last_event_at_ms)
                      VALUES (2, 'codex', 'NAME', 0, 0)";
        execute(&env, &insert.replace("NAME", session));
    }
    done(&env, &["remember", r#"{"body": "We deploy on Mondays", "uid": "deploy"}"#]);
    done(&env, &["supersede", "4", "We deploy on Fridays"]);
    let forgotten = remember(&env, "The staging password changes each night").to_string();
    done(&env, &["forget", &forgotten, "--yes"]);
    let insert = "INSERT INTO teams (name, transport, url, member, hub_team, hub_id, joined_at_ms)
                  VALUES ('team', 'hub', 'URL', 'ada', 'team', 'id', 0)";
    execute(&env, &insert.replace("URL", UNREACHABLE_HUB));
    file(&env, "memories.jsonl", "{\"body\": \"We deploy on Mondays\"}\n");
    file(&env, "set.json", r#"{"name": "s", "documents": [], "queries": []}"#);
    fs::create_dir(env.project().join("shared")).unwrap();
    env
}

/// Returns what is wrong with a run that must be refused in JSON, and in JSON alone, with this exit code and this code; without
/// `--json` it must end with the same exit code.
fn problem(env: &TestEnv, call: &[&str], exit: i32, code: &str) -> Option<String> {
    let plain: Vec<&str> = call.iter().copied().filter(|argument| *argument != "--json").collect();
    // An export alone is JSON already, and fine.
    if plain != ["export"] && env.run(&plain).code != Some(exit) {
        return Some(format!("{} without `--json` does not exit with {exit}", plain.join(" ")));
    }
    problem_of(&env.run(call), call, exit, code)
}

/// Returns what is wrong with what such a run printed.
fn problem_of(outcome: &ProgramOutput, call: &[&str], exit: i32, code: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(&outcome.stdout).unwrap_or_default();
    let has_text = answer["error"].as_str().is_some_and(|error| !error.is_empty());
    let is_complete = has_text && answer["hints"].is_array() && answer.get("existing_id").is_some();
    let is_refused = answer["ok"] == false && answer["code"] == code && outcome.code == Some(exit);
    (!is_refused || !is_complete).then(|| format!("{}, not {exit} {code}: {outcome:?}", call.join(" ")))
}

/// Fails with all that is wrong at once.
fn all_refused(problems: impl Iterator<Item = Option<String>>) {
    let problems: Vec<String> = problems.flatten().collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn with_json<'a>(case: &CommandCase, arguments: &[&'a str]) -> Vec<&'a str>
where
    'static: 'a,
{
    [&[case.name], arguments, &["--json"]].concat()
}

/// Returns the calls that are fine in a healthy home.
fn calls() -> impl Iterator<Item = (&'static CommandCase, Vec<&'static str>)> {
    all_commands().filter_map(|case| Some((case, with_json(case, case.call?))))
}

#[test]
fn every_command_of_the_help_has_a_case() {
    let help = world().run(["--help"]).stdout;
    let list = help.split_once("Options:\n").unwrap().0;
    // A line of a description is indented further than a name.
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let mut names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    let mut cases: Vec<&str> = COMMANDS.iter().map(|case| case.name).collect();
    names.sort_unstable();
    cases.sort_unstable();
    assert_eq!(names, cases);
}

#[test]
fn refused_arguments_are_reported_in_json() {
    let env = home();
    let unknown_flag: Refusal = (&["--no-such-flag"], 2, "bad_request");
    all_refused(all_commands().flat_map(|case| {
        let refusals = case.refusals.iter().chain(std::iter::once(&unknown_flag));
        let problems =
            refusals.map(|(arguments, exit, code)| problem(&env, &with_json(case, arguments), *exit, code));
        problems.collect::<Vec<_>>()
    }));
}

#[test]
fn every_code_is_met_here_or_is_of_no_command() {
    let of_arguments = all_commands().flat_map(|case| case.refusals).map(|(_, _, code)| *code);
    let elsewhere = [USER_ONLY, HUB_SILENT, BAD_CONFIG, STORE_UNUSABLE];
    let met: BTreeSet<&str> = of_arguments.chain(elsewhere).collect();
    let missing: Vec<&str> =
        ErrorCode::ALL.iter().map(|code| code.as_str()).filter(|code| !met.contains(code)).collect();
    assert_eq!(missing, OF_NO_COMMAND.map(|(code, _)| code));
}

#[test]
fn an_argument_that_is_missing_is_named_in_json() {
    let env = world();
    for (command, missing) in [("show", "<IDS>"), ("why", "<ID>"), ("supersede", "<ID>")] {
        let error = answer(&env.run([command, "--json"]))["error"].to_string();
        assert!(error.contains(missing), "{command}: {error}");
    }
}

#[test]
fn what_is_the_users_alone_is_refused_to_an_agent_in_json() {
    let env = home();
    all_refused(ONLY_BY_THE_USER.iter().map(|arguments| {
        let call = [arguments, &["--json"][..]].concat();
        problem_of(&env.run_as_agent(&call), &call, 1, USER_ONLY)
    }));
}

/// Whoever listens at the address takes the connection, and says nothing. A build without teams reaches no hub.
#[test]
fn a_hub_that_says_nothing_is_reported_in_json() {
    let hub = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = UNREACHABLE_HUB.replace(":9/", &format!(":{}/", hub.local_addr().unwrap().port()));
    let call = ["team", "join", &url, "--json", "--set", "team.patience_seconds=1"];
    let code = if cfg!(feature = "team-hub") { HUB_SILENT } else { "hub_unusable" };
    all_refused(std::iter::once(problem_of(&world().run(call), &call, 1, code)));
}

#[test]
fn a_setting_that_cannot_be_used_is_refused_in_json() {
    let env = home();
    let set = ["--set", "no.such.setting=1"];
    all_refused(calls().map(|(_, call)| problem(&env, &[&call[..], &set].concat(), 2, BAD_CONFIG)));
}

#[test]
fn a_configuration_that_cannot_be_read_is_refused_in_json() {
    let env = home();
    configure(&env, "[search\n");
    let calls = calls().filter(|(case, _)| case.needs_config);
    all_refused(calls.map(|(_, call)| problem(&env, &call, 2, BAD_CONFIG)));
}

#[test]
fn a_store_that_cannot_be_used_is_refused_in_json() {
    let env = home();
    let calls = || calls().filter(|(case, _)| case.needs_store);
    // A newer store, and one from before the first release.
    for version in [999, 10] {
        set_schema(&env, version);
        all_refused(calls().map(|(_, call)| problem(&env, &call, 1, STORE_UNUSABLE)));
    }
    fs::remove_dir_all(env.home()).unwrap();
    fs::write(env.home(), "not a directory").unwrap();
    all_refused(calls().map(|(_, call)| problem(&env, &call, 1, STORE_UNUSABLE)));
}

#[test]
fn a_json_flag_after_two_dashes_is_text() {
    let env = world();
    done(&env, &["remember", "--", "--json"]);
    let outcome = env.run(["search", "--project", "atlantis", "--", "--json"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{outcome:?}");
}

/// The answer lists every team, so that a refusal is no more than the exit code and words.
#[test]
fn a_sync_that_reaches_no_hub_says_so_in_its_answer() {
    let env = home();
    let share =
        "INSERT INTO shared_projects (project_id, team, hub_project, watermark) VALUES (1, 'team', 'key', 0)";
    execute(&env, share);
    for (call, list, text) in [("sync", "problems", "error"), ("team", "teams", "problem")] {
        let outcome = env.run([call, "--json"]);
        let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert!(answer[list][0][text].as_str().is_some_and(|text| text.contains("hub")), "{answer}");
    }
    assert_eq!(env.run(["sync", "--json"]).code, Some(1));
}
