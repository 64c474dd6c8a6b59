//! Plays sessions described in `tests/month` through the hooks of the real binary, at their own times, in real repositories.
//!
//! One line is one thing that happens, the lines below it that begin with `|`, `-` or `+` its text: `day 3 14:20 [on BRANCH]` begins
//! a session, `>` is a prompt, `<` ends the turn; `write`, `edit`, `read` and `gone` are files, `by hand` is a file the user writes
//! beside the agent; `ran` and `failed` are commands, `commit` and `amend` real commits; `plan` is a step of the agent's list; `notes` a
//! discovery about a file that the agent writes down; `refused` an edit the user refuses, `meanwhile` what they type while the agent works.

use crate::mcp::call;
use crate::support::{HOOK, harmless, injected, payload, run};
use backstory_testkit::TestEnv;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// 2026-03-01, midnight: the day before day 1.
const DAY_ZERO_MS: i64 = 1_772_323_200_000;
const DAY_MS: i64 = 24 * 3_600_000;
/// What a host tells its agent in front of the words with which the user refuses.
const REFUSED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n";

/// A project of the month: its folder, and the session that runs.
pub(crate) struct MonthPlayer<'a> {
    env: &'a TestEnv,
    folder: PathBuf,
    session: Option<String>,
    now_ms: i64,
    calls: usize,
    plan: Vec<(String, bool)>,
    /// The number of the turn that runs.
    prompt: String,
    /// What was given before each tool ran, with what it was.
    pub(crate) before_tools: Vec<(String, String)>,
}

/// One thing that happens.
struct Step {
    verb: &'static str,
    value: String,
    body: Vec<(char, String)>,
}

const VERBS: [&str; 16] = [
    "day ",
    "> ",
    "< ",
    "write ",
    "edit ",
    "read ",
    "gone ",
    "by hand ",
    "ran ",
    "failed ",
    "commit ",
    "amend ",
    "plan ",
    "notes ",
    "meanwhile ",
    "refused ",
];

impl<'a> MonthPlayer<'a> {
    /// Makes the folder and the repository of a project.
    pub(crate) fn new(env: &'a TestEnv, name: &str) -> MonthPlayer<'a> {
        let folder = env.world().join(name);
        fs::create_dir(&folder).unwrap();
        let player = MonthPlayer {
            env,
            folder,
            session: None,
            now_ms: DAY_ZERO_MS,
            calls: 0,
            plan: Vec::new(),
            prompt: String::new(),
            before_tools: Vec::new(),
        };
        player.git(&["init", "--quiet", "--initial-branch", "main"]);
        // Two repositories with the same first commit would be one project.
        player.git(&["commit", "--quiet", "--allow-empty", "--message", &format!("Begin {name}")]);
        player
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Plays the sessions of a file of `tests/month`.
    pub(crate) fn play(&mut self, file: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/month").join(file);
        for step in steps(&fs::read_to_string(path).unwrap()) {
            self.step(&step);
        }
        self.end();
    }

    /// Returns what a session that begins on a day is given.
    pub(crate) fn starts_on(&self, day: i64) -> String {
        let fields = json!({"source": "startup", "cwd": self.folder});
        let at = DAY_ZERO_MS + (day + 1) * DAY_MS - 3_600_000;
        let text = payload(&format!("{}-last", self.name()), "SessionStart", fields);
        injected(&run(self.env, HOOK).at(at).within(&self.folder).input(text).output())
    }

    /// Returns what a session that was given nothing yet is given at a prompt.
    pub(crate) fn at_prompt(&self, day: i64, prompt: &str) -> String {
        let fields = json!({"prompt": prompt, "prompt_id": "last", "cwd": self.folder});
        let at = DAY_ZERO_MS + (day + 1) * DAY_MS - 1_700_000;
        let text = payload(&format!("{}-prompt", self.name()), "UserPromptSubmit", fields);
        injected(&run(self.env, HOOK).at(at).within(&self.folder).input(text).output())
    }

    /// Returns what a session that was given nothing yet is given before it edits a file.
    pub(crate) fn before_editing(&self, day: i64, file: &str) -> String {
        let input = json!({"file_path": self.folder.join(file), "old_string": "a", "new_string": "b"});
        let fields =
            json!({"tool_name": "Edit", "tool_input": input, "tool_use_id": "last", "cwd": self.folder});
        let at = DAY_ZERO_MS + (day + 1) * DAY_MS - 1_600_000;
        let text = payload(&format!("{}-edit", self.name()), "PreToolUse", fields);
        injected(&run(self.env, HOOK).at(at).within(&self.folder).input(text).output())
    }

    /// Returns what a session that was given nothing yet is given before it runs a command.
    pub(crate) fn before_running(&self, day: i64, command: &str) -> String {
        let fields = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "last", "cwd": self.folder});
        let at = DAY_ZERO_MS + (day + 1) * DAY_MS - 1_800_000;
        let text = payload(&format!("{}-command", self.name()), "PreToolUse", fields);
        injected(&run(self.env, HOOK).at(at).within(&self.folder).input(text).output())
    }

