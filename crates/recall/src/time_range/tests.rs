//! What questions ask about, asked on Wednesday, 17 June 2026, at 10:30.

use super::*;
use jiff::tz::Offset;

fn now() -> Timestamp {
    Timestamp("2026-06-17T10:30:00Z".parse::<jiff::Timestamp>().unwrap().as_millisecond())
}

/// A time to the minute; without the time of day where it is midnight.
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

/// What is read from a question: from when until when, `~` before it where the ends are guessed, and the words it was read from.
fn read(question: &str, utc_offset_minutes: i32) -> String {
    let Some(when) = time_range_in(question, now(), utc_offset_minutes) else { return "nothing".to_owned() };
    let guessed = if when.is_exact { "" } else { "~" };
    let [since, until] = [when.since, when.until].map(|at| written(at, utc_offset_minutes));
    format!("{guessed}{since} to {until}: {}", when.said)
}

#[test]
fn a_time_is_read_from_the_words_that_name_it() {
    #[rustfmt::skip]
    let cases = [
        // Days
        ("what did we do yesterday?", "2026-06-16 to 2026-06-17: yesterday"),
        ("Yesterday's decision about the cache", "2026-06-16 to 2026-06-17: Yesterday's"),
        ("what broke the day before yesterday", "2026-06-15 to 2026-06-16: the day before yesterday"),
        ("what was fixed today", "2026-06-17 to 2026-06-18: today"),
        ("what did I break this morning", "2026-06-17 to 2026-06-18: this morning"),
        ("the build failed last night, why", "~2026-06-16 to 2026-06-18: last night"),
        ("that bug from the other day", "~2026-06-10 to 2026-06-17: from the other day"),
        ("earlier today we changed the schema", "2026-06-17 to 2026-06-18: earlier today"),
        // Weeks, months, years of the calendar
        ("what did we decide last week?", "2026-06-08 to 2026-06-15: last week"),
        ("this week's failures", "2026-06-15 to 2026-06-22: this week's"),
        ("work of the week before last", "2026-06-01 to 2026-06-08: of the week before last"),
        ("everything about auth from this month", "2026-06-01 to 2026-07-01: from this month"),
        ("last month we had a leak", "2026-05-01 to 2026-06-01: last month"),
        ("why did we drop redis last year", "2025-01-01 to 2026-01-01: last year"),
        ("decisions this year", "2026-01-01 to 2027-01-01: this year"),
        ("goals of last quarter", "2026-01-01 to 2026-04-01: of last quarter"),
        ("earlier this week someone changed the lock file", "2026-06-15 to 2026-06-22: earlier this week"),
        // Ago
        ("what did we do three days ago", "2026-06-14 to 2026-06-15: three days ago"),
        ("10 days ago the tests were green", "~2026-06-05 to 2026-06-10: 10 days ago"),
        ("the refactor two weeks ago", "~2026-05-31 to 2026-06-07: two weeks ago"),
        ("a month ago it was fast", "~2026-05-07 to 2026-05-28: a month ago"),
        ("a year ago we chose sqlite", "~2025-04-05 to 2025-08-30: a year ago"),
        ("we talked about that a few days ago", "~2026-06-11 to 2026-06-16: a few days ago"),
        ("a couple of weeks ago", "~2026-05-27 to 2026-06-11: a couple of weeks ago"),
        ("it worked two hours ago", "~2026-06-17 06:30 to 2026-06-17 10:30: two hours ago"),
        ("decisions more than six months ago", "… to 2025-12-17: more than six months ago"),
        ("less than 2 weeks ago", "2026-06-03 to …: less than 2 weeks ago"),
        // Up to now
        ("what changed in the last 3 days", "2026-06-14 to …: in the last 3 days"),
        ("failures over the past two weeks", "2026-06-03 to …: over the past two weeks"),
        ("the past week in review", "2026-06-10 to …: the past week"),
        ("in the last month", "2026-05-17 to …: in the last month"),
        ("errors within the last 24 hours", "2026-06-16 10:30 to …: within the last 24 hours"),
        ("the last few days were slow", "~2026-06-11 to …: the last few days"),
        // One side
        ("what has changed since Monday", "2026-06-15 to …: since Monday"),
        ("since yesterday the tests fail", "2026-06-16 to …: since yesterday"),
        ("everything since last week", "2026-06-08 to …: since last week"),
        ("since 2 days ago", "2026-06-15 to …: since 2 days ago"),
        ("decisions before March", "… to 2026-03-01: before March"),
        ("what did we use prior to 2025", "… to 2025-01-01: prior to 2025"),
        ("notes after 2026-03-01", "2026-03-02 to …: after 2026-03-01"),
        ("before yesterday", "… to 2026-06-16: before yesterday"),
        // Weekdays
        ("what did we do on Friday", "2026-06-12 to 2026-06-13: on Friday"),
        ("on Wednesday we broke it", "2026-06-10 to 2026-06-11: on Wednesday"),
        ("last Tuesday's outage", "~2026-06-16 to 2026-06-17: last Tuesday's"),
        // Months, days and years by name
        ("what did we ship in May", "2026-05-01 to 2026-06-01: in May"),
        ("what did we ship in december?", "2025-12-01 to 2026-01-01: in december"),
        ("what was decided in may?", "2026-05-01 to 2026-06-01: in may"),
        ("since march the build is slow", "2026-03-01 to …: since march"),
        ("what did we ship in May 2025", "2025-05-01 to 2025-06-01: in May 2025"),
        ("the Aug 2025 migration", "2025-08-01 to 2025-09-01: the Aug 2025"),
        ("in early January we moved", "~2026-01-01 to 2026-02-01: in early January"),
        ("on 2026-03-01 we decided something", "2026-03-01 to 2026-03-02: on 2026-03-01"),
        ("on March 3rd", "2026-03-03 to 2026-03-04: on March 3rd"),
        ("since March 3, 2025 we use it", "2025-03-03 to …: since March 3 2025"),
        ("the incident of 3 December", "2025-12-03 to 2025-12-04: of 3 December"),
        ("the 4th of July 2025", "2025-07-04 to 2025-07-05: the 4th of July 2025"),
        ("what did we do in Q1?", "2026-01-01 to 2026-04-01: in Q1"),
        ("goals for Q3", "2025-07-01 to 2025-10-01: for Q3"),
        ("Q2 2025 goals", "2025-04-01 to 2025-07-01: Q2 2025"),
        ("what did we learn in 2025", "2025-01-01 to 2026-01-01: in 2025"),
        ("between March and May", "2026-03-01 to 2026-06-01: between March and May"),
        ("from Monday to Tuesday we migrated", "2026-06-15 to 2026-06-17: from Monday to Tuesday"),
        // Said twice alike
        ("yesterday, I mean what did we do yesterday", "2026-06-16 to 2026-06-17: yesterday"),
    ];
    for (question, expected) in cases {
        assert_eq!(read(question, 0), expected, "{question}");
    }
}

