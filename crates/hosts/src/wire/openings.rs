//! When a host can be told something: which of its events take an answer that the agent reads.
//!
//! Not here: the end of a turn and what a tool did. Words there would keep the agent going, or come too late.

use super::names::{AGENT, INPUT, PROMPT, TOOL};
use super::{Event, WireEvent, inner, patches};
use crate::Opening;
use crate::wire::tools::{Sort, sort_of};
use backstory_memory::Activity;

impl WireEvent<'_> {
    /// Returns what is about to happen, where something can be said about it.
    pub(super) fn opening(&self, event: Option<Event>, activity: Option<&Activity>) -> Option<Opening> {
        let opening = match (event?, activity) {
            (Event::SessionStart, _) => Some(Opening::Session { how: self.how_for_the_agent() }),
            (Event::Prompt, Some(Activity::Prompted { text })) => self.prompt(text),
            (Event::BeforeTool, _) => self.before_tool(),
            (Event::Compacting, _) => Some(Opening::Compaction),
            _ => None,
        };
        opening.filter(|opening| self.dialect.answers.event(opening.moment()).is_some())
    }

    /// What comes back without anything it was told begins anew for its agent.
    fn how_for_the_agent(&self) -> String {
        match self.how() {
            how if how == "resume" && !self.dialect.keeps_what_it_is_told => "restart".to_owned(),
            how => how,
        }
    }

    /// What a subagent is asked nobody typed, and a command of the host is no question.
    fn prompt(&self, text: &str) -> Option<Opening> {
        let whole = self.words(PROMPT);
        let is_asked = self.said(AGENT).is_none() && !is_command(whole.trim_start());
        is_asked.then(|| Opening::Prompt { text: text.to_owned() })
    }

    fn before_tool(&self) -> Option<Opening> {
        let input = self.get(INPUT);
        let inner = inner(input);
        let input = inner.as_ref().unwrap_or(input);
        let said = |fields: &[&str]| fields.iter().find_map(|field| input.said(field)).map(str::to_owned);
        match sort_of(self.get(TOOL).text()?) {
            Some(Sort::Command) => Some(Opening::Command { command: said(&["command"])? }),
            Some(Sort::Write | Sort::Edit) => {
                Some(Opening::Edit { file: said(&["file_path", "notebook_path", "path"])? })
            }
            Some(Sort::Patch) => {
                let patch =
                    said(&["command", "input", "patch"]).or_else(|| input.text().map(str::to_owned))?;
                Some(Opening::Edit { file: patches::first_file(&patch, self.cwd().as_deref())? })
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
