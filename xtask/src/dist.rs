//! `cargo xtask dist`: what a release consists of, made from built programs: archives, checksums, installers, a Homebrew formula, npm
//! packages.
//!
//! One call adds the archive of one system; every call writes the rest anew from the archives that are there. So each system is built where it is
//! at home, and the last call, on whatever machine has all archives, makes the release. Not here: publishing anything.

mod archives;
mod formula;
mod npm;

use crate::TaskResult;
use crate::places::{root, target};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "usage: cargo xtask dist [--target TRIPLE --binary FILE [--runner PROGRAM]] [--collect] [--out DIR]
       [--releases URL] [--npm-name NAME]

Without --binary the program is built for this system, with everything in it. --runner runs a FILE this system cannot (wine).
--collect adds no archive: it makes the rest from those that are in DIR. URL is where the archives will be downloaded from.";

/// What is in a released program beside the default.
const FEATURES: &str = "full";

/// What was asked for.
struct Request {
    target: Option<String>,
    binary: Option<PathBuf>,
    runner: Option<String>,
    is_collecting: bool,
    release: Release,
}

/// A release in the making.
pub(crate) struct Release {
    /// The folder everything is written to.
    pub(crate) out: PathBuf,
    pub(crate) version: String,
    /// Where the archives will be downloaded from.
    pub(crate) releases: String,
    /// What the npm package is called.
    pub(crate) npm_name: String,
}

/// Makes a release, or one archive of it.
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let request = Request::read(arguments)?;
    fs::create_dir_all(&request.release.out)?;
    if !request.is_collecting {
        let (triple, binary) = request.program()?;
        let archive = archives::write(&request.release, &triple, &binary, request.runner.as_deref())?;
        crate::say(&format!("wrote {}", archive.display()));
        npm::write_platform_package(&request.release, &triple, &binary)?;
    }
    request.release.collect()
}

impl Request {
    fn read(arguments: &[String]) -> TaskResult<Request> {
        let mut request = Request {
            target: None,
            binary: None,
            runner: None,
            is_collecting: false,
            release: Release {
                out: target().join("dist"),
                version: version()?,
                releases: "@RELEASES@".to_owned(),
                npm_name: "backstory".to_owned(),
            },
        };
        let mut rest = arguments.iter();
        while let Some(flag) = rest.next() {
            let mut value = || rest.next().cloned().ok_or(USAGE);
            match flag.as_str() {
                "--target" => request.target = Some(value()?),
                "--binary" => request.binary = Some(std::path::absolute(value()?)?),
                "--runner" => request.runner = Some(value()?),
                "--out" => request.release.out = std::path::absolute(value()?)?,
                "--releases" => value()?.trim_end_matches('/').clone_into(&mut request.release.releases),
                "--npm-name" => request.release.npm_name = value()?,
                "--collect" => request.is_collecting = true,
                _ => return Err(USAGE.into()),
            }
        }
        if request.target.is_some() != request.binary.is_some() {
            return Err(USAGE.into());
        }
        Ok(request)
    }

    /// Returns the system and the program built for it, which is built now unless one was named.
    fn program(&self) -> TaskResult<(String, PathBuf)> {
        if let (Some(triple), Some(binary)) = (&self.target, &self.binary) {
            return Ok((triple.clone(), binary.clone()));
        }
        crate::cargo(&[
            "build",
            "--release",
            "--locked",
            "--package",
            "backstory-cli",
            "--features",
            FEATURES,
        ])?;
        let compiler = Command::new("rustc").args(["--print", "host-tuple"]).output()?;
        let triple = String::from_utf8(compiler.stdout)?.trim().to_owned();
        let file = if triple.contains("windows") { "backstory.exe" } else { "backstory" };
        Ok((triple, target().join("release").join(file)))
    }
}

impl Release {
    /// Writes everything that follows from the archives.
    fn collect(&self) -> TaskResult {
        let mut sums = String::new();
        for archive in self.archives()? {
            sums += &format!("{}  {}\n", digest(&self.out.join(&archive))?, archive);
        }
        if sums.is_empty() {
            return Err(format!("there is no archive in {}", self.out.display()).into());
        }
        self.write("SHA256SUMS", &sums)?;
        for installer in ["install.sh", "install.ps1"] {
            let text = fs::read_to_string(root().join("dist").join(installer))?;
            self.write(installer, &text.replace("@RELEASES@", &self.releases))?;
        }
        let latest = serde_json::json!({"version": 1, "newest": self.version});
        self.write("latest.json", &format!("{latest}\n"))?;
        self.write("backstory.rb", &formula::text(self, &sums))?;
        npm::write_wrapper(self)?;
        crate::say(&format!("{}\n{sums}", self.out.display()));
        Ok(())
    }

    /// Returns the names of the archives that are there.
    fn archives(&self) -> TaskResult<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.out)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.starts_with("backstory-") && (name.ends_with(".tar.gz") || name.ends_with(".zip")) {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn write(&self, name: &str, text: &str) -> TaskResult {
        Ok(fs::write(self.out.join(name), text)?)
    }
}

/// Returns the version, which stands in the workspace's manifest alone.
fn version() -> TaskResult<String> {
    let manifest: toml::Table = fs::read_to_string(root().join("Cargo.toml"))?.parse()?;
    let version = manifest.get("workspace").and_then(|it| it.get("package")).and_then(|it| it.get("version"));
    Ok(version.and_then(toml::Value::as_str).ok_or("Cargo.toml names no version")?.to_owned())
}

fn digest(path: &Path) -> TaskResult<String> {
    let digest = Sha256::digest(fs::read(path)?);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}
