//! Law 7: secrets never reach the disk. Whatever way they come in, not a byte of them is found under the home.

use crate::inject::starts;
use crate::support::{
    HOOK, answer, assert_absent, at, bar, configure, count, done_in, event, git, harmless, injected, lines,
    lock, log, payload, prompt, remember, run, send, set_schema, titles, world,
};
use backstory_testkit::TestEnv;
use backstory_testkit::corpora::{SecretSample, extra_text, secret_samples};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// Secrets that are none, put together here so that nothing that looks like one stands in the source.
pub(crate) fn made_up() -> Vec<String> {
    let letters = |count: usize, seed: usize| -> String {
        let alphabet: Vec<char> = ('a'..='z').chain('A'..='Z').chain('0'..='9').collect();
        (0..count).map(|at| alphabet[(at * 37 + seed * 11 + at * at * 3) % alphabet.len()]).collect()
    };
    let upper = |count, seed| letters(count, seed).to_uppercase();
    vec![
        format!("gh{}_{}", "p", letters(36, 1)),
        format!("AK{}{}", "IA", upper(16, 2).replace(['0', '1', '8', '9'], "Q")),
        format!("xox{}-{}-{}", "b", "123456789012", letters(24, 3)),
        format!("sk_{}_{}", "live", letters(24, 4)),
        format!("gl{}-{}", "pat", letters(20, 5)),
    ]
}

/// Asserts that no file of the home holds any of these.
#[track_caller]
fn nowhere(env: &TestEnv, secrets: &[String]) {
    secrets.iter().for_each(|secret| assert_absent(env, secret));
}

/// Pushes secrets through every way in.
fn push(env: &TestEnv, secrets: &[String]) {
    let all = secrets.join("\n");
    send(env, prompt("s", &format!("a prompt\n{all}")));
    send(env, format!("not json at all {all}"));
    for (number, secret) in secrets.iter().enumerate() {
        let ran = json!({"tool_name": format!("Bash {secret}"), "tool_use_id": format!("{number} {secret}"),
            "tool_input": {"command": format!("curl -H '{secret}'"), secret: [secret, {"deep": secret}]}});
        send(env, payload(&format!("s {secret}"), "PostToolUse", ran));
        send(env, payload("s", &format!("Odd {secret}"), json!({})));
    }
    nowhere(env, secrets);

    for secret in secrets {
        let flags = ["--file", secret, "--concept", secret, "--fact", secret, "--title", secret, "--force"];
        drop(env.run([&["remember", &format!("a memory {secret}")], flags.as_slice()].concat()));
        drop(env.run(["revise", "1", &format!("revised {secret}")]));
        drop(env.run(["supersede", "1", &format!("superseded {secret}")]));
    }
    nowhere(env, secrets);

    let line = |(number, secret): (usize, &String)| {
        json!({"uid": format!("u{number}"), "kind": "note", "category": secret, "title": format!("t {secret}"),
        "body": format!("b {secret}"), "facts": [secret], "concepts": [secret], "files": [secret], "session": format!("s {secret}"),
        "host": format!("h {secret}"), "project": format!("p {secret}"), "project_keys": [format!("name:{secret}")], "supersedes": [secret]})
    };
    let all_lines: Vec<Value> = secrets.iter().enumerate().map(line).collect();
    let report = answer(&env.run(["import", "--json", &lines(env, &all_lines)]));
    assert_eq!(report["imported"], secrets.len(), "{report}");
    for secret in secrets {
        for line in [
            json!({"uid": secret, "title": "named by a secret"}),
            json!({"title": "x", "provenance": format!("team:{secret}")}),
            json!({"title": "y", "project_path": env.world().join(secret.replace('/', "_"))}),
        ] {
            drop(env.run_with(["import", "-"], line.to_string()));
        }
        drop(env.run(["project", "rename", "1", secret]));
    }
    nowhere(env, secrets);

    let holder = lock(env);
    send(env, prompt("spooled", &all));
    nowhere(env, secrets);
    drop(holder);
    let known = set_schema(env, 999);
    send(env, prompt("logged", &all));
    set_schema(env, known);
    for secret in secrets {
        harmless(&env.run_with(["hook", "--host", secret], "{}"));
    }
    nowhere(env, secrets);
}

#[test]
fn law_7_secrets_never_reach_the_disk() {
    let env = world();
    remember(&env, "Something harmless");
    let secrets = made_up();
    for secret in &secrets {
        let redacted = env.run_with(["redact"], secret).stdout;
        assert!(!redacted.contains(secret), "not a secret to us, so it proves nothing: {}", &secret[..6]);
    }
    push(&env, &secrets);
    assert!(count(&env, "events") > secrets.len() as u64, "the events themselves were kept");
}

