//! What the hook payloads of all hosts have in common: each event is one JSON object with the same content under other names.
//!
//! A dialect is data: what each event means, which of them take a reply, and a few odd parts. Fields are read one by one, by any name
//! a host gives them, so that a field of an unexpected type costs that field and no other.
//! Not here: what a tool use means (`tool_use`), what is odd about one host (its own file).

mod field_names;
mod host_blocks;
mod injection_points;
mod patches;
pub(crate) mod tool_use;

pub(crate) use tool_use::{HookToolUse, hash_words, is_our_answer, without_fence};

use crate::lenient::LenientJson;
use crate::reply::ReplyFormat;
use crate::{AgentEvent, EventOutcome, ParsedEvent};
use backstory_memory::{Activity, ExitStatus, Provenance, StartReason, Subagent};
use field_names::{
    AGENT, AGENT_SORT, CALL, CURSORS_RESPONSE, CWD, ERROR, EVENT, INPUT, MESSAGE, PARENT_SESSION, PROMPT,
    RESPONSE, SESSION, TOOL, TRANSCRIPT, TURN,
};
pub(crate) use host_blocks::{block_in, typed_command};
use host_blocks::{summary_in, without_blocks_of_the_host};

/// How a host reports its events.
pub(crate) struct Dialect {
    /// What each event means. An event that is not listed is captured as it is.
    pub(crate) events: &'static [(&'static str, HookEvent)],
    /// How the names of our own MCP tools begin.
    pub(crate) our_tools: &'static [&'static str],
    /// Whether a tool is one of an MCP server, by its name.
    pub(crate) is_mcp: fn(&str) -> bool,
    /// Tools whose work another event reports better.
    pub(crate) reported_elsewhere: &'static [&'static str],
    /// What a command printed, and how it ended.
    pub(crate) ran: fn(&HookToolUse<'_, '_>) -> (String, ExitStatus),
    /// What payloads leave out and the host's own transcript has.
    pub(crate) transcript_gap: Option<TranscriptGap>,
    /// Whether the agent of a resumed session still has what was injected before.
    pub(crate) keeps_injected_context: bool,
    pub(crate) replies: ReplyFormat,
}

/// Something that payloads of a host leave out and its transcript has.
#[derive(Clone, Copy)]
pub(crate) struct TranscriptGap {
    /// Whether it is missing here.
    pub(crate) is_open: fn(&Activity) -> bool,
    /// Fills it in from the end of the transcript. Returns whether it was all there.
    pub(crate) fill: fn(&mut AgentEvent, &str) -> bool,
}

/// What an event means, whatever its host calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HookEvent {
    SessionStart,
    Prompt,
    /// A tool is about to be used.
    BeforeTool,
    ToolUse,
    ToolFailure,
    /// A file was changed, and the event itself says how.
    Edit,
    TurnEnd,
    TurnFailure,
    SubagentStart,
    SubagentEnd,
    Compacting,
    Compacted,
    /// The user wrote something while the agent was working. Only transcripts have it.
    Interjection,
    /// The user stopped the agent. Only transcripts have it.
    Interruption,
    SessionEnd,
    /// Not captured, and why.
    Ignored(&'static str),
}

/// Parses one payload, as far as it can be.
pub(crate) fn parse(dialect: &Dialect, event: Option<&str>, payload: &[u8]) -> ParsedEvent {
    let text = String::from_utf8_lossy(payload);
    // Editors and shells put a byte order mark before JSON; it means nothing.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let hook = HookPayload { json: LenientJson::read(text), dialect };
    let (host_session, cwd) = (hook.session(), hook.cwd());
    let Some(name) = event.map(str::to_owned).or_else(|| hook.said(EVENT)) else {
        return ParsedEvent { host_session, cwd, ..ParsedEvent::unreadable(payload) };
    };
    let event = dialect.events.iter().find(|(known, _)| *known == name).map(|(_, event)| *event);
    let activities = hook.activities(event, text);
    let first = activities.as_ref().ok().and_then(|(activities, _)| activities.first());
    let injection_point = hook.injection_point(event, first);
    let (outcome, also) = match activities {
        Ok((activities, provenance)) => hook.outcome(event, activities, &provenance),
        Err(why) => (EventOutcome::Ignored(why), Vec::new()),
    };
    let (transcript, missing) = (hook.transcript(&outcome), hook.missing(event));
    let live_transcript = hook.live_transcript(event);
    let takes_question = hook.takes_question(event);
    let answer_nonce = outcome.answer_nonce(text);
    ParsedEvent {
        name,
        host_session,
        cwd,
        outcome,
        also,
        injection_point,
        transcript,
        live_transcript,
        takes_question,
        answer_nonce,
        missing,
    }
}

