//! What a shell line runs, as a person would name it: `cd x && CI=1 timeout 60 cargo test -q 2>&1 | tail` is `cargo test`.
//!
//! Not here: a shell. Substitutions and arithmetic are read as plain words; at worst the name is odd, but it is
//! the same odd name each time.

use super::tools::{BYSTANDERS, KnownTool, LAUNCHERS, OUTPUT_FLAGS, SETTERS, TOOLS, WRAPPERS};
use crate::testruns::TestRunner;
use backstory_memory::{Nesting, SimpleCommand, simple_commands};

/// How deep `bash -c "bash -c …"` is followed.
const DEEPEST: usize = 4;
/// More tasks than this in one line tell nothing more.
const MOST_TASKS: usize = 16;

/// What one shell line does, and whether its exit status can be believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandLine {
    /// Every command worth naming, in order.
    pub(crate) tasks: Vec<CommandTask>,
    /// Whether the status reported may be another command's: `cargo test | tail`, `cargo test || true`.
    pub(crate) status_is_masked: bool,
    /// The folder the commands read last run in.
    folder: Option<String>,
}

/// One command by its name: program and sub-command, without arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandTask {
    /// `cargo test`, `git commit`, `psql`.
    pub name: String,
    /// Its arguments that say what it works on; not those that only change what it prints.
    pub selection: Vec<String>,
    /// The folder it runs in, where the line changes to one: its last name, which is the same on every machine.
    pub(crate) folder: Option<String>,
    /// Whether it only looks at things, as `ls` or `grep` do: its failing says little.
    pub is_bystander: bool,
}

impl CommandTask {
    /// Whether it runs tests, by its name alone.
    #[must_use]
    pub fn runs_tests(&self) -> bool {
        TestRunner::is_named_by(&self.name)
    }
}

impl CommandLine {
    /// Parses a line. Called by `CommandRun` alone, which keeps it.
    pub(super) fn parse(command: &str) -> CommandLine {
        let mut line = CommandLine::default();
        line.read(command, 0);
        line
    }

    /// The command the line is about: the last that does something, since what stands before prepares it.
    pub(crate) fn main(&self) -> Option<&CommandTask> {
        self.tasks.iter().rfind(|task| !task.is_bystander).or_else(|| self.tasks.first())
    }

    fn read(&mut self, command: &str, depth: usize) {
        let simples = simple_commands(command, Nesting::Words);
        let mut previous_counts = false;
        for simple in &simples {
            if simple.is_piped_into || simple.is_alternative {
                self.status_is_masked |= previous_counts;
                // What a feeder feeds is the command meant: `echo y | npm init`.
                if previous_counts || simple.is_alternative {
                    continue;
                }
            } else if previous_counts && simple.follows_regardless {
                self.status_is_masked = true;
            }
            previous_counts = self.read_simple(simple, depth);
        }
    }

    /// Reads one simple command and returns whether it does something.
    fn read_simple(&mut self, simple: &SimpleCommand, depth: usize) -> bool {
        let words: Vec<&str> = simple.words.iter().map(String::as_str).collect();
        let words = peel(&words);
        let Some((program, arguments)) = words.split_first() else { return false };
        if let Some(script) = inner_script(program, arguments)
            && depth < DEEPEST
        {
            self.read(script, depth + 1);
            return !self.tasks.is_empty();
        }
        let name = name_of(program, arguments);
        if name == "cd" {
            self.folder = arguments.first().map(|folder| base_name(folder).to_owned());
        }
        if name.is_empty() || SETTERS.contains(&name.as_str()) || self.tasks.len() >= MOST_TASKS {
            return false;
        }
        let is_bystander = BYSTANDERS.contains(&name.as_str()) || only_asks(arguments);
        let selection = selection(&name, arguments);
        self.tasks.push(CommandTask { name, selection, folder: self.folder.clone(), is_bystander });
        !is_bystander
    }
}

/// `rustc --version`: whether a command only asks a program about itself.
fn only_asks(arguments: &[&str]) -> bool {
    matches!(arguments, [.., "--version" | "--help"] | ["-V" | "-version" | "version" | "-h"])
}

/// Whether a command is of a program that is known everywhere: what it wants is no matter of this project.
pub(crate) fn is_known_tool(task: &str) -> bool {
    let program = task.split(' ').next().unwrap_or(task);
    TOOLS.iter().any(|tool| tool.name == program) || BYSTANDERS.contains(&program)
}