    fn name(&self) -> String {
        self.folder.file_name().unwrap().to_string_lossy().into_owned()
    }

    fn step(&mut self, step: &Step) {
        let value = step.value.as_str();
        match step.verb.trim_end() {
            "day" => self.begin(value),
            ">" => {
                self.prompt = format!("p{}", self.now_ms);
                self.hook("UserPromptSubmit", json!({"prompt": value, "prompt_id": self.prompt}));
            }
            "<" => self.hook("Stop", json!({"stop_hook_active": false, "last_assistant_message": value})),
            "write" => self.write(value, &step.text('|')),
            "by hand" => self.put(value, &step.text('|')),
            "edit" => self.edit(value, &step.text('-'), &step.text('+')),
            "gone" => fs::remove_file(self.folder.join(value)).unwrap(),
            "read" => {
                let text = fs::read_to_string(self.folder.join(value)).unwrap();
                let input = json!({"file_path": self.folder.join(value)});
                self.tool("Read", &input, &json!({"type": "text", "file": {"content": text}}));
            }
            "ran" => self.ran(value, &step.text('|')),
            "failed" => {
                self.before("Bash", &json!({"command": value}));
                let error = format!("Exit code 1\n{}", step.text('|'));
                let fields = json!({"tool_name": "Bash", "tool_input": {"command": value}, "error": error, "is_interrupt": false});
                self.hook("PostToolUseFailure", fields);
            }
            "commit" => self.commit(value, &[]),
            "amend" => self.commit(value, &["--amend"]),
            "plan" => self.plan(value),
            "notes" => self.notes(value, &step.text('|')),
            "meanwhile" => {
                let fields = json!({"prompt": value, "prompt_id": self.prompt});
                self.hook("UserPromptSubmit", fields);
            }
            "refused" => {
                let error = format!("{REFUSED}{}", step.text('|'));
                let input = json!({"file_path": self.folder.join(value)});
                let fields =
                    json!({"tool_name": "Edit", "tool_input": input, "error": error, "is_interrupt": false});
                self.hook("PostToolUseFailure", fields);
            }
            verb => panic!("nothing `{verb}`"),
        }
    }

    fn begin(&mut self, when: &str) {
        self.end();
        let (time, branch) = when.split_once(" on ").map_or((when, "main"), |(time, branch)| (time, branch));
        let (day, clock) = time.split_once(' ').unwrap();
        let (hour, minute) = clock.split_once(':').unwrap();
        let number = |text: &str| text.parse::<i64>().unwrap();
        self.now_ms = DAY_ZERO_MS + number(day) * DAY_MS + number(hour) * 3_600_000 + number(minute) * 60_000;
        // A branch begins where the work stands.
        self.git(&["checkout", "--quiet", "-B", branch]);
        self.session = Some(format!("{}-day-{day}", self.name()));
        self.hook("SessionStart", json!({"source": "startup"}));
    }

    fn end(&mut self) {
        if self.session.is_some() {
            self.hook("SessionEnd", json!({"reason": "other"}));
        }
        self.session = None;
    }

    fn hook(&mut self, event: &str, mut fields: Value) {
        self.now_ms += 20_000;
        fields["cwd"] = json!(self.folder);
        let text = payload(self.session.as_deref().unwrap(), event, fields);
        harmless(&run(self.env, HOOK).at(self.now_ms).within(&self.folder).input(text).output());
    }

