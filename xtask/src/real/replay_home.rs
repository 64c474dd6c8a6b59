//! A private home for one project: the program at faked times, a git repository that follows the recorded edits and commits.

use super::planted::HomeCopy;
use super::project_run::{RunInjection, RunMemory};
use super::recorded_sessions::{field, text_of};
use crate::TaskResult;
use backstory_testkit::TestEnv;
use serde_json::{Map, Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// One home, one repository.
pub(crate) struct ReplayHome {
    env: TestEnv,
    folder: PathBuf,
    pub(crate) hooks: usize,
    pub(crate) injections: Vec<RunInjection>,
}

/// When something happens in a session.
#[derive(Clone)]
pub(crate) struct ReplayMoment {
    pub(crate) session: String,
    pub(crate) turn: usize,
    pub(crate) now_ms: i64,
}

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
const GIT_CONFIG: &str = "[user]\nname = Sam\nemail = sam@example.com\n[init]\ndefaultBranch = main\n";

impl ReplayHome {
    /// Creates the home and an empty repository named after the project.
    pub(crate) fn new(program: &Path, project: &str) -> TaskResult<ReplayHome> {
        // The longest time a hook may have: what is injected must not depend on how busy this machine is.
        let env = TestEnv::new(program).with("BACKSTORY_DEADLINE_MS", "10000");
        let env = env.with("BACKSTORY_RECALL_VECTORS", "true").with("PATH", PATH);
        let folder = env.world().join(project);
        fs::create_dir_all(&folder)?;
        fs::write(env.world().join("user/.gitconfig"), GIT_CONFIG)?;
        let home = ReplayHome { env, folder, hooks: 0, injections: Vec::new() };
        home.git(&["init", "--quiet"], 0);
        Ok(home)
    }

    /// Returns the project's folder.
    pub(crate) fn folder(&self) -> String {
        self.folder.to_string_lossy().into_owned()
    }

    /// Adds a record to the host's own transcript, which a hook may read.
    pub(crate) fn append_transcript(&self, session: &str, record: &Value) -> TaskResult {
        let path = self.transcript(session);
        fs::create_dir_all(path.parent().ok_or("a transcript lies in a folder")?)?;
        let mut file = fs::File::options().create(true).append(true).open(path)?;
        Ok(writeln!(file, "{record}")?)
    }

    fn transcript(&self, session: &str) -> PathBuf {
        self.env.world().join("user/.claude/projects/replay").join(format!("{session}.jsonl"))
    }

    /// Runs a hook, and keeps what it injects.
    pub(crate) fn hook(&mut self, event: &str, at: &ReplayMoment, fields: Value) -> TaskResult {
        let mut payload = match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        payload.insert("session_id".into(), json!(at.session));
        payload.insert("transcript_path".into(), json!(self.transcript(&at.session)));
        payload.insert("cwd".into(), json!(self.folder));
        payload.insert("hook_event_name".into(), json!(event));
        if !["SessionStart", "SessionEnd", "PreCompact"].contains(&event) {
            payload.insert("permission_mode".into(), json!("default"));
        }
        let reply =
            self.program(&["hook", "--host", "claude-code"], at.now_ms, &Value::Object(payload).to_string())?;
        if event == "Stop" {
            // The next prompt came minutes later: by then vectors were made.
            self.env.wait_for_background();
        }
        self.hooks += 1;
        if !reply.trim().is_empty() {
            let parsed: Value = serde_json::from_str(&reply).unwrap_or_default();
            let context = parsed.pointer("/hookSpecificOutput/additionalContext").and_then(Value::as_str);
            let text = context.unwrap_or(&reply).to_owned();
            let ReplayMoment { session, turn, .. } = at.clone();
            self.injections.push(RunInjection { session, turn, event: event.to_owned(), text });
        }
        Ok(())
    }

    /// Copies the store as it is now, to try something that must not last.
    pub(crate) fn copy(&self) -> TaskResult<HomeCopy<'_>> {
        let folder = tempfile::tempdir()?;
        for entry in fs::read_dir(self.env.home())? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                fs::copy(entry.path(), folder.path().join(entry.file_name()))?;
            }
        }
        Ok(HomeCopy { home: self, folder })
    }

    /// Runs a command of the program.
    pub(crate) fn program(&self, arguments: &[&str], now_ms: i64, input: &str) -> TaskResult<String> {
        self.start(self.env.command(arguments), now_ms, input)
    }

    /// Runs a command of the program as its user, at a terminal.
    pub(crate) fn program_as_user(&self, arguments: &[&str], now_ms: i64) -> TaskResult {
        let mut command = self.env.command(arguments);
        command.current_dir(&self.folder).env("BACKSTORY_NOW_MS", now_ms.to_string());
        let ended = self.env.finish(command.spawn()?);
        if ended.code == Some(0) { Ok(()) } else { Err(format!("{command:?}: {}", ended.stderr).into()) }
    }

    /// Runs a command of the program with the data of another folder.
    pub(crate) fn program_in(&self, data: &Path, arguments: &[&str], now_ms: i64) -> TaskResult<String> {
        let mut command = self.env.command(arguments);
        command.env("BACKSTORY_HOME", data);
        self.start(command, now_ms, "")
    }

    fn start(&self, mut command: Command, now_ms: i64, input: &str) -> TaskResult<String> {
        command.current_dir(&self.folder).env("BACKSTORY_NOW_MS", now_ms.to_string()).stdin(Stdio::piped());
        let mut child = command.spawn()?;
        let mut pipe = child.stdin.take().ok_or("no pipe to the binary")?;
        let input = input.to_owned();
        // Written on another thread: a long payload fills both pipes.
        let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
        let ended = self.env.finish(child);
        drop(writer.join());
        match ended.code {
            Some(0 | 1) => Ok(ended.stdout),
            _ => Err(format!("{command:?} failed: {}", ended.stderr).into()),
        }
    }

    /// Returns every memory as it stands now, with its number and standing.
    pub(crate) fn memories(&self, now_ms: i64) -> TaskResult<Vec<RunMemory>> {
        let exported = self.program(&["export"], now_ms, "")?;
        let mut memories = Vec::new();
        for line in exported.lines() {
            memories
                .push(serde_json::from_str::<RunMemory>(line).map_err(|error| format!("{error}: {line}"))?);
        }
        let listed = self.program(
            &["search", "--all-projects", "--superseded", "-n", "100000", "--json"],
            now_ms,
            "",
        )?;
        let listed: Value = serde_json::from_str(&listed)?;
        for hit in listed.get("hits").and_then(Value::as_array).into_iter().flatten() {
            if let Some(memory) = memories.iter_mut().find(|it| it.uid == field(hit, "uid")) {
                memory.id = hit.get("id").and_then(Value::as_i64);
                memory.standing = field(hit, "standing").to_owned();
            }
        }
        Ok(memories)
    }

    /// Returns the lines of the program's log.
    pub(crate) fn log(&self) -> Vec<String> {
        let log = fs::read_to_string(self.env.home().join("log/backstory.log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// Switches to a branch, making it if needed.
    pub(crate) fn checkout(&self, branch: &str, now_ms: i64) {
        self.git(&["checkout", "--quiet", "-B", branch], now_ms);
    }

    /// Runs git. A failure is the recorded session's, not ours.
    fn git(&self, arguments: &[&str], now_ms: i64) {
        let date = format!("@{} +0000", now_ms / 1000);
        let mut command = Command::new("git");
        command.args(arguments).current_dir(&self.folder).env_clear().env("PATH", PATH);
        command.env("HOME", self.env.world().join("user")).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        drop(command.stdin(Stdio::null()).output());
    }

    /// Does to the repository what a tool call did: writes, edits, commits.
    pub(crate) fn apply(&self, tool_use: &Value, response: &Value, now_ms: i64) -> TaskResult {
        let Some(input) = tool_use.get("input") else { return Ok(()) };
        let path = Path::new(field(input, "file_path"));
        let is_inside = path.starts_with(&self.folder) && !field(input, "file_path").contains("..");
        match field(tool_use, "name") {
            "Write" if is_inside => write_file(path, field(input, "content")),
            "Edit" | "MultiEdit" if is_inside => {
                edited(path, input, response).map_or(Ok(()), |text| write_file(path, &text))
            }
            "Bash" => {
                if let Some(message) = commit_message(field(input, "command"), response) {
                    self.git(&["add", "--all"], now_ms);
                    self.git(&["commit", "--quiet", "--no-verify", "--message", &message], now_ms);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn write_file(path: &Path, text: &str) -> TaskResult {
    fs::create_dir_all(path.parent().ok_or("a file lies in a folder")?)?;
    Ok(fs::write(path, text)?)
}

/// Returns a file after an edit, if what it held before is known.
fn edited(path: &Path, input: &Value, response: &Value) -> Option<String> {
    let original = response.get("originalFile").and_then(Value::as_str).map(str::to_owned);
    let mut text = original.or_else(|| fs::read_to_string(path).ok())?;
    let edits =
        input.get("edits").and_then(Value::as_array).map_or(std::slice::from_ref(input), Vec::as_slice);
    for edit in edits {
        let (old, new) = (field(edit, "old_string"), field(edit, "new_string"));
        if old.is_empty() {
            continue;
        }
        let is_everywhere = edit.get("replace_all").and_then(Value::as_bool) == Some(true);
        text = if is_everywhere { text.replace(old, new) } else { text.replacen(old, new, 1) };
    }
    Some(text)
}

/// Returns the message of a commit that git confirmed: the subject it printed, and the body if the command shows it.
fn commit_message(command: &str, response: &Value) -> Option<String> {
    let output = response.get("stdout").map_or_else(|| text_of(response), text_of);
    // What a rebase was stopped for is committed when it goes on.
    if command.contains("git rebase") && output.contains("Successfully rebased") {
        return Some("Rebase".to_owned());
    }
    if !command.contains("git") || !command.contains("commit") {
        return None;
    }
    let confirmed = output.lines().find(|line| line.starts_with('[') && line.contains("] "))?;
    let subject = confirmed.split_once("] ")?.1;
    let body = command
        .split_once(subject)
        .and_then(|(_, rest)| Some(rest.split_once("\nEOF")?.0))
        .unwrap_or_default();
    Some(format!("{subject}{body}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_what_git_confirmed() {
        let command = "git commit -m \"$(cat <<'EOF'\nMend the clock\n\nIt ran late.\nEOF\n)\"";
        let confirmed = json!({"stdout": "hook ran\n[main 1234567] Mend the clock\n 1 file changed"});
        assert_eq!(commit_message(command, &confirmed).as_deref(), Some("Mend the clock\n\nIt ran late."));
        let plain = commit_message("git commit -m 'Mend the clock'", &confirmed);
        assert_eq!(plain.as_deref(), Some("Mend the clock"));
        assert_eq!(commit_message(command, &json!({"stdout": "nothing to commit"})), None);
        let rebased = json!({"stdout": "Successfully rebased and updated refs/heads/main."});
        assert!(commit_message("git add . && git rebase --continue", &rebased).is_some());
    }
}
