//! Times as people and other programs write them. Everything is UTC.

use crate::error::AppError;
use backstory_memory::Timestamp;

/// Writes a time as RFC 3339.
pub fn iso(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0).map_or_else(|_| format!("{}ms", at.0), |time| time.to_string())
}

/// Reads a time: RFC 3339, a day, `now`, or how long ago (`90m`, `36h`, `7d`, `2w`).
///
/// Only what can be written again as RFC 3339 is a time: what is taken in must be able to leave.
fn parse(text: &str, now: Timestamp) -> Option<Timestamp> {
    let text = text.trim();
    if text == "now" {
        return Some(now);
    }
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Some(Timestamp(time.as_millisecond()));
    }
    if let Ok(day) = text.parse::<jiff::civil::Date>() {
        let midnight = day.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        return Some(Timestamp(midnight.timestamp().as_millisecond()));
    }
    ago(text).map(|ms| now.plus_ms(-ms)).filter(|at| can_be_written(*at))
}

/// Reads a time somebody typed, or says how one is written.
pub fn typed(text: &str, now: Timestamp) -> Result<Timestamp, AppError> {
    parse(text, now).ok_or_else(|| {
        AppError::usage(format!("`{text}` is not a time")).hint("write 2026-05-01, 36h, 7d or 2w")
    })
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

/// Reads a time another program wrote: text as in [`parse`], or a number of seconds or milliseconds since 1970.
pub fn from_json(value: &serde_json::Value, now: Timestamp) -> Option<Timestamp> {
    match value {
        serde_json::Value::String(text) => parse(text, now),
        serde_json::Value::Number(number) => {
            let number = number.as_f64()?;
            // Seconds reach this far in the year 5138; milliseconds passed it in 1973.
            let ms = if number.abs() < 1e11 { number * 1000.0 } else { number };
            Some(Timestamp(ms as i64)).filter(|at| can_be_written(*at))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let now = Timestamp(1_700_000_000_000);
        let check =
            |text, expected: &str| assert_eq!(parse(text, now).map(iso).as_deref(), Some(expected), "{text}");
        check("2023-11-01", "2023-11-01T00:00:00Z");
        check("2023-11-01T12:30:00+02:00", "2023-11-01T10:30:00Z");
        check("7d", "2023-11-07T22:13:20Z");
        check("2 weeks ago", "2023-10-31T22:13:20Z");
        check("now", "2023-11-14T22:13:20Z");
        for bad in ["", "soon", "d", "-3d", "99999999999999999w", "99999999w"] {
            assert_eq!(parse(bad, now), None, "{bad}");
        }
    }

    #[test]
    fn numbers_are_seconds_or_milliseconds() {
        let read = |value| from_json(&value, Timestamp(0));
        assert_eq!(read(serde_json::json!(1_700_000_000)), Some(Timestamp(1_700_000_000_000)));
        assert_eq!(read(serde_json::json!(1_700_000_000_123_i64)), Some(Timestamp(1_700_000_000_123)));
        for bad in [serde_json::json!(true), serde_json::json!(1e300), serde_json::json!(-1e18)] {
            assert_eq!(read(bad.clone()), None, "{bad}");
        }
    }
}
