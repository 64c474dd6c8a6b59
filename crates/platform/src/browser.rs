//! Opening a page in the user's browser.

use std::path::Path;
use std::process::{Command, Stdio};

/// Whether there is a screen a browser could be shown on. `is_set` says whether a variable of the environment is set.
pub fn has_screen(is_set: impl Fn(&str) -> bool) -> bool {
    cfg!(target_os = "macos") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Opens a file in the user's browser; says whether that could be tried. A link with a secret must not be opened so: everybody on the
/// machine can read the arguments of a process.
#[must_use]
pub fn open_in_browser(page: &Path) -> bool {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(opener);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
