//! Shared by several parsers: chat messages, and dates in the notations of published sets.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value;

/// One message. The role is dropped: every session has the same roles, so they do not help to find one.
#[derive(Debug, Deserialize)]
pub(super) struct ChatMessage {
    #[serde(default)]
    pub(super) content: String,
}

/// Returns a whole session as one text.
pub(super) fn text(messages: &[ChatMessage]) -> String {
    let texts = messages.iter().map(|message| message.content.trim()).filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Notations of times and days in published sets.
const TIMES: [&str; 2] = ["%Y/%m/%d (%a) %H:%M", "%I:%M %p on %d %B, %Y"];
const DAYS: [&str; 1] = ["%B-%d-%Y"];

/// Parses a time as UTC. An unreadable time becomes `None`: the figures do not depend on it.
pub(super) fn time(text: &str) -> Option<Value> {
    let text = text.trim();
    let times = TIMES.iter().filter_map(|format| DateTime::strptime(format, text).ok());
    let days = DAYS.iter().filter_map(|format| Date::strptime(format, text).ok());
    let plain = text.parse::<Date>().ok();
    let at = times.chain(days.chain(plain).map(DateTime::from)).next()?;
    let at = at.to_zoned(TimeZone::UTC).ok()?.timestamp();
    Some(Value::String(at.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notations_of_the_sets_are_parsed() {
        let check =
            |text, expected: Option<&str>| assert_eq!(time(text), expected.map(Value::from), "{text}");
        check("2023/05/20 (Sat) 02:21", Some("2023-05-20T02:21:00Z"));
        check("1:56 pm on 8 May, 2023", Some("2023-05-08T13:56:00Z"));
        check("March-15-2024", Some("2024-03-15T00:00:00Z"));
        check("2025-01-15", Some("2025-01-15T00:00:00Z"));
        check("some day", None);
    }
}
