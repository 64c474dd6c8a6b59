//! What several published sets share: messages of a conversation, and dates as their authors wrote them.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value;

/// One message. Who said it is left out: roles are in every session alike, and say nothing of what it is about.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    pub(super) content: String,
}

/// Returns a whole session as one text.
pub(super) fn text(messages: &[Message]) -> String {
    let said = messages.iter().map(|message| message.content.trim()).filter(|said| !said.is_empty());
    said.collect::<Vec<_>>().join("\n\n")
}

/// The ways published sets write a time, and a day.
const TIMES: [&str; 2] = ["%Y/%m/%d (%a) %H:%M", "%I:%M %p on %d %B, %Y"];
const DAYS: [&str; 1] = ["%B-%d-%Y"];

/// Reads a time as a published set writes it, as UTC. What cannot be read is not known: a set is not measured by its dates.
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
    fn times_are_read_as_the_sets_write_them() {
        let check =
            |text, expected: Option<&str>| assert_eq!(time(text), expected.map(Value::from), "{text}");
        check("2023/05/20 (Sat) 02:21", Some("2023-05-20T02:21:00Z"));
        check("1:56 pm on 8 May, 2023", Some("2023-05-08T13:56:00Z"));
        check("March-15-2024", Some("2024-03-15T00:00:00Z"));
        check("2025-01-15", Some("2025-01-15T00:00:00Z"));
        check("some day", None);
    }
}
