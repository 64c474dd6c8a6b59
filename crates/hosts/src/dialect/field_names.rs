//! The names hosts use for the same field. The first one with a value counts.

pub(super) const EVENT: &[&str] = &["hook_event_name"];
pub(super) const SESSION: &[&str] = &["session_id", "conversation_id", "sessionId"];
/// Copilot gives a subagent a session of its own, and says whose it is.
pub(super) const PARENT_SESSION: &[&str] = &["parentAgentId"];
pub(super) const CWD: &[&str] = &["cwd"];
pub(super) const TURN: &[&str] = &["prompt_id", "turn_id", "generation_id"];
pub(super) const CALL: &[&str] = &["tool_use_id"];
pub(super) const AGENT: &[&str] = &["agent_id", "agentId", "subagent_id"];
pub(super) const AGENT_SORT: &[&str] = &["agent_type", "agentType", "subagent_type"];
pub(super) const TOOL: &[&str] = &["tool_name", "toolName"];
pub(super) const INPUT: &[&str] = &["tool_input", "toolArgs"];
pub(super) const RESPONSE: &[&str] = &["tool_response", "toolResult", CURSORS_RESPONSE];
pub(super) const CURSORS_RESPONSE: &str = "tool_output";
pub(super) const ERROR: &[&str] = &["error", "error_message"];
pub(super) const PROMPT: &[&str] = &["prompt", "user_prompt"];
pub(super) const MESSAGE: &[&str] =
    &["last_assistant_message", "prompt_response", "response", "text", "summary"];
pub(super) const TRANSCRIPT: &[&str] = &["transcript_path", "transcriptPath"];
