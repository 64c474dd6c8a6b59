//! What this program is: its version, and what it was made of. `build.rs` tells the commit; the version itself stands in the workspace's manifest.

use backstory_app::times;
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
            backstory_store::sqlite_version(),
            backstory_embed::model_name(),
        )
    });
    &LONG
}

fn or_unknown(told: &str) -> &str {
    if told.is_empty() { "unknown" } else { told }
}

fn date(seconds: &str) -> Option<String> {
    let at: i64 = seconds.parse().ok()?;
    Some(times::iso(Timestamp(at.saturating_mul(1000))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_of_a_build_is_told_in_utc_and_rubbish_is_not_told() {
        assert_eq!(date("1777636800").as_deref(), Some("2026-05-01T12:00:00Z"));
        assert_eq!(date(""), None);
        assert_eq!(date("yesterday"), None);
    }
}
