//! The demo `setup` ends with: a short session through the real hook, in a temporary store that is gone afterwards.

use crate::app::App;
use crate::env_vars::{BACKSTORY_HOME, BACKSTORY_PROJECT_DIR};
use crate::error::AppError;
use backstory_hosts::Host;
use backstory_inject::{Block, BlockFrame, FetchHint, Orientation, session_start};
use backstory_memory::{Memory, Moment};
use backstory_store::{Filter, Home, Purpose, Scope, Store};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What came of the demo.
#[derive(Debug)]
pub struct DemoReport {
    /// Every event, and how long its hook took.
    pub events: Vec<(&'static str, Duration)>,
    /// How long an empty process takes, for comparison.
    pub empty_process: Duration,
    /// The memories distilled from the events, newest first.
    pub memories: Vec<Memory>,
    /// What the next session would get.
    pub block: Block,
}

impl App {
    /// Plays a short session through the real hook, each event a process of its own, and returns what the next one would get.
    pub fn run_demo(&self) -> Result<DemoReport, AppError> {
        let failed = |error: io::Error| AppError::user("cannot run the demo").because(&error);
        let scratch = tempfile::tempdir().map_err(failed)?;
        let (home, project) = (scratch.path().join("home"), scratch.path().join("demo"));
        std::fs::create_dir(&project).map_err(failed)?;
        std::fs::write(project.join("pager.py"), PAGER).map_err(failed)?;
        let empty_process = time_empty_process().map_err(failed)?;
        let mut events = Vec::new();
        for (name, payload) in SESSION {
            let payload = format!(r#"{payload},"session_id":"demo","cwd":"PROJECT"}}"#)
                .replace("PROJECT", &project.to_string_lossy());
            events.push((name, time_hook(&home, &project, &payload).map_err(failed)?));
        }
        let store = Store::open(&Home::new(&home), Purpose::Command, self.now)?;
        let (kept, played) = (store.events().count()?, SESSION.len());
        if kept != played as u64 {
            return Err(AppError::user(format!("the demo failed: {kept} of {played} events were kept"))
                .hint("`backstory doctor` looks for the reason; the log is in the store's directory"));
        }
        let ids = store.search().list(&Filter::within(Scope::Everywhere))?;
        let memories = store.memories().get_many(&ids)?;
        let frame = BlockFrame::for_moment(Moment::SessionStart, self.now, DEMO_NONCE, FetchHint::Command);
        let block = session_start(&Orientation::from_memories(memories.clone()), None, &frame);
        Ok(DemoReport { events, empty_process, memories, block })
    }
}

/// The nonce of a block that no session gets.
const DEMO_NONCE: u32 = 0;

/// A session as Claude Code reports it. `PROJECT` becomes the folder.
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

fn time_hook(home: &Path, project: &Path, payload: &str) -> io::Result<Duration> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["hook", "--host", Host::ClaudeCode.as_str()]);
    command
        .env(BACKSTORY_HOME, home)
        .env(BACKSTORY_PROJECT_DIR, project)
        // The demo must work whatever the user has configured, and leave no background process behind.
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

fn time_empty_process() -> io::Result<Duration> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    command.status()?;
    Ok(begun.elapsed())
}
