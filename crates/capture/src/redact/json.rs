//! Scrubs the strings of a JSON value: keys, values and everything nested.
//!
//! A value is judged with the name of its field, since the string in `{"password": …}` alone may look like
//! any word. A private tag opened in one string and closed in a later one hides all strings between.

use super::blocks::PRIVATE_MEMBERS;
use super::{Redactor, marker, named};
use crate::private::{self, Loose};
use serde_json::{Map, Value};

/// Scrubs `value` in place.
pub(super) fn scrub(redactor: &Redactor, value: &mut Value) {
    let mut loose = Vec::new();
    collect(value, &mut loose);
    let mut walk = JsonWalk { redactor, hidden: hidden(&loose), at: 0 };
    walk.value(None, value);
}

/// Reports for every string value, in the order of the document, which halves of a tag pair it lacks.
fn collect(value: &Value, loose: &mut Vec<Loose>) {
    match value {
        Value::String(text) => loose.push(private::strip_and_report(text).1),
        Value::Array(items) => items.iter().for_each(|item| collect(item, loose)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, loose)),
        _ => {}
    }
}

/// Returns for every string whether it stands between one that opens a tag and one that closes it.
fn hidden(loose: &[Loose]) -> Vec<bool> {
    let mut hidden = vec![false; loose.len()];
    let mut opened = None;
    for (at, loose) in loose.iter().enumerate() {
        if loose.closed
            && let Some(opened) = opened.take()
            && let Some(between) = hidden.get_mut(opened + 1..at)
        {
            between.fill(true);
        }
        if loose.opened {
            opened = opened.or(Some(at));
        }
    }
    hidden
}

struct JsonWalk<'a> {
    redactor: &'a Redactor,
    hidden: Vec<bool>,
    at: usize,
}

impl JsonWalk<'_> {
    fn value(&mut self, name: Option<&str>, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.string(name, text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(name, item)),
            Value::Object(fields) => self.object(fields),
            _ => {}
        }
    }

    fn object(&mut self, fields: &mut Map<String, Value>) {
        if fields.contains_key("kty") {
            for member in PRIVATE_MEMBERS {
                if let Some(Value::String(part)) = fields.get_mut(member) {
                    let mut whole = String::new();
                    marker::push(&mut whole, "private-key", part, &self.redactor.key);
                    *part = whole;
                }
            }
        }
        *fields = std::mem::take(fields)
            .into_iter()
            .map(|(name, mut value)| {
                self.value(Some(&name), &mut value);
                (self.redactor.scrub(&name).into_inner(), value)
            })
            .collect();
    }

    fn string(&mut self, name: Option<&str>, text: &str) -> String {
        let hidden = self.hidden.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        if hidden {
            return private::MARKER.to_owned();
        }
        let scrubbed = self.redactor.scrub(text).into_inner();
        // What other rules already replaced says more with the rule's own name.
        if scrubbed != text {
            return scrubbed;
        }
        let Some(rule) = name.and_then(|name| named::rule_for(name, text)) else { return scrubbed };
        let mut whole = String::new();
        marker::push(&mut whole, rule, text, &self.redactor.key);
        whole
    }
}