/// Returns the arguments that say what a command works on, in order: without the words of its name and what changes only its output.
fn selection(name: &str, arguments: &[&str]) -> Vec<String> {
    let is_named = |word: &str| name.split(' ').any(|part| part == base_name(word));
    let is_output = |word: &str| {
        let flag = word.split('=').next().unwrap_or(word);
        OUTPUT_FLAGS.contains(&flag) || flag == "--"
    };
    arguments
        .iter()
        .filter(|word| !is_named(word) && !is_output(word))
        .map(|word| (*word).to_owned())
        .collect()
}

/// Takes off what only decides how a command runs: assignments, `sudo`, `timeout 60`, `npx`, `poetry run`.
fn peel<'a>(words: &'a [&'a str]) -> &'a [&'a str] {
    let mut words = words;
    while let Some((first, rest)) = words.split_first() {
        let name = base_name(first);
        let launched = LAUNCHERS.iter().find(|(program, verb)| {
            *program == name && (verb.is_empty() || rest.first().is_some_and(|word| word == verb))
        });
        if is_assignment(first) {
            words = rest;
        } else if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name) {
            words = after_options(rest, wrapper.valued_flags);
            words = words.get(wrapper.operands..).unwrap_or_default();
        } else if let Some((_, verb)) = launched {
            words = after_options(rest.get(usize::from(!verb.is_empty())..).unwrap_or_default(), "");
        } else {
            break;
        }
    }
    words
}

/// Skips options, and the value of those named in `valued`, a list of flags separated by blanks.
fn after_options<'a>(words: &'a [&'a str], valued: &str) -> &'a [&'a str] {
    let mut words = words;
    while let Some((first, rest)) = words.split_first() {
        if !first.starts_with(['-', '+']) || first.len() < 2 {
            break;
        }
        let takes_value = valued.split(' ').any(|flag| flag == *first);
        words = rest.get(usize::from(takes_value)..).unwrap_or_default();
    }
    words
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Returns the script a shell runs by `-c`.
fn inner_script<'a>(program: &str, arguments: &[&'a str]) -> Option<&'a str> {
    if !matches!(base_name(program), "bash" | "sh" | "zsh" | "dash" | "fish") {
        return None;
    }
    let at = arguments.iter().position(|word| word.starts_with('-') && word.ends_with('c'))?;
    arguments.get(at + 1).copied()
}

fn name_of(program: &str, arguments: &[&str]) -> String {
    let program = plain_program(program);
    if matches!(program, "python" | "node" | "ruby" | "perl" | "php" | "bash" | "sh" | "zsh" | "deno" | "bun")
        && let Some(name) = script_name(program, arguments)
    {
        return name;
    }
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == program) else { return program.to_owned() };
    let mut name = program.to_owned();
    for word in sub_commands(tool, arguments) {
        name.push(' ');
        name.push_str(word);
    }
    name
}

/// Names what an interpreter runs: `python -m pytest` is `pytest`, `node tools/x.js` is `node x.js`.
fn script_name(program: &str, arguments: &[&str]) -> Option<String> {
    let first = after_options(arguments, "-W -X -I -r --require --import").first();
    if program == "python"
        && let Some(at) = arguments.iter().position(|word| *word == "-m")
    {
        return arguments.get(at + 1).map(|module| (*module).to_owned());
    }
    let script = first.filter(|word| word.contains('.') || word.contains('/'))?;
    let script = base_name(script);
    Some(if program.ends_with("sh") { script.to_owned() } else { format!("{program} {script}") })
}

/// Returns the words after the program that say what it does.
fn sub_commands<'a>(tool: &KnownTool, arguments: &'a [&'a str]) -> Vec<&'a str> {
    let first = after_options(arguments, tool.valued_flags);
    let Some((verb, rest)) = first.split_first() else { return Vec::new() };
    let mut words = vec![*verb];
    if tool.deeper.split(' ').any(|deep| deep == *verb) {
        words.extend(after_options(rest, "").first().copied());
    }
    words.retain(|word| word.len() < 40);
    words
}

/// Returns the program without its folder, version and wrapper script: `/usr/bin/python3.12` is `python`.
fn plain_program(program: &str) -> &str {
    let name = base_name(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    match name {
        "gradlew" | "gradlew.bat" => "gradle",
        "mvnw" | "mvnw.cmd" | "mvnd" => "mvn",
        "nodejs" => "node",
        "pip3" => "pip",
        _ if name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') == "python" => "python",
        _ => name,
    }
}

fn base_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or(path)
}
