//! Dates in a query: "what did we decide last week?" asks about a week.
//!
//! English only, and only where it is certain: "may" is mostly a verb and 3/4/2026 is one of two days. Quoted dates, dates in the name
//! of a thing ("the last week filter") and dates in the future do not count. Two times that disagree cancel each other.
//!
//! Not here: words that only mean "new" (recently, latest); recency is a signal, not a date.

mod calendar;
mod clauses;
mod english;
#[cfg(test)]
mod tests;

use backstory_memory::Timestamp;
use calendar::{Calendar, CalendarSpan, Unit};
use clauses::{ClauseWord, clauses};
use english::{
    Count, GOING_ON, LOOKING_AHEAD, LOOKING_BACK, THINGS, count, day_of_month, iso_day, month, of_calendar,
    quarter, unit, weekday, year,
};

/// The time a query asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeRange {
    /// From then on.
    pub since: Option<Timestamp>,
    /// Before then.
    pub until: Option<Timestamp>,
    /// The words it was read from.
    pub said: String,
    /// Whether its ends were stated: those of "yesterday" are, those of "two weeks ago" are estimated.
    pub is_exact: bool,
}

impl TimeRange {
    /// Whether a time lies in it.
    #[must_use]
    pub fn holds(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
    }
}

/// In a longer query dates are part of a story, and no restriction.
const MOST_BYTES: usize = 1_000;

/// Returns the time a query asks about, if that is certain. `utc_offset_minutes` is how far the user's clock is ahead of UTC.
#[must_use]
pub fn time_range_in(query: &str, now: Timestamp, utc_offset_minutes: i32) -> Option<TimeRange> {
    if query.len() > MOST_BYTES {
        return None;
    }
    let clauses = clauses(query);
    let reader = TimeReader {
        calendar: Calendar::new(now, utc_offset_minutes)?,
        looks_back: holds(&clauses, LOOKING_BACK),
        looks_ahead: holds(&clauses, LOOKING_AHEAD),
    };
    let mut found = clauses.iter().flat_map(|clause| reader.times_in(clause));
    let first = found.next()?;
    let begins_in_time = first.since.is_none_or(|since| since <= now);
    let agrees = |other: TimeRange| (other.since, other.until) == (first.since, first.until);
    (begins_in_time && found.all(agrees)).then_some(first)
}

