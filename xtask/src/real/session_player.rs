//! Plays a recorded session through the hooks of Claude Code, at its own times.
//!
//! As the host does it: no hook for a rejected tool, no Stop after an interruption, and messages queued in mid-turn stand in the
//! transcript only.

use super::project_run::{ProjectRun, RunMemory, SessionRun};
use super::recorded_sessions::{RecordedProject, UserRecord, blocks, classify, field, records, text_of};
use super::replay_home::{ReplayHome, ReplayMoment};
use super::writer_folders::WriterFolders;
use crate::TaskResult;
use backstory_memory::first_chars;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;

/// Tools before which the host calls a hook of ours.
const BEFORE_TOOLS: [&str; 5] = ["Bash", "Edit", "MultiEdit", "Write", "NotebookEdit"];
const REJECTIONS: [&str; 2] =
    ["doesn't want to proceed with this tool use", "doesn't want to take this action"];

/// Plays all sessions of a project in a new home.
pub(crate) fn play_project(
    program: &Path,
    project: &RecordedProject,
    folders: &WriterFolders,
) -> TaskResult<ProjectRun> {
    let mut home = ReplayHome::new(program, &project.name)?;
    let mut sessions = Vec::new();
    let mut memories: Vec<RunMemory> = Vec::new();
    let mut writer = Vec::new();
    for transcript in &project.transcripts {
        let records = records(transcript, &home.folder())?;
        let (mut session, end_ms) = SessionPlayer::play(&mut home, &records)?;
        writer.extend(folders.exchange(&home, &project.name, (&session.session, end_ms))?);
        let current = home.memories(end_ms)?;
        let newest = |memory: &&RunMemory| memory.kind == "handoff" && memory.is_from(&session.session);
        session.handoff = current.iter().filter(newest).max_by_key(|it| it.created_at.clone()).cloned();
        // What is gone or was superseded since stays in the record, as retired.
        for known in memories.iter_mut().filter(|known| current.iter().all(|it| it.uid != known.uid)) {
            known.standing = "retired".to_owned();
        }
        for memory in current {
            memories.retain(|known| known.uid != memory.uid);
            memories.push(memory);
        }
        sessions.push(session);
    }
    let (hooks, log) = (home.hooks, home.log());
    Ok(ProjectRun {
        project: project.name.clone(),
        sessions,
        writer,
        memories,
        injections: home.injections,
        hooks,
        log,
    })
}

struct SessionPlayer<'a> {
    home: &'a mut ReplayHome,
    at: ReplayMoment,
    prompts: Vec<String>,
    branch: String,
    /// Tool calls that have no result yet.
    tool_uses: HashMap<String, Value>,
    /// The agent's last text, unless a tool call followed.
    last_text: Option<String>,
    is_in_turn: bool,
    is_interrupted: bool,
}