    /// The agent writes down what it found out about a file.
    fn notes(&mut self, file: &str, said: &str) {
        self.now_ms += 20_000;
        let arguments = json!({"title": said, "kind": "discovery", "files": [file]});
        let request = call("remember", arguments).to_string() + "\n";
        let outcome = run(self.env, ["mcp"]).at(self.now_ms).within(&self.folder).input(request).output();
        assert!(outcome.stdout.contains("remembered as"), "{outcome:?}");
    }

    /// Asks what is known before a tool runs, as a host does before each.
    fn before(&mut self, name: &str, input: &Value) {
        let fields = json!({"tool_name": name, "tool_input": input, "tool_use_id": format!("t{}", self.calls), "cwd": self.folder});
        let text = payload(self.session.as_deref().unwrap(), "PreToolUse", fields);
        let outcome = run(self.env, HOOK).at(self.now_ms).within(&self.folder).input(text).output();
        let what = input["command"].as_str().or(input["file_path"].as_str()).unwrap_or_default();
        self.before_tools.push((format!("{name} {what}"), injected(&outcome)));
    }

    fn tool(&mut self, name: &str, input: &Value, response: &Value) {
        self.calls += 1;
        self.before(name, input);
        let fields = json!({"tool_name": name, "tool_input": input, "tool_response": response, "tool_use_id": format!("t{}", self.calls)});
        self.hook("PostToolUse", fields);
    }

    fn ran(&mut self, command: &str, output: &str) {
        self.tool(
            "Bash",
            &json!({"command": command}),
            &json!({"stdout": output, "stderr": "", "interrupted": false}),
        );
    }

    fn put(&self, file: &str, text: &str) {
        let path = self.folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn write(&mut self, file: &str, text: &str) {
        self.put(file, text);
        let path = self.folder.join(file);
        let response = json!({"type": "create", "filePath": path, "content": text, "structuredPatch": [], "originalFile": null});
        self.tool("Write", &json!({"file_path": path, "content": text}), &response);
    }

    fn edit(&mut self, file: &str, before: &str, after: &str) {
        let path = self.folder.join(file);
        let original = fs::read_to_string(&path).unwrap();
        assert!(original.contains(before), "{file} does not hold {before}");
        self.put(file, &original.replacen(before, after, 1));
        let input = json!({"file_path": path, "old_string": before, "new_string": after});
        let response =
            json!({"filePath": path, "oldString": before, "newString": after, "originalFile": original});
        self.tool("Edit", &input, &response);
    }

    fn commit(&mut self, message: &str, more: &[&str]) {
        self.git(&["add", "--all"]);
        let output = self.git(&[&["commit", "--message", message], more].concat());
        let flags: String = more.iter().map(|flag| format!(" {flag}")).collect();
        self.ran(&format!("git add -A && git commit{flags} -m \"{message}\""), &output);
    }

    fn plan(&mut self, step: &str) {
        let (mark, text) = step.split_at(4);
        self.plan.push((text.to_owned(), mark == "[x] "));
        let status = |is_done: bool| if is_done { "completed" } else { "pending" };
        let todos: Vec<Value> = self
            .plan
            .iter()
            .map(|(text, is_done)| json!({"content": text, "status": status(*is_done)}))
            .collect();
        self.tool("TodoWrite", &json!({"todos": todos}), &json!({}));
    }

    /// Runs git, which must work, at the time of the month.
    fn git(&self, arguments: &[&str]) -> String {
        let date = format!("@{} +0000", self.now_ms / 1000);
        let mut git = Command::new("git");
        git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-C"])
            .arg(&self.folder)
            .args(arguments);
        git.env_clear().env("HOME", self.env.world()).env("PATH", "/usr/bin:/bin");
        let output =
            git.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date).output().expect("git");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Step {
    fn text(&self, mark: char) -> String {
        let lines = self.body.iter().filter(|(of, _)| *of == mark).map(|(_, line)| line.as_str());
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let body = line.strip_prefix(['|', '-', '+']);
        match (body, VERBS.iter().find(|verb| line.starts_with(**verb))) {
            (Some(body), _) => {
                let body = body.strip_prefix(' ').unwrap_or(body).to_owned();
                steps.last_mut().unwrap().body.push((line.chars().next().unwrap(), body));
            }
            (None, Some(verb)) => {
                let value = line.trim_start_matches(verb).to_owned();
                steps.push(Step { verb, value, body: Vec::new() });
            }
            (None, None) => panic!("nothing is played by `{line}`"),
        }
    }
    steps
}