fn holds(clauses: &[Vec<ClauseWord<'_>>], words: &[&str]) -> bool {
    clauses.iter().flatten().any(|word| words.contains(&word.low.as_str()))
}

/// Reads times from words, given the present time and whether the query looks back or ahead.
struct TimeReader {
    calendar: Calendar,
    looks_back: bool,
    looks_ahead: bool,
}

/// A time that was read, and from how many words.
type TimeReading = Option<(CalendarSpan, usize)>;

impl TimeReader {
    /// Returns every time a clause names.
    fn times_in(&self, clause: &[ClauseWord<'_>]) -> Vec<TimeRange> {
        let lows: Vec<&str> = clause.iter().map(|word| word.low.as_str()).collect();
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(rest) = lows.get(at..).filter(|rest| !rest.is_empty()) {
            let before = at.checked_sub(1).and_then(|before| lows.get(before)).copied().unwrap_or_default();
            let cased = clause.get(at..).unwrap_or_default();
            match self.time(before, rest, cased) {
                Some((stretch, used)) => {
                    found.push(said(stretch, cased.get(..used).unwrap_or(cased)));
                    at += used;
                }
                None => at += 1,
            }
        }
        found
    }

    /// Reads a time with the words that lead to it.
    fn time(&self, before: &str, words: &[&str], cased: &[ClauseWord<'_>]) -> TimeReading {
        if matches!(before, "every" | "each" | "next" | "by" | "until" | "per") {
            return None;
        }
        let (stretch, used) = self
            .between(words, cased)
            .or_else(|| self.beside(words, cased))
            .or_else(|| self.within(words, cased))?;
        let is_thing = words.get(used).is_some_and(|next| THINGS.contains(next));
        (!is_thing).then_some((stretch, used))
    }

    /// `between March and May`, `from Monday to Friday`.
    fn between(&self, words: &[&str], cased: &[ClauseWord<'_>]) -> TimeReading {
        let first = *words.first()?;
        let (from, used) = self.named(first, words.get(1..)?, cased.get(1..)?)?;
        let middle = used + 1;
        let joins = match first {
            "between" => *words.get(middle)? == "and",
            "from" => matches!(*words.get(middle)?, "to" | "until" | "till" | "through"),
            _ => false,
        };
        let (to, more) = self.named(first, words.get(middle + 1..)?, cased.get(middle + 1..)?)?;
        let is_in_order = joins && from.since <= to.since;
        let is_exact = from.is_exact && to.is_exact;
        let stretch = CalendarSpan { since: from.since, until: to.until, is_exact };
        is_in_order.then_some((stretch, middle + 1 + more))
    }

    /// `since Monday`, `before March`: one side of a time.
    fn beside(&self, words: &[&str], cased: &[ClauseWord<'_>]) -> TimeReading {
        let led = match words {
            ["prior", "to", ..] => 2,
            _ => 1,
        };
        let lead = *words.first()?;
        let (stretch, used) = self.named(lead, words.get(led..)?, cased.get(led..)?)?;
        let CalendarSpan { since, until, is_exact } = stretch;
        let (since, until) = match lead {
            "since" => (Some(since?), None),
            "after" => (Some(until?), None),
            "before" | "prior" => (None, Some(since?)),
            "until" | "till" => (None, Some(until?)),
            _ => return None,
        };
        Some((CalendarSpan { since, until, is_exact }, led + used))
    }

    /// `in May`, `over the last 3 days`, `yesterday`: all of a time.
    fn within(&self, words: &[&str], cased: &[ClauseWord<'_>]) -> TimeReading {
        let lead = *words.first()?;
        let leads =
            matches!(lead, "in" | "on" | "during" | "over" | "within" | "for" | "from" | "of" | "throughout");
        if leads && let Some((stretch, used)) = self.named(lead, words.get(1..)?, cased.get(1..)?) {
            return Some((stretch, used + 1));
        }
        self.named("", words, cased)
    }

    /// Reads the name of a time, after `lead`; `the` and `early` before it change little.
    fn named(&self, lead: &str, words: &[&str], cased: &[ClauseWord<'_>]) -> TimeReading {
        if let Some(rolling) = self.rolling(lead, words) {
            return Some(rolling);
        }
        if let ["the" | "earlier" | "early" | "late" | "mid", ..] = words {
            let is_part = words.first().is_some_and(|first| matches!(*first, "early" | "late" | "mid"));
            let (stretch, used) = self.named(lead, words.get(1..)?, cased.get(1..)?)?;
            return Some((CalendarSpan { is_exact: stretch.is_exact && !is_part, ..stretch }, used + 1));
        }
        self.spoken(lead, words)
            .or_else(|| self.ago(words))
            .or_else(|| self.weekday(lead, words))
            .or_else(|| self.date(lead, words))
            .or_else(|| self.month(lead, words, cased))
            .or_else(|| self.quarter_or_year(lead, words, cased))
    }

    /// `yesterday`, `last week`, `the other day`.
    fn spoken(&self, lead: &str, words: &[&str]) -> TimeReading {
        let calendar = &self.calendar;
        let days = |from, to| calendar.days(calendar.back(from, Unit::Day)?, calendar.back(to, Unit::Day)?);
        let loose = |stretch: CalendarSpan| CalendarSpan { is_exact: false, ..stretch };
        let (stretch, used) = match words {
            ["yesterday", ..] => (days(1, 0)?, 1),
            // "From today on" looks ahead, and "how does it work today?" asks about now.
            ["today", "on" | "onward" | "onwards", ..] => return None,
            ["today" | "tonight", ..] if (self.looks_back || lead == "from") && !self.looks_ahead => {
                (days(0, -1)?, 1)
            }
            ["this", "morning" | "afternoon" | "evening", ..] => (days(0, -1)?, 2),
            ["last", "night", ..] => (loose(days(1, -1)?), 2),
            ["day", "before", "yesterday", ..] => (days(2, 1)?, 3),
            ["other", "day", ..] => (loose(days(7, 0)?), 2),
            [unit, "before", "last", ..] => (calendar.whole(of_calendar(unit)?, 2)?, 3),
            ["this" | "current", unit, ..] => (calendar.whole(of_calendar(unit)?, 0)?, 2),
            ["last" | "previous", unit, ..] if !self.looks_ahead || *unit != "week" => {
                (calendar.whole(of_calendar(unit)?, 1)?, 2)
            }
            _ => return None,
        };
        Some((stretch, used))
    }

    /// `two weeks ago`, `more than a year ago`.
    fn ago(&self, words: &[&str]) -> TimeReading {
        let (side, led) = match words {
            ["more", "than", ..] => ("more", 2),
            ["over", ..] => ("more", 1),
            ["less", "than", ..] => ("less", 2),
            ["about" | "around" | "roughly", ..] => ("", 1),
            _ => ("", 0),
        };
        let (count, used) = count(words.get(led..)?)?;
        let at = led + used;
        let unit = unit(words.get(at)?)?;
        if *words.get(at + 1)? != "ago" {
            return None;
        }
        let stretch = match side {
            "more" => CalendarSpan {
                since: None,
                until: Some(self.calendar.moment_back(count.least, unit)?),
                is_exact: true,
            },
            "less" => CalendarSpan {
                since: Some(self.calendar.moment_back(count.most, unit)?),
                until: None,
                is_exact: true,
            },
            _ => self.thereabouts(count, unit)?,
        };
        Some((stretch, at + 2))
    }

    /// So long ago, the more roughly the longer it is.
    fn thereabouts(&self, count: Count, unit: Unit) -> Option<CalendarSpan> {
        let calendar = &self.calendar;
        if matches!(unit, Unit::Minute | Unit::Hour) {
            let since = calendar.moment_back(count.most.checked_mul(2)?, unit)?;
            return Some(CalendarSpan { since: Some(since), until: Some(calendar.now), is_exact: false });
        }
        let (least_slack, days) = match unit {
            Unit::Week => (3, 7),
            Unit::Month => (10, 30),
            Unit::Quarter => (30, 91),
            Unit::Year => (60, 365),
            Unit::Minute | Unit::Hour | Unit::Day => (0, 1),
        };
        let slack = (count.most.checked_mul(days)? / 5).max(least_slack);
        let slack = if count.is_exact { slack } else { 0 };
        let from =
            calendar.back(count.most, unit)?.checked_sub(jiff::Span::new().try_days(slack).ok()?).ok()?;
        let to = calendar
            .back(count.least, unit)?
            .checked_add(jiff::Span::new().try_days(slack + 1).ok()?)
            .ok()?;
        Some(CalendarSpan { is_exact: slack == 0 && count.is_exact, ..calendar.days(from, to)? })
    }

    /// `in the last 3 days`, `the past week`: up to now.
    fn rolling(&self, lead: &str, words: &[&str]) -> TimeReading {
        let the = usize::from(words.first() == Some(&"the"));
        let (["last" | "past" | "previous", rest @ ..], false) = (words.get(the..)?, self.looks_ahead) else {
            return None;
        };
        // "last week" is the one before this; "in the last week" and "the past week" end now.
        let ends_now = words.get(the) == Some(&"past")
            || (the == 1 && matches!(lead, "in" | "over" | "within" | "during"));
        let (count, used) = count(rest).or_else(|| ends_now.then_some((Count::exactly(1), 0)))?;
        let unit = unit(rest.get(used)?)?;
        let since = self.calendar.moment_back(count.most, unit)?;
        Some((CalendarSpan { since: Some(since), until: None, is_exact: count.is_exact }, the + used + 2))
    }

    /// `on Monday`, `last Friday`.
    fn weekday(&self, lead: &str, words: &[&str]) -> TimeReading {
        let (name, used, is_exact) = match words {
            ["last" | "this", name, ..] => (name, 2, false),
            [name, ..]
                if matches!(lead, "on" | "since" | "before" | "after" | "until" | "from" | "between") =>
            {
                (name, 1, true)
            }
            _ => return None,
        };
        if self.looks_ahead {
            return None;
        }
        Some((CalendarSpan { is_exact, ..self.calendar.weekday(weekday(name)?)? }, used))
    }

    /// `2026-03-01`, `3 March`, `the 3rd of March 2026`.
    fn date(&self, lead: &str, words: &[&str]) -> TimeReading {
        let first = *words.first()?;
        if let Some(day) = iso_day(first).filter(|_| !lead.is_empty()) {
            return Some((self.calendar.day(day)?, 1));
        }
        let day = day_of_month(first)?;
        let at = if words.get(1) == Some(&"of") { 2 } else { 1 };
        let month = month(words.get(at)?)?;
        let year = self.year_at(words, at + 1);
        Some((self.calendar.day_of(day, month.number, year)?, at + 1 + usize::from(year.is_some())))
    }

    /// `in May`, `May 2025`, `March 3, 2026`.
    fn month(&self, lead: &str, words: &[&str], cased: &[ClauseWord<'_>]) -> TimeReading {
        let month = month(words.first()?)?;
        let is_capital = is_capital(cased);
        let is_sure = is_capital || !month.is_word_too;
        if let Some(day) = words.get(1).and_then(|word| day_of_month(word)) {
            let year = self.year_at(words, 2);
            let is_said_so = (is_sure && !lead.is_empty()) || (is_capital && is_over(words, 2));
            let stretch = self.calendar.day_of(day, month.number, year)?;
            return (year.is_some() || is_said_so).then_some((stretch, 2 + usize::from(year.is_some())));
        }
        let of = usize::from(words.get(1) == Some(&"of"));
        if let Some(year) = self.year_at(words, 1 + of) {
            return Some((self.calendar.month(month.number, Some(year))?, 2 + of));
        }
        let leads =
            if is_sure { !matches!(lead, "" | "of") } else { matches!(lead, "in" | "since" | "during") };
        let is_month = leads && !month.is_short && (!month.is_word_too || is_over(words, 1));
        is_month.then_some((self.calendar.month(month.number, None)?, 1))
    }

    /// `in Q3`, `Q3 2025`, `in 2025`.
    fn quarter_or_year(&self, lead: &str, words: &[&str], cased: &[ClauseWord<'_>]) -> TimeReading {
        if let Some(quarter) = quarter(words.first()?).filter(|_| is_capital(cased)) {
            let year = self.year_at(words, 1);
            let is_quarter = year.is_some() || (!lead.is_empty() && is_over(words, 1));
            let stretch = self.calendar.quarter(quarter, year)?;
            return is_quarter.then_some((stretch, 1 + usize::from(year.is_some())));
        }
        let leads =
            matches!(lead, "in" | "since" | "during" | "before" | "prior" | "after" | "until" | "throughout");
        let year = self.year_at(words, 0).filter(|_| leads && is_over(words, 1))?;
        Some((self.calendar.year(year)?, 1))
    }

    /// A year that has begun.
    fn year_at(&self, words: &[&str], at: usize) -> Option<i16> {
        words.get(at).and_then(|word| year(word)).filter(|year| *year <= self.calendar.today.year())
    }
}

/// Whether what was named is complete: the clause ends here, or goes on with a word that belongs to the sentence.
fn is_over(words: &[&str], at: usize) -> bool {
    words.get(at).is_none_or(|next| GOING_ON.contains(next))
}

fn is_capital(cased: &[ClauseWord<'_>]) -> bool {
    cased.first().is_some_and(|word| word.said.starts_with(char::is_uppercase))
}

fn said(stretch: CalendarSpan, words: &[ClauseWord<'_>]) -> TimeRange {
    let said = words.iter().map(|word| word.said).collect::<Vec<_>>().join(" ");
    TimeRange { since: stretch.since, until: stretch.until, said, is_exact: stretch.is_exact }
}
