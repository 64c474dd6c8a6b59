//! What the user decided in dialogs and said in between: answers, refusals, plans, interruptions, messages typed while the agent
//! works. Invented sessions in the shapes hosts write; a transcript says the same as the hooks.

use crate::recorded::{event_line, parse_json};
use crate::transcript_reading::{TranscriptHome, event_lines, lines, with};
use backstory_hosts::{AgentEvent, EventOutcome, Host};
use insta::assert_snapshot;
use serde_json::{Value, json};

const REFUSED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";

/// Returns everything a hook captured.
fn hook_events(host: Host, event: Option<&str>, payload: &Value) -> Vec<AgentEvent> {
    let parsed = parse_json(host, event, payload);
    match parsed.outcome {
        EventOutcome::Captured(first) => std::iter::once(*first).chain(parsed.also).collect(),
        EventOutcome::Ignored(_) => Vec::new(),
    }
}

fn used(host: Host, event: &str, tool: &str, input: &Value, response: &Value) -> String {
    let payload = json!({"hook_event_name": event, "session_id": "s", "cwd": "/p", "tool_name": tool, "tool_input": input,
        "tool_response": response, "tool_use_id": "t"});
    let events = hook_events(host, None, &payload);
    events.iter().map(event_line).collect::<Vec<String>>().join("\n")
}

fn claude_row(number: u32, kind: &str, content: &Value) -> Value {
    json!({"type": kind, "uuid": format!("u{number}"), "sessionId": "s1", "cwd": "/p", "isSidechain": false,
        "timestamp": format!("2026-02-01T10:00:{number:02}.000Z"), "message": {"role": kind, "content": content}})
}

/// Returns a call of a tool and its result.
fn claude_call(number: u32, tool: &str, input: &Value, result: &str, more: &Value) -> [Value; 2] {
    let id = format!("t{number}");
    let call = json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]);
    let is_error = result.starts_with("The user") || result.starts_with("[Request");
    let result = json!([{"type": "tool_result", "tool_use_id": id, "content": result, "is_error": is_error}]);
    [claude_row(number, "assistant", &call), with(claude_row(number + 1, "user", &result), more)]
}

fn queue(number: u32, operation: &str, content: &str) -> Value {
    json!({"type": "queue-operation", "operation": operation, "sessionId": "s1", "content": content,
        "timestamp": format!("2026-02-01T10:00:{number:02}.000Z")})
}

fn attached(number: u32, prompt: &str, mode: &str, origin: &str) -> Value {
    json!({"parentUuid": "u1", "isSidechain": false, "type": "attachment", "uuid": format!("a{number}"), "sessionId": "s1", "cwd": "/p",
        "timestamp": format!("2026-02-01T10:00:{number:02}.000Z"),
        "attachment": {"type": "queued_command", "prompt": prompt, "commandMode": mode, "origin": {"kind": origin}}})
}

fn claude_lines(rows: &[Value]) -> String {
    let home = TranscriptHome::with_file(Host::ClaudeCode, "projects/-p/s1.jsonl", lines(rows));
    event_lines(&home.first_entries())
}

