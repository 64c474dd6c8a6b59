//! The live proof `setup` ends with: a short session through the real hook, in a temporary store that is gone afterwards.

use crate::ui::{Tone, Ui, one_line};
use backstory_app::env_vars::{BACKSTORY_HOME, BACKSTORY_PROJECT_DIR};
use backstory_app::{App, AppError};
use backstory_hosts::Host;
use backstory_inject::{BlockFrame, FetchHint, Orientation, session_start};
use backstory_memory::Moment;
use backstory_store::{Filter, Home, Purpose, Scope, Store};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Plays a short session through the real hook, each event a process of its own, and shows what the next one would be given.
pub(crate) fn prove(app: &App, ui: &Ui) -> Result<(), AppError> {
    let failed = |error: std::io::Error| AppError::user("cannot run the proof").because(&error);
    let scratch = tempfile::tempdir().map_err(failed)?;
    let (home, project) = (scratch.path().join("home"), scratch.path().join("demo"));
    std::fs::create_dir(&project).map_err(failed)?;
    std::fs::write(project.join("pager.py"), PAGER).map_err(failed)?;

    ui.line("proof     a short session, played through the real hook into a temporary store:")?;
    let empty = time_of(empty_process()).map_err(failed)?;
    for (name, payload) in SESSION {
        let place = project.to_string_lossy();
        let payload =
            format!(r#"{payload},"session_id":"proof","cwd":"PROJECT"}}"#).replace("PROJECT", &place);
        let took = hook(&home, &project, &payload).map_err(failed)?;
        ui.line(&format!("            {name:<18} {:>6.1} ms", ms(took)))?;
    }
    ui.line(&format!("            {:<18} {:>6.1} ms, for comparison", "an empty process", ms(empty)))?;

    let store = Store::open(&Home::new(&home), Purpose::Command, app.now)?;
    let kept = store.events().count()?;
    if kept != SESSION.len() as u64 {
        return Err(AppError::user(format!(
            "the proof failed: {kept} of {} events were kept",
            SESSION.len()
        ))
        .hint("`backstory doctor` looks for the reason; the log is in the store's directory"));
    }
    let memories = store.memories().get_many(&store.search().list(&Filter::within(Scope::Everywhere))?)?;
    let good = format!("{kept} of {} events kept, and distilled without a model into:", SESSION.len());
    ui.line(&format!("          {}", ui.tone(Tone::Good, &good)))?;
    for memory in memories.iter().rev() {
        ui.line(&format!("            {:<9} {}", memory.content.kind, one_line(&memory.content.title)))?;
    }
    let orientation = Orientation::from_memories(memories);
    let block = session_start(
        &orientation,
        None,
        &BlockFrame::for_moment(Moment::SessionStart, app.now, PROOF, FetchHint::Command),
    );
    ui.line(&format!("          the next session would get ({} tokens):", block.tokens.0))?;
    ui.line("")?;
    for line in block.text.lines() {
        ui.line(&format!("            {line}"))?;
    }
    Ok(())
}

/// The nonce of a block nobody is given.
const PROOF: u32 = 0;

/// A session as Claude Code tells it. `PROJECT` becomes the folder.
const SESSION: [(&str, &str); 9] = [
    ("SessionStart", r#"{"hook_event_name":"SessionStart","source":"startup""#),
    (
        "UserPromptSubmit",
        r#"{"prompt_id":"1","hook_event_name":"UserPromptSubmit","prompt":"Fix the failing test of the pager""#,
    ),
    (
        "PostToolUseFailure",
        r#"{"prompt_id":"1","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"python3 -m unittest"},"tool_use_id":"t1","error":"Exit code 1\nFAIL: test_last_page (test_pager.PagerTest.test_last_page)\nAssertionError: 2 != 3\nRan 4 tests in 0.001s\nFAILED (failures=1)""#,
    ),
    (
        "PostToolUse",
        r#"{"prompt_id":"1","hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"PROJECT/pager.py","old_string":"    return items // per_page","new_string":"    return -(-items // per_page)"},"tool_response":{},"tool_use_id":"t2""#,
    ),
    (
        "PostToolUse",
        r#"{"prompt_id":"1","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"python3 -m unittest"},"tool_response":{"stdout":"Ran 4 tests in 0.001s\nOK"},"tool_use_id":"t3""#,
    ),
    (
        "Stop",
        r#"{"prompt_id":"1","hook_event_name":"Stop","last_assistant_message":"I've fixed the page count of the pager. It rounded down, so a last page that was not full got lost. Next step: show the page count in the footer.""#,
    ),
    (
        "UserPromptSubmit",
        r#"{"prompt_id":"2","hook_event_name":"UserPromptSubmit","prompt":"No, we use pytest here, not unittest.""#,
    ),
    ("Stop", r#"{"prompt_id":"2","hook_event_name":"Stop","last_assistant_message":"Understood.""#),
    ("SessionEnd", r#"{"hook_event_name":"SessionEnd","reason":"other""#),
];

/// The file the session edits, as it leaves it.
const PAGER: &str = "def page_count(items, per_page):\n    return -(-items // per_page)\n";

fn hook(home: &Path, project: &Path, payload: &str) -> std::io::Result<Duration> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["hook", "--host", Host::ClaudeCode.as_str()]);
    command
        .env(BACKSTORY_HOME, home)
        .env(BACKSTORY_PROJECT_DIR, project)
        // The proof is of the hook, whatever is configured, and ends with it.
        .env("BACKSTORY_CAPTURE_ENABLED", "true")
        .env("BACKSTORY_CAPTURE_EXCLUDE", "[]")
        .env("BACKSTORY_RETENTION_BACKUPS", "0");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let mut child = command.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(payload.as_bytes())?;
    }
    child.wait()?;
    Ok(begun.elapsed())
}

fn empty_process() -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

fn time_of(command: std::io::Result<Command>) -> std::io::Result<Duration> {
    let mut command = command?;
    let begun = Instant::now();
    command.status()?;
    Ok(begun.elapsed())
}

fn ms(took: Duration) -> f64 {
    took.as_secs_f64() * 1000.0
}
