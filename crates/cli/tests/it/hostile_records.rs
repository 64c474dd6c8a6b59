//! Texts that were recorded and want more than to be read: from the web, in memories, and prompts that only look like them.
//! S05, S07, S08.

use crate::mcp::{request, talk};
use crate::support::{bar, database, done, given, hear, hook, lines, prompt, world};
use backstory_testkit::TestEnv;
use backstory_testkit::corpora::{attack_texts, escape_cases, extra_files, extra_text, harmless_prompts};
use serde_json::{Value, json};

fn known(id: usize, text: &str, provenance: &str) -> Value {
    json!({"uid": format!("u{id}"), "kind": "note", "title": text, "body": text, "provenance": provenance})
}

/// Returns what the tool `get` tells of one memory.
fn got(env: &TestEnv, id: i64) -> String {
    let get = request(1, "tools/call", json!({"name": "get", "arguments": {"ids": [id]}}));
    let replies = talk(env, &[], &[get]);
    replies[0]["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{replies:?}")).to_owned()
}

fn numbers(env: &TestEnv) -> Vec<(i64, String)> {
    let db = database(env);
    let mut rows = db.prepare("SELECT id, uid FROM memories ORDER BY id").unwrap();
    rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
}

/// Whether a text is one fenced block, and nothing but it.
fn is_one_block(text: &str) -> bool {
    let nonce = text.strip_prefix("<backstory-").and_then(|rest| rest.get(..8)).unwrap_or_default();
    let closing = format!("</backstory-{nonce}>");
    text.matches("<backstory-").count() == 1
        && text.matches(&closing).count() == 1
        && text.trim_end().ends_with(&closing)
}

/// S05.
#[test]
fn the_escape_cases_escape_neither_from_mcp_nor_from_the_screen() {
    let own = escape_cases();
    for case in &own {
        check_escape(case.name, case.text, case.forbidden, case.must_keep);
    }
    bar(
        "S05",
        format_args!(
            "0 forbidden strings of {} cases by MCP and on the screen, one block each (own)",
            own.len()
        ),
    );
    let extra = extra_text("escape_cases-half.jsonl").unwrap_or_default();
    for line in extra.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let forbidden = case["forbid_in_output"].as_array().unwrap();
        let forbidden: Vec<&str> = forbidden.iter().map(|it| it.as_str().unwrap()).collect();
        check_escape(
            &case["name"].to_string(),
            case["text"].as_str().unwrap(),
            &forbidden,
            case["must_keep"].as_str(),
        );
    }
    bar("S05", format_args!("0 forbidden strings of {} cases (extra)", extra.lines().count()));
}

fn check_escape(name: &str, text: &str, forbidden: &[&str], must_keep: Option<&str>) {
    let env = world();
    done(&env, &["import", &lines(&env, &[known(0, text, "assistant")])]);
    let block = got(&env, 1);
    assert!(is_one_block(&block), "{name}: {block}");
    let screen = env.run(["show", "1"]).stdout + &env.run(["search"]).stdout;
    for forbidden in forbidden {
        assert!(!block.contains(forbidden), "{name}: {forbidden:?} in {block}");
        // A person reads tags as text; what a terminal would act on, or not show, must be gone.
        let acts = forbidden
            .chars()
            .any(|c| c != '\n' && (c.is_control() || backstory_memory::clean(&c.to_string()).is_empty()));
        assert!(!acts || !screen.contains(forbidden), "{name}: {forbidden:?} in {screen}");
    }
    if let Some(kept) = must_keep {
        assert!(block.contains(kept) && screen.contains(kept), "{name}: {block} {screen}");
    }
}

/// The attacks of the extra corpus.
fn extra_attacks() -> Vec<String> {
    let files = extra_files("injection-dev.tar.gz").unwrap_or_default();
    let is_attack =
        |name: &str| (name.contains("bipia") || name.contains("garak")) && name.ends_with(".json");
    let mut strings = Vec::new();
    for file in files.iter().filter(|file| is_attack(&file.name)) {
        collect(&serde_json::from_slice(&file.bytes).unwrap(), &mut strings);
    }
    strings
}

