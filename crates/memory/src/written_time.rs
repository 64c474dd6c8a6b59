//! Times as people and other programs write them, read and written in one place. Everything is UTC.

use crate::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

/// A smaller number counts seconds: as seconds it is reached in the year 5138, as milliseconds it passed in 1973.
const LEAST_MS: f64 = 1e11;

/// Writes a time as RFC 3339.
#[must_use]
pub fn iso(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0).map_or_else(|_| format!("{}ms", at.0), |time| time.to_string())
}

/// Reads a time: RFC 3339, a day, `now`, or how long ago (`90m`, `36h`, `7d`, `2w`).
///
/// Only what can be written again as RFC 3339 is a time, so that whatever is imported can be exported.
#[must_use]
pub fn parse_time(text: &str, now: Timestamp) -> Option<Timestamp> {
    let text = text.trim();
    if text == "now" {
        return Some(now);
    }
    parse_written(text).or_else(|| ago(text).map(|ms| now.plus_ms(-ms)).filter(|at| can_be_written(*at)))
}

/// Reads a time in JSON: text as in [`parse_time`], or a number of seconds or milliseconds since 1970.
#[must_use]
pub fn time_from_json(value: &Value, now: Timestamp) -> Option<Timestamp> {
    match value {
        Value::String(text) => parse_time(text, now),
        Value::Number(number) => Some(from_number(number.as_f64()?)).filter(|at| can_be_written(*at)),
        _ => None,
    }
}

/// Reads the time of a foreign column: ISO 8601 with or without a zone, SQLite's own way, or a number since 1970. A time before 2000 or
/// after 2100 is a mistake of the program that wrote it.
#[must_use]
pub fn foreign_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let at = match text.parse::<f64>() {
        Ok(number) => from_number(number),
        Err(_) => parse_written(text)?,
    };
    (FIRST_MOMENT..=LAST_MOMENT).contains(&at).then_some(at)
}

/// 2000-01-01: nothing an agent remembers is older.
pub const FIRST_MOMENT: Timestamp = Timestamp(946_684_800_000);
/// 2100-01-01.
const LAST_MOMENT: Timestamp = Timestamp(4_102_444_800_000);

/// Reads what stands for one moment: with a zone, or a day or a time of day without one, which is taken as UTC.
fn parse_written(text: &str) -> Option<Timestamp> {
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(Timestamp(at.as_millisecond()));
    }
    let at = text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok()?;
    Some(Timestamp(at.timestamp().as_millisecond()))
}

fn from_number(number: f64) -> Timestamp {
    Timestamp(if number.abs() < LEAST_MS { number * 1000.0 } else { number } as i64)
}

fn can_be_written(at: Timestamp) -> bool {
    jiff::Timestamp::from_millisecond(at.0).is_ok()
}

fn ago(text: &str) -> Option<i64> {
    let text = text.trim_end_matches(" ago").trim();
    let split = text.find(|c: char| !c.is_ascii_digit())?;
    let (count, unit) = text.split_at_checked(split)?;
    let minute = 60_000;
    let unit = match unit.trim() {
        "m" | "min" | "minute" | "minutes" => minute,
        "h" | "hour" | "hours" => 60 * minute,
        "d" | "day" | "days" => 24 * 60 * minute,
        "w" | "week" | "weeks" => 7 * 24 * 60 * minute,
        _ => return None,
    };
    count.parse::<i64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let now = Timestamp(1_700_000_000_000);
        let check = |text, expected: &str| {
            assert_eq!(parse_time(text, now).map(iso).as_deref(), Some(expected), "{text}");
        };
        check("2023-11-01", "2023-11-01T00:00:00Z");
        check("2023-11-01T12:30:00+02:00", "2023-11-01T10:30:00Z");
        check("7d", "2023-11-07T22:13:20Z");
        check("2 weeks ago", "2023-10-31T22:13:20Z");
        check("now", "2023-11-14T22:13:20Z");
        for bad in ["", "soon", "d", "-3d", "99999999999999999w", "99999999w"] {
            assert_eq!(parse_time(bad, now), None, "{bad}");
        }
    }

    #[test]
    fn numbers_are_seconds_or_milliseconds() {
        let read = |value| time_from_json(&value, Timestamp(0));
        assert_eq!(read(serde_json::json!(1_700_000_000)), Some(Timestamp(1_700_000_000_000)));
        assert_eq!(read(serde_json::json!(1_700_000_000_123_i64)), Some(Timestamp(1_700_000_000_123)));
        for bad in [serde_json::json!(true), serde_json::json!(1e300), serde_json::json!(-1e18)] {
            assert_eq!(read(bad.clone()), None, "{bad}");
        }
    }

    #[test]
    fn foreign_times_are_read_however_they_are_written() {
        let noon = Timestamp(1_770_724_800_000);
        for text in [
            "2026-02-10T12:00:00Z",
            "2026-02-10T04:00:00-08:00",
            "2026-02-10T12:00:00.000000+00:00",
            "2026-02-10 12:00:00",
            "2026-02-10T12:00:00",
            "1770724800",
            "1770724800000",
            "1770724800.0",
        ] {
            assert_eq!(foreign_time(text), Some(noon), "{text}");
        }
        assert_eq!(foreign_time("2026-02-10"), Some(Timestamp(1_770_681_600_000)));
        for text in ["", "yesterday", "0", "-5", "NaN", "1e300", "1969-12-31T00:00:00Z", "2026-13-45"] {
            assert_eq!(foreign_time(text), None, "{text}");
        }
    }
}
