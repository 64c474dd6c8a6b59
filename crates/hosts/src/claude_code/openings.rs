//! When Claude Code can be told something: which of its events take an answer that the agent reads.
//!
//! Not here: the end of a turn and what a tool did. Words there would keep the agent going, or come too late.

use super::WireEvent;
use crate::Opening;
use backstory_memory::Happening;

impl WireEvent<'_> {
    /// Returns what is about to happen, where something can be said about it.
    pub(super) fn opening(&self, name: &str, happening: Option<&Happening>) -> Option<Opening> {
        match (name, happening) {
            ("SessionStart", _) => Some(Opening::Session { how: self.words("source") }),
            ("UserPromptSubmit", Some(Happening::Prompted { text })) => self.prompt(text),
            ("PreToolUse", _) => self.tool(),
            ("PreCompact", _) => Some(Opening::Compaction),
            _ => None,
        }
    }

    /// What a subagent is asked nobody typed, and a command of the host is no question.
    fn prompt(&self, text: &str) -> Option<Opening> {
        let whole = self.words("prompt");
        let is_asked = self.said("agent_id").is_none() && !is_command(whole.trim_start());
        is_asked.then(|| Opening::Prompt { text: text.to_owned() })
    }

    fn tool(&self) -> Option<Opening> {
        let input = self.0.get("tool_input");
        let file = || ["file_path", "notebook_path"].into_iter().find_map(|field| input.said(field));
        match self.0.str("tool_name") {
            "Bash" | "PowerShell" => {
                let command = input.said("command")?;
                Some(Opening::Command { command: command.to_owned() })
            }
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
                Some(Opening::Edit { file: file()?.to_owned() })
            }
            _ => None,
        }
    }
}

/// Whether a prompt is a command of the host, like `/review` or `/plugin:greet Ada`; `/etc/hosts is wrong` is none.
fn is_command(prompt: &str) -> bool {
    if prompt.starts_with("<command-") {
        return true;
    }
    let name = prompt.strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
    name.is_some_and(|name| name.chars().all(|c| c.is_alphanumeric() || "-_:.".contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_the_host_is_told_from_a_path() {
        for command in ["/compact", "/greet Ada", "/plugin:review 12", "<command-name>/x</command-name>"] {
            assert!(is_command(command), "{command}");
        }
        for words in ["/etc/hosts is wrong", "fix /compact", "/", "why does `/` fail?", ""] {
            assert!(!is_command(words), "{words}");
        }
    }
}
