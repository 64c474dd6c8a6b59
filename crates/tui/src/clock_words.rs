//! Times in the words of the user's own clock and calendar: "5m", "14:05", "Mon 14:05", "3 May", "3 May 2025".

use backstory_memory::{MONTHS, Timestamp, WEEKDAYS};

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
/// The first day of 1970 was a Thursday; a week begins on Monday.
const FIRST_WEEKDAY: i64 = 3;

/// The time it is, and how to write times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalClock {
    /// Now.
    pub(crate) now: Timestamp,
    /// How far the user's clock is ahead of UTC, found by the time that is written.
    pub(crate) offset_minutes: fn(i64) -> i32,
}

impl LocalClock {
    /// Writes a time in at most six characters, for a column: how long ago it was, or which day.
    pub(crate) fn short(&self, at: Timestamp) -> String {
        let minutes = self.now.0.saturating_sub(at.0).max(0) / MINUTE_MS;
        match (minutes, self.days_ago(at)) {
            (0, _) => "now".to_owned(),
            (1..60, _) => format!("{minutes}m"),
            (_, ..=0) => format!("{}h", minutes / 60),
            // As `yesterday` elsewhere: days of the calendar, not of 24 hours.
            (_, days @ 1..7) => format!("{days}d"),
            _ => self.day(at),
        }
    }

    /// Returns how many days of the user's calendar ago it was.
    fn days_ago(&self, at: Timestamp) -> i64 {
        self.local(self.now).div_euclid(DAY_MS) - self.local(at).div_euclid(DAY_MS)
    }

    /// Writes a time with the hour of the day.
    pub(crate) fn long(&self, at: Timestamp) -> String {
        let local = self.local(at);
        let (hour, minute) = (local.rem_euclid(DAY_MS) / (60 * MINUTE_MS), local / MINUTE_MS);
        let clock = format!("{hour:02}:{:02}", minute.rem_euclid(60));
        match self.days_ago(at) {
            0 => format!("today {clock}"),
            1 => format!("yesterday {clock}"),
            2..7 => {
                let weekday = (local.div_euclid(DAY_MS) + FIRST_WEEKDAY).rem_euclid(7);
                format!("{} {clock}", short_name(&WEEKDAYS, weekday))
            }
            _ => format!("{} {clock}", self.day(at)),
        }
    }

    /// Writes how long something took: "5m", "1h 20m".
    pub(crate) fn duration(from: Timestamp, to: Timestamp) -> String {
        let minutes = to.0.saturating_sub(from.0).max(0) / MINUTE_MS;
        match (minutes / 60, minutes % 60) {
            (0, 0) => "under 1m".to_owned(),
            (0, minutes) => format!("{minutes}m"),
            (hours, 0) => format!("{hours}h"),
            (hours, minutes) => format!("{hours}h {minutes}m"),
        }
    }

    fn day(&self, at: Timestamp) -> String {
        let (year, month, day) = civil(self.local(at).div_euclid(DAY_MS));
        let (this_year, ..) = civil(self.local(self.now).div_euclid(DAY_MS));
        let name = short_name(&MONTHS, month - 1);
        if year == this_year { format!("{day} {name}") } else { format!("{day} {name} {year}") }
    }

    fn local(&self, at: Timestamp) -> i64 {
        at.0.saturating_add(i64::from((self.offset_minutes)(at.0)) * MINUTE_MS)
    }
}

/// Returns the first three letters of a name, with a capital: "Mon", "Jan".
fn short_name(names: &[&str], at: i64) -> String {
    let name = usize::try_from(at).ok().and_then(|at| names.get(at)).copied().unwrap_or_default();
    let mut letters = name.chars().take(3);
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Returns year, month and day of a number of days since 1970 (by the rule of the Gregorian calendar, years beginning in March).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_by_the_users_own_calendar() {
        // 2026-05-01 12:00 UTC, a Friday; two hours later on the user's clock.
        let now = Timestamp(1_777_636_800_000);
        let clock = LocalClock { now, offset_minutes: |_| 120 };
        let before = |ms: i64| Timestamp(now.0 - ms);
        assert_eq!(clock.short(before(30_000)), "now");
        assert_eq!(clock.short(before(5 * MINUTE_MS)), "5m");
        assert_eq!(clock.short(before(3 * 60 * MINUTE_MS)), "3h");
        assert_eq!(clock.short(before(15 * 60 * MINUTE_MS)), "1d", "yesterday, however few hours ago");
        assert_eq!(clock.short(before(2 * DAY_MS)), "2d");
        assert_eq!(clock.short(before(10 * DAY_MS)), "21 Apr");
        assert_eq!(clock.short(before(400 * DAY_MS)), "27 Mar 2025");
        assert_eq!(clock.short(Timestamp(now.0 + DAY_MS)), "now", "a clock that ran ahead is not the future");
        assert_eq!(clock.long(now), "today 14:00");
        assert_eq!(clock.long(before(15 * 60 * MINUTE_MS)), "yesterday 23:00");
        assert_eq!(clock.long(before(4 * DAY_MS)), "Mon 14:00");
        assert_eq!(clock.long(before(10 * DAY_MS)), "21 Apr 14:00");
        assert_eq!(LocalClock::duration(before(80 * MINUTE_MS), now), "1h 20m");
    }
}
