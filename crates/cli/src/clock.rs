//! Times for people: relative and by the user's own clock, or exact and in UTC where `--utc` asks for it. JSON has RFC 3339 in any case.

use backstory_app::times;
use backstory_memory::Timestamp;
use backstory_platform::utc_offset_minutes;

const MINUTE_MS: i64 = 60_000;

/// How times are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// How long ago, by the user's own days.
    Local,
    /// As in a log.
    Utc,
}

impl Clock {
    /// Says when something was: "just now", "5 min ago", "3 h ago", "yesterday", "4 days ago", "3 weeks ago", then the day.
    pub(crate) fn ago(self, at: Timestamp, now: Timestamp) -> String {
        if self == Clock::Utc {
            return self.exact(at);
        }
        let minutes = now.0.saturating_sub(at.0) / MINUTE_MS;
        let days = self.day(now) - self.day(at);
        match (days, minutes) {
            // What lies ahead comes from a clock that was wrong, and how far is no news.
            (_, ..1) => "just now".to_owned(),
            (_, 1..60) => format!("{minutes} min ago"),
            (_, 60..360) | (0, _) => format!("{} h ago", minutes / 60),
            (1, _) => "yesterday".to_owned(),
            (2..14, _) => format!("{days} days ago"),
            (14..60, _) => format!("{} weeks ago", days / 7),
            _ => self.date(at),
        }
    }

    /// Returns the day and the time of day; UTC says that it is.
    pub(crate) fn exact(self, at: Timestamp) -> String {
        let text = self.shifted(at);
        let (day, time) = text.split_once('T').unwrap_or((&text, ""));
        let time: String = time.chars().take(5).collect();
        let zone = if self == Clock::Utc { " UTC" } else { "" };
        format!("{day} {time}{zone}")
    }

    /// Returns the day and the time of day, and how long ago that is.
    pub(crate) fn both(self, at: Timestamp, now: Timestamp) -> String {
        let (exact, ago) = (self.exact(at), self.ago(at, now));
        // Long ago is a date already, as is everything in UTC.
        if exact.starts_with(&ago) { exact } else { format!("{exact} ({ago})") }
    }

    /// Returns the day.
    pub(crate) fn date(self, at: Timestamp) -> String {
        self.shifted(at).chars().take(10).collect()
    }

    /// Returns the time of day, to the minute.
    pub(crate) fn time_of_day(self, at: Timestamp) -> String {
        self.shifted(at).chars().skip(11).take(5).collect()
    }

    /// Returns the date, and how far away it is while it is near.
    pub(crate) fn day_heading(self, at: Timestamp, now: Timestamp) -> String {
        let date = self.date(at);
        match self.day(now) - self.day(at) {
            _ if self == Clock::Utc => date,
            0 => format!("{date} · today"),
            1 => format!("{date} · yesterday"),
            days @ 2..14 => format!("{date} · {days} days ago"),
            _ => date,
        }
    }

    /// Reads a time as JSON has it.
    pub(crate) fn read(text: &str) -> Timestamp {
        times::parse_time(text, Timestamp(0)).unwrap_or_default()
    }

    fn offset_ms(self, at: Timestamp) -> i64 {
        match self {
            Clock::Utc => 0,
            Clock::Local => i64::from(utc_offset_minutes(at.0)) * MINUTE_MS,
        }
    }

    fn shifted(self, at: Timestamp) -> String {
        times::iso(at.plus_ms(self.offset_ms(at)))
    }

    fn day(self, at: Timestamp) -> i64 {
        at.0.saturating_add(self.offset_ms(at)).div_euclid(Timestamp::DAY_MS)
    }
}

/// Says how long something took: "under a minute", "12 min", "1 h 05", "2 days".
pub(crate) fn duration(from: Timestamp, to: Timestamp) -> String {
    let minutes = to.0.saturating_sub(from.0).max(0) / MINUTE_MS;
    match (minutes, minutes / 60) {
        (0, _) => "<1 min".to_owned(),
        (_, 0) => format!("{minutes} min"),
        (_, hours @ 1..48) => format!("{hours} h {:02}", minutes % 60),
        (_, hours) => format!("{} days", hours / 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Clock::read(text)
    }

    #[test]
    fn utc_is_exact_and_says_so() {
        let (then, now) = (at("2026-04-20T08:09:10Z"), at("2026-05-01T12:00:00Z"));
        assert_eq!(Clock::Utc.ago(then, now), "2026-04-20 08:09 UTC");
        assert_eq!(Clock::Utc.both(then, now), "2026-04-20 08:09 UTC");
        assert_eq!(
            (Clock::Utc.date(then), Clock::Utc.time_of_day(then)),
            ("2026-04-20".into(), "08:09".into())
        );
    }

    /// Differences of whole days are the same in every zone, but for one hour twice a year.
    #[test]
    fn ages_grow_coarser() {
        let now = at("2026-05-20T12:00:00Z");
        let check = |ms: i64, expected: &str| assert_eq!(Clock::Local.ago(now.plus_ms(-ms), now), expected);
        check(-5_000, "just now");
        check(59_000, "just now");
        check(5 * MINUTE_MS, "5 min ago");
        check(3 * 60 * MINUTE_MS, "3 h ago");
        check(Timestamp::DAY_MS, "yesterday");
        check(4 * Timestamp::DAY_MS, "4 days ago");
        check(22 * Timestamp::DAY_MS, "3 weeks ago");
    }

    #[test]
    fn durations_are_short() {
        let from = at("2026-05-01T12:00:00Z");
        let check = |minutes: i64, expected: &str| {
            assert_eq!(duration(from, from.plus_ms(minutes * MINUTE_MS)), expected);
        };
        check(0, "<1 min");
        check(12, "12 min");
        check(65, "1 h 05");
        check(60 * 24 * 3, "3 days");
        check(-5, "<1 min");
    }
}
