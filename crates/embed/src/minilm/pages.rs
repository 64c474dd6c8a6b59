//! Giving pages of the model back to the system as soon as they were read.
//!
//! They lie in the binary, so the system can read them again whenever it likes, and mostly has them at hand: a process that asks
//! now and then need not hold 17 MB of them for the time between. The arithmetic of a question takes milliseconds, finding
//! its pages again some hundred microseconds.

#![cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "tells the system which pages of the binary are not needed for now")
)]

#[cfg(target_os = "linux")]
use super::asset::FILE;
#[cfg(target_os = "linux")]
use std::sync::LazyLock;

/// Whether the model in memory is the program's own file. A program that was unpacked into memory has no file to read it from again.
#[cfg(target_os = "linux")]
static IS_OF_A_FILE: LazyLock<bool> = LazyLock::new(|| {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let model = FILE.0.as_ptr_range();
    maps.lines().any(|line| is_file_around(line, model.start.addr()..model.end.addr()))
});

/// Gives back the pages that lie wholly in a part of the model. Read again, they are what they were.
#[cfg(target_os = "linux")]
pub(super) fn give_back(part: &'static [u8]) {
    if !*IS_OF_A_FILE {
        return;
    }
    let page = rustix::param::page_size();
    let skipped = part.as_ptr().align_offset(page);
    let bytes = part.len().saturating_sub(skipped) / page * page;
    if bytes == 0 {
        return;
    }
    let first = part.as_ptr().wrapping_add(skipped).cast_mut().cast();
    // SAFETY: the pages belong to a file that is mapped read-only. Nobody has ever written to them, so the next read brings the same
    // bytes from the file. This is only advice: if the system ignores it, the pages stay.
    unsafe { rustix::mm::madvise(first, bytes, rustix::mm::Advice::LinuxDontNeed) }.ok();
}

/// Does nothing: elsewhere the system takes pages of a program back by itself.
#[cfg(not(target_os = "linux"))]
pub(super) fn give_back(_part: &'static [u8]) {}

/// Whether a line of the system's list of mappings is about a file that is only read, and holds all of a place.
#[cfg(target_os = "linux")]
fn is_file_around(line: &str, place: std::ops::Range<usize>) -> bool {
    let mut fields = line.split_whitespace();
    let (Some(range), Some(rights), Some(inode)) = (fields.next(), fields.next(), fields.nth(2)) else {
        return false;
    };
    let Some((start, end)) = range.split_once('-') else { return false };
    let address = |text| usize::from_str_radix(text, 16);
    let holds = address(start).is_ok_and(|start| start <= place.start)
        && address(end).is_ok_and(|end| place.end <= end);
    holds && rights.starts_with("r-") && inode != "0"
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn released_pages_are_read_again_unchanged() {
        let before = blake3::hash(&FILE.0);
        give_back(&FILE.0);
        assert_eq!(blake3::hash(&FILE.0), before);
    }

    #[test]
    fn only_a_read_only_mapping_of_a_file_around_the_model_will_do() {
        let is_good = |line| is_file_around(line, 0x2000..0x3000);
        assert!(is_good("1000-4000 r--p 00000000 fe:00 77   /usr/bin/backstory"));
        for line in [
            "1000-4000 r--p 00000000 00:00 0",
            "1000-4000 rw-p 00000000 fe:00 77   /usr/bin/backstory",
            "1000-2800 r--p 00000000 fe:00 77   /usr/bin/backstory",
            "2800-4000 r--p 00000000 fe:00 77   /usr/bin/backstory",
            "",
        ] {
            assert!(!is_good(line), "{line}");
        }
    }
}
