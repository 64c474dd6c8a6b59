//! What the system tells of a process, for benches: how much memory it has, and how long it worked. `None` where it does not tell:
//! that is not measured, never nothing.

use std::fs;

/// Returns how much memory a process has now, in megabytes.
#[must_use]
pub fn resident_mb(pid: u32) -> Option<f64> {
    megabytes(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmRSS:")
}

/// Returns how much memory a process had at most, in megabytes.
#[must_use]
pub fn peak_mb(pid: u32) -> Option<f64> {
    megabytes(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmHWM:")
}

/// Returns how long a process has worked, in ticks of the system.
#[must_use]
pub fn ticks(pid: u32) -> Option<u64> {
    worked(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Writes a figure with its unit, or that there is none.
#[must_use]
pub fn measured(figure: Option<f64>, unit: &str) -> String {
    figure.map_or_else(|| "not measured".to_owned(), |figure| format!("{figure:.2} {unit}"))
}

fn megabytes(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1e3)
}

/// Adds up the times in a program and in the system for it. The name before them may hold anything, blanks and brackets too.
fn worked(stat: &str) -> Option<u64> {
    let after_name = stat.rsplit_once(')')?.1;
    let mut fields = after_name.split_whitespace().skip(11).map(|field| field.parse::<u64>().ok());
    Some(fields.next()?? + fields.next()??)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_has_is_read_or_not_measured() {
        assert_eq!(megabytes("Name:\tx\nVmRSS:\t    2500 kB\n", "VmRSS:"), Some(2.5));
        assert_eq!(megabytes("Name:\tx\n", "VmRSS:"), None);
        assert_eq!([measured(Some(2.5), "MB"), measured(None, "MB")], ["2.50 MB", "not measured"]);
    }

    #[test]
    fn a_name_does_not_shift_what_comes_after_it() {
        let after = "S 1 2 3 4 -1 6 7 8 9 10 40 2 13 14";
        assert_eq!(worked(&format!("77 (backstory) {after}")), Some(42));
        assert_eq!(worked(&format!("77 (a) 9 (b) {after}")), Some(42));
        assert_eq!(worked("77 (backstory) S 1"), None);
    }
}
