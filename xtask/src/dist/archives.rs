//! An archive of one system: tar.gz, and zip for Windows, whose own tools open nothing else.
//!
//! The same files make the same bytes: nothing of the machine or the clock is in them.

use super::Release;
use crate::TaskResult;
use crate::places::root;
use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What each shell calls its script.
const COMPLETIONS: [(&str, &str); 4] = [
    ("bash", "backstory.bash"),
    ("zsh", "_backstory"),
    ("fish", "backstory.fish"),
    ("powershell", "_backstory.ps1"),
];

/// One file in an archive.
struct Entry {
    path: String,
    bytes: Vec<u8>,
    is_program: bool,
}

/// Writes the archive of a system.
pub(super) fn write(
    release: &Release,
    triple: &str,
    binary: &Path,
    runner: Option<&str>,
) -> TaskResult<PathBuf> {
    let folder = format!("backstory-{triple}");
    let entries = entries(&folder, triple, binary, runner)?;
    let is_windows = triple.contains("windows");
    let path =
        release.out.join(if is_windows { format!("{folder}.zip") } else { format!("{folder}.tar.gz") });
    fs::write(&path, if is_windows { zip(&entries)? } else { tar_gz(&entries)? })?;
    Ok(path)
}

fn entries(folder: &str, triple: &str, binary: &Path, runner: Option<&str>) -> TaskResult<Vec<Entry>> {
    let program = if triple.contains("windows") { "backstory.exe" } else { "backstory" };
    let entry = |path: &str, bytes: Vec<u8>| Entry {
        path: format!("{folder}/{path}"),
        bytes,
        is_program: path == program,
    };
    let mut entries = vec![entry(program, fs::read(binary)?)];
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md", "man/backstory.1"] {
        entries.push(entry(file, fs::read(root().join(file))?));
    }
    for (shell, name) in COMPLETIONS {
        entries.push(entry(&format!("completions/{name}"), completion(binary, runner, shell)?));
    }
    Ok(entries)
}

/// Asks the program itself for a completion script.
fn completion(binary: &Path, runner: Option<&str>, shell: &str) -> TaskResult<Vec<u8>> {
    let mut command = match runner {
        Some(runner) => {
            let mut command = Command::new(runner);
            command.arg(binary);
            command
        }
        None => Command::new(binary),
    };
    let output = command.args(["completions", shell]).output();
    let output = output
        .map_err(|error| format!("cannot run {}: {error}; --runner names what can", binary.display()))?;
    if output.status.success() && !output.stdout.is_empty() {
        return Ok(output.stdout);
    }
    Err(format!("`{} completions {shell}` failed: {}", binary.display(), output.status).into())
}

/// A tape archive in the form of POSIX, compressed.
fn tar_gz(entries: &[Entry]) -> TaskResult<Vec<u8>> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::best());
    for entry in entries {
        gz.write_all(&tar_header(entry)?)?;
        gz.write_all(&entry.bytes)?;
        gz.write_all(&vec![0; entry.bytes.len().next_multiple_of(512) - entry.bytes.len()])?;
    }
    // Two empty blocks end it.
    gz.write_all(&[0; 1024])?;
    Ok(gz.finish()?)
}

fn tar_header(entry: &Entry) -> TaskResult<[u8; 512]> {
    let mut header = [0; 512];
    let mut put = |at: usize, text: &str| {
        let place = header.get_mut(at..at + text.len()).ok_or("a header is 512 bytes long")?;
        place.copy_from_slice(text.as_bytes());
        Ok::<(), &str>(())
    };
    if entry.path.len() > 99 {
        return Err(format!("the path {} is too long for an archive", entry.path).into());
    }
    put(0, &entry.path)?;
    put(100, if entry.is_program { "0000755\0" } else { "0000644\0" })?;
    put(108, "0000000\0")?;
    put(116, "0000000\0")?;
    put(124, &format!("{:011o}\0", entry.bytes.len()))?;
    put(136, "00000000000\0")?;
    put(148, "        ")?;
    put(156, "0")?;
    put(257, "ustar\x0000")?;
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    let sum = format!("{sum:06o}\0 ");
    header.get_mut(148..156).ok_or("a header is 512 bytes long")?.copy_from_slice(sum.as_bytes());
    Ok(header)
}

