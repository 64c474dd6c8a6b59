//! Variables that hosts set for the commands their agents run: whoever finds one of them speaks for an agent.

/// Their names. Claude Code, Codex, OpenCode, Gemini CLI, Copilot CLI, Cursor, Qwen Code, Goose, Amp, and what several hosts agreed on.
pub const AGENT_VARIABLES: [&str; 16] = [
    "AGENT",
    "AI_AGENT",
    "AMP_CURRENT_THREAD_ID",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "COPILOT_AGENT_SESSION_ID",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "GOOSE_TERMINAL",
    "OPENCODE",
    "QWEN_CODE",
    "ROO_ACTIVE",
];
