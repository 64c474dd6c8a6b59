//! The time zone of the user's clock: that of `TZ` where it is set, else that of the system.
//!
//! On Unix one file is read for it. The library could look zones up by name, but walks a folder of six hundred files first, and every prompt
//! would wait for that.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::sync::OnceLock;

/// Returns how many minutes the local clock is ahead of UTC at a time in milliseconds since 1970.
#[must_use]
pub fn utc_offset_minutes(at_ms: i64) -> i32 {
    static ZONE: OnceLock<TimeZone> = OnceLock::new();
    offset_in(ZONE.get_or_init(of_this_machine), at_ms)
}

fn offset_in(zone: &TimeZone, at_ms: i64) -> i32 {
    zone.to_offset(Timestamp::from_millisecond(at_ms).unwrap_or_default()).seconds() / 60
}

#[cfg(windows)]
fn of_this_machine() -> TimeZone {
    TimeZone::system()
}

#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "`TZ` is the system's own, and no setting of ours")]
fn of_this_machine() -> TimeZone {
    let found = match std::env::var("TZ") {
        Ok(name) => named(&name),
        Err(_) => in_file("/etc/localtime"),
    };
    found.unwrap_or(TimeZone::UTC)
}

/// Finds a zone as the C library does: `Europe/Lisbon`, `:Europe/Lisbon`, `/a/file`, or a rule like `EST5EDT`.
#[cfg(unix)]
fn named(name: &str) -> Option<TimeZone> {
    const FOLDERS: [&str; 3] = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"];
    let name = name.strip_prefix(':').unwrap_or(name);
    if name.starts_with('/') {
        return in_file(name);
    }
    let is_inside = !name.is_empty() && !name.split('/').any(|part| part == "..");
    let in_folders = || FOLDERS.iter().find_map(|folder| in_file(&format!("{folder}/{name}")));
    is_inside.then(in_folders).flatten().or_else(|| TimeZone::posix(name).ok())
}

#[cfg(unix)]
fn in_file(path: &str) -> Option<TimeZone> {
    TimeZone::tzif("", &std::fs::read(path).ok()?).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// 2026-01-15 and 2026-07-15, at noon in UTC.
    const WINTER_AND_SUMMER: [i64; 2] = [1_768_478_400_000, 1_784_116_800_000];

    fn offsets(name: &str) -> Option<[i32; 2]> {
        named(name).map(|zone| WINTER_AND_SUMMER.map(|at| offset_in(&zone, at)))
    }

    #[test]
    fn a_zone_is_named_as_for_every_other_program() {
        assert_eq!(offsets("<+0530>-05:30"), Some([330, 330]));
        assert_eq!(offsets("EST5EDT,M3.2.0,M11.1.0"), Some([-300, -240]));
        for unknown in ["", "../../etc/passwd", "/etc/hostname", "Nowhere/At-All"] {
            assert_eq!(offsets(unknown), None, "{unknown}");
        }
        if std::path::Path::new("/usr/share/zoneinfo/Europe/Lisbon").exists() {
            assert_eq!(offsets("Europe/Lisbon"), Some([0, 60]));
            assert_eq!(offsets(":/usr/share/zoneinfo/Europe/Lisbon"), Some([0, 60]));
        } else {
            eprintln!("SKIPPED: no database of time zones on this machine");
        }
    }
}
