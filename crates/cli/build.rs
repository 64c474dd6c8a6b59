//! Tells the program which commit it was built from, and when that was made.
//!
//! The date is the commit's, or SOURCE_DATE_EPOCH, and never the clock's: the same commit makes the same bytes, whenever it is built. Without
//! git, outside a checkout of ours and in builds for development nothing is passed on; there every commit would have the program built anew.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    println!("cargo::rustc-env=BACKSTORY_BUILD_TARGET={}", variable("TARGET").unwrap_or_default());
    let checkout = if variable("PROFILE").as_deref() == Some("release") { checkout() } else { None };
    let commit = checkout.as_deref().and_then(|root| git(root, &["log", "-1", "--format=%h", "--abbrev=12"]));
    let seconds = variable("SOURCE_DATE_EPOCH")
        .or_else(|| checkout.as_deref().and_then(|root| git(root, &["log", "-1", "--format=%ct"])));
    println!("cargo::rustc-env=BACKSTORY_BUILD_COMMIT={}", commit.unwrap_or_default());
    println!("cargo::rustc-env=BACKSTORY_BUILD_SECONDS={}", seconds.unwrap_or_default());
    if let Some(log) =
        checkout.as_deref().and_then(|root| git(root, &["rev-parse", "--git-path", "logs/HEAD"]))
    {
        // Git writes a line there for every commit and checkout. A path that is not there would mean: always.
        let log = checkout.unwrap_or_default().join(log);
        if log.exists() {
            println!("cargo::rerun-if-changed={}", log.display());
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "cargo tells a build script what it builds by its environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns our own checkout: sources unpacked inside somebody else's repository must not take its commit for ours.
fn checkout() -> Option<PathBuf> {
    let root = Path::new(&variable("CARGO_MANIFEST_DIR")?).parent()?.parent()?.canonicalize().ok()?;
    let top = PathBuf::from(git(&root, &["rev-parse", "--show-toplevel"])?).canonicalize().ok()?;
    (top == root).then_some(root)
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let ran = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
    let said = String::from_utf8(ran.stdout).ok()?.trim().to_owned();
    (ran.status.success() && !said.is_empty()).then_some(said)
}