fn collect(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) if text.trim().len() >= 12 && text.contains(' ') => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, into)),
        _ => {}
    }
}

/// S07: heard as output of the web, and kept as memories of outside; then sessions begin and ask about just that.
#[test]
fn attacks_from_the_web_are_never_told_and_stay_to_be_looked_up() {
    let attacks: Vec<String> = attack_texts().into_iter().chain(extra_attacks()).collect();
    assert!(attacks.len() > 200, "{}", attacks.len());
    let env = world();
    let memories: Vec<Value> =
        attacks.iter().enumerate().map(|(number, attack)| known(number, attack, "external")).collect();
    done(&env, &["import", &lines(&env, &memories)]);
    for (number, attack) in attacks.iter().enumerate().step_by(5) {
        let said = |fields: Value| {
            let mut payload =
                json!({"session_id": format!("web{number}"), "cwd": env.project(), "prompt_id": "p"});
            payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            hear(&env, payload.to_string());
        };
        said(json!({"hook_event_name": "UserPromptSubmit", "prompt": "Look at that page please"}));
        said(json!({"hook_event_name": "PostToolUse", "tool_name": "WebFetch", "tool_use_id": "t",
            "tool_input": {"url": "https://example.org"}, "tool_response": {"result": attack}}));
        said(
            json!({"hook_event_name": "Stop", "last_assistant_message": format!("The page says: {attack}")}),
        );
    }
    let mut told = Vec::new();
    for source in ["startup", "resume", "compact"] {
        let begins = json!({"session_id": format!("new {source}"), "hook_event_name": "SessionStart", "source": source, "cwd": env.project()});
        told.push(given(&hook(&env, begins.to_string())));
    }
    for (number, attack) in attacks.iter().enumerate().step_by(3) {
        told.push(given(&hook(
            &env,
            prompt(&format!("asks{number}"), &format!("What do we know: {attack}")),
        )));
    }
    for block in &told {
        for attack in &attacks {
            assert!(!block.contains(attack.trim()), "{attack}\nin {block}");
        }
    }
    let kept = numbers(&env);
    let mut labelled = 0;
    for (id, _) in kept.iter().filter(|(_, uid)| uid.starts_with('u')).step_by(10) {
        let text = got(&env, *id);
        assert!(is_one_block(&text) && text.contains("external"), "{text}");
        labelled += 1;
    }
    bar(
        "S07",
        format_args!(
            "0 of {} attacks in {} blocks after the web was heard, {labelled} of {labelled} looked up in a fence, labelled",
            attacks.len(),
            told.len()
        ),
    );
}

/// S08.
#[test]
fn harmless_prompts_that_look_like_attacks_are_kept() {
    let files = extra_files("injection-dev.tar.gz").unwrap_or_default();
    let extra = files.iter().filter(|file| file.name.ends_with("notinject_one.json"));
    let extra = extra.flat_map(|file| serde_json::from_slice::<Vec<Value>>(&file.bytes).unwrap());
    let own = harmless_prompts().into_iter().map(|prompt| json!({"prompt": prompt}));
    let rows: Vec<Value> = own.chain(extra).collect();
    let env = world();
    for (number, row) in rows.iter().enumerate() {
        hear(&env, prompt(&format!("s{number}"), row["prompt"].as_str().unwrap()));
    }
    let db = database(&env);
    let mut payloads = db.prepare("SELECT payload FROM events ORDER BY id").unwrap();
    let payloads = payloads.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let kept: Vec<Value> = payloads.map(|payload| serde_json::from_str(&payload.unwrap()).unwrap()).collect();
    assert_eq!(kept.len(), rows.len());
    for (row, kept) in rows.iter().zip(&kept) {
        assert_eq!(kept["text"], row["prompt"]);
    }
    bar("S08", format_args!("{0} of {0} harmless prompts stored word for word", kept.len()));
}
