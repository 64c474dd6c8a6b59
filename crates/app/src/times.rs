//! Times as people type them, with the words for one that is not a time. A day is one of the user's own clock.

use crate::engine::utc_offset_minutes;
use crate::error::AppError;
use backstory_memory::Timestamp;
pub use backstory_memory::{iso, parse_time};
use backstory_recall::time_range_in;

/// Reads a time somebody typed, or says how one is written.
pub fn typed(text: &str, now: Timestamp) -> Result<Timestamp, AppError> {
    // A bare date means the user's day. `parse_time` would read it as midnight in UTC, so it comes second.
    let at = parse_day(text, now).or_else(|| parse_time(text, now)).or_else(|| spoken(text, now));
    at.ok_or_else(|| {
        AppError::usage(format!("`{text}` is not a time"))
            .hint("write 2026-05-01, yesterday, monday, 36h, 7d or 2w")
    })
}

/// Reads a date without a time of day. It begins at midnight by the user's clock.
fn parse_day(text: &str, now: Timestamp) -> Option<Timestamp> {
    let text = text.trim();
    let is_day = text.len() == 10 && !text.contains([':', 'T', ' ']);
    let midnight = parse_time(text, now).filter(|_| is_day)?;
    Some(midnight.plus_ms(-i64::from(utc_offset_minutes(midnight)) * 60_000))
}

/// Reads what people say: "yesterday", "last week", "monday". It begins where that time begins.
fn spoken(text: &str, now: Timestamp) -> Option<Timestamp> {
    const MOST_WORDS: usize = 4;
    if text.split_whitespace().count() > MOST_WORDS {
        return None;
    }
    let read = |text: &str| time_range_in(text, now, utc_offset_minutes(now))?.since;
    if text.trim() == "today" {
        let offset_ms = i64::from(utc_offset_minutes(now)) * 60_000;
        return Some(now.plus_ms(-(now.0 + offset_ms).rem_euclid(Timestamp::DAY_MS)));
    }
    // Within a question, the name of a day counts only after "on": alone it may be any word. Here it can be nothing else.
    read(text).or_else(|| read(&format!("on {text}")))
}
