//! Law 7: secrets never reach the disk. Whatever way they come in, not a byte of them is found under the home.

use crate::support::{
    HOOK, answer, bar, count, database, harmless, hook, lines, lock, prompt, remember, titles, world,
};
use backstory_testkit::TestEnv;
use backstory_testkit::corpora::{SecretSample, extra_text, secret_samples};
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;

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

fn nowhere(env: &TestEnv, secrets: &[String], way: &str) {
    for secret in secrets {
        assert_eq!(env.files_holding(secret.as_bytes()), Vec::<std::path::PathBuf>::new(), "{way}");
    }
}

/// Pushes secrets through every way in.
fn push(env: &TestEnv, secrets: &[String]) {
    let all = secrets.join("\n");
    harmless(&hook(env, prompt("s", &format!("a prompt\n{all}"))));
    harmless(&hook(env, format!("not json at all {all}")));
    for (number, secret) in secrets.iter().enumerate() {
        let payload = json!({"session_id": format!("s {secret}"), "hook_event_name": "PostToolUse", "tool_name": format!("Bash {secret}"),
            "tool_use_id": format!("{number} {secret}"), "tool_input": {"command": format!("curl -H '{secret}'"), secret: [secret, {"deep": secret}]}});
        harmless(&hook(env, payload.to_string()));
        harmless(&hook(
            env,
            json!({"session_id": "s", "hook_event_name": format!("Odd {secret}")}).to_string(),
        ));
    }
    nowhere(env, secrets, "hook");

    for secret in secrets {
        let flags = ["--file", secret, "--concept", secret, "--fact", secret, "--title", secret, "--force"];
        drop(env.run([&["remember", &format!("a memory {secret}")], flags.as_slice()].concat()));
        drop(env.run(["revise", "1", &format!("revised {secret}")]));
        drop(env.run(["supersede", "1", &format!("superseded {secret}")]));
    }
    nowhere(env, secrets, "remember");

    let line = |(number, secret): (usize, &String)| {
        json!({"uid": format!("u{number}"), "kind": "note", "category": secret, "title": format!("t {secret}"),
        "body": format!("b {secret}"), "facts": [secret], "concepts": [secret], "files": [secret], "session": format!("s {secret}"),
        "host": format!("h {secret}"), "project": format!("p {secret}"), "project_keys": [format!("name:{secret}")], "supersedes": [secret]})
    };
    let all_lines: Vec<Value> = secrets.iter().enumerate().map(line).collect();
    let report = answer(&env.run(["import", "--json", &lines(env, &all_lines)]));
    assert_eq!(report["imported"], secrets.len(), "{report}");
    for secret in secrets {
        drop(env.run_with(["import", "-"], json!({"uid": secret, "title": "named by a secret"}).to_string()));
        drop(env.run_with(
            ["import", "-"],
            json!({"title": "x", "provenance": format!("team:{secret}")}).to_string(),
        ));
        drop(env.run_with(
            ["import", "-"],
            json!({"title": "y", "project_path": env.world().join(secret.replace('/', "_"))}).to_string(),
        ));
        drop(env.run(["project", "rename", "1", secret]));
    }
    nowhere(env, secrets, "import");

    let holder = lock(env);
    harmless(&hook(env, prompt("spooled", &all)));
    nowhere(env, secrets, "spool");
    drop(holder);
    let known: i64 = database(env).pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    database(env).pragma_update(None, "user_version", 999).unwrap();
    harmless(&hook(env, prompt("logged", &all)));
    database(env).pragma_update(None, "user_version", known).unwrap();
    for secret in secrets {
        harmless(&env.run_with(["hook", "--host", secret], "{}"));
    }
    nowhere(env, secrets, "log");
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
fn law_7_what_the_user_calls_secret_is_one() {
    let env = world();
    remember(&env, "Something harmless");
    let [literal, value, private] = ["plain-looking-literal", "plain-looking-value", "plain-looking-remark"];
    let run = |arguments: &[&str], input: &str| {
        let mut command = env.command(arguments);
        command
            .env("BACKSTORY_REDACT_LITERALS", format!("[\"{literal}\"]"))
            .env("MY_API_TOKEN", value)
            .stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()));
        env.finish(child)
    };
    let text = format!("see {literal} and {value} and <private>{private}</private>");
    harmless(&run(&HOOK, &prompt("s", &text)));
    assert_eq!(run(&["remember", &text], "").code, Some(0));
    assert_eq!(run(&["import", "-"], &json!({"title": text}).to_string()).code, Some(0));
    nowhere(&env, &[literal, value, private].map(str::to_owned), "named by the user");
    assert_eq!(titles(&env, &[]).len(), 3);
}

#[test]
fn law_7_a_folder_or_a_broken_config_brings_no_secret_in() {
    let env = world();
    remember(&env, "Something harmless");
    let secrets = made_up();
    for secret in &secrets {
        let folder = env.project().join(secret);
        fs::create_dir(&folder).unwrap();
        let cwd = json!({"session_id": "s", "hook_event_name": "Stop", "cwd": folder});
        harmless(&hook(&env, cwd.to_string()));
        let mut command = env.command(["remember", "--force", "Written there"]);
        assert_eq!(env.finish(command.current_dir(&folder).spawn().unwrap()).code, Some(0));
        let mut command = env.command(["search", "there", "--json"]);
        let found = env.finish(command.current_dir(&folder).spawn().unwrap());
        assert_eq!(found.code, Some(0), "and the project is found again: {found:?}");
    }
    nowhere(&env, &secrets, "folder");

    let config = env.world().join("user/.config/backstory");
    fs::create_dir_all(&config).unwrap();
    for broken in
        ["[redact]\nliterals = [\"plain-looking-literal\"", "[redact]\nliterals = \"plain-looking-literal\""]
    {
        fs::write(config.join("config.toml"), broken).unwrap();
        harmless(&hook(&env, prompt("s", "it was plain-looking-literal")));
    }
    fs::remove_file(config.join("config.toml")).unwrap();
    let log = fs::read_to_string(env.home().join("log/backstory.log")).unwrap();
    assert!(log.contains("config.toml"), "the reason is told: {log}");
    nowhere(&env, &["plain-looking-literal".to_owned()], "broken config");
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
        harmless(&hook(
            &env,
            json!({"session_id": "s", "hook_event_name": "Other", "texts": some}).to_string(),
        ));
    }
    let holder = lock(&env);
    harmless(&hook(
        &env,
        json!({"session_id": "s", "hook_event_name": "Stop", "texts": texts.get(..40)}).to_string(),
    ));
    drop(holder);

    // What `redact` takes out of a text must not be found anywhere; what it does not know is the redactor's matter.
    let mut looked_for = 0;
    let everything: Vec<Vec<u8>> = env.files().iter().map(|path| fs::read(path).unwrap()).collect();
    let everything: Vec<String> =
        everything.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
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
    let outcome =
        env.run_with(["redact", "--json"], "a <private>b</private> c <PRIVATE x=1>d</private> [private]");
    let answer = answer(&outcome);
    assert_eq!(
        (answer["text"].as_str(), answer["private_parts"].as_u64()),
        (Some("a [private] c [private] [private]"), Some(2))
    );
}
