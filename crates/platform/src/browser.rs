//! Opening a page in the user's browser.

use std::path::Path;
use std::process::{Command, Stdio};

/// What opens a file with the program its user chose, and what stands before the file.
#[cfg(windows)]
const OPENER: (&str, &[&str]) = ("rundll32.exe", &["url.dll,FileProtocolHandler"]);
#[cfg(target_os = "macos")]
const OPENER: (&str, &[&str]) = ("/usr/bin/open", &[]);
#[cfg(not(any(windows, target_os = "macos")))]
const OPENER: (&str, &[&str]) = ("xdg-open", &[]);

/// Whether there is a screen a browser could be shown on. `is_set` says whether a variable of the environment is set.
pub fn has_screen(is_set: impl Fn(&str) -> bool) -> bool {
    cfg!(any(windows, target_os = "macos")) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Opens a file in the user's browser; says whether that could be tried. A link with a secret must not be opened so: everybody on the
/// machine can read the arguments of a process.
#[must_use]
pub fn open_in_browser(page: &Path) -> bool {
    let (program, before) = OPENER;
    let mut command = Command::new(program);
    command.args(before).arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
