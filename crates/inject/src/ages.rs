//! How long ago, as people say it.

use backstory_memory::Timestamp;

/// Returns how long ago something was: "just now", "5m ago", "3h ago", "yesterday", "4d ago". Never in the future.
#[must_use]
pub fn time_ago(at: Timestamp, now: Timestamp) -> String {
    match minutes_between(at, now) {
        0 => "just now".to_owned(),
        1440..2880 => "yesterday".to_owned(),
        _ => format!("{} ago", age(at, now)),
    }
}

/// Returns the same in two or three characters, for a line that is one of many: "now", "5m", "3h", "4d".
#[must_use]
pub fn age(at: Timestamp, now: Timestamp) -> String {
    match minutes_between(at, now) {
        0 => "now".to_owned(),
        minutes @ 1..60 => format!("{minutes}m"),
        minutes @ 60..1440 => format!("{}h", minutes / 60),
        minutes => format!("{}d", minutes / 1440),
    }
}

fn minutes_between(at: Timestamp, now: Timestamp) -> i64 {
    now.0.saturating_sub(at.0).max(0) / 60_000
}

/// Returns the day of something by the user's own calendar: "today", "yesterday", "4d ago". Never in the future.
pub(crate) fn calendar_age(at: Timestamp, now: Timestamp, utc_offset_minutes: i32) -> String {
    let day = |time: Timestamp| {
        (time.0.saturating_add(i64::from(utc_offset_minutes) * 60_000)).div_euclid(Timestamp::DAY_MS)
    };
    match day(now).saturating_sub(day(at)).max(0) {
        0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days => format!("{days}d ago"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S4.A4: never in the future.
    #[test]
    fn an_age_is_never_negative() {
        let minute = 60_000;
        let check = |ago: i64, long, short| {
            assert_eq!(time_ago(Timestamp(0), Timestamp(ago)), long);
            assert_eq!(age(Timestamp(0), Timestamp(ago)), short);
        };
        check(-5 * minute, "just now", "now");
        check(59 * 1000, "just now", "now");
        check(5 * minute, "5m ago", "5m");
        check(180 * minute, "3h ago", "3h");
        check(1500 * minute, "yesterday", "1d");
        check(4 * 1440 * minute, "4d ago", "4d");
    }

    #[test]
    fn a_day_ends_at_the_users_midnight() {
        let hour = 3_600_000;
        let check = |at: i64, now: i64, offset, said| {
            assert_eq!(calendar_age(Timestamp(at * hour), Timestamp(now * hour), offset), said);
        };
        check(1, 23, 0, "today");
        check(23, 25, 0, "yesterday");
        // Forty hours may be the day before yesterday.
        check(23, 63, 0, "2d ago");
        check(21, 23, 120, "yesterday");
        check(25, 26, -180, "today");
        check(50, 25, 0, "today");
    }
}
