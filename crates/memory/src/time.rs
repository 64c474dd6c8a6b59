//! Points in time: milliseconds since 1970, UTC; and the names of days and months. Not here: how times are written for people (`cli`).

/// A point in time, in milliseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// One day, in milliseconds.
    pub const DAY_MS: i64 = 24 * 60 * 60 * 1000;

    /// Returns how many days lie between `earlier` and this, as a fraction; never negative.
    ///
    /// A clock that was set back must not put a memory into the future.
    #[must_use]
    pub fn days_since(self, earlier: Timestamp) -> f64 {
        let ms = self.0.saturating_sub(earlier.0).max(0);
        ms as f64 / Self::DAY_MS as f64
    }

    /// Returns the time `ms` milliseconds later.
    #[must_use]
    pub fn plus_ms(self, ms: i64) -> Timestamp {
        Timestamp(self.0.saturating_add(ms))
    }
}

/// The days of the week in English, lower case.
pub const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The months in English, lower case.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_never_negative() {
        assert_eq!(Timestamp(0).days_since(Timestamp(Timestamp::DAY_MS)), 0.0);
        assert_eq!(Timestamp(Timestamp::DAY_MS).days_since(Timestamp(0)), 1.0);
        assert!(Timestamp(i64::MAX).days_since(Timestamp(i64::MIN)).is_finite());
    }
}
