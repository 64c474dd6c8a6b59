//! Texts that were recorded and want more than to be read: from the web, in memories, and prompts that only look like them.
//! S05, S07, S08.

use crate::mcp::{request, talk};
use crate::support::{bar, event, harmless, hook, import, injected, prompt, query_all, send, world};
use backstory_testkit::TestEnv;
use backstory_testkit::corpora::{attack_texts, escape_cases, extra_files, extra_text, harmless_prompts};
use serde_json::{Value, json};

fn known(id: usize, text: &str, provenance: &str) -> Value {
    json!({"uid": format!("u{id}"), "kind": "note", "title": text, "body": text, "provenance": provenance})
}

/// Returns what the tool `get` replies about one memory.
fn got(env: &TestEnv, id: i64) -> String {
    let get = request(1, "tools/call", json!({"name": "get", "arguments": {"ids": [id]}}));
    let replies = talk(env, &[], &[get]);
    replies[0]["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{replies:?}")).to_owned()
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
fn no_escape_case_gets_out_of_mcp_or_the_screen() {
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
    import(&env, &[known(0, text, "assistant")]);
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

/// S07: captured as output of the web, and kept as external memories; then sessions begin and ask about just that.
#[test]
fn attacks_from_the_web_are_never_injected_and_can_be_looked_up() {
    let attacks: Vec<String> = attack_texts().into_iter().chain(extra_attacks()).collect();
    assert!(attacks.len() > 200, "{}", attacks.len());
    let env = world();
    let memories: Vec<Value> =
        attacks.iter().enumerate().map(|(number, attack)| known(number, attack, "web")).collect();
    import(&env, &memories);
    for (number, attack) in attacks.iter().enumerate().step_by(5) {
        let fetched = json!({"tool_name": "WebFetch", "tool_use_id": "t", "prompt_id": "p",
            "tool_input": {"url": "https://example.org"}, "tool_response": {"result": attack}});
        let closing = format!("The page says: {attack}");
        for (name, fields) in [
            ("UserPromptSubmit", json!({"prompt_id": "p", "prompt": "Look at that page please"})),
            ("PostToolUse", fetched),
            ("Stop", json!({"prompt_id": "p", "last_assistant_message": closing})),
        ] {
            harmless(&event(&env, &format!("web{number}"), name, fields));
        }
    }
    let mut blocks = Vec::new();
    for source in ["startup", "resume", "compact"] {
        let start = event(&env, &format!("new {source}"), "SessionStart", json!({"source": source}));
        blocks.push(injected(&start));
    }
    for (number, attack) in attacks.iter().enumerate().step_by(3) {
        let question = format!("What do we know: {attack}");
        blocks.push(injected(&hook(&env, prompt(&format!("asks{number}"), &question))));
    }
    for block in &blocks {
        for attack in &attacks {
            assert!(!block.contains(attack.trim()), "{attack}\nin {block}");
        }
    }
    let imported: Vec<i64> = query_all(&env, "SELECT id FROM memories WHERE uid GLOB 'u*' ORDER BY id");
    let mut labelled = 0;
    for id in imported.into_iter().step_by(10) {
        let text = got(&env, id);
        assert!(is_one_block(&text) && text.contains("web"), "{text}");
        labelled += 1;
    }
    bar(
        "S07",
        format_args!(
            "0 of {} attacks in {} blocks after the web was captured, {labelled} of {labelled} looked up in a fence, labelled",
            attacks.len(),
            blocks.len()
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
        send(&env, prompt(&format!("s{number}"), row["prompt"].as_str().unwrap()));
    }
    let kept: Vec<String> = query_all(&env, "SELECT payload ->> 'text' FROM events ORDER BY id");
    assert_eq!(kept.len(), rows.len());
    for (row, kept) in rows.iter().zip(&kept) {
        assert_eq!(row["prompt"], kept.as_str());
    }
    bar("S08", format_args!("{0} of {0} harmless prompts stored word for word", kept.len()));
}
