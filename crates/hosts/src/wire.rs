//! What the hooks of all hosts have in common: each event is one JSON object, and the same things stand in it by other names.
//!
//! A host is data: what each of its events means, which of them take an answer, and a few odd parts. Fields are read one by
//! one, by any name a host gives them, so that one of a type nobody expects costs that field and no other.
//! Not here: what a use of a tool means (`tools`), what is odd about one host (its own file).

mod names;
mod openings;
mod patches;
mod prompts;
mod tools;

pub(crate) use tools::{ToolUse, without_fence};

use crate::answers::Answers;
use crate::lenient::Json;
use crate::{Heard, Meaning, Told};
use backstory_memory::{Activity, ExitStatus, Provenance, Subagent};
use names::{
    AGENT, AGENT_SORT, CALL, CURSORS_RESPONSE, CWD, ERROR, EVENT, INPUT, MESSAGE, PARENT_SESSION, PROMPT,
    RECORD, RESPONSE, SESSION, TOOL, TURN,
};
use prompts::{summary_in, without_blocks_of_the_host};

/// How a host speaks.
pub(crate) struct Dialect {
    /// What each event means. One that is not listed is kept as it is.
    pub(crate) events: &'static [(&'static str, Event)],
    /// How the names of our own MCP tools begin.
    pub(crate) our_tools: &'static [&'static str],
    /// Whether a tool is one of an MCP server, by its name.
    pub(crate) is_mcp: fn(&str) -> bool,
    /// Tools whose work another event tells better.
    pub(crate) told_otherwise: &'static [&'static str],
    /// What a command printed, and how it status.
    pub(crate) ran: fn(&ToolUse<'_, '_>) -> (String, ExitStatus),
    /// Where the host's own record of the session says what a payload leaves out.
    pub(crate) leaves_out: fn(&Activity) -> bool,
    /// Whether a session that comes back still has what it was told.
    pub(crate) keeps_what_it_is_told: bool,
    pub(crate) answers: Answers,
}

/// What an event means, whatever its host calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
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
    SessionEnd,
    /// Of no use here, and why.
    Passed(&'static str),
}

/// Understands one payload, as far as it can be.
pub(crate) fn hear(dialect: &Dialect, event: Option<&str>, payload: &[u8]) -> Heard {
    let text = String::from_utf8_lossy(payload);
    // Editors and shells put a byte order mark before JSON; it means nothing.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let wire = WireEvent { json: Json::read(text), dialect };
    let (host_session, cwd) = (wire.session(), wire.cwd());
    let Some(name) = event.map(str::to_owned).or_else(|| wire.said(EVENT)) else {
        return Heard { host_session, cwd, ..Heard::unreadable(payload) };
    };
    let event = dialect.events.iter().find(|(known, _)| *known == name).map(|(_, event)| *event);
    let happened = wire.happened(event, text);
    let opening = wire.opening(event, happened.as_ref().ok().and_then(|(activities, _)| activities.first()));
    let (meaning, also) = match happened {
        Ok((activities, provenance)) => wire.told_all(event, activities, &provenance),
        Err(why) => (Meaning::PassedOver(why), Vec::new()),
    };
    let (record, lacks) = (wire.record(&meaning), wire.lacks(event));
    Heard { name, host_session, cwd, meaning, also, opening, record, lacks }
}

/// Understands what a host's own record says, put as the event the host would have sent; nothing of what is passed over.
pub(crate) fn tell(dialect: &Dialect, event: Event, json: Json<'_>) -> Vec<Told> {
    let wire = WireEvent { json, dialect };
    let Ok((activities, provenance)) = wire.happened(Some(event), "") else { return Vec::new() };
    activities.into_iter().map(|activity| wire.told(Some(event), activity, provenance.clone())).collect()
}

/// Whether a tool only looks at things: what it found is not kept.
pub(crate) fn only_looks(tool: &str) -> bool {
    tools::sort_of(tool) == Some(tools::Sort::Look)
}

/// One event as a host sends it.
struct WireEvent<'a> {
    json: Json<'a>,
    dialect: &'a Dialect,
}

