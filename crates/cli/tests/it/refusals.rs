//! Refusals with `--json`: whatever a command refuses, a program reads one JSON object with the code, the error and what to do next.

use crate::support::{database, done, remember, run_in, world};
use backstory_testkit::TestEnv;
use serde_json::Value;
use std::fs;

/// How a command is called, and what may refuse it whatever its arguments say.
struct CommandCase {
    name: &'static str,
    /// Arguments that are fine in a healthy home; nothing where the command has no `--json`.
    call: Option<&'static [&'static str]>,
    /// Whether a configuration that cannot be read stops it.
    needs_config: bool,
    /// Whether a store that cannot be opened stops it.
    needs_store: bool,
    /// What its own arguments are refused for.
    refusals: &'static [Refusal],
}

/// Arguments, the exit code, and the code of the refusal.
type Refusal = (&'static [&'static str], i32, &'static str);

const fn reads(
    name: &'static str,
    call: &'static [&'static str],
    refusals: &'static [Refusal],
) -> CommandCase {
    CommandCase { name, call: Some(call), needs_config: true, needs_store: true, refusals }
}

const fn without_store(
    name: &'static str,
    call: &'static [&'static str],
    refusals: &'static [Refusal],
) -> CommandCase {
    CommandCase { name, call: Some(call), needs_config: true, needs_store: false, refusals }
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
            (&[""], 1, "refused"),
        ],
    ),
    reads(
        "revise",
        &["1", "Use BM25 for every search"],
        &[(&["999", "x"], 1, "no_such_memory"), (&["first", "x"], 2, "bad_request"), (&[], 2, "bad_request")],
    ),
    reads(
        "supersede",
        &["1", "Use vectors for search"],
        &[(&["999", "x"], 1, "no_such_memory"), (&[], 2, "bad_request")],
    ),
    reads(
        "forget",
        &["1", "--yes"],
        &[
            (&["999", "--yes"], 1, "no_such_memory"),
            (&["1"], 2, "confirmation_missing"),
            (&[], 2, "bad_request"),
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
        ],
    ),
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
            (&["show", "last"], 1, "no_such_session"),
            (&["show"], 2, "bad_request"),
        ],
    ),
    reads("distil", &[], &[(&["--session", "no-such-session"], 1, "no_such_session")]),
    reads(
        "handoff",
        &[],
        &[
            (&["--session", "no-such-session"], 1, "no_such_session"),
            (&["--project", "atlantis"], 1, "no_such_project"),
            (&[" "], 1, "refused"),
            (&["x", "--session", "last"], 2, "bad_request"),
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
            (&["merge", "2", "3"], 2, "confirmation_missing"),
            (&["merge", "2", "2", "--yes"], 1, "refused"),
            (&["unshare", "atlantis"], 1, "no_such_project"),
            (&["juggle"], 2, "bad_request"),
        ],
    ),
    reads(
        "team",
        &[],
        &[(&["leave"], 1, "refused"), (&["join"], 2, "bad_request"), (&["juggle"], 2, "bad_request")],
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
];

/// Returns a home with a memory in it, two projects of one name, and the files the calls name.
fn home() -> TestEnv {
    let env = world();
    remember(&env, "Use BM25 for search");
    for folder in ["a/site", "b/site"] {
        assert_eq!(run_in(&env, folder, &["remember", &format!("Written in {folder}")]).code, Some(0));
    }
    fs::write(env.project().join("memories.jsonl"), "{\"body\": \"We deploy on Mondays\"}\n").unwrap();
    fs::write(env.project().join("set.json"), r#"{"name": "s", "documents": [], "queries": []}"#).unwrap();
    fs::create_dir(env.project().join("shared")).unwrap();
    env
}

/// Returns what is wrong with a run that must be refused in JSON, and in JSON alone, with this exit code and this code.
fn problem(env: &TestEnv, call: &[&str], exit: i32, code: &str) -> Option<String> {
    let outcome = env.run(call);
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
    COMMANDS.iter().filter_map(|case| Some((case, with_json(case, case.call?))))
}

#[test]
fn every_command_of_the_help_has_a_case() {
    let help = world().run(["--help"]).stdout;
    let list = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    // A line of a description is indented further than a name.
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    let cases: Vec<&str> = COMMANDS.iter().map(|case| case.name).collect();
    assert_eq!(names.collect::<Vec<_>>(), cases);
}

#[test]
fn what_the_arguments_are_refused_for_is_json() {
    let env = home();
    let unknown_flag: Refusal = (&["--no-such-flag"], 2, "bad_request");
    all_refused(COMMANDS.iter().flat_map(|case| {
        let refusals = case.refusals.iter().chain(std::iter::once(&unknown_flag));
        let problems =
            refusals.map(|(arguments, exit, code)| problem(&env, &with_json(case, arguments), *exit, code));
        problems.collect::<Vec<_>>()
    }));
}

#[test]
fn a_setting_that_cannot_be_used_is_refused_in_json() {
    let env = home();
    let set = ["--set", "no.such.setting=1"];
    all_refused(calls().map(|(_, call)| problem(&env, &[&call[..], &set].concat(), 2, "bad_config")));
}

#[test]
fn a_configuration_that_cannot_be_read_is_refused_in_json() {
    let env = home();
    let file = env.world().join("user/.config/backstory/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "[search\n").unwrap();
    let calls = calls().filter(|(case, _)| case.needs_config);
    all_refused(calls.map(|(_, call)| problem(&env, &call, 2, "bad_config")));
}

#[test]
fn a_store_that_cannot_be_used_is_refused_in_json() {
    let env = home();
    let calls = || calls().filter(|(case, _)| case.needs_store);
    let version = |number: i64| database(&env).pragma_update(None, "user_version", number).unwrap();
    // A newer store, and one from before the first release.
    for number in [999, 10] {
        version(number);
        all_refused(calls().map(|(_, call)| problem(&env, &call, 1, "store_unusable")));
    }
    fs::remove_dir_all(env.home()).unwrap();
    fs::write(env.home(), "not a directory").unwrap();
    all_refused(calls().map(|(_, call)| problem(&env, &call, 1, "store_unusable")));
}

#[test]
fn what_follows_two_dashes_is_no_flag() {
    let env = world();
    done(&env, &["remember", "--", "--json"]);
    let outcome = env.run(["search", "--project", "atlantis", "--", "--json"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{outcome:?}");
}
