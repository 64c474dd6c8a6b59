//! What hosts are answered, and whether what stands on standard output is such an answer.
//!
//! Each has a shape it takes and drops or misreads every other: so there is exactly one object with the event's name where it
//! wants one, and never a byte more. No answer ever decides about what the host was going to do (law 1).

use crate::Reply;
use backstory_memory::Moment;
use serde_json::{Map, Value, json};

/// How a host takes answers.
pub(crate) struct Answers {
    pub(crate) shape: Shape,
    /// What the host calls each moment. Where it has no name, what is said nobody reads.
    pub(crate) session: &'static str,
    pub(crate) prompt: &'static str,
    pub(crate) tool: Option<&'static str>,
    /// Answered in plain words.
    pub(crate) compaction: Option<&'static str>,
    /// The field of what only the user is to read.
    pub(crate) to_user: Option<&'static str>,
    /// What is longer the host cuts, or puts where the agent does not look.
    pub(crate) most: Limit,
}

/// Where the context stands in an answer.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// In an object of its own, with the event's name.
    Nested,
    /// At the top, in this field.
    Flat(&'static str),
}

/// How much context a host takes, as it counts.
#[derive(Clone, Copy)]
pub(crate) enum Limit {
    Utf16(usize),
    Bytes(usize),
    Chars(usize),
}

const NESTED: &str = "hookSpecificOutput";
const NESTED_NAME: &str = "hookEventName";
const NESTED_CONTEXT: &str = "additionalContext";

impl Answers {
    /// Returns the event at which a host can be told something at a moment.
    pub(crate) const fn event(&self, moment: Moment) -> Option<&'static str> {
        match moment {
            Moment::SessionStart => Some(self.session),
            Moment::Prompt => Some(self.prompt),
            Moment::Tool => self.tool,
            Moment::Compaction => self.compaction,
        }
    }

    /// Writes an answer; nothing where there is nothing to say, or nobody to hear it.
    pub(crate) fn write(&self, moment: Moment, reply: Reply<'_>) -> Option<String> {
        let event = self.event(moment)?;
        let context = reply.context.filter(|context| self.most.holds(context));
        if moment == Moment::Compaction {
            // A brace at its beginning would make it JSON.
            return context.filter(|words| !words.trim_start().starts_with('{')).map(str::to_owned);
        }
        let mut answer = Map::new();
        match (context, self.shape) {
            (Some(context), Shape::Nested) => {
                answer.insert(NESTED.to_owned(), json!({NESTED_NAME: event, NESTED_CONTEXT: context}));
            }
            (Some(context), Shape::Flat(field)) => {
                answer.insert(field.to_owned(), context.into());
            }
            (None, _) => {}
        }
        if let (Some(message), Some(field)) = (reply.to_user, self.to_user) {
            answer.insert(field.to_owned(), message.into());
        }
        (!answer.is_empty()).then(|| Value::Object(answer).to_string())
    }

    /// Says what is wrong with an answer, by the rules of the host. No answer is always right.
    pub(crate) fn check(&self, event: &str, stdout: &[u8]) -> Result<(), String> {
        if stdout.is_empty() {
            return Ok(());
        }
        let text = std::str::from_utf8(stdout).map_err(|_| "the answer is not UTF-8".to_owned())?;
        let moments = [Moment::SessionStart, Moment::Prompt, Moment::Tool, Moment::Compaction];
        let Some(moment) = moments.into_iter().find(|moment| self.event(*moment) == Some(event)) else {
            return Err("it takes no answer there".to_owned());
        };
        if moment == Moment::Compaction {
            let is_json = text.trim_start().starts_with('{');
            return if is_json {
                Err("it takes plain words there".to_owned())
            } else {
                self.check_size(text)
            };
        }
        let answer: Value =
            serde_json::from_str(text).map_err(|_| "the answer is not one JSON object".to_owned())?;
        let Value::Object(mut answer) = answer else {
            return Err("the answer is not one JSON object".to_owned());
        };
        if let Some(field) = self.to_user {
            check_text(answer.remove(field), field)?;
        }
        let context = match self.shape {
            Shape::Flat(field) => check_text(answer.remove(field), field)?,
            Shape::Nested => check_nested(answer.remove(NESTED), event)?,
        };
        match answer.keys().next() {
            Some(other) => Err(format!("the answer has a field `{other}`")),
            None => context.map_or(Ok(()), |context| self.check_size(&context)),
        }
    }

    fn check_size(&self, context: &str) -> Result<(), String> {
        if self.most.holds(context) {
            Ok(())
        } else {
            Err("the answer is longer than the host reads".to_owned())
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

impl Limit {
    fn holds(self, text: &str) -> bool {
        match self {
            Limit::Utf16(most) => text.encode_utf16().count() <= most,
            Limit::Bytes(most) => text.len() <= most,
            Limit::Chars(most) => text.chars().count() <= most,
        }
    }
}