impl<'a> WireEvent<'a> {
    /// Returns what stands by any of these names.
    fn get(&self, names: &[&str]) -> &Json<'a> {
        names
            .iter()
            .map(|name| self.json.get(name))
            .find(|value| !value.is_nothing())
            .unwrap_or(&Json::Nothing)
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
        let roots = || self.json.get("workspace_roots").items().first().and_then(Json::text);
        self.said(CWD).or_else(|| roots().filter(|root| root.len() <= LONGEST_NAME).map(str::to_owned))
    }

    /// Returns what happened, mostly one thing, and who its content comes from; or why it is passed over.
    fn happened(
        &self,
        event: Option<Event>,
        payload: &str,
    ) -> Result<(Vec<Activity>, Provenance), &'static str> {
        let (activity, provenance) = match event {
            Some(Event::SessionStart) => (Activity::SessionStarted { how: self.how() }, Provenance::Tool),
            Some(Event::Prompt) => self.prompted()?,
            Some(Event::ToolUse) => return self.tool_used(None),
            Some(Event::ToolFailure) => return self.tool_used(Some(self.words(ERROR))),
            Some(Event::Edit) => {
                return self.tool(TOOL_OF_AN_EDIT, &self.json, &Json::Nothing, None).meaning();
            }
            Some(Event::TurnEnd) => self.turn_ended()?,
            Some(Event::TurnFailure) => (Activity::TurnBroken { error: self.error() }, Provenance::Tool),
            Some(Event::SubagentStart) => (Activity::SubagentStarted, Provenance::Tool),
            Some(Event::SubagentEnd) => self.subagent_ended()?,
            Some(Event::Compacting) => (
                Activity::Compacting { instructions: self.words(&["custom_instructions"]) },
                Provenance::User,
            ),
            Some(Event::Compacted) => {
                let summary = summary_in(&self.words(&["compact_summary"]));
                (Activity::Compacted { summary }, Provenance::Assistant)
            }
            Some(Event::SessionEnd) => {
                (Activity::SessionEnded { reason: self.words(&["reason"]) }, Provenance::Tool)
            }
            Some(Event::BeforeTool) => return Err("nothing was done yet"),
            Some(Event::Passed(why)) => return Err(why),
            None => (Activity::Other { text: payload.to_owned() }, Provenance::External),
        };
        Ok((vec![activity], provenance))
    }

    /// Returns how a session began, in the words of the host that has most of them.
    fn how(&self) -> String {
        match self.words(&["source"]) {
            how if how.is_empty() || how == "new" => "startup".to_owned(),
            how => how,
        }
    }

    fn prompted(&self) -> Result<(Activity, Provenance), &'static str> {
        if !matches!(self.json.str("source"), "" | "user" | "sdk") {
            return Err("automated");
        }
        let prompt = self.words(PROMPT);
        let text = without_blocks_of_the_host(&prompt);
        if text.is_empty() {
            return Err(if prompt.is_empty() { "nothing said" } else { "automated" });
        }
        Ok((Activity::Prompted { text }, Provenance::User))
    }

    fn tool_used(&self, error: Option<String>) -> Result<(Vec<Activity>, Provenance), &'static str> {
        let name = self.get(TOOL).text().unwrap_or_default();
        let (input, response) = (self.get(INPUT), self.get(RESPONSE));
        // Some hosts send JSON inside of JSON; what a command printed may look like it and is not meant.
        let (inner_input, inner_response) = (inner(input), inner(self.json.get(CURSORS_RESPONSE)));
        let input = inner_input.as_ref().unwrap_or(input);
        let response = inner_response.as_ref().unwrap_or(response);
        self.tool(name, input, response, error).meaning()
    }

    fn tool<'u>(
        &'u self,
        name: &'u str,
        input: &'u Json<'u>,
        response: &'u Json<'u>,
        error: Option<String>,
    ) -> ToolUse<'u, 'u> {
        let server = ["mcp_server", "mcp_context"].map(|field| self.json.get(field));
        let server = server.iter().find_map(|server| server.said("name").or(server.said("server_name")));
        ToolUse {
            dialect: self.dialect,
            name,
            input,
            response,
            error: error.or_else(|| tools::error_in(response)),
            is_interrupted: self.json.get("is_interrupt").is_true(),
            server: server.unwrap_or_default(),
            cwd: self.cwd(),
        }
    }

    /// What a subagent closes with comes again with its end.
    fn turn_ended(&self) -> Result<(Activity, Provenance), &'static str> {
        match self.said(AGENT) {
            Some(_) => Err("the subagent's end comes by itself"),
            None => Ok((Activity::TurnEnded { message: self.words(MESSAGE) }, Provenance::Assistant)),
        }
    }

    /// Claude Code compacts in a subagent that is of no sort; what it says comes again as the summary.
    fn subagent_ended(&self) -> Result<(Activity, Provenance), &'static str> {
        match self.said(AGENT_SORT) {
            None => Err("the host's own subagent"),
            Some(_) => Ok((Activity::SubagentEnded { message: self.words(MESSAGE) }, Provenance::Assistant)),
        }
    }

    /// Returns what there is to say about a turn that broke off.
    fn error(&self) -> String {
        let parts = ["error", "error_details", "status", "last_assistant_message"];
        let parts = parts.map(|field| self.json.get(field)).map(|part| {
            let message = part.get("message");
            if message.is_nothing() { part.words() } else { message.words() }
        });
        let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        parts.join(": ")
    }

    fn told_all(
        &self,
        event: Option<Event>,
        activities: Vec<Activity>,
        provenance: &Provenance,
    ) -> (Meaning, Vec<Told>) {
        let mut told = activities.into_iter().map(|activity| self.told(event, activity, provenance.clone()));
        let first =
            told.next().map_or(Meaning::PassedOver("nothing done"), |told| Meaning::Happened(Box::new(told)));
        (first, told.collect())
    }

    fn told(&self, event: Option<Event>, activity: Activity, provenance: Provenance) -> Told {
        let agent = self.said(AGENT);
        let number = match event {
            Some(Event::ToolUse | Event::ToolFailure) => self.said(CALL),
            Some(
                Event::Prompt
                | Event::TurnEnd
                | Event::TurnFailure
                | Event::SubagentStart
                | Event::SubagentEnd,
            ) => match (self.said(TURN), &agent) {
                (Some(turn), Some(agent)) => Some(format!("{turn} {agent}")),
                (turn, _) => turn,
            },
            // The number of the turn stays the same however often it is compacted: no number at all.
            _ => None,
        };
        let sequence = number.or_else(|| Some(self.words(&["timestamp"])).filter(|time| !time.is_empty()));
        let sequence = sequence.filter(|sequence| sequence.len() <= LONGEST_NAME);
        let subagent = agent.map(|id| Subagent { id, sort: self.words(AGENT_SORT) });
        // What a subagent is asked nobody typed.
        let provenance = if subagent.is_some() && provenance == Provenance::User {
            Provenance::Assistant
        } else {
            provenance
        };
        Told { activity, subagent, tool: self.said(TOOL), sequence, provenance }
    }

    /// Returns what belongs to an event and is not there: a host that has changed its words is found out by it.
    fn lacks(&self, event: Option<Event>) -> Vec<&'static str> {
        const TOOL_AND_INPUT: &[(&str, &[&str])] = &[("tool", TOOL), ("input", INPUT)];
        let belongs: &[(&str, &[&str])] = match event {
            Some(Event::Prompt) => &[("prompt", PROMPT)],
            Some(Event::BeforeTool | Event::ToolFailure) => TOOL_AND_INPUT,
            Some(Event::ToolUse) => &[("tool", TOOL), ("input", INPUT), ("response", RESPONSE)],
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

    fn record(&self, meaning: &Meaning) -> Option<String> {
        match meaning {
            Meaning::Happened(told) if (self.dialect.leaves_out)(&told.activity) => self.said(RECORD),
            _ => None,
        }
    }
}

/// An event that is an edit by itself says what was changed the way this tool is asked to.
const TOOL_OF_AN_EDIT: &str = "MultiEdit";

fn inner<'a>(value: &'a Json<'_>) -> Option<Json<'a>> {
    let text = value.text().filter(|text| text.trim_start().starts_with('{'))?;
    Some(Json::read(text))
}

/// What is longer names nothing, not even a path; looking for secrets in megabytes of it would use up the hook's time.
const LONGEST_NAME: usize = 4096;
