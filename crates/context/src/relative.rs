//! How long ago, as people say it.

use backstory_memory::Timestamp;

/// Returns how long ago something was: "just now", "5m ago", "3h ago", "yesterday", "4d ago". Never in the future (S4.A4).
#[must_use]
pub fn relative(at: Timestamp, now: Timestamp) -> String {
    let minutes = (now.0.saturating_sub(at.0)).max(0) / 60_000;
    match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("{minutes}m ago"),
        60..1440 => format!("{}h ago", minutes / 60),
        1440..2880 => "yesterday".to_owned(),
        _ => format!("{}d ago", minutes / 1440),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_never_in_the_future() {
        let minute = 60_000;
        let check = |ago: i64, expected| assert_eq!(relative(Timestamp(0), Timestamp(ago)), expected);
        check(-5 * minute, "just now");
        check(59 * 1000, "just now");
        check(5 * minute, "5m ago");
        check(180 * minute, "3h ago");
        check(1500 * minute, "yesterday");
        check(4 * 1440 * minute, "4d ago");
    }
}