#[test]
fn law_7_literals_variables_and_private_parts_of_the_user_are_redacted() {
    let env = world();
    remember(&env, "Something harmless");
    let [literal, value, private] = ["plain-looking-literal", "plain-looking-value", "plain-looking-remark"];
    let run = |arguments: &[&str], input: &str| {
        let run = run(&env, arguments).input(input).var("MY_API_TOKEN", value);
        run.var("BACKSTORY_REDACT_LITERALS", format!("[\"{literal}\"]")).output()
    };
    let text = format!("see {literal} and {value} and <private>{private}</private>");
    harmless(&run(&HOOK, &prompt("s", &text)));
    assert_eq!(run(&["remember", &text], "").code, Some(0));
    assert_eq!(run(&["import", "-"], &json!({"title": text}).to_string()).code, Some(0));
    nowhere(&env, &[literal, value, private].map(str::to_owned));
    assert_eq!(titles(&env, &[]).len(), 3);
}

#[test]
fn law_7_secrets_in_folder_names_and_broken_configs_are_redacted() {
    let env = world();
    remember(&env, "Something harmless");
    let secrets = made_up();
    for secret in &secrets {
        let folder = env.project().join(secret);
        fs::create_dir(&folder).unwrap();
        send(&env, payload("s", "Stop", json!({"cwd": folder})));
        let folder = format!("project/{secret}");
        done_in(&env, &folder, &["remember", "--force", "Written there"]);
        // The project is found again.
        done_in(&env, &folder, &["search", "there", "--json"]);
    }
    nowhere(&env, &secrets);

    for broken in
        ["[redact]\nliterals = [\"plain-looking-literal\"", "[redact]\nliterals = \"plain-looking-literal\""]
    {
        configure(&env, broken);
        send(&env, prompt("s", "it was plain-looking-literal"));
    }
    fs::remove_file(at(&env, ".config/backstory/config.toml")).unwrap();
    let log = log(&env);
    assert!(log.contains("config.toml"), "the reason is logged: {log}");
    nowhere(&env, &["plain-looking-literal".to_owned()]);
}

#[test]
fn law_7_names_of_branches_and_files_bring_no_secret_in() {
    let env = world();
    git(&env, &["init", "-q"]);
    assert_eq!(env.run(["rules", "add", "Ranking stays in FTS5"]).code, Some(0));
    let secrets = made_up();
    for (number, secret) in secrets.iter().enumerate() {
        git(&env, &["checkout", "-q", "-b", secret]);
        fs::write(env.project().join(secret), "not committed").unwrap();
        // The block at session start names no branch; the one at compaction does.
        starts(&env, &format!("s{number}"), "startup");
        let block = injected(&event(&env, &format!("s{number}"), "PreCompact", json!({"trigger": "auto"})));
        assert!(block.contains("on branch ") && !block.contains(secret), "{block}");
        // What is uncommitted, and on which branch, is noted for the next session.
        send(&env, prompt(&format!("s{number}"), "Rename the harbour table"));
        send(&env, json!({"session_id": format!("s{number}"), "hook_event_name": "Stop"}).to_string());
        fs::remove_file(env.project().join(secret)).unwrap();
    }
    // Git itself knows the branch, we do not.
    nowhere(&env, &secrets);
    backstory_testkit::held("A08", 15, 1, "names of branches and files bring no secret in");
}

/// S03.
#[test]
fn law_7_the_corpus_of_secrets_never_reaches_the_disk() {
    let extra = extra_text("secrets-critical-part.jsonl.gz").unwrap_or_default();
    let extra = extra.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let extra = extra.filter(|row| row["label"] == "secret").map(|row| {
        let field = |key: &str| row[key].as_str().unwrap().to_owned();
        SecretSample { text: field("text"), secret: field("secret") }
    });
    let samples: Vec<SecretSample> = secret_samples().into_iter().chain(extra).collect();

    let env = world();
    remember(&env, "Something harmless");
    let texts: Vec<&str> = samples.iter().map(|sample| sample.text.as_str()).collect();
    let memories: Vec<Value> =
        texts.iter().enumerate().map(|(number, text)| json!({"uid": format!("u{number}"), "title": format!("Memory {number}"), "body": text})).collect();
    assert_eq!(answer(&env.run(["import", "--json", &lines(&env, &memories)]))["imported"], texts.len());
    for some in texts.chunks(20) {
        send(&env, payload("s", "Other", json!({"texts": some})));
    }
    let holder = lock(&env);
    send(&env, payload("s", "Stop", json!({"texts": texts.get(..40)})));
    drop(holder);

    // What `redact` takes out of a text must not be found anywhere; what it does not know is the redactor's matter.
    let mut looked_for = 0;
    let text = |path: &PathBuf| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let everything: Vec<String> = env.files().iter().map(text).collect();
    let redacted = env.run_with(["redact"], texts.join("\n\n\n")).stdout;
    for SecretSample { text, secret } in &samples {
        if secret.len() >= 8 && !redacted.contains(secret.as_str()) {
            looked_for += 1;
            assert!(!everything.iter().any(|bytes| bytes.contains(secret.as_str())), "{text}");
        }
    }
    assert!(looked_for > 100, "{looked_for}");
    bar("S03", format_args!("0 of {looked_for} redacted spans in {} files", everything.len()));
}

#[test]
fn redact_counts_what_was_marked_private() {
    let env = world();
    let text = "a <private>b</private> c <PRIVATE x=1>d</private> [private]";
    let answer = answer(&env.run_with(["redact", "--json"], text));
    assert_eq!(answer["text"], "a [private] c [private] [private]");
    assert_eq!(answer["private_parts"], 2);
}
