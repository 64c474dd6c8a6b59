//! The English words for times, one by one, and words that tell how a sentence goes on.

use super::calendar::Unit;
use backstory_memory::{MONTHS, WEEKDAYS};
use jiff::civil::{Date, Weekday};

/// Said of what is over.
pub(super) const LOOKING_BACK: &[&str] = &[
    "did", "was", "were", "done", "had", "happened", "changed", "made", "broke", "fixed", "decided",
    "learned", "we've", "i've", "earlier",
];
/// Said of what is to come.
pub(super) const LOOKING_AHEAD: &[&str] = &["will", "tomorrow", "next", "upcoming", "we'll", "i'll", "going"];
/// After a time, these make the name of a thing of both.
pub(super) const THINGS: &[&str] = &[
    "filter", "button", "report", "view", "tab", "option", "column", "chart", "widget", "label", "field",
    "function", "test", "tests", "range", "picker", "preset", "parser", "page", "query",
];
/// A word that goes on with the sentence: what stood before it was complete.
pub(super) const GOING_ON: &[&str] = &[
    "a", "about", "and", "at", "but", "by", "did", "do", "does", "for", "have", "i", "if", "in", "is", "it",
    "of", "on", "or", "so", "that", "the", "to", "was", "we", "were", "what", "when", "why", "with", "you",
    "our", "did", "still", "because",
];

/// How many, from and to.
#[derive(Clone, Copy)]
pub(super) struct Count {
    pub(super) least: i64,
    pub(super) most: i64,
    pub(super) is_exact: bool,
}

impl Count {
    pub(super) fn exactly(count: i64) -> Count {
        Count { least: count, most: count, is_exact: true }
    }
}

pub(super) fn count(words: &[&str]) -> Option<(Count, usize)> {
    let some = |least, most| Count { least, most, is_exact: false };
    Some(match words {
        ["a", "couple", "of", ..] => (some(1, 3), 3),
        ["couple", "of", ..] | ["a", "couple", ..] => (some(1, 3), 2),
        ["a", "few", ..] => (some(2, 6), 2),
        ["few", ..] => (some(2, 6), 1),
        ["several", ..] => (some(3, 10), 1),
        [word, ..] => {
            let spelled =
                NUMBERS.iter().position(|number| number == word).and_then(|at| i64::try_from(at).ok());
            let count = spelled
                .or_else(|| matches!(*word, "a" | "an").then_some(1))
                .or_else(|| word.parse().ok())
                .filter(|count| (1..=MOST_COUNTED).contains(count))?;
            (Count::exactly(count), 1)
        }
        [] => return None,
    })
}

/// Nobody means more by a number of days.
const MOST_COUNTED: i64 = 1_000;
const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

pub(super) fn unit(word: &str) -> Option<Unit> {
    match word {
        "minute" | "minutes" | "min" | "mins" => Some(Unit::Minute),
        "hour" | "hours" => Some(Unit::Hour),
        "day" | "days" => Some(Unit::Day),
        "week" | "weeks" => Some(Unit::Week),
        "month" | "months" => Some(Unit::Month),
        "quarter" | "quarters" => Some(Unit::Quarter),
        "year" | "years" => Some(Unit::Year),
        _ => None,
    }
}

/// What "this" and "last" can be said of.
pub(super) fn of_calendar(word: &str) -> Option<Unit> {
    unit(word).filter(|unit| !matches!(unit, Unit::Minute | Unit::Hour | Unit::Day) && !word.ends_with('s'))
}

pub(super) fn weekday(word: &str) -> Option<Weekday> {
    let at = WEEKDAYS.iter().position(|name| *name == word)?;
    Weekday::from_monday_zero_offset(i8::try_from(at).ok()?).ok()
}

pub(super) struct Month {
    pub(super) number: i8,
    /// Whether it is a word of its own: may, march, august.
    pub(super) is_word_too: bool,
    /// Whether it is cut short: only a day or a year beside it makes it a month.
    pub(super) is_short: bool,
}

pub(super) fn month(word: &str) -> Option<Month> {
    let word = if word == "sept" { "sep" } else { word };
    let is_named = |name: &&str| *name == word || (word.len() == 3 && name.starts_with(word));
    let at = MONTHS.iter().position(is_named)?;
    let is_short = MONTHS.get(at).is_none_or(|name| *name != word);
    let is_word_too = matches!(word, "may" | "march" | "august" | "mar" | "jun" | "dec" | "sep");
    Some(Month { number: i8::try_from(at).ok()? + 1, is_word_too, is_short })
}

pub(super) fn day_of_month(word: &str) -> Option<i8> {
    let number = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    number.parse().ok().filter(|day| (1..=31).contains(day))
}

pub(super) fn year(word: &str) -> Option<i16> {
    word.parse().ok().filter(|year| word.len() == 4 && (2000..=2099).contains(year))
}

pub(super) fn quarter(word: &str) -> Option<i8> {
    word.strip_prefix('q')?.parse().ok().filter(|quarter| word.len() == 2 && (1..=4).contains(quarter))
}

/// Reads `2026-03-01` and `2026/03/01`, with or without the time of day.
pub(super) fn iso_day(word: &str) -> Option<Date> {
    let day = word.split('t').next()?.replace('/', "-");
    let is_iso = day.len() == 10 && year(day.get(..4)?).is_some();
    is_iso.then(|| day.parse().ok())?
}
