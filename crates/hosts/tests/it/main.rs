//! What hosts say, as recorded from the real ones, and what is understood of it.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "clippy allows this in a `#[test]`, but not in what tests share"
)]

mod answering;
mod any_config;
mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod damaged;
mod gemini;
mod opencode;
mod opencode_plugin;
mod recorded;
mod records;
mod records_claude_code;
mod records_codex;
mod records_copilot;
mod records_gemini;
mod records_opencode;
mod renamed;
mod wiring;
