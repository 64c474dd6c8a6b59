//! Memory and CPU time of a process, for benches. `None` where the system does not report it: not measured is not zero.

use std::fs;

/// Returns the resident memory of a process, in megabytes.
#[must_use]
pub fn resident_mb(pid: u32) -> Option<f64> {
    megabytes(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmRSS:")
}

/// Returns the peak resident memory of a process, in megabytes.
#[must_use]
pub fn peak_mb(pid: u32) -> Option<f64> {
    megabytes(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmHWM:")
}

/// Returns the CPU time of a process, in clock ticks.
#[must_use]
pub fn ticks(pid: u32) -> Option<u64> {
    cpu_ticks(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Formats a figure with its unit, or says that it was not measured.
#[must_use]
pub fn format_figure(figure: Option<f64>, unit: &str) -> String {
    figure.map_or_else(|| "not measured".to_owned(), |figure| format!("{figure:.2} {unit}"))
}

fn megabytes(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1e3)
}

/// Adds up user and system time. The process name before them may contain blanks and brackets.
fn cpu_ticks(stat: &str) -> Option<u64> {
    let after_name = stat.rsplit_once(')')?.1;
    // User and system time are the fields 14 and 15, and the name is field 2.
    let mut fields = after_name.split_whitespace().skip(11).map(|field| field.parse::<u64>().ok());
    Some(fields.next()?? + fields.next()??)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_or_not_measured() {
        assert_eq!(megabytes("Name:\tx\nVmRSS:\t    2500 kB\n", "VmRSS:"), Some(2.5));
        assert_eq!(megabytes("Name:\tx\n", "VmRSS:"), None);
        assert_eq!([format_figure(Some(2.5), "MB"), format_figure(None, "MB")], ["2.50 MB", "not measured"]);
    }

    #[test]
    fn a_name_does_not_shift_the_fields_after_it() {
        let after = "S 1 2 3 4 -1 6 7 8 9 10 40 2 13 14";
        assert_eq!(cpu_ticks(&format!("77 (backstory) {after}")), Some(42));
        assert_eq!(cpu_ticks(&format!("77 (a) 9 (b) {after}")), Some(42));
        assert_eq!(cpu_ticks("77 (backstory) S 1"), None);
    }
}
