//! The npm packages: one with a program for each system, and one in front of them that starts the right one.
//!
//! npm itself chooses by `os`, `cpu` and `libc`, so that nothing is downloaded by a script. Not here: `npm publish`.

use super::Release;
use crate::TaskResult;
use crate::places::root;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

/// The systems: triple, suffix of the package, and what npm calls it: os, cpu, libc.
const SYSTEMS: [(&str, &str, &str, &str, Option<&str>); 7] = [
    ("x86_64-unknown-linux-gnu", "linux-x64", "linux", "x64", Some("glibc")),
    ("aarch64-unknown-linux-gnu", "linux-arm64", "linux", "arm64", Some("glibc")),
    ("x86_64-unknown-linux-musl", "linux-x64-musl", "linux", "x64", Some("musl")),
    ("aarch64-unknown-linux-musl", "linux-arm64-musl", "linux", "arm64", Some("musl")),
    ("x86_64-apple-darwin", "darwin-x64", "darwin", "x64", None),
    ("aarch64-apple-darwin", "darwin-arm64", "darwin", "arm64", None),
    ("x86_64-pc-windows-msvc", "win32-x64", "win32", "x64", None),
];

/// Writes the package of one system. A system npm knows nothing of has none.
pub(super) fn write_platform_package(release: &Release, triple: &str, binary: &Path) -> TaskResult {
    let Some((_, suffix, os, cpu, libc)) = SYSTEMS.into_iter().find(|(name, ..)| *name == triple) else {
        return Ok(());
    };
    let folder = release.out.join("npm").join(format!("backstory-{suffix}"));
    let program = folder.join("bin").join(if os == "win32" { "backstory.exe" } else { "backstory" });
    fs::create_dir_all(folder.join("bin"))?;
    fs::copy(binary, &program)?;
    let mut manifest = manifest(release, &format!("{}-{suffix}", release.npm_name));
    manifest
        .insert("description".to_owned(), format!("The program of {} for {triple}", release.npm_name).into());
    manifest.insert("os".to_owned(), json!([os]));
    manifest.insert("cpu".to_owned(), json!([cpu]));
    if let Some(libc) = libc {
        manifest.insert("libc".to_owned(), json!([libc]));
    }
    write_package(&folder, &manifest)
}

/// Writes the package in front, which depends on those of the systems that are there.
pub(super) fn write_wrapper(release: &Release) -> TaskResult {
    let packages = release.out.join("npm");
    let mut optional = Map::new();
    for (_, suffix, ..) in SYSTEMS {
        let package = packages.join(format!("backstory-{suffix}"));
        if package.is_dir() {
            make_programs_executable(&package.join("bin"))?;
            optional.insert(format!("{}-{suffix}", release.npm_name), release.version.clone().into());
        }
    }
    let folder = packages.join("backstory");
    fs::create_dir_all(folder.join("bin"))?;
    fs::copy(root().join("dist/npm/backstory.js"), folder.join("bin/backstory.js"))?;
    let mut manifest = manifest(release, &release.npm_name);
    manifest.insert("description".to_owned(), "Gives coding agents the story so far".into());
    manifest.insert("bin".to_owned(), json!({"backstory": "bin/backstory.js"}));
    manifest.insert("engines".to_owned(), json!({"node": ">=18"}));
    manifest.insert("optionalDependencies".to_owned(), Value::Object(optional));
    fs::copy(root().join("README.md"), folder.join("README.md"))?;
    write_package(&folder, &manifest)
}

/// Makes the program of a package executable: what carries packages from one machine to another may lose who may run a file, and npm
/// gives that back only to what stands under `bin`.
fn make_programs_executable(folder: &Path) -> TaskResult {
    for entry in folder.read_dir()? {
        backstory_platform::make_executable(&entry?.path())?;
    }
    Ok(())
}

fn manifest(release: &Release, name: &str) -> Map<String, Value> {
    let fields =
        json!({"name": name, "version": release.version, "license": "MIT OR Apache-2.0", "files": ["bin"]});
    fields.as_object().cloned().unwrap_or_default()
}

fn write_package(folder: &Path, manifest: &Map<String, Value>) -> TaskResult {
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(root().join(licence), folder.join(licence))?;
    }
    fs::write(folder.join("package.json"), format!("{}\n", serde_json::to_string_pretty(manifest)?))?;
    Ok(())
}