#[test]
fn what_may_mean_something_else_is_no_time() {
    let cases = [
        // Words that are months too
        "may I rename this?",
        "May I ask why we use SQLite",
        "it may 3 times fail",
        "what may break in may be fixed",
        "the event loop in may_block() hangs",
        "we march on to the next task",
        "an august list of contributors in august company",
        "what happens before may runs",
        "who is April in the fixtures",
        "wait a second",
        "the second argument of open",
        "in a second step we parse it",
        // Numbers that are no dates
        "upgrade to 2026.3",
        "release 2026.03.1 notes",
        "is it fixed in 3/4/2026?",
        "the file 2026-03-01-notes.md",
        "the API version 2023-06-01",
        "why is it 2025",
        "split it in 2000 rows",
        "in 2077 it ends",
        "port 2024 is taken",
        "use Q4 weights",
        "in Q4 quantization it is slow",
        "Q3: why is it slow?",
        // Things that are called so
        "the \"last week\" filter is wrong",
        "rename `yesterday` to `previous_day`",
        "fix the last week filter",
        "why is the 'this month' tab empty",
        "the this month chart is empty",
        // Not about the past
        "how does auth work today?",
        "what will we do on Monday",
        "what is due next week",
        "every Monday the job fails",
        "on Mondays the job fails",
        "by Friday it should work",
        "a last minute change",
        "at the last minute",
        "the last commit",
        "the last 3 commits",
        "the past tense",
        "what was the last day like",
        "in the last resort",
        "this time it failed",
        "long ago",
        "days of the week enum",
        "run it twice a week",
        "why did we do this",
        "since when do we use it",
        "before the release",
        "Black Friday load test",
        "recently changed files",
        // Two times that do not agree
        "is it slower than yesterday or than last week",
        "",
    ];
    for question in cases {
        assert_eq!(read(question, 0), "nothing", "{question}");
    }
    let story = format!("{} yesterday", "and then it went on ".repeat(60));
    assert_eq!(read(&story, 0), "nothing");
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
    let bits = [
        "in",
        "the",
        "last",
        "9999999999999999999",
        "1000",
        "years",
        "ago",
        "31",
        "february",
        "\u{0}",
        "'",
        "q9",
        "may",
    ];
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