impl SessionPlayer<'_> {
    /// Plays one session; returns it and the time of its end.
    fn play(home: &mut ReplayHome, records: &[Value]) -> TaskResult<(SessionRun, i64)> {
        let session =
            records.iter().find_map(|it| it.get("sessionId")?.as_str()).ok_or("a session without an id")?;
        let start = records.iter().find_map(time_ms).ok_or("a session without a time")?;
        let at = ReplayMoment { session: session.to_owned(), turn: 0, now_ms: start };
        let mut player = SessionPlayer {
            home,
            at,
            prompts: Vec::new(),
            branch: String::new(),
            tool_uses: HashMap::new(),
            last_text: None,
            is_in_turn: false,
            is_interrupted: false,
        };
        player.hook("SessionStart", json!({"source": "startup"}))?;
        for record in records {
            if record.get("isSidechain").and_then(Value::as_bool) != Some(true) {
                player.step(record)?;
            }
            player.home.append_transcript(session, record)?;
        }
        player.stop()?;
        player.hook("SessionEnd", json!({"reason": "other"}))?;
        let end_ms = player.at.now_ms;
        Ok((SessionRun { session: session.to_owned(), prompts: player.prompts, handoff: None }, end_ms))
    }

    fn hook(&mut self, event: &str, fields: Value) -> TaskResult {
        self.home.hook(event, &self.at, fields)
    }

    fn step(&mut self, record: &Value) -> TaskResult {
        let is_from_user = field(record, "type") == "user";
        let user_record = if is_from_user { classify(record) } else { UserRecord::Other };
        // The turn ended when the agent fell silent, not when the user came back.
        if matches!(user_record, UserRecord::Prompt(_)) {
            self.stop()?;
        }
        self.at.now_ms = time_ms(record).unwrap_or_default().max(self.at.now_ms);
        match user_record {
            UserRecord::Prompt(prompt) => self.prompt(record, prompt),
            UserRecord::ToolResults => {
                blocks(record).iter().try_for_each(|block| self.tool_result(record, block))
            }
            UserRecord::Interrupt => {
                self.is_interrupted = true;
                Ok(())
            }
            UserRecord::Compaction => {
                self.hook("PreCompact", json!({"trigger": "auto", "custom_instructions": ""}))?;
                self.hook("SessionStart", json!({"source": "compact"}))
            }
            UserRecord::Other if field(record, "type") == "assistant" => {
                blocks(record).iter().try_for_each(|block| self.agent_block(block))
            }
            UserRecord::Other => Ok(()),
        }
    }

    fn prompt(&mut self, record: &Value, prompt: String) -> TaskResult {
        let branch = field(record, "gitBranch");
        if !branch.is_empty() && branch != self.branch {
            self.home.checkout(branch, self.at.now_ms);
            branch.clone_into(&mut self.branch);
        }
        self.at.turn += 1;
        self.is_interrupted = false;
        self.is_in_turn = true;
        let fields = json!({"prompt": prompt, "prompt_id": field(record, "uuid")});
        self.prompts.push(prompt);
        self.hook("UserPromptSubmit", fields)
    }

    fn agent_block(&mut self, block: &Value) -> TaskResult {
        let text = field(block, "text");
        if field(block, "type") == "text" && !text.trim().is_empty() && text != "(no content)" {
            self.last_text = Some(text.to_owned());
            self.is_interrupted = false;
            self.is_in_turn = true;
        }
        if field(block, "type") != "tool_use" {
            return Ok(());
        }
        self.last_text = None;
        self.is_interrupted = false;
        self.tool_uses.insert(field(block, "id").to_owned(), block.clone());
        if BEFORE_TOOLS.contains(&field(block, "name")) {
            self.tool_hook("PreToolUse", block, &[])
        } else {
            Ok(())
        }
    }

    fn tool_result(&mut self, record: &Value, block: &Value) -> TaskResult {
        let Some(tool_use) = self.tool_uses.remove(field(block, "tool_use_id")) else { return Ok(()) };
        let response = record.get("toolUseResult").cloned();
        let text = block.get("content").map(text_of).unwrap_or_default();
        let is_turned_down = response
            .as_ref()
            .and_then(Value::as_str)
            .is_some_and(|it| first_chars(it, 60).contains("rejected"));
        if is_turned_down || REJECTIONS.iter().any(|words| text.contains(words)) {
            self.is_interrupted = true;
            return Ok(());
        }
        if block.get("is_error").and_then(Value::as_bool) == Some(true) {
            let error = json!(text.strip_prefix("Error: ").unwrap_or(&text));
            return self.tool_hook(
                "PostToolUseFailure",
                &tool_use,
                &[("error", error), ("is_interrupt", json!(false))],
            );
        }
        let response = response.unwrap_or_else(|| json!(text));
        self.home.apply(&tool_use, &response, self.at.now_ms)?;
        self.tool_hook("PostToolUse", &tool_use, &[("tool_response", response)])
    }

    fn tool_hook(&mut self, event: &str, tool_use: &Value, more: &[(&str, Value)]) -> TaskResult {
        let mut fields = json!({"tool_name": tool_use.get("name"), "tool_input": tool_use.get("input"), "tool_use_id": tool_use.get("id")});
        if let Some(fields) = fields.as_object_mut() {
            fields.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        }
        self.hook(event, fields)
    }

    /// Ends a turn, if the agent has closed it with a message.
    fn stop(&mut self) -> TaskResult {
        let closing = self.last_text.take();
        let was_in_turn = std::mem::take(&mut self.is_in_turn);
        match closing {
            Some(closing) if was_in_turn && !self.is_interrupted => {
                self.hook("Stop", json!({"stop_hook_active": false, "last_assistant_message": closing}))
            }
            _ => Ok(()),
        }
    }
}

fn time_ms(record: &Value) -> Option<i64> {
    Some(record.get("timestamp")?.as_str()?.parse::<jiff::Timestamp>().ok()?.as_millisecond())
}