#[test]
fn task_states_are_followed_to_the_end() {
    let used =
        |tool, input: Value, response: Value| used(Host::ClaudeCode, "PostToolUse", tool, &input, &response);
    let states = [
        used(
            "TaskCreate",
            json!({"subject": "Add paging"}),
            json!({"task": {"id": "3", "subject": "Add paging"}}),
        ),
        used(
            "TaskCreate",
            json!({"subject": "Add paging"}),
            json!("Task #4 created successfully: Add paging"),
        ),
        used("TaskUpdate", json!({"taskId": "3", "status": "in_progress"}), json!({"success": true})),
        used("TaskUpdate", json!({"taskId": 3, "status": "completed"}), json!("Updated task #3 status")),
        used("TaskUpdate", json!({"taskId": "4", "status": "deleted"}), json!({"success": true})),
        used("TaskUpdate", json!({"taskId": "9", "status": "completed"}), json!({"success": false})),
        used("TaskUpdate", json!({"taskId": "3", "owner": "left"}), json!({"success": true})),
    ];
    assert_snapshot!(states.join("\n"), @r#"
    t Tool TaskCreate {"what":"task_changed","id":"3","text":"Add paging","state":"open"}
    t Tool TaskCreate {"what":"task_changed","id":"4","text":"Add paging","state":"open"}
    t Tool TaskUpdate {"what":"task_changed","id":"3","text":"","state":"started"}
    t Tool TaskUpdate {"what":"task_changed","id":"3","text":"","state":"done"}
    t Tool TaskUpdate {"what":"task_changed","id":"4","text":"","state":"dropped"}
    t Tool TaskUpdate {"what":"used_tool","request":"status completed, taskId 9"}
    t Tool TaskUpdate {"what":"used_tool","request":"owner left, taskId 3"}
    "#);
}

#[test]
fn plans_are_approved_or_turned_down() {
    let plan = json!({"plan": "Paging first\n- count the pages"});
    let claude = |response: Value| used(Host::ClaudeCode, "PostToolUse", "ExitPlanMode", &plan, &response);
    let gemini = |said: &str| {
        let input = json!({"plan_filename": "paging.md"});
        used(Host::Gemini, "AfterTool", "exit_plan_mode", &input, &json!({"llmContent": said}))
    };
    let decided = [
        claude(
            json!({"plan": "Paging first\n- count them twice", "isAgent": false, "filePath": "/plans/a.md"}),
        ),
        claude(json!(
            "User has approved your plan. You can now start coding.\n\n## Approved Plan (edited by user):\nPaging first"
        )),
        gemini("Plan approved. Switching to Default mode."),
        gemini(
            "Plan rejected. User feedback: \"no new crate\"\n\nThe plan is stored at: paging.md\nRevise it.",
        ),
        gemini("Something new."),
    ];
    assert_snapshot!(decided.join("\n"), @r#"
    t Assistant ExitPlanMode {"what":"plan_decided","plan":"Paging first\n- count them twice","is_approved":true,"feedback":""}
    t Assistant ExitPlanMode {"what":"plan_decided","plan":"Paging first","is_approved":true,"feedback":""}
    t Assistant exit_plan_mode {"what":"plan_decided","plan":"paging.md","is_approved":true,"feedback":""}
    t User exit_plan_mode {"what":"plan_decided","plan":"paging.md","is_approved":false,"feedback":"no new crate"}
    t Tool exit_plan_mode {"what":"used_tool","request":"plan_filename paging.md"}
    "#);
}

#[test]
fn answers_are_read_for_every_question() {
    let questions = json!({"questions": [
        {"question": "Which store?", "id": "store", "header": "Store", "options": [{"label": "SQLite"}, {"label": "Files"}]},
        {"question": "Which port?", "id": "port", "header": "Port", "options": [{"label": "7070"}]},
    ]});
    let copilot = json!({"sessionId": "s", "toolName": "ask_user", "toolArgs": {"question": "Which store?", "choices": ["SQLite", "Files"]},
        "toolResult": {"resultType": "success", "textResultForLlm": "User selected: Files"}});
    let session = json!({"id": "s", "root": "s", "directory": "/p"});
    let opencode = json!({"session": session, "said": {"input": {"tool": "question", "callID": "t", "args": questions},
        "output": {"output": "x", "metadata": {"answers": [["SQLite", "Files"], []]}}}});
    let said = [
        used(
            Host::ClaudeCode,
            "PostToolUse",
            "AskUserQuestion",
            &questions,
            &json!({"answers": {"Which store?": "SQLite", "Which port?": "Other"}, "annotations": {"Which port?": {"notes": "as in CI"}}}),
        ),
        used(
            Host::Codex,
            "PostToolUse",
            "request_user_input",
            &questions,
            &json!(r#"{"answers":{"store":{"answers":["SQLite"]},"port":{"answers":["9090"]}}}"#),
        ),
        used(
            Host::Gemini,
            "AfterTool",
            "ask_user",
            &questions,
            &json!({"llmContent": r#"{"answers":{"0":"Files"}}"#, "returnDisplay": "x"}),
        ),
        hook_events(Host::Copilot, Some("postToolUse"), &copilot).iter().map(event_line).collect(),
        hook_events(Host::OpenCode, Some("tool.execute.after"), &opencode)
            .iter()
            .map(event_line)
            .collect::<Vec<_>>()
            .join("\n"),
    ];
    assert_snapshot!(said.join("\n"), @r#"
    t User AskUserQuestion {"what":"answered","topic":"Store","question":"Which store?","options":["SQLite","Files"],"answer":"SQLite"}
    t User AskUserQuestion {"what":"answered","topic":"Port","question":"Which port?","options":["7070"],"answer":"as in CI"}
    t User request_user_input {"what":"answered","topic":"Store","question":"Which store?","options":["SQLite","Files"],"answer":"SQLite"}
    t User request_user_input {"what":"answered","topic":"Port","question":"Which port?","options":["7070"],"answer":"9090"}
    t User ask_user {"what":"answered","topic":"Store","question":"Which store?","options":["SQLite","Files"],"answer":"Files"}
    - User ask_user {"what":"answered","topic":"","question":"Which store?","options":["SQLite","Files"],"answer":"Files"}
    t User question {"what":"answered","topic":"Store","question":"Which store?","options":["SQLite","Files"],"answer":"SQLite"}
    t User question {"what":"answered","topic":"Store","question":"Which store?","options":["SQLite","Files"],"answer":"Files"}
    "#);
}

#[test]
fn a_refused_tool_is_no_failure() {
    let edit = json!({"file_path": "/p/a.rs", "old_string": "a", "new_string": "b"});
    let mut rows = vec![claude_row(1, "user", &json!("Add paging"))];
    let said = format!("{REFUSED} To tell you how to proceed, the user said:\nkeep the old name");
    rows.extend(claude_call(2, "Edit", &edit, &said, &json!({"toolDenialKind": "user-rejected"})));
    let stop = format!("{REFUSED} STOP what you are doing and wait for the user to tell you how to proceed.");
    rows.extend(claude_call(4, "Bash", &json!({"command": "git push\n--force"}), &stop, &json!({})));
    rows.push(claude_row(
        6,
        "user",
        &json!([{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
    ));
    rows.push(claude_row(7, "user", &json!("Go on")));
    rows.extend(claude_call(8, "ExitPlanMode", &json!({"plan": "Paging first"}), &said, &json!({})));
    let denied = "The user has a rule against it";
    rows.extend(claude_call(
        10,
        "Bash",
        &json!({"command": "rm x"}),
        denied,
        &json!({"toolDenialKind": "permission-rule"}),
    ));
    rows.push(claude_row(12, "assistant", &json!([{"type": "text", "text": "Writing"}])));
    rows.push(claude_row(13, "user", &json!("[Request interrupted by user]")));
    assert_snapshot!(claude_lines(&rows), @r#"
    - Tool {"what":"session_started","reason":"startup"}
    u1 User {"what":"prompted","text":"Add paging"}
    t2 User Edit {"what":"rejected","at":"/p/a.rs","feedback":"keep the old name"}
    t4 User Bash {"what":"rejected","at":"git push --force","feedback":""}
    u7 User {"what":"prompted","text":"Go on"}
    t8 User ExitPlanMode {"what":"plan_decided","plan":"Paging first","is_approved":false,"feedback":"keep the old name"}
    - User {"what":"interrupted"}
    "#);
}

#[test]
fn other_hosts_say_what_was_refused_and_stopped() {
    let codex = |number: u32, kind: &str, payload: Value| json!({"timestamp": format!("2026-02-01T10:00:{number:02}.000Z"), "type": kind, "payload": payload});
    let call = |id: &str, name: &str, input: Value| json!({"type": "function_call", "name": name, "call_id": id, "arguments": input.to_string()});
    let output =
        |id: &str, text: &str| json!({"type": "function_call_output", "call_id": id, "output": text});
    let prompt =
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Add paging"}]});
    let rows = [
        codex(0, "session_meta", json!({"id": "t1", "cwd": "/p"})),
        codex(1, "response_item", prompt),
        codex(
            2,
            "response_item",
            call("c1", "shell", json!({"command": ["bash", "-lc", "git push --force"]})),
        ),
        codex(3, "response_item", output("c1", "exec command rejected by user")),
        codex(
            4,
            "response_item",
            call(
                "c2",
                "request_user_input",
                json!({"questions": [{"id": "port", "question": "Which port?"}]}),
            ),
        ),
        codex(5, "response_item", output("c2", r#"{"answers":{"port":{"answers":["7070"]}}}"#)),
        codex(6, "event_msg", json!({"type": "turn_aborted", "reason": "interrupted"})),
    ];
    let rollout = "sessions/2026/02/01/rollout-2026-02-01T10-00-00-t1.jsonl";
    let codex = event_lines(&TranscriptHome::with_file(Host::Codex, rollout, lines(&rows)).first_entries());

    let call = |status: &str, error: &str| {
        json!({"id": error, "name": "run_shell_command", "args": {"command": "git push"}, "status": status,
            "result": [{"functionResponse": {"response": {"error": error}}}]})
    };
    let message = json!({"id": "m2", "timestamp": "2026-02-01T10:00:02Z", "type": "gemini", "content": "", "toolCalls": [
        call("cancelled", "[Operation Cancelled] Reason: User did not allow tool call"),
        call("cancelled", "[Operation Cancelled] Reason: User cancelled tool execution."),
    ]});
    let rows = [
        json!({"sessionId": "s1", "projectHash": "0a", "startTime": "2026-02-01T10:00:00Z"}),
        json!({"id": "m1", "timestamp": "2026-02-01T10:00:01Z", "type": "user", "content": "Add paging"}),
        message,
    ];
    let chat = ".gemini/tmp/p/chats/session-2026-02-01T10-00-s1.jsonl";
    let gemini = event_lines(&TranscriptHome::with_file(Host::Gemini, chat, lines(&rows)).first_entries());

    let event = |number: u32, sort: &str, data: Value| json!({"type": sort, "id": format!("e{number}"), "timestamp": format!("2026-02-01T10:00:{number:02}Z"), "data": data});
    let rows = [
        event(1, "session.start", json!({"sessionId": "s1", "context": {"cwd": "/p"}})),
        event(2, "user.message", json!({"content": "Add paging"})),
        event(
            3,
            "tool.execution_start",
            json!({"toolCallId": "c", "toolName": "bash", "arguments": {"command": "git push"}}),
        ),
        event(
            4,
            "tool.execution_complete",
            json!({"toolCallId": "c", "success": false,
            "error": {"code": "rejected", "message": "Not now. User feedback: ask me first"}}),
        ),
        event(5, "abort", json!({"reason": "user initiated"})),
    ];
    let session = ".copilot/session-state/s1/events.jsonl";
    let copilot =
        event_lines(&TranscriptHome::with_file(Host::Copilot, session, lines(&rows)).first_entries());

    let session = json!({"id": "s", "root": "s", "directory": "/p"});
    let failed = |error: &str| {
        let part = json!({"tool": "bash", "callID": "c", "state": {"status": "error", "input": {"command": "git push"}, "error": error}});
        let payload = json!({"session": session, "said": part});
        hook_events(Host::OpenCode, Some("tool.failed"), &payload).iter().map(event_line).collect::<String>()
    };
    let opencode = [
        failed(
            "The user rejected permission to use this specific tool call with the following feedback: ask me first",
        ),
        failed("The user has specified a rule which prevents you from using this specific tool call."),
    ];
    let all = [codex, gemini, copilot, opencode.join("\n")];
    assert_snapshot!(all.join("\n\n"), @r#"
    - Tool {"what":"session_started","reason":"startup"}
    - User {"what":"prompted","text":"Add paging"}
    c1 User Bash {"what":"rejected","at":"git push --force","feedback":""}
    c2 User request_user_input {"what":"answered","topic":"","question":"Which port?","options":[],"answer":"7070"}
    - User {"what":"interrupted"}

    - Tool {"what":"session_started","reason":"startup"}
    - User {"what":"prompted","text":"Add paging"}
    - User run_shell_command {"what":"rejected","at":"git push","feedback":""}
    - Assistant {"what":"turn_ended","message":""}

    - Tool {"what":"session_started","reason":"startup"}
    - User {"what":"prompted","text":"Add paging"}
    - User bash {"what":"rejected","at":"git push","feedback":"ask me first"}
    - User {"what":"interrupted"}

    c User bash {"what":"rejected","at":"git push","feedback":"ask me first"}
    "#);
}

/// Versions write the same message once or twice, in either order, or leave out which one the queue gave up.
#[test]
fn a_message_typed_in_mid_turn_is_read_once() {
    let work = |number| claude_call(number, "Bash", &json!({"command": "make"}), "ok", &json!({}));
    let note = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>";
    let mut rows = vec![claude_row(1, "user", &json!("Add paging"))];
    rows.extend([queue(2, "enqueue", r#"{"task_id":"b0"}"#), queue(3, "enqueue", "use the old name")]);
    rows.extend([queue(4, "remove", ""), queue(5, "remove", "")]);
    rows.extend(work(6));
    rows.extend([queue(8, "enqueue", "and no new crate"), queue(9, "remove", "and no new crate")]);
    rows.push(attached(10, "and no new crate", "prompt", "human"));
    rows.extend([
        queue(11, "enqueue", "port 7070"),
        attached(12, "port 7070", "prompt", "human"),
        queue(13, "remove", ""),
    ]);
    rows.extend([
        queue(14, "enqueue", note),
        queue(15, "remove", note),
        attached(16, note, "task-notification", ""),
    ]);
    rows.push(attached(17, "I am another agent", "prompt", "peer"));
    rows.extend([queue(18, "enqueue", "taken back"), queue(19, "popAll", "")]);
    rows.push(queue(20, "enqueue", "then commit it"));
    rows.push(claude_row(21, "assistant", &json!([{"type": "text", "text": "Paging is there."}])));
    rows.extend([queue(22, "dequeue", ""), claude_row(23, "user", &json!("then commit it"))]);
    assert_snapshot!(claude_lines(&rows), @r#"
    - Tool {"what":"session_started","reason":"startup"}
    u1 User {"what":"prompted","text":"Add paging"}
    - User {"what":"interjected","text":"use the old name"}
    t6 Tool Bash {"what":"ran","command":"make","output":"ok","status":"success"}
    - User {"what":"interjected","text":"and no new crate"}
    - User {"what":"interjected","text":"port 7070"}
    u1 Assistant {"what":"turn_ended","message":"Paging is there."}
    u23 User {"what":"prompted","text":"then commit it"}
    "#);
}

#[test]
fn words_of_the_host_and_of_other_agents_are_not_the_users() {
    let rows = [
        claude_row(
            1,
            "user",
            &json!(
                "<command-message>greet</command-message>\n<command-name>/greet</command-name>\n<command-args>Ada</command-args>"
            ),
        ),
        with(claude_row(2, "user", &json!("Say hello to Ada, always.")), &json!({"isMeta": true})),
        claude_row(
            3,
            "user",
            &json!("<teammate-message teammate_id=\"left\">Never push.</teammate-message>"),
        ),
        claude_row(4, "user", &json!("<local-command-stdout>Never push.</local-command-stdout>")),
        claude_row(5, "user", &json!("<system-reminder>Never push.</system-reminder>")),
    ];
    assert_snapshot!(claude_lines(&rows), @r#"
    - Tool {"what":"session_started","reason":"startup"}
    u1 User {"what":"prompted","text":"/greet Ada"}
    "#);
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "<teammate-message>Never push.</teammate-message>"});
    assert_eq!(hook_events(Host::ClaudeCode, None, &prompt), []);
}
