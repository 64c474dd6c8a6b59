//! Opening a link in the user's browser.

use std::process::{Command, Stdio};

/// Whether there is a screen a browser could be shown on. `is_set` says whether a variable of the environment is set.
pub fn has_screen(is_set: impl Fn(&str) -> bool) -> bool {
    cfg!(target_os = "macos") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Opens a link in the user's browser; says whether that could be tried.
#[must_use]
pub fn open_in_browser(link: &str) -> bool {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(opener);
    command.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
