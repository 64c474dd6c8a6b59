//! The time ranges that are read from questions, as if they were asked on Wednesday, 17 June 2026, at 10:30.

use super::*;
use jiff::tz::Offset;

fn now() -> Timestamp {
    Timestamp("2026-06-17T10:30:00Z".parse::<jiff::Timestamp>().unwrap().as_millisecond())
}

/// Renders a time to the minute; at midnight, only its day.
fn written(at: Option<Timestamp>, utc_offset_minutes: i32) -> String {
    let Some(at) = at else { return "…".to_owned() };
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap();
    let at = Offset::from_seconds(utc_offset_minutes * 60).unwrap().to_datetime(at);
    let (day, time) = (at.date(), at.time());
    if time.hour() == 0 && time.minute() == 0 {
        day.to_string()
    } else {
        format!("{day} {:02}:{:02}", time.hour(), time.minute())
    }
}

/// Renders what is read from a question: `since to until: the words that say so`. A `~` before it marks guessed ends.
fn read(question: &str, utc_offset_minutes: i32) -> String {
    let Some(when) = time_range_in(question, now(), utc_offset_minutes) else { return "nothing".to_owned() };
    let guessed = if when.is_exact { "" } else { "~" };
    let [since, until] = [when.since, when.until].map(|at| written(at, utc_offset_minutes));
    format!("{guessed}{since} to {until}: {}", when.said)
}

#[test]
fn a_time_is_read_only_from_words_that_name_one() {
    let lines = include_str!("../../tests/data/time_ranges.txt").lines().zip(1..);
    let cases = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    let cases = cases.map(|(line, number)| (line.split_once(" => ").unwrap(), number));
    let wrong: Vec<String> = cases
        .filter(|((question, wanted), _)| read(question, 0) != *wanted)
        .map(|((question, wanted), number)| {
            format!("time_ranges.txt:{number}: {question:?}: wanted {wanted}, found {}", read(question, 0))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(read("", 0), "nothing");
    let long = format!("{} yesterday", "and then it went on ".repeat(60));
    assert_eq!(read(&long, 0), "nothing");
}

#[test]
fn a_day_begins_where_the_asker_is() {
    assert_eq!(read("yesterday", 0), "2026-06-16 to 2026-06-17: yesterday");
    let when = |minutes| time_range_in("yesterday", now(), minutes).unwrap();
    let hour = 60 * 60 * 1000;
    assert_eq!(when(120).since, when(0).since.map(|at| at.plus_ms(-2 * hour)));
    // At 10:30 UTC it is already tomorrow on the other side of the world.
    assert_eq!(read("yesterday", 14 * 60), "2026-06-17 to 2026-06-18: yesterday");
    assert_eq!(time_range_in("yesterday", now(), i32::MAX), None);
    assert_eq!(time_range_in("yesterday", Timestamp(i64::MAX), 0), None);
}

#[test]
fn any_text_is_read_without_harm() {
    #[rustfmt::skip]
    let bits =
        ["in", "the", "last", "9999999999999999999", "1000", "years", "ago", "31", "february", "\u{0}", "'", "q9", "may"];
    for one in bits {
        for two in bits {
            for three in bits {
                for four in bits {
                    let question = [one, two, three, four].join(" ");
                    for at in [now(), Timestamp(0), Timestamp(i64::MIN)] {
                        let when = time_range_in(&question, at, 0);
                        assert!(when.is_none_or(|when| when.since.is_some() || when.until.is_some()));
                    }
                }
            }
        }
    }
}