/// Returns the agent events of a transcript entry that was put as the event the host would have sent; none of an ignored one.
pub(crate) fn events_from(dialect: &Dialect, event: HookEvent, json: LenientJson<'_>) -> Vec<AgentEvent> {
    let hook = HookPayload { json, dialect };
    let Ok((activities, provenance)) = hook.activities(Some(event), "") else { return Vec::new() };
    activities
        .into_iter()
        .map(|activity| hook.agent_event(Some(event), activity, provenance.clone()))
        .collect()
}

/// Whether a tool only reads: what it returned is not captured.
pub(crate) fn only_looks(tool: &str) -> bool {
    tool_use::tool_kind(tool) == Some(tool_use::ToolKind::Look)
}

/// Whether a tool does something that takes its time, rather than look, plan or ask.
pub(crate) fn acts(tool: &str) -> bool {
    use tool_use::ToolKind;
    !matches!(
        tool_use::tool_kind(tool),
        Some(ToolKind::Look | ToolKind::TaskList | ToolKind::Task | ToolKind::Plan | ToolKind::Question)
    )
}

/// One event as a host sends it.
struct HookPayload<'a> {
    json: LenientJson<'a>,
    dialect: &'a Dialect,
}

impl<'a> HookPayload<'a> {
    /// Returns the first value under any of these names.
    fn get(&self, names: &[&str]) -> &LenientJson<'a> {
        names
            .iter()
            .map(|name| self.json.get(name))
            .find(|value| !value.is_nothing())
            .unwrap_or(&LenientJson::Nothing)
    }

    /// Returns a name or an id.
    fn said(&self, names: &[&str]) -> Option<String> {
        let mut said = names.iter().filter_map(|name| self.json.said(name));
        said.find(|name| name.len() <= LONGEST_NAME).map(str::to_owned)
    }

    fn words(&self, names: &[&str]) -> String {
        let mut words = names.iter().map(|name| self.json.get(name).words());
        words.find(|words| !words.is_empty()).unwrap_or_default()
    }

    fn session(&self) -> Option<String> {
        self.said(PARENT_SESSION).or_else(|| self.said(SESSION))
    }

    fn cwd(&self) -> Option<String> {
        let roots = || self.json.get("workspace_roots").items().first().and_then(LenientJson::text);
        self.said(CWD).or_else(|| roots().filter(|root| root.len() <= LONGEST_NAME).map(str::to_owned))
    }

    /// Returns what happened, mostly one thing, and who its content comes from; or why it is ignored.
    fn activities(
        &self,
        event: Option<HookEvent>,
        payload: &str,
    ) -> Result<(Vec<Activity>, Provenance), &'static str> {
        let (activity, provenance) = match event {
            Some(HookEvent::SessionStart) => {
                (Activity::SessionStarted { reason: self.start_reason() }, Provenance::Tool)
            }
            Some(HookEvent::Prompt) => self.prompted()?,
            Some(HookEvent::ToolUse) => return self.tool_used(None),
            Some(HookEvent::ToolFailure) => return self.tool_used(Some(self.words(ERROR))),
            Some(HookEvent::Edit) => {
                return self.tool(TOOL_OF_AN_EDIT, &self.json, &LenientJson::Nothing, None).activities();
            }
            Some(HookEvent::TurnEnd) => self.turn_ended()?,
            Some(HookEvent::TurnFailure) => (Activity::TurnBroken { error: self.error() }, Provenance::Tool),
            Some(HookEvent::SubagentStart) => (Activity::SubagentStarted, Provenance::Tool),
            Some(HookEvent::SubagentEnd) => self.subagent_ended()?,
            Some(HookEvent::Compacting) => (
                Activity::Compacting { instructions: self.words(&["custom_instructions"]) },
                Provenance::User,
            ),
            Some(HookEvent::Compacted) => {
                let summary = summary_in(&self.words(&["compact_summary"]));
                (Activity::Compacted { summary }, Provenance::Assistant)
            }
            Some(HookEvent::Interjection) => match self.prompted()? {
                (Activity::Prompted { text }, provenance) => (Activity::Interjected { text }, provenance),
                other => other,
            },
            Some(HookEvent::Interruption) => (Activity::Interrupted, Provenance::User),
            Some(HookEvent::SessionEnd) => {
                (Activity::SessionEnded { reason: self.words(&["reason"]) }, Provenance::Tool)
            }
            Some(HookEvent::BeforeTool) => return Err("nothing was done yet"),
            Some(HookEvent::Ignored(why)) => return Err(why),
            None => (Activity::Other { text: payload.to_owned() }, Provenance::Web),
        };
        Ok((vec![activity], provenance))
    }

    fn start_reason(&self) -> StartReason {
        StartReason::from(self.words(&["source"]))
    }

    fn prompted(&self) -> Result<(Activity, Provenance), &'static str> {
        if !matches!(self.json.str("source"), "" | "user" | "sdk") {
            return Err("automated");
        }
        let prompt = self.words(PROMPT);
        let text = typed_command(&prompt).unwrap_or_else(|| without_blocks_of_the_host(&prompt));
        if text.is_empty() {
            return Err(if prompt.is_empty() { "nothing said" } else { "automated" });
        }
        Ok((Activity::Prompted { text }, Provenance::User))
    }

    fn tool_used(&self, error: Option<String>) -> Result<(Vec<Activity>, Provenance), &'static str> {
        let name = self.get(TOOL).text().unwrap_or_default();
        let (input, response) = (self.get(INPUT), self.get(RESPONSE));
        // Some hosts send JSON inside JSON strings. A command's output may look the same: it is not unpacked.
        let (inner_input, inner_response) = (inner(input), inner(self.json.get(CURSORS_RESPONSE)));
        let input = inner_input.as_ref().unwrap_or(input);
        let response = inner_response.as_ref().unwrap_or(response);
        self.tool(name, input, response, error).activities()
    }

    fn tool<'u>(
        &'u self,
        name: &'u str,
        input: &'u LenientJson<'u>,
        response: &'u LenientJson<'u>,
        error: Option<String>,
    ) -> HookToolUse<'u, 'u> {
        let server = ["mcp_server", "mcp_context"].map(|field| self.json.get(field));
        let server = server.iter().find_map(|server| server.said("name").or(server.said("server_name")));
        HookToolUse {
            dialect: self.dialect,
            name,
            input,
            response,
            error: error.or_else(|| tool_use::error_in(response)),
            is_interrupted: self.json.get("is_interrupt").is_true(),
            server: server.unwrap_or_default(),
            cwd: self.cwd(),
        }
    }

    /// A subagent's closing message comes again with its end.
    fn turn_ended(&self) -> Result<(Activity, Provenance), &'static str> {
        match self.said(AGENT) {
            Some(_) => Err("the end of the subagent is reported separately"),
            None => Ok((Activity::TurnEnded { message: self.words(MESSAGE) }, Provenance::Assistant)),
        }
    }

    /// Claude Code compacts in a subagent without a type; its message comes again as the summary.
    fn subagent_ended(&self) -> Result<(Activity, Provenance), &'static str> {
        match self.said(AGENT_SORT) {
            None => Err("the host's own subagent"),
            Some(_) => Ok((Activity::SubagentEnded { message: self.words(MESSAGE) }, Provenance::Assistant)),
        }
    }

    /// Returns the error of a turn that broke off.
    fn error(&self) -> String {
        let parts = ["error", "error_details", "status", "last_assistant_message"];
        let parts = parts.map(|field| self.json.get(field)).map(|part| {
            let message = part.get("message");
            if message.is_nothing() { part.words() } else { message.words() }
        });
        let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        parts.join(": ")
    }

    fn outcome(
        &self,
        event: Option<HookEvent>,
        activities: Vec<Activity>,
        provenance: &Provenance,
    ) -> (EventOutcome, Vec<AgentEvent>) {
        let mut events =
            activities.into_iter().map(|activity| self.agent_event(event, activity, provenance.clone()));
        let first = events.next().map(|event| EventOutcome::Captured(Box::new(event)));
        (first.unwrap_or(EventOutcome::Ignored("nothing done")), events.collect())
    }

    fn agent_event(
        &self,
        event: Option<HookEvent>,
        activity: Activity,
        provenance: Provenance,
    ) -> AgentEvent {
        let agent = self.said(AGENT);
        let number = match event {
            Some(HookEvent::ToolUse | HookEvent::ToolFailure) => self.said(CALL),
            Some(
                HookEvent::Prompt
                | HookEvent::TurnEnd
                | HookEvent::TurnFailure
                | HookEvent::SubagentStart
                | HookEvent::SubagentEnd,
            ) => match (self.said(TURN), &agent) {
                (Some(turn), Some(agent)) => Some(format!("{turn} {agent}")),
                (turn, _) => turn,
            },
            // The number of the turn stays the same however often it is compacted. The summary itself tells one from the other, also
            // when it is read again from the transcript.
            Some(HookEvent::Compacted) => Some("summary".to_owned()),
            _ => None,
        };
        let sequence = number.or_else(|| Some(self.words(&["timestamp"])).filter(|time| !time.is_empty()));
        let sequence = sequence.filter(|sequence| sequence.len() <= LONGEST_NAME);
        let subagent = agent.map(|id| Subagent { id, sort: self.words(AGENT_SORT) });
        // An agent wrote a subagent's prompt, not the user.
        let provenance = if subagent.is_some() && provenance == Provenance::User {
            Provenance::Assistant
        } else {
            provenance
        };
        AgentEvent { activity, subagent, tool: self.said(TOOL), sequence, provenance }
    }

    /// Returns the expected fields that are missing: this is how `doctor` notices that a host changed its format.
    fn missing(&self, event: Option<HookEvent>) -> Vec<&'static str> {
        const TOOL_AND_INPUT: &[(&str, &[&str])] = &[("tool", TOOL), ("input", INPUT)];
        let belongs: &[(&str, &[&str])] = match event {
            Some(HookEvent::Prompt) => &[("prompt", PROMPT)],
            Some(HookEvent::BeforeTool | HookEvent::ToolFailure) => TOOL_AND_INPUT,
            Some(HookEvent::ToolUse) => &[("tool", TOOL), ("input", INPUT), ("response", RESPONSE)],
            _ => &[],
        };
        let session = std::iter::once(("session", self.session().is_none()));
        let folder = std::iter::once(("folder", self.cwd().is_none()));
        let others = belongs.iter().map(|(what, names)| (*what, self.get(names).is_nothing()));
        session
            .chain(folder)
            .chain(others)
            .filter(|(_, is_missing)| *is_missing)
            .map(|(what, _)| what)
            .collect()
    }

    /// Returns the transcript at the events around which it is read. A tool waits for its hook: nothing is read there.
    fn live_transcript(&self, event: Option<HookEvent>) -> Option<String> {
        let is_around = matches!(
            event?,
            HookEvent::Prompt
                | HookEvent::TurnEnd
                | HookEvent::TurnFailure
                | HookEvent::Compacting
                | HookEvent::SessionEnd
        );
        self.said(TRANSCRIPT).filter(|_| is_around && self.said(AGENT).is_none())
    }

    /// Whether the session's own agent is about to stop, and no hook has made it go on already.
    fn takes_question(&self, event: Option<HookEvent>) -> bool {
        event == Some(HookEvent::TurnEnd)
            && self.dialect.replies.question.is_some()
            && self.said(AGENT).is_none()
            && !self.json.get("stop_hook_active").is_true()
    }

    fn transcript(&self, outcome: &EventOutcome) -> Option<String> {
        let gap = self.dialect.transcript_gap?;
        match outcome {
            EventOutcome::Captured(event) if (gap.is_open)(&event.activity) => self.said(TRANSCRIPT),
            _ => None,
        }
    }
}

/// An edit event has the same fields as a call of this tool.
const TOOL_OF_AN_EDIT: &str = "MultiEdit";

fn inner<'a>(value: &'a LenientJson<'_>) -> Option<LenientJson<'a>> {
    let text = value.text().filter(|text| text.trim_start().starts_with('{'))?;
    Some(LenientJson::read(text))
}

/// A longer text is no name, not even a path; searching megabytes for secrets would use up the hook's time.
const LONGEST_NAME: usize = 4096;