/// A zip archive: each file with a header, then the list of all.
fn zip(entries: &[Entry]) -> TaskResult<Vec<u8>> {
    let mut archive = Vec::new();
    let mut list = Vec::new();
    for entry in entries {
        let mut crc = Crc::new();
        crc.update(&entry.bytes);
        let mut deflated = DeflateEncoder::new(Vec::new(), Compression::best());
        deflated.write_all(&entry.bytes)?;
        let deflated = deflated.finish()?;
        let at = u32::try_from(archive.len())?;
        // Version 2.0, names in UTF-8, deflated, 1980-01-01.
        let mut fields = Vec::new();
        for short in [20_u16, 1 << 11, 8, 0, 33] {
            fields.extend(short.to_le_bytes());
        }
        for long in [crc.sum(), u32::try_from(deflated.len())?, u32::try_from(entry.bytes.len())?] {
            fields.extend(long.to_le_bytes());
        }
        fields.extend(u16::try_from(entry.path.len())?.to_le_bytes());
        fields.extend([0, 0]);
        archive.extend(b"PK\x03\x04");
        archive.extend(&fields);
        archive.extend(entry.path.as_bytes());
        archive.extend(deflated);
        // Made on Unix, so that the mode below counts.
        list.extend(b"PK\x01\x02\x14\x03");
        list.extend(&fields);
        list.extend([0; 6]);
        let mode: u32 = if entry.is_program { 0o100_755 } else { 0o100_644 };
        list.extend((mode << 16).to_le_bytes());
        list.extend(at.to_le_bytes());
        list.extend(entry.path.as_bytes());
    }
    let (at, length, count) = (archive.len(), list.len(), u16::try_from(entries.len())?);
    archive.extend(list);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    archive.extend(u32::try_from(length)?.to_le_bytes());
    archive.extend(u32::try_from(at)?.to_le_bytes());
    archive.extend([0, 0]);
    Ok(archive)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<Entry> {
        let entry = |path: &str, bytes: &[u8], is_program| Entry {
            path: path.to_owned(),
            bytes: bytes.to_vec(),
            is_program,
        };
        vec![
            entry("a/program", &[7; 1000], true),
            entry("a/b/empty", b"", false),
            entry("a/text", b"hello\n", false),
        ]
    }

    /// The system's own program opens them, as that of a user does.
    #[test]
    fn what_is_packed_is_unpacked_byte_for_byte() {
        for (name, bytes, open) in [
            ("a.tar.gz", tar_gz(&sample()).unwrap(), vec!["tar", "-xzf"]),
            ("a.zip", zip(&sample()).unwrap(), vec!["python3", "-m", "zipfile", "-e"]),
        ] {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join(name), bytes).unwrap();
            let mut command = Command::new(open[0]);
            command.args(&open[1..]).arg(name).current_dir(dir.path());
            if name == "a.zip" {
                command.arg(".");
            }
            let Ok(status) = command.status() else {
                crate::say(&format!("SKIPPED: {name} was NOT opened: there is no {}", open[0]));
                continue;
            };
            assert!(status.success(), "{name}");
            for entry in sample() {
                assert_eq!(fs::read(dir.path().join(&entry.path)).unwrap(), entry.bytes, "{name}");
            }
        }
    }

    #[test]
    fn the_same_files_make_the_same_bytes() {
        assert_eq!(tar_gz(&sample()).unwrap(), tar_gz(&sample()).unwrap());
        assert_eq!(zip(&sample()).unwrap(), zip(&sample()).unwrap());
    }
}
