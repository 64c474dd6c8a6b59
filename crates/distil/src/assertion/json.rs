//! An assertion as the store keeps it. What another build wrote and cannot be read is read from the words again.

use super::Assertion;
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl Assertion {
    /// Writes it as JSON.
    pub(crate) fn to_json(&self) -> String {
        json!({
            "subject": self.subject,
            "values": self.values,
            "scope": self.scope,
            "taken_back": self.taken_back,
            "equation": self.equation,
            "opening": self.opening,
            "is_negative": self.is_negative,
            "is_change": self.is_change,
            "is_amendment": self.is_amendment,
        })
        .to_string()
    }

    /// Reads what [`Assertion::to_json`] wrote.
    pub(crate) fn from_json(text: &str) -> Option<Assertion> {
        let value: Value = serde_json::from_str(text).ok()?;
        let equation = match value.get("equation")?.as_array() {
            Some(sides) => Some((words_of(sides.first()?)?.collect(), sides.get(1)?.as_str()?.to_owned())),
            None => None,
        };
        let set = |name: &str| -> Option<BTreeSet<String>> { Some(words_of(value.get(name)?)?.collect()) };
        Some(Assertion {
            subject: set("subject")?,
            values: set("values")?,
            scope: set("scope")?,
            taken_back: set("taken_back")?,
            equation,
            opening: words_of(value.get("opening")?)?.collect(),
            is_negative: value.get("is_negative")?.as_bool()?,
            is_change: value.get("is_change")?.as_bool()?,
            is_amendment: value.get("is_amendment")?.as_bool()?,
        })
    }
}

fn words_of(value: &Value) -> Option<impl Iterator<Item = String>> {
    Some(value.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assertion_comes_back_from_the_store_as_it_was() {
        for said in [
            "Use pnpm instead of npm",
            "The default branch is main",
            "In the mobile app, never keep keys for more than 24 hours",
            "",
        ] {
            let read = Assertion::read(said);
            assert_eq!(Assertion::from_json(&read.to_json()), Some(read), "{said}");
        }
        assert_eq!(Assertion::from_json("{}"), None);
    }
}
