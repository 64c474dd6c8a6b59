//! `config`: which layer says what, and that a repository's file may only narrow.

use crate::support::{
    ask, at, configure, count, exits, file, payload, prompt, remember, rendered, run, send, send_with, world,
    write,
};
use insta::assert_snapshot;
use serde_json::json;
use std::fs;

#[test]
fn every_setting_names_where_its_value_comes_from() {
    let env = world();
    configure(
        &env,
        "[search]\nlimit = 12\n[retention]\nevents_days = 5\nreceipts = 7\nbackup_hours = 9\n[redact]\nliterals = [\"mine\"]\n",
    );
    file(
        &env,
        ".backstory.toml",
        "project = \"x\"\n[search]\nlimit = 6\n[redact]\nliterals = [\"theirs\"]\n",
    );
    let config = run(&env, ["config", "--set", "retention.receipts=8"])
        .var("BACKSTORY_RETENTION_RECEIPTS", "9")
        .var("BACKSTORY_RETENTION_BACKUP_HOURS", "10");
    assert_snapshot!(rendered(&config.output()), @r#"
        exit 0
        --- out
        capture.enabled = true                   default
        capture.exclude = []                     default
        capture.max_event_bytes = 16384          default
        inject.compaction = 1000                 default
        inject.enabled = true                    default
        inject.exclude = []                      default
        inject.prompt = 600                      default
        inject.session_start = 2000              default
        inject.tool = 120                        default
        inject.work_in_full = 0                  default
        mcp.write = "remember"                   default
        recall.recency = 1.0                     default
        recall.strictness = 1.0                  default
        recall.vectors = false                   environment: BACKSTORY_RECALL_VECTORS
        redact.environment = true                default
        redact.literals = ["mine", "theirs"]     project: [WORLD]/project/.backstory.toml
        retention.backup_hours = 10              environment: BACKSTORY_RETENTION_BACKUP_HOURS
        retention.backups = 0                    environment: BACKSTORY_RETENTION_BACKUPS
        retention.events_days = 5                user: [WORLD]/user/.config/backstory/config.toml
        retention.receipts = 8                   flag
        search.limit = 6                         project: [WORLD]/project/.backstory.toml
        team.at_session_end = true               default
        team.kinds = ["default"]                 default
        team.patience_seconds = 90               default
        team.provenance = "team"                 default
        team.worker_minutes = 15                 default
        worker.idle_minutes = 30                 default
        worker.port = 0                          default
        writer.api_key_env = ""                  default
        writer.ask_agent = false                 default
        writer.command = []                      default
        writer.deadline_seconds = 120            default
        writer.model = ""                        default
        writer.price = []                        default
        writer.provider = "none"                 default
        writer.tokens = 6000                     default
        writer.tokens_per_day = 200000           default
        writer.tokens_per_session = 50000        default
        writer.url = ""                          default
        "#);
}

#[test]
fn one_setting_and_all_of_them_are_printed_as_json() {
    let env = world();
    assert_snapshot!(rendered(&env.run(["config", "get", "search.limit"])), @r"
        exit 0
        --- out
        20
        ");
    assert_eq!(
        ask(&env, 0, &["config", "get", "search.limit", "--json"]),
        json!({"version": 1, "key": "search.limit", "value": 20, "origin": "default"})
    );
    assert_snapshot!(rendered(&env.run(["config", "get", "search.limits"])), @r"
        exit 2
        --- err
        error: there is no setting `search.limits`

        hint: `backstory config` lists all settings
        ");
    assert_snapshot!(rendered(&env.run(["config", "path"])), @r"
        exit 0
        --- out
        [WORLD]/user/.config/backstory/config.toml
        ");
    let path = json!({"version": 1, "path": "[WORLD]/user/.config/backstory/config.toml"});
    assert_eq!(ask(&env, 0, &["config", "path", "--json"]), path);
    let shown = ask(&env, 0, &["config", "show", "--json"]);
    let first = &shown["settings"][0];
    assert_eq!(*first, json!({"key": "capture.enabled", "value": true, "origin": "default"}));
}

#[test]
fn a_project_file_may_narrow_settings_and_never_widen_them() {
    let env = world();
    let check = |text: &str| {
        file(&env, ".backstory.toml", text);
        rendered(&env.run(["config", "get", "search.limit"]))
    };
    assert!(check("[search]\nlimit = 3\n").ends_with("3\n"));
    assert_snapshot!(check("[search]\nlimit = 300\n"), @r#"
        exit 2
        --- err
        error: `[WORLD]/project/.backstory.toml` must not change `search.limit` this way

        hint: a project's file may only narrow: capture less, redact more, show and inject less
        "#);
    for widening in [
        "[redact]\nenvironment = false\n",
        "[retention]\nevents_days = 1\n",
        "[capture]\nmax_event_bytes = 999999\n",
        "[redact]\nliterals = \"x\"\n",
        "[search]\nlimit = -1\n",
        "[capture]\nexclude = [1]\n",
    ] {
        let refusal = check(widening);
        assert!(
            refusal.starts_with("exit 2\n") && refusal.contains(".backstory.toml"),
            "{widening}: {refusal}"
        );
    }
    assert_snapshot!(check("[capture]\nenbaled = false\n"), @r"
        exit 2
        --- err
        error: there is no setting `capture.enbaled` (project: [WORLD]/project/.backstory.toml)

        hint: `backstory config` lists all settings
        ");
    assert_snapshot!(check("[capture\n"), @r"
        exit 2
        --- err
        error: `[WORLD]/project/.backstory.toml` is not TOML at line 1: unclosed table, expected `]`

        hint: mend that line; `backstory config` shows what can be set
        ");
}

#[test]
fn an_invalid_setting_is_refused_with_an_example_of_a_valid_one() {
    let env = world();
    assert_snapshot!(rendered(&env.run(["status", "--set", "capture.enabled"])), @r"
        exit 2
        --- err
        error: `--set capture.enabled` is not KEY=VALUE

        hint: write it like `--set search.limit=5`
        ");
    assert_snapshot!(rendered(&env.run(["status", "--set", "capture.enabled=maybe"])), @r"
        exit 2
        --- err
        error: the value of `capture.enabled` does not fit (flag)

        hint: a value that fits: `capture.enabled = true`
        ");
    assert_snapshot!(rendered(&env.run(["status", "--set", "no.such=1"])), @r"
        exit 2
        --- err
        error: there is no setting `no.such` (flag)

        hint: `backstory config` lists all settings
        ");
    assert_snapshot!(rendered(&env.run(["status", "--set", "redact.literals=word"])), @r"
        exit 2
        --- err
        error: the value of `redact.literals` does not fit (flag)

        hint: a value that fits: `redact.literals = []`
        ");
    for knob in ["recency=nan", "recency=inf", "strictness=-1", "strictness=1e308"] {
        exits(&env, 2, &["status", "--set", &format!("recall.{knob}")], "does not fit (flag)");
    }
    // An event may not be larger than the spool takes.
    let large = ["status", "--set", "capture.max_event_bytes=999999999"];
    exits(&env, 2, &large, "`capture.max_event_bytes` is at most 262144");
    configure(&env, "[search]\nlimit = \"many\"\n");
    assert_snapshot!(rendered(&env.run(["status"])), @r"
        exit 2
        --- err
        error: the value of `search.limit` does not fit (user: [WORLD]/user/.config/backstory/config.toml)

        hint: a value that fits: `search.limit = 20`
        ");
    configure(&env, "[redact]\nliterals = [\"hunter2-and-more\"\n");
    assert_snapshot!(rendered(&env.run(["status"])), @r"
        exit 2
        --- err
        error: `[WORLD]/user/.config/backstory/config.toml` is not TOML at line 2: unclosed array, expected `]`

        hint: mend that line; `backstory config` shows what can be set
        ");
}

#[test]
fn config_doctor_and_uninstall_work_with_a_broken_configuration() {
    let env = world();
    configure(&env, "garbage [\n");
    let fault = "config.toml` is not TOML at line 1";
    let path = env.run(["config", "path"]);
    assert!(path.code == Some(0) && path.stdout.ends_with("backstory/config.toml\n"), "{path:?}");
    let config = env.run(["config"]);
    assert!(config.code == Some(0) && config.stdout.contains("search.limit = 20"), "{config:?}");
    assert!(config.stderr.contains(fault), "{config:?}");
    let shown = ask(&env, 0, &["config", "--json"]);
    assert!(shown["faults"][0].as_str().unwrap().contains(fault), "{shown}");
    let doctor = env.run(["doctor"]);
    assert!(doctor.code == Some(1) && doctor.stdout.contains(&format!("{fault}:")), "{doctor:?}");
    assert!(doctor.stdout.contains("the store is sound") && doctor.stderr.contains("mend that line"));
    let found = ask(&env, 1, &["doctor", "--json"]);
    assert!(found["config"][0].as_str().unwrap().contains(fault) && found["ok"] == false, "{found}");
    let uninstall = env.run(["uninstall", "--yes"]);
    assert!(uninstall.code == Some(0) && uninstall.stderr.contains(fault), "{uninstall:?}");
    assert_eq!(env.run(["status"]).code, Some(2), "the rest still does");
}

#[test]
fn capture_can_be_turned_off_and_folders_excluded() {
    let env = world();
    let quiet = |text: &str| {
        configure(&env, text);
        send(&env, prompt("s", "not captured"));
        count(&env, "events")
    };
    assert_eq!(quiet("[capture]\nenabled = false\n"), 0);
    assert_eq!(quiet(&format!("[capture]\nexclude = [\"{}\"]\n", env.world().display())), 0);
    assert_eq!(quiet("[capture]\nexclude = [\"~/../project\"]\n"), 0);
    assert_eq!(quiet("[capture]\nexclude = [\"/somewhere/else\"]\n"), 1);
}

#[test]
fn a_repository_can_exclude_a_folder_of_its_own() {
    let env = world();
    fs::create_dir(env.project().join("secret")).unwrap();
    file(&env, ".backstory.toml", "[capture]\nexclude = [\"secret\"]\n");
    let send_from = |folder: &str| {
        let cwd = env.project().join(folder);
        let fields = json!({"prompt_id": folder, "prompt": "x", "cwd": cwd});
        send(&env, payload("s", "UserPromptSubmit", fields));
    };
    for folder in ["secret", "secret/deeper", "open/../secret"] {
        send_from(folder);
    }
    assert_eq!(count(&env, "events"), 0);
    send_from("open");
    assert_eq!(count(&env, "events"), 1);
}

#[test]
fn one_bad_setting_leaves_the_others_in_force_in_a_hook() {
    let env = world();
    configure(
        &env,
        "[capture]\nenabled = false\nenbaled = true\n[aardvark]\nx = 1\n[search]\nlimit = \"many\"\n",
    );
    file(&env, ".backstory.toml", "[search]\nlimit = -1\n[capture]\nexclude = [1]\n");
    send(&env, prompt("s", "not captured"));
    fs::remove_file(env.project().join(".backstory.toml")).unwrap();
    configure(&env, "");
    assert_eq!(count(&env, "events"), 0);
}

#[test]
fn a_hook_keeps_nothing_when_the_capture_settings_are_unclear() {
    let env = world();
    let kept = |user: &str, project: &str| {
        let before = count(&env, "events");
        configure(&env, user);
        file(&env, ".backstory.toml", project);
        send(&env, prompt("s", &format!("{user}{project}")));
        configure(&env, "");
        file(&env, ".backstory.toml", "");
        count(&env, "events") - before
    };
    for unclear in [
        "[capture]\nenabled = false\n[search\n",
        "[capture]\nenabled = \"false\"\n",
        "[capture]\nenable = false\nenabled = true\n",
        "capture = false\n",
        "[redact]\nliterals = \"one word\"\n",
    ] {
        assert_eq!((kept(unclear, ""), kept("", unclear)), (0, 0), "{unclear}");
    }
    assert_eq!(kept("[search]\nlimit = \"many\"\n", "[retention]\nbackups = 1\n"), 1, "others do not matter");
    send_with(&env, ("BACKSTORY_REDACT_LITERALS", "one word"), prompt("s", "one word"));
    assert_eq!(count(&env, "events"), 1);
}

#[test]
fn synonyms_are_listed_with_the_users_own_and_the_path_to_edit() {
    let env = world();
    let path = at(&env, ".config/backstory/synonyms.txt");
    let built_in = env.run(["config", "synonyms"]);
    assert_eq!((built_in.code, built_in.stderr.as_str()), (Some(0), ""));
    assert!(built_in.stdout.starts_with("# your own list: "), "{}", built_in.stdout);
    assert!(built_in.stdout.lines().any(|line| line.starts_with("k8s: kubernetes")), "{}", built_in.stdout);
    // What is printed is a list: kept as one, the same holds.
    write(&env, ".config/backstory/synonyms.txt", &built_in.stdout);
    let kept = env.run(["config", "synonyms"]);
    assert_eq!(kept.stdout.replace(" # yours", ""), built_in.stdout);
    // A change counts at once.
    fs::write(&path, "deploy: rollout\nk8s:\nno colon\n").unwrap();
    let edited = env.run(["config", "synonyms"]);
    assert!(edited.stdout.lines().any(|line| line == "deploy: rollout # yours"), "{}", edited.stdout);
    assert!(!edited.stdout.contains("k8s: "), "{}", edited.stdout);
    assert_eq!(edited.stderr, "warning: your list of synonyms: line 3: there is no `:` in it\n");
    let shown = ask(&env, 0, &["config", "synonyms", "--json"]);
    let deploy = json!({"word": "deploy", "others": ["rollout"], "origin": "user"});
    assert!(shown["synonyms"].as_array().unwrap().contains(&deploy), "{shown}");
    assert_eq!(shown["path"], "[WORLD]/user/.config/backstory/synonyms.txt");
    assert_eq!(shown["skipped"], json!(["line 3: there is no `:` in it"]));
    // What cannot be a list is skipped.
    fs::write(&path, "a: b\n".repeat(20_000)).unwrap();
    assert!(env.run(["config", "synonyms"]).stderr.contains("skipped"));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let odd = env.run(["config", "synonyms"]);
    assert_eq!((odd.code, odd.stdout), (Some(0), built_in.stdout));
    assert_eq!(odd.stderr, "warning: your list of synonyms: cannot be read: it is not a file\n");
}

#[test]
fn law_6_an_agent_gives_itself_no_leave_by_a_variable_or_a_flag() {
    let env = world();
    remember(&env, "Amounts are cents");
    let by_variable = || run(&env, ["forget", "1", "--yes"]).var("BACKSTORY_MCP_WRITE", "all").input("");
    let by_flag = || run(&env, ["--set", "mcp.write=all", "forget", "1", "--yes"]).input("");
    for refused in [by_variable().output(), by_flag().output()] {
        assert!(refused.code != Some(0), "{refused:?}");
        assert!(refused.stderr.contains("`mcp.write` is set in your configuration file only"), "{refused:?}");
    }
    configure(&env, "[mcp]\nwrite = \"all\"\n");
    assert_eq!(env.run_as_agent(["forget", "1", "--yes"]).code, Some(0), "the user said so in the file");
}
