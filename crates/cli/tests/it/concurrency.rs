//! Many processes at once, and folders nobody would name on purpose.

use crate::support::{
    HOOK, Times, ask, bar, count, done, harmless, lock, patient_world, payload, prompt, prompts, remember,
    run, send, send_at_once, world,
};
use backstory_testkit::corpora::{extra_text, hostile_names};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::Child;

/// R03.
#[test]
fn two_hundred_hooks_at_once_on_a_cold_home_are_all_kept_once() {
    let env = patient_world();
    let times = send_at_once(&env, &prompts("burst", 0..200));
    let kept = count(&env, "events");
    assert_eq!(kept, 200);
    let sessions = ask(&env, 0, &["sessions", "--json"]);
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(1));
    assert_eq!(sessions["sessions"][0]["events"], 200);
    done(&env, &["doctor", "--full"]);
    bar("R03", format_args!("{kept} of 200 hooks at once on a cold home kept once"));
    times.report("R03", "p95");
    times.report("R03", "max");
}

/// R07.
#[test]
fn hooks_that_meet_a_locked_database_lose_nothing() {
    let env = patient_world();
    remember(&env, "The store is there");
    let holder = lock(&env);
    let times = send_at_once(&env, &prompts("s", 0..20));
    drop(holder);
    let mut since = Times::default();
    let kept = since.measure(|| count(&env, "events"));
    assert_eq!(kept, 20);
    assert_eq!(count(&env, "spooled"), 0);
    bar("R07", format_args!("{kept} of 20 kept after an exclusive lock"));
    times.report("R07", "hook max");
    since.report("R07", "taken in");
}

#[test]
fn a_store_made_by_many_commands_at_once_is_one_store() {
    let env = world();
    let texts: Vec<String> =
        (0..12).map(|number| format!("Word{number} stands alone{number} here{number}")).collect();
    let children: Vec<Child> =
        texts.iter().map(|text| env.command(["remember", text]).spawn().unwrap()).collect();
    for child in children {
        let outcome = env.finish(child);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
    }
    assert_eq!((count(&env, "memories"), count(&env, "projects")), (12, 1));
}

/// R30.
#[test]
fn folders_with_hostile_names_are_projects_like_any_other() {
    let extra = extra_text("hostile_names.json").unwrap_or_else(|| "[]".to_owned());
    let extra: Vec<Value> = serde_json::from_str(&extra).unwrap();
    let extra = extra.iter().map(|name| from_base64(name["name_b64"].as_str().unwrap()));
    let names: Vec<Vec<u8>> = hostile_names().into_iter().chain(extra).collect();
    let env = patient_world();
    remember(&env, "The store is there");
    let theirs = env.files_of_others();
    let mut sent = 0;
    for (number, name) in names.iter().enumerate() {
        let name = OsString::from_vec(name.clone());
        let cwd = env.project().join(&name);
        let edit = json!({"tool_name": "Edit", "tool_use_id": number.to_string(),
            "cwd": cwd.to_string_lossy(), "tool_input": {"file_path": cwd.to_string_lossy()}});
        send(&env, payload("s", "PostToolUse", edit));
        sent += 1;
        // The same by the host's variable, which need not be text.
        if !name.as_bytes().contains(&0) {
            let prompt = prompt("p", &number.to_string());
            harmless(&run(&env, HOOK).var("CLAUDE_PROJECT_DIR", &cwd).input(prompt).output());
            sent += 1;
        }
        assert_eq!(count(&env, "events"), sent, "{name:?}");
    }
    assert_eq!(env.files_of_others(), theirs, "no file outside the data directory");
    bar("R30", format_args!("{} names, {sent} of {sent} events kept once, 0 files elsewhere", names.len()));
    for arguments in [&["project", "list"][..], &["sessions", "--all-projects"]] {
        let outcome = env.run(arguments);
        assert!(outcome.code == Some(0) && !outcome.stdout.contains('\u{1b}'), "{outcome:?}");
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> =
        text.bytes().filter(|byte| *byte != b'=').map(|byte| u32::from(value(byte))).collect();
    let group = |four: &[u32]| {
        let bits = four.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - four.len()));
        bits.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}
