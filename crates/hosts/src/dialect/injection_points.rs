//! Injection points: which events take a reply that the agent reads.
//!
//! Not here: the end of a turn and the result of a tool. A reply there would keep the agent going, or come too late.

use super::field_names::{AGENT, INPUT, PROMPT, TOOL};
use super::{HookEvent, HookPayload, inner, patches};
use crate::dialect::tool_use::{ToolKind, tool_kind};
use backstory_memory::{Activity, InjectionPoint, StartReason};

impl HookPayload<'_> {
    /// Returns the injection point that an event is, where the host reads a reply to it.
    pub(super) fn injection_point(
        &self,
        event: Option<HookEvent>,
        activity: Option<&Activity>,
    ) -> Option<InjectionPoint> {
        let point = match (event?, activity) {
            (HookEvent::SessionStart, _) => {
                Some(InjectionPoint::SessionStart { reason: self.reason_for_the_agent() })
            }
            (HookEvent::Prompt, Some(Activity::Prompted { text })) => self.prompt(text),
            (HookEvent::BeforeTool, _) => self.before_tool(),
            (HookEvent::Compacting, _) => Some(InjectionPoint::Compaction),
            _ => None,
        };
        point.filter(|point| self.dialect.replies.event(point.moment()).is_some())
    }

    /// A session that comes back without what was injected before begins anew for its agent.
    fn reason_for_the_agent(&self) -> StartReason {
        match self.start_reason() {
            StartReason::Resume if !self.dialect.keeps_injected_context => StartReason::Restart,
            reason => reason,
        }
    }

    /// An agent wrote a subagent's prompt, and a command of the host asks the agent nothing.
    fn prompt(&self, text: &str) -> Option<InjectionPoint> {
        let whole = self.words(PROMPT);
        let is_typed = self.said(AGENT).is_none() && !is_command(whole.trim_start());
        is_typed.then(|| InjectionPoint::Prompt { text: text.to_owned() })
    }

    fn before_tool(&self) -> Option<InjectionPoint> {
        let input = self.get(INPUT);
        let inner = inner(input);
        let input = inner.as_ref().unwrap_or(input);
        let said = |fields: &[&str]| fields.iter().find_map(|field| input.said(field)).map(str::to_owned);
        match tool_kind(self.get(TOOL).text()?) {
            Some(ToolKind::Command) => Some(InjectionPoint::Command { command: said(&["command"])? }),
            Some(ToolKind::Write | ToolKind::Edit) => {
                let file = said(&["file_path", "notebook_path", "path"])?;
                let text = said(&["new_string", "content", "new_source", "new_str"]).unwrap_or_default();
                Some(InjectionPoint::Edit { file, text })
            }
            Some(ToolKind::Patch) => {
                let patch =
                    said(&["command", "input", "patch"]).or_else(|| input.text().map(str::to_owned))?;
                let file = patches::first_file(&patch, self.cwd().as_deref())?;
                let text =
                    patch.lines().filter_map(|line| line.strip_prefix('+')).collect::<Vec<_>>().join("\n");
                Some(InjectionPoint::Edit { file, text })
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
    fn a_command_of_the_host_is_not_a_path() {
        for command in ["/compact", "/greet Ada", "/plugin:review 12", "<command-name>/x</command-name>"] {
            assert!(is_command(command), "{command}");
        }
        for words in ["/etc/hosts is wrong", "fix /compact", "/", "why does `/` fail?", ""] {
            assert!(!is_command(words), "{words}");
        }
    }
}
