//! Where things of the project are: its folder, and what cargo builds.

use std::path::{Path, PathBuf};

/// Returns the folder everything of the project lies in.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// Returns the folder cargo builds in, which whoever runs it may have chosen.
#[expect(clippy::disallowed_methods, reason = "cargo itself is told this way")]
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        // As cargo reads it: from the folder this was called in.
        Some(chosen) => std::path::absolute(&chosen).unwrap_or_else(|_| chosen.into()),
        None => root().join("target"),
    }
}

/// Returns the program as it is released, which `cargo build --release` puts there.
pub(crate) fn released_program() -> PathBuf {
    target().join("release/backstory")
}
