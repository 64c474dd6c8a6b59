//! What we changed, kept in our own home so that it can be undone exactly: what stood there before, and a digest of what we left.
//!
//! One directory a host: `record.json`, and beside it each file as it was, to be read and copied by anybody.

use super::install_error::InstallError;
use crate::Host;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where installs are remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallRecords {
    root: PathBuf,
}

/// One file we changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangedFile {
    /// The file, as it was named.
    pub(super) path: PathBuf,
    /// What of ours stands in it.
    pub(super) what: String,
    /// The digest of the file as we left it.
    pub(super) after: String,
    /// What it held before us; `None` where there was no file.
    pub(super) before: Option<Vec<u8>>,
    /// The directories we made for it, outermost first.
    pub(super) made: Vec<PathBuf>,
}

impl InstallRecords {
    /// Remembers installs in a directory, which need not be there yet.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> InstallRecords {
        InstallRecords { root: root.into() }
    }

    /// Returns where the files of a host are kept as they were.
    #[must_use]
    pub fn directory(&self, host: Host) -> PathBuf {
        self.root.join(host.as_str())
    }

    /// Whether we changed something for a host.
    #[must_use]
    pub fn knows(&self, host: Host) -> bool {
        self.record(host).exists()
    }

    /// Keeps others of us from changing the same files until the returned file is dropped.
    pub(super) fn lock(&self) -> Result<File, InstallError> {
        fs::create_dir_all(&self.root).map_err(InstallError::io("make", &self.root))?;
        let path = self.root.join("lock");
        let failed = |error| InstallError::io("lock", &path)(error);
        let file = File::create(&path).map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(file)
    }

    /// Returns what we changed for a host. A record nobody can read counts as none: what is ours is found without it.
    pub(super) fn read(&self, host: Host) -> Vec<ChangedFile> {
        let record = fs::read(self.record(host)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let record: Value = record.unwrap_or_default();
        let files = record.get("files").and_then(Value::as_array).into_iter().flatten();
        files.filter_map(|file| self.kept(host, file)).collect()
    }

    /// Remembers what we changed for a host; nothing is no record.
    pub(super) fn write(&self, host: Host, kept: &[ChangedFile]) -> Result<(), InstallError> {
        let directory = self.directory(host);
        if kept.is_empty() {
            return match fs::remove_dir_all(&directory) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(InstallError::io("remove", &directory)(error))
                }
                _ => Ok(()),
            };
        }
        fs::create_dir_all(&directory).map_err(InstallError::io("make", &directory))?;
        let mut files = Vec::new();
        let mut names = vec!["record.json".to_owned()];
        for one in kept {
            let before = one.before.as_deref().map(|bytes| (copy_name(&one.path, bytes), bytes));
            if let Some((name, bytes)) = &before {
                save(&directory.join(name), bytes)?;
                names.push(name.clone());
            }
            let path = |path: &PathBuf| path.to_str().map(str::to_owned);
            let named = path(&one.path).ok_or_else(|| InstallError::program(&one.path, "it is not UTF-8"))?;
            let made: Vec<String> = one.made.iter().filter_map(path).collect();
            files.push(json!({"path": named, "what": one.what, "after": one.after,
                "before": before.map(|(name, _)| name), "made": made}));
        }
        let record = json!({"version": 1, "files": files}).to_string();
        save(&self.record(host), record.as_bytes())?;
        // Copies nobody names any more.
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            if !names.iter().any(|name| entry.file_name() == name.as_str()) {
                drop(fs::remove_file(entry.path()));
            }
        }
        Ok(())
    }

    fn record(&self, host: Host) -> PathBuf {
        self.directory(host).join("record.json")
    }

    fn kept(&self, host: Host, file: &Value) -> Option<ChangedFile> {
        let text = |key: &str| file.get(key)?.as_str().map(str::to_owned);
        let before = match text("before") {
            // A copy that is lost must not look like a file that was not there.
            Some(name) => Some(fs::read(self.directory(host).join(name)).ok()?),
            None => None,
        };
        let made = file.get("made").and_then(Value::as_array).into_iter().flatten();
        let made = made.filter_map(|path| path.as_str().map(PathBuf::from)).collect();
        Some(ChangedFile {
            path: text("path")?.into(),
            what: text("what")?,
            after: text("after")?,
            before,
            made,
        })
    }
}

/// Tells a file by what it holds.
pub(super) fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn copy_name(path: &Path, bytes: &[u8]) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let digest = digest(bytes);
    format!("{name}.{}", digest.get(..8).unwrap_or_default())
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), InstallError> {
    let failed = |error| InstallError::io("write", path)(error);
    let directory = path.parent().unwrap_or(Path::new("/"));
    let mut draft = tempfile::NamedTempFile::new_in(directory).map_err(failed)?;
    draft.write_all(bytes).map_err(failed)?;
    draft.as_file().sync_all().map_err(failed)?;
    draft.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
