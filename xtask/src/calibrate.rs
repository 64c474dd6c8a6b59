//! `cargo xtask calibrate`: runs `calibrate/`, which compares the token estimate with real vocabularies.
//!
//! That program is a workspace of its own: its vocabularies take a minute to build, and no other task needs them.

use crate::places::root;
use crate::{TaskResult, cargo};

/// Builds and runs the program.
pub(crate) fn run() -> TaskResult {
    let manifest = root().join("calibrate/Cargo.toml");
    cargo(&[
        "run".as_ref(),
        "--release".as_ref(),
        "--quiet".as_ref(),
        "--manifest-path".as_ref(),
        manifest.as_os_str(),
    ])
}
