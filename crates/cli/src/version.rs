//! What this program is: its version, and what it was made of. `build.rs` reads the commit; the version itself stands in the workspace's manifest.

use backstory_app::{program, times, vectors};
use backstory_memory::Timestamp;
use std::sync::LazyLock;

/// What `--version` prints after the name: the version on the first line, as `-V` has it, and below it what a report of a fault should say.
pub(crate) fn long() -> &'static str {
    static LONG: LazyLock<String> = LazyLock::new(|| {
        format!(
            "{}\ncommit: {}\ndate:   {}\ntarget: {}\nSQLite: {}\nmodel:  {}",
            env!("CARGO_PKG_VERSION"),
            or_unknown(env!("BACKSTORY_BUILD_COMMIT")),
            or_unknown(&date(env!("BACKSTORY_BUILD_SECONDS")).unwrap_or_default()),
            env!("BACKSTORY_BUILD_TARGET"),
            program::sqlite_version(),
            vectors::model_name(),
        )
    });
    &LONG
}

fn or_unknown(text: &str) -> &str {
    if text.is_empty() { "unknown" } else { text }
}

fn date(seconds: &str) -> Option<String> {
    let at: i64 = seconds.parse().ok()?;
    Some(times::iso(Timestamp(at.saturating_mul(1000))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_of_a_build_is_in_utc_and_an_invalid_one_is_left_out() {
        assert_eq!(date("1777636800").as_deref(), Some("2026-05-01T12:00:00Z"));
        assert_eq!(date(""), None);
        assert_eq!(date("yesterday"), None);
    }
}
