//! Users who simply tell how things are, without "always", "never" or "decided"; and users who tell of faults and wishes.
//!
//! Labelled before the rules had seen them, half of it set apart: `cargo test -p backstory-capture --test it statements_told -- --nocapture`
//! prints what was found of each half. What is told is to be kept; a fault, a wish or a report of the moment is not.

use backstory_distil::{Speaker, statements};

const OPEN: &[&str] = &[
    "The worker needs Redis 7 or newer.",
    "Integration tests need a running Postgres.",
    "Deploys need the VPN.",
    "The importer needs `libpq` on the build machine.",
    "Logs rotate at midnight because the disk is small.",
    "Invoice numbers restart at 1 every January.",
    "We validate at the edge, not in the handlers.",
    "we pin exact versions, not ranges",
    "Feature branches start from `develop`.",
    "The billing service belongs to the payments team.",
    "Order ids map to rows in `orders_v2`.",
    "The default storage driver is `lmdb`.",
    "The staging host is called `heron`.",
    "Currency amounts are integers in cents.",
    "User avatars come from the CDN.",
    "The cron container runs every 15 minutes.",
    "Background jobs retry five times with exponential backoff.",
    "The API speaks JSON only on `/v2`.",
    "Release notes go to the #releases channel.",
    "Commit messages are written in English.",
    "Release builds are signed with the hardware key.",
    "Customer names may contain emoji, so columns use utf8mb4.",
];

const SEALED: &[&str] = &[
    "The scheduler requires a Unix socket in /run.",
    "Nightly builds use the nightly compiler.",
    "Snapshot tests need the Inter font installed.",
    "Sessions expire at 4 am because the batch starts then.",
    "we log to stdout, not to files",
    "Migrations run before the app starts.",
    "The admin panel depends on the legacy auth cookie.",
    "Team `atlas` owns the search index.",
    "Webhook retries stop after 24 hours.",
    "Error codes start with E and four digits.",
    "The primary region is `eu-west-1`.",
    "Price lists come from the ERP export.",
    "Tenant data lives in separate schemas.",
    "The mobile app reads its config from `remote.json`.",
    "Dates in the API are RFC 3339 in UTC.",
    "we cache per tenant, not globally",
    "The linter config extends the company preset.",
    "Ticket keys normalise to upper case.",
    "PDF rendering takes about 20 seconds, so it happens in a job.",
    "The feature flag `new-cart` belongs to the checkout squad.",
];

const SILENT: &[&str] = &[
    "The login page shows a blank screen.",
    "the header needs a bit more padding",
    "This form needs a submit button.",
    "The tests are red.",
    "the build takes forever",
    "The dropdown opens behind the modal.",
    "Clicking save does nothing.",
    "The list is empty after a reload.",
    "the api returns a 500 when i log in",
    "Images come out rotated.",
    "The server crashed twice this morning.",
    "My laptop is running out of space.",
    "The error is `TypeError: x is not a function`.",
    "the output is 42 but it should be 43",
    "The button needs to be blue.",
    "we need a table, not a list",
    "we want tabs, not a dropdown",
    "The PR has two comments.",
    "There are 14 warnings.",
    "The branch is behind main.",
    "The script uses too much memory.",
    "I need a script that renames photos.",
    "a page for the settings, with three tabs",
    "The text in the footer is cut off on Safari.",
    "the migration is still running",
    "Users complain that search is slow.",
    "We got the same result as yesterday, not better.",
    "The new endpoint needs tests.",
    "the docs need an update",
    "This function needs a better name.",
    "The file I mean is `src/app.ts`.",
    "the variable is called foo in the other branch",
    "The current output:",
    "logs are in the usual place",
    "the diff looks fine",
    "Tests pass on my side.",
    "it uses the wrong key",
    "Those files come from the last run.",
    "The modal goes away when I click outside.",
    "Some rows have no date.",
    "The API starts returning 500s after a few hundred requests.",
    "Jobs stop working after 2 hours.",
    "Tooltips are hidden on mobile.",
    "The tests are written.",
    "Test the names and make sure they are unique.",
    "Release the two packages that are ready.",
    "Requests start to time out at 9 am.",
];

const SEALED_SILENT: &[&str] = &[
    "The chart renders twice.",
    "the sidebar needs a scroll bar",
    "Search results come back in the wrong order.",
    "The spinner stays on the screen.",
    "The page uses the old logo.",
    "the importer hangs at 90 percent",
    "Two tests need to be fixed.",
    "The form requires a page refresh to work.",
    "This class needs splitting up.",
    "The toast lives for only half a second.",
    "The app starts with a white flash.",
    "the value is null",
    "The version in the footer is 1.2.0 but we shipped 1.3.0.",
    "Notifications go out twice.",
    "Half of the users are on the old plan.",
    "The cursor jumps to the end of the line.",
    "we need more tests, not more features",
    "The response is missing the `id` field.",
    "My branch depends on yours.",
    "The table header needs to stick to the top.",
    "Links open in the same tab.",
    "the job runs out of memory",
    "A dialog with two buttons.",
    "the customer is waiting",
    "The screenshot is from Firefox.",
    "the release is tomorrow",
    "The function returns undefined for empty input.",
    "CI is green.",
    "Your change uses tabs.",
    "The merge has conflicts in `Cargo.lock`.",
    "The other two are fine.",
    "the readme needs a section about Docker",
    "Everything else comes later.",
    "The call takes 3 seconds.",
    "Uploads above 5 MB go nowhere.",
    "Your test uses the real clock.",
    "the error message is in German",
    "The icon is 2px off.",
    "The build needs fixing first.",
    "The dashboard goes blank in Safari.",
];

/// Prints what was missed and what was made of nothing, and returns how many of each.
fn look(told: &[&str], silent: &[&str]) -> (usize, usize) {
    let made = |text: &str| statements(text, Speaker::User);
    let missed: Vec<_> = told.iter().filter(|text| made(text).is_empty()).collect();
    let wrong: Vec<_> = silent.iter().filter(|text| !made(text).is_empty()).collect();
    eprintln!(
        "missed {} of {}: {missed:#?}\nwrong {} of {}: {wrong:#?}",
        missed.len(),
        told.len(),
        wrong.len(),
        silent.len()
    );
    (missed.len(), wrong.len())
}

#[test]
fn what_is_simply_told_is_kept() {
    let (missed, wrong) = look(OPEN, SILENT);
    assert!(missed <= 3 && wrong <= 2);
}

#[test]
fn what_is_simply_told_is_kept_in_words_set_apart() {
    let (missed, wrong) = look(SEALED, SEALED_SILENT);
    assert!(missed <= 5 && wrong <= 2);
}

#[test]
fn what_is_told_beside_a_task_is_about_the_task() {
    for told in [
        "The worker needs Redis 7 or newer.",
        "Deploys need the VPN.",
        "We validate at the edge, not in the handlers.",
    ] {
        assert_eq!(statements(told, Speaker::User).len(), 1, "{told}");
        for asked in ["Add a health check.", "why is that?", "Fix the login page and run the tests"] {
            for text in [format!("{told} {asked}"), format!("{asked}\n\n{told}")] {
                assert_eq!(statements(&text, Speaker::User), [], "{text}");
            }
        }
        assert_eq!(statements(told, Speaker::Assistant), [], "{told}");
    }
}
