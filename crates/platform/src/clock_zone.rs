//! The time zone of the user's clock.

/// Returns how many minutes the local clock is ahead of UTC at a time in milliseconds since 1970.
#[must_use]
pub fn utc_offset_minutes(at_ms: i64) -> i32 {
    let at = jiff::Timestamp::from_millisecond(at_ms).unwrap_or_default();
    jiff::tz::TimeZone::system().to_offset(at).seconds() / 60
}
