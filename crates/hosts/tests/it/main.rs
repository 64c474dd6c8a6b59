//! Payloads, transcripts and configuration files of the hosts, recorded from the real ones.

#![expect(
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "clippy allows this in a `#[test]`, but not in what tests share"
)]

mod any_config;
mod damaged;
mod hooks_claude_code;
mod hooks_codex;
mod hooks_copilot;
mod hooks_cursor;
mod hooks_gemini;
mod hooks_opencode;
mod installing;
mod live_transcripts;
#[cfg(unix)]
mod opencode_plugin;
mod recorded;
mod renamed;
mod replies;
mod transcript_reading;
mod transcripts_and_hooks;
mod transcripts_claude_code;
mod transcripts_codex;
mod transcripts_copilot;
mod transcripts_gemini;
mod transcripts_opencode;
mod user_decisions;
