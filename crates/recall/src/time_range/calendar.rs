//! Days, weeks, months and years as seen from one moment in one place.
//!
//! The place is an offset from UTC that never changes: where clocks are set forward and back, a day may be an hour off.

use backstory_memory::Timestamp;
use jiff::Span;
use jiff::civil::{Date, Weekday};
use jiff::tz::Offset;

/// A stretch of time; an end that is missing is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CalendarSpan {
    pub(super) since: Option<Timestamp>,
    pub(super) until: Option<Timestamp>,
    /// Whether its ends were said, not guessed.
    pub(super) is_exact: bool,
}

/// What time is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

/// A moment in a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calendar {
    pub(super) now: Timestamp,
    pub(super) today: Date,
    offset: Offset,
}

const MINUTE_MS: i64 = 60_000;

impl Calendar {
    pub(super) fn new(now: Timestamp, utc_offset_minutes: i32) -> Option<Calendar> {
        let offset = Offset::from_seconds(utc_offset_minutes.checked_mul(60)?).ok()?;
        let moment = jiff::Timestamp::from_millisecond(now.0).ok()?;
        Some(Calendar { now, today: offset.to_datetime(moment).date(), offset })
    }

    /// The days from one on, up to another and without it.
    pub(super) fn days(&self, from: Date, to: Date) -> Option<CalendarSpan> {
        Some(CalendarSpan { since: Some(self.start(from)?), until: Some(self.start(to)?), is_exact: true })
    }

    /// One day.
    pub(super) fn day(&self, day: Date) -> Option<CalendarSpan> {
        self.days(day, day.tomorrow().ok()?)
    }

    /// When a day begins.
    pub(super) fn start(&self, day: Date) -> Option<Timestamp> {
        let at = self.offset.to_timestamp(day.at(0, 0, 0, 0)).ok()?;
        Some(Timestamp(at.as_millisecond()))
    }

    /// The day so many units before today. Less than a day is today.
    pub(super) fn back(&self, count: i64, unit: Unit) -> Option<Date> {
        back(self.today, count, unit)
    }

    /// The moment so many units ago: to the minute for what is less than a day, else the beginning of that day.
    pub(super) fn moment_back(&self, count: i64, unit: Unit) -> Option<Timestamp> {
        let minutes = match unit {
            Unit::Minute => 1,
            Unit::Hour => 60,
            _ => return self.start(self.back(count, unit)?),
        };
        Some(self.now.plus_ms(-count.checked_mul(minutes * MINUTE_MS)?))
    }

    /// The whole week, month, quarter or year, so many before this one.
    pub(super) fn whole(&self, unit: Unit, before: i64) -> Option<CalendarSpan> {
        let month_of_quarter = (self.today.month() - 1) / 3 * 3 + 1;
        let this = match unit {
            Unit::Minute | Unit::Hour => return None,
            Unit::Day => self.today,
            Unit::Week => {
                back(self.today, i64::from(self.today.weekday().to_monday_zero_offset()), Unit::Day)?
            }
            Unit::Month => self.today.first_of_month(),
            Unit::Quarter => Date::new(self.today.year(), month_of_quarter, 1).ok()?,
            Unit::Year => self.today.first_of_year(),
        };
        let from = back(this, before, unit)?;
        self.days(from, back(from, -1, unit)?)
    }

    /// The last such weekday before today.
    pub(super) fn weekday(&self, weekday: Weekday) -> Option<CalendarSpan> {
        self.day(self.today.nth_weekday(-1, weekday).ok()?)
    }

    /// A month of a year; without the year, the last such month that has begun.
    pub(super) fn month(&self, month: i8, year: Option<i16>) -> Option<CalendarSpan> {
        let last = if month <= self.today.month() { self.today.year() } else { self.today.year() - 1 };
        let from = Date::new(year.unwrap_or(last), month, 1).ok()?;
        self.days(from, back(from, -1, Unit::Month)?)
    }

    /// A day of a month; without the year, the last such day that has begun.
    pub(super) fn day_of(&self, day: i8, month: i8, year: Option<i16>) -> Option<CalendarSpan> {
        let this = Date::new(year.unwrap_or(self.today.year()), month, day).ok()?;
        let before = || Date::new(this.year() - 1, month, day).ok();
        self.day(if year.is_none() && this > self.today { before()? } else { this })
    }

    /// A quarter of a year; without the year, the last such quarter that has begun.
    pub(super) fn quarter(&self, quarter: i8, year: Option<i16>) -> Option<CalendarSpan> {
        let month = quarter * 3 - 2;
        let last = if month <= self.today.month() { self.today.year() } else { self.today.year() - 1 };
        let from = Date::new(year.unwrap_or(last), month, 1).ok()?;
        self.days(from, back(from, -1, Unit::Quarter)?)
    }

    /// A year.
    pub(super) fn year(&self, year: i16) -> Option<CalendarSpan> {
        self.days(Date::new(year, 1, 1).ok()?, Date::new(year.checked_add(1)?, 1, 1).ok()?)
    }
}

fn back(from: Date, count: i64, unit: Unit) -> Option<Date> {
    let span = match unit {
        Unit::Minute | Unit::Hour => return Some(from),
        Unit::Day => Span::new().try_days(count),
        Unit::Week => Span::new().try_weeks(count),
        Unit::Month => Span::new().try_months(count),
        Unit::Quarter => Span::new().try_months(count.checked_mul(3)?),
        Unit::Year => Span::new().try_years(count),
    };
    from.checked_sub(span.ok()?).ok()
}
