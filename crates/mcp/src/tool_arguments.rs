//! The arguments of a tool call, read as agents write them: numbers as text, one value for a list. An unreadable argument is an
//! error that says what is expected. So is an argument that the tool does not know: an agent would otherwise believe that it worked.

use backstory_app::AppError;
use backstory_memory::MemoryId;
use serde_json::{Map, Value};

/// The most memories one call may name.
const MAX_IDS: usize = 50;
/// The most texts a list may hold.
const MAX_TEXTS: usize = 128;

/// How much of an unknown name an error repeats.
const MAX_NAME_CHARS: usize = 40;

/// The arguments of a call.
#[derive(Debug)]
pub(crate) struct ToolArguments(Map<String, Value>);

impl ToolArguments {
    /// Reads them from the parameters of a call; `None` if they are not an object.
    pub(crate) fn from_params(params: &Value) -> Option<ToolArguments> {
        match params.get("arguments") {
            None | Some(Value::Null) => Some(ToolArguments(Map::new())),
            Some(Value::Object(fields)) => Some(ToolArguments(fields.clone())),
            Some(_) => None,
        }
    }

    /// Refuses an argument that is not one of these. If it were ignored, a misspelt filter would seem to work.
    pub(crate) fn refuse_unknown(&self, tool: &str, known: &[String]) -> Result<(), AppError> {
        let Some(unknown) = self.0.keys().find(|name| !known.contains(name)) else { return Ok(()) };
        let name: String = unknown.chars().take(MAX_NAME_CHARS).collect();
        Err(AppError::usage(format!("`{tool}` has no argument `{name}`"))
            .hint(format!("it has: {}", known.join(", "))))
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Returns a text that is not blank.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, AppError> {
        let text =
            self.get(name).map(|value| as_text(value).ok_or_else(|| invalid(name, "a text"))).transpose()?;
        Ok(text.filter(|text| !text.trim().is_empty()))
    }

    /// Returns a list of texts, which may be empty.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, AppError> {
        let texts: Option<Vec<String>> = match self.get(name) {
            None => Some(Vec::new()),
            Some(Value::Array(items)) => items.iter().take(MAX_TEXTS).map(as_text).collect(),
            Some(one) => as_text(one).map(|text| vec![text]),
        };
        texts.ok_or_else(|| invalid(name, "a list of texts"))
    }

    /// Returns a count.
    pub(crate) fn count(&self, name: &str) -> Result<Option<u32>, AppError> {
        let count = |value| as_integer(value).and_then(|number| u32::try_from(number).ok());
        let read = |value| count(value).ok_or_else(|| invalid(name, "a number, 0 or more"));
        self.get(name).map(read).transpose()
    }

    /// Returns whether a flag is set.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, AppError> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(text)) if text == "true" || text == "false" => Ok(text == "true"),
            Some(_) => Err(invalid(name, "true or false")),
        }
    }

    /// Returns the one memory that is named.
    pub(crate) fn id(&self) -> Result<MemoryId, AppError> {
        match self.named_ids("id", "the number of one memory, like 12")?.as_slice() {
            [only] => Ok(*only),
            several => Err(AppError::user(format!("`id` names one memory, not {}", several.len()))
                .hint("ask once for each")),
        }
    }

    /// Returns the memories that are named, each once, in their order; at least one.
    pub(crate) fn ids(&self) -> Result<Vec<MemoryId>, AppError> {
        self.named_ids("ids", "a list of numbers, like [12, 15]")
    }

    /// Reads ids from `ids` or `id`: agents mix them up.
    fn named_ids(&self, name: &str, wanted: &str) -> Result<Vec<MemoryId>, AppError> {
        let misread = || invalid(name, wanted).hint("`search` finds memories and their ids");
        let named: Vec<Value> = match self.get("ids").or_else(|| self.get("id")) {
            Some(Value::Array(items)) => items.clone(),
            Some(Value::String(text)) => {
                text.split([',', ' ']).filter(|id| !id.is_empty()).map(Value::from).collect()
            }
            Some(one) => vec![one.clone()],
            None => Vec::new(),
        };
        if named.is_empty() {
            return Err(misread());
        }
        if named.len() > MAX_IDS {
            return Err(AppError::user(format!("{} ids in one call; {MAX_IDS} at the most", named.len()))
                .hint("choose the few that matter from what `search` shows"));
        }
        let mut ids = Vec::new();
        for id in &named {
            let id = MemoryId(as_integer(id).ok_or_else(misread)?);
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(ids)
    }
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn as_integer(value: &Value) -> Option<i64> {
    match value {
        // `12.0` is how some clients write 12.
        Value::Number(number) => number.as_i64().or_else(|| {
            let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e15)?;
            Some(float as i64)
        }),
        Value::String(text) => text.trim().trim_start_matches('#').parse().ok(),
        _ => None,
    }
}

fn invalid(name: &str, wanted: &str) -> AppError {
    AppError::usage(format!("`{name}` must be {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn arguments(value: Value) -> ToolArguments {
        ToolArguments::from_params(&Value::from_iter([("arguments", value)])).unwrap()
    }

    #[test]
    fn ids_are_read_however_an_agent_writes_them() {
        let check = |value: Value, expected: &[i64]| {
            let ids = arguments(value.clone()).ids().unwrap();
            assert_eq!(ids.iter().map(|id| id.0).collect::<Vec<_>>(), expected, "{value}");
        };
        check(json!({"ids": [12, 15, 12]}), &[12, 15]);
        check(json!({"ids": ["#12", "15"]}), &[12, 15]);
        check(json!({"ids": "12, #15"}), &[12, 15]);
        check(json!({"id": 12.0}), &[12]);
        for bad in [
            json!({}),
            json!({"ids": []}),
            json!({"ids": ["x"]}),
            json!({"ids": [1.5]}),
            json!({"ids": {"a": 1}}),
        ] {
            assert!(arguments(bad.clone()).ids().is_err(), "{bad}");
        }
        assert!(arguments(json!({"ids": (0..51).collect::<Vec<i64>>()})).ids().is_err());
    }

    #[test]
    fn an_error_about_one_id_names_the_right_argument() {
        for one in [json!({"id": 12}), json!({"ids": ["#12"]})] {
            assert_eq!(arguments(one).id().unwrap(), MemoryId(12));
        }
        for bad in [json!({}), json!({"id": "x"}), json!({"id": [1, 2]})] {
            let message = arguments(bad).id().unwrap_err().line();
            assert!(message.contains("`id`") && !message.contains("`ids`"), "{message}");
        }
    }

    #[test]
    fn an_unreadable_argument_is_an_error() {
        let odd =
            arguments(json!({"limit": -1, "query": {}, "compact": "maybe", "files": [[]], "kind": null}));
        assert!(odd.count("limit").is_err() && odd.text("query").is_err());
        assert!(odd.flag("compact").is_err() && odd.texts("files").is_err());
        assert_eq!(odd.text("kind").unwrap(), None);
    }
}
