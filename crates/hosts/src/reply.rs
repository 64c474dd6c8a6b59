//! Writes replies to hosts, and checks whether what stands on standard output is such a reply.
//!
//! Each host takes one shape and drops or misreads every other: a reply is exactly one object, with the event's name where the host
//! wants it, and never a byte more. No reply decides what the host does next (law 1), but for the question to the agent, which the user turns on.

use crate::HostReply;
use backstory_memory::Moment;
use serde_json::{Map, Value, json};

/// How a host takes replies.
pub(crate) struct ReplyFormat {
    pub(crate) shape: ReplyShape,
    /// The host's event for each moment. Without one, nobody would read the reply.
    pub(crate) session: &'static str,
    pub(crate) prompt: &'static str,
    pub(crate) tool: Option<&'static str>,
    /// Replied to in plain text.
    pub(crate) compaction: Option<&'static str>,
    /// The event at which the agent can be asked something before it stops.
    pub(crate) question: Option<&'static str>,
    /// The field of a message that only the user reads.
    pub(crate) to_user: Option<&'static str>,
    /// The host cuts a longer reply, or puts it where the agent does not look.
    pub(crate) limit: ReplyLimit,
}

/// Where the context stands in a reply.
#[derive(Clone, Copy)]
pub(crate) enum ReplyShape {
    /// In an object of its own, with the event's name.
    Nested,
    /// At the top, in this field.
    Flat(&'static str),
}

/// How much context a host takes, as it counts.
#[derive(Clone, Copy)]
pub(crate) enum ReplyLimit {
    Utf16(usize),
    Bytes(usize),
    Chars(usize),
}

const NESTED: &str = "hookSpecificOutput";
const NESTED_NAME: &str = "hookEventName";
const NESTED_CONTEXT: &str = "additionalContext";

impl ReplyFormat {
    /// Returns the event whose reply the host reads at a moment.
    pub(crate) const fn event(&self, moment: Moment) -> Option<&'static str> {
        match moment {
            Moment::SessionStart => Some(self.session),
            Moment::Prompt => Some(self.prompt),
            Moment::Tool => self.tool,
            Moment::Compaction => self.compaction,
        }
    }

    /// Writes a reply; nothing where there is nothing to say, or nobody to read it.
    pub(crate) fn write(&self, moment: Moment, reply: HostReply<'_>) -> Option<String> {
        let event = self.event(moment)?;
        let context = reply.context.filter(|context| self.limit.holds(context));
        if moment == Moment::Compaction {
            // A brace at its beginning would make it JSON.
            return context.filter(|words| !words.trim_start().starts_with('{')).map(str::to_owned);
        }
        let mut object = Map::new();
        match (context, self.shape) {
            (Some(context), ReplyShape::Nested) => {
                object.insert(NESTED.to_owned(), json!({NESTED_NAME: event, NESTED_CONTEXT: context}));
            }
            (Some(context), ReplyShape::Flat(field)) => {
                object.insert(field.to_owned(), context.into());
            }
            (None, _) => {}
        }
        if let (Some(message), Some(field)) = (reply.to_user, self.to_user) {
            object.insert(field.to_owned(), message.into());
        }
        (!object.is_empty()).then(|| Value::Object(object).to_string())
    }

    /// Writes a question to the agent, which then goes on instead of stopping.
    pub(crate) fn ask(&self, question: &str) -> Option<String> {
        self.question.map(|_| json!({"decision": "block", "reason": question}).to_string())
    }

    /// Says what is wrong with a reply, by the rules of the host. No reply is always right.
    pub(crate) fn check(&self, event: &str, stdout: &[u8]) -> Result<(), String> {
        if stdout.is_empty() {
            return Ok(());
        }
        let text = std::str::from_utf8(stdout).map_err(|_| "the reply is not UTF-8".to_owned())?;
        let moments = [Moment::SessionStart, Moment::Prompt, Moment::Tool, Moment::Compaction];
        let Some(moment) = moments.into_iter().find(|moment| self.event(*moment) == Some(event)) else {
            return Err("it takes no reply there".to_owned());
        };
        if moment == Moment::Compaction {
            let is_json = text.trim_start().starts_with('{');
            return if is_json { Err("it takes plain text there".to_owned()) } else { self.check_size(text) };
        }
        let object: Value =
            serde_json::from_str(text).map_err(|_| "the reply is not one JSON object".to_owned())?;
        let Value::Object(mut object) = object else {
            return Err("the reply is not one JSON object".to_owned());
        };
        if let Some(field) = self.to_user {
            check_text(object.remove(field), field)?;
        }
        let context = match self.shape {
            ReplyShape::Flat(field) => check_text(object.remove(field), field)?,
            ReplyShape::Nested => check_nested(object.remove(NESTED), event)?,
        };
        match object.keys().next() {
            Some(other) => Err(format!("the reply has a field `{other}`")),
            None => context.map_or(Ok(()), |context| self.check_size(&context)),
        }
    }

    fn check_size(&self, context: &str) -> Result<(), String> {
        if self.limit.holds(context) {
            Ok(())
        } else {
            Err("the reply is longer than the host reads".to_owned())
        }
    }
}

fn check_nested(output: Option<Value>, event: &str) -> Result<Option<String>, String> {
    let Some(output) = output else { return Ok(None) };
    let Value::Object(mut output) = output else { return Err(format!("`{NESTED}` is not an object")) };
    let name = check_text(output.remove(NESTED_NAME), NESTED_NAME)?;
    if name.as_deref() != Some(event) {
        return Err(format!("`{NESTED_NAME}` is not `{event}`"));
    }
    let context = check_text(output.remove(NESTED_CONTEXT), NESTED_CONTEXT)?;
    match output.keys().next() {
        Some(other) => Err(format!("`{NESTED}` has a field `{other}`")),
        None => Ok(context),
    }
}

fn check_text(value: Option<Value>, field: &str) -> Result<Option<String>, String> {
    match value {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{field}` is not a text")),
    }
}

impl ReplyLimit {
    fn holds(self, text: &str) -> bool {
        match self {
            ReplyLimit::Utf16(most) => text.encode_utf16().count() <= most,
            ReplyLimit::Bytes(most) => text.len() <= most,
            ReplyLimit::Chars(most) => text.chars().count() <= most,
        }
    }
}
