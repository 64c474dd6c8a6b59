//! Hooks as hosts run them: payloads in, at most an injection out.

use super::{answer, run};
use backstory_testkit::{ProgramOutput, TestEnv, Times};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// The way Claude Code calls us.
pub(crate) const HOOK: [&str; 3] = ["hook", "--host", "claude-code"];

/// Returns a payload of an event in a session.
pub(crate) fn payload(session: &str, event: &str, fields: Value) -> String {
    let mut payload = json!({"session_id": session, "hook_event_name": event});
    let Value::Object(fields) = fields else { panic!("no fields: {fields}") };
    payload.as_object_mut().expect("an object").extend(fields);
    payload.to_string()
}

/// Returns a payload of a prompt in a session.
pub(crate) fn prompt(session: &str, text: &str) -> String {
    payload(session, "UserPromptSubmit", json!({"prompt_id": text, "prompt": text}))
}

/// Returns so many payloads of prompts in one session.
pub(crate) fn prompts(session: &str, numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|number| prompt(session, &format!("prompt {number}"))).collect()
}

/// Returns the payloads that were recorded of a host (`crates/hosts/tests/fixtures`), in this world's project.
pub(crate) fn recorded(env: &TestEnv, scene: &str) -> String {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hosts/tests/fixtures");
    let text = std::fs::read_to_string(fixtures.join(scene).with_extension("jsonl")).expect(scene);
    text.replace("/home/dev/project", &env.project().to_string_lossy())
}

/// Runs the hook with a payload.
pub(crate) fn hook(env: &TestEnv, payload: impl AsRef<[u8]>) -> ProgramOutput {
    env.run_with(HOOK, payload)
}

/// Runs the hook with a payload; it must do no harm.
pub(crate) fn send(env: &TestEnv, payload: impl AsRef<[u8]>) {
    harmless(&hook(env, payload));
}

/// Runs the hook with one variable more; it must do no harm.
pub(crate) fn send_with(env: &TestEnv, variable: (&str, &str), payload: impl AsRef<[u8]>) {
    harmless(&run(env, HOOK).var(variable.0, variable.1).input(payload).output());
}

/// Runs the hook for an event of a session in the world's project.
pub(crate) fn event(env: &TestEnv, session: &str, name: &str, mut fields: Value) -> ProgramOutput {
    if fields["cwd"].is_null() {
        fields["cwd"] = json!(env.project());
    }
    hook(env, payload(session, name, fields))
}

/// Runs as many hooks at once as there are payloads; they must do no harm. Returns how long each of them took.
pub(crate) fn send_at_once(env: &TestEnv, payloads: &[String]) -> Times {
    let mut times = Times::default();
    std::thread::scope(|scope| {
        let timed = |payload| {
            let begun = Instant::now();
            send(env, payload);
            begun.elapsed()
        };
        let hooks: Vec<_> = payloads.iter().map(|payload| scope.spawn(move || timed(payload))).collect();
        hooks.into_iter().for_each(|hook| times.add(hook.join().expect("a hook that does no harm")));
    });
    times
}

/// Asserts that a hook did no harm: at most a reply on stdout, at most a line on stderr, exit 0 (law 1).
#[track_caller]
pub(crate) fn harmless(outcome: &ProgramOutput) {
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stdout.is_empty() || is_reply(&outcome.stdout), "{outcome:?}");
    assert!(outcome.stderr.lines().count() <= 1, "{outcome:?}");
}

/// Whether a text is a reply a host accepts: it adds context or a message, and decides nothing.
fn is_reply(text: &str) -> bool {
    let is_compaction = text.starts_with("--- backstory ") && text.contains("\n--- end of backstory ");
    let is_known = |name: &String| name == "hookSpecificOutput" || name == "systemMessage";
    let reply: Value = serde_json::from_str(text).unwrap_or_default();
    is_compaction || reply.as_object().is_some_and(|fields| !fields.is_empty() && fields.keys().all(is_known))
}

/// Returns what a reply injects into the agent's context, with the nonce of its fence replaced by `[NONCE]`.
pub(crate) fn injected(outcome: &ProgramOutput) -> String {
    harmless(outcome);
    if outcome.stdout.starts_with('{') {
        // A message for the user is not injected.
        let context = answer(outcome)["hookSpecificOutput"]["additionalContext"].take();
        return without_nonce(context.as_str().unwrap_or_default());
    }
    without_nonce(&outcome.stdout)
}

/// Replaces the nonce of the fence a text begins with.
pub(crate) fn without_nonce(text: &str) -> String {
    let rest = ["<backstory-", "--- backstory "].iter().find_map(|mark| text.strip_prefix(mark));
    match rest.and_then(|rest| rest.get(..8)) {
        Some(nonce) => text.replace(nonce, "[NONCE]"),
        None => text.to_owned(),
    }
}
