//! Files of others on the disk: read within bounds, written whole or not at all.

use super::install_error::{EditRefusal, InstallError};
use backstory_platform::{copy_owner, is_write_protected, sync_dir};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// No configuration we know is bigger; whatever is, is something else.
const LARGEST: u64 = 64 << 20;

/// A file as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileOnDisk {
    /// Where it really stands, links followed.
    pub(super) target: PathBuf,
    /// What it holds; `None` where there is none.
    pub(super) bytes: Option<Vec<u8>>,
    is_writable: bool,
}

impl FileOnDisk {
    /// Looks at a file.
    pub(super) fn read(path: &Path) -> Result<FileOnDisk, InstallError> {
        let target = match path.symlink_metadata() {
            Ok(it) if it.is_symlink() => {
                fs::canonicalize(path).map_err(|_| InstallError::Dangling { path: path.to_owned() })?
            }
            _ => path.to_owned(),
        };
        let metadata = match target.metadata() {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(FileOnDisk { target, bytes: None, is_writable: true });
            }
            Err(error) => return Err(InstallError::io("look at", path)(error)),
        };
        if !metadata.is_file() {
            return Err(InstallError::NotAFile { path: path.to_owned() });
        }
        if metadata.len() > LARGEST {
            return Err(InstallError::TooBig { path: path.to_owned(), limit_mb: LARGEST >> 20 });
        }
        let bytes = fs::read(&target).map_err(InstallError::io("read", path))?;
        Ok(FileOnDisk { target, bytes: Some(bytes), is_writable: !is_write_protected(&metadata) })
    }

    /// Returns what it holds, as text.
    pub(super) fn text(&self) -> Result<Option<&str>, EditRefusal> {
        let text = self.bytes.as_deref().map(std::str::from_utf8).transpose();
        text.map_err(|_| EditRefusal::NotText)
    }

    /// Says whether the file may be changed. Replacing a protected file would work, and be against its owner's will.
    pub(super) fn check_writable(&self) -> Result<(), InstallError> {
        if self.is_writable { Ok(()) } else { Err(InstallError::ReadOnly { path: self.target.clone() }) }
    }

    /// Puts other bytes in its place, or takes it away. Whoever looks sees the one or the other, whole.
    ///
    /// Returns the directories that had to be made, outermost first.
    pub(super) fn replace(&self, bytes: Option<&[u8]>) -> Result<Vec<PathBuf>, InstallError> {
        self.check_writable()?;
        match bytes {
            Some(bytes) => {
                let directory = self.target.parent().unwrap_or(Path::new("/"));
                let made = make_directories(directory)?;
                match self.write(directory, bytes) {
                    Ok(()) => Ok(made),
                    Err(error) => {
                        remove_empty(&made);
                        Err(error)
                    }
                }
            }
            None => {
                self.check_unchanged()?;
                fs::remove_file(&self.target).map_err(InstallError::io("remove", &self.target))?;
                Ok(Vec::new())
            }
        }
    }

    fn write(&self, directory: &Path, bytes: &[u8]) -> Result<(), InstallError> {
        let failed = |error| InstallError::io("write", &self.target)(error);
        let mut draft =
            tempfile::Builder::new().prefix(".backstory-").tempfile_in(directory).map_err(failed)?;
        draft.write_all(bytes).map_err(failed)?;
        if let Ok(metadata) = self.target.metadata() {
            copy_owner(draft.as_file(), &metadata).map_err(failed)?;
            draft.as_file().set_permissions(metadata.permissions()).map_err(failed)?;
        }
        draft.as_file().sync_all().map_err(failed)?;
        self.check_unchanged()?;
        draft.persist(&self.target).map_err(|error| failed(error.error))?;
        // The name is safe only when the directory is. Some file systems cannot say so, and lose nothing by it.
        drop(sync_dir(directory));
        Ok(())
    }

    /// The host may have written the file since we read it: its word counts.
    fn check_unchanged(&self) -> Result<(), InstallError> {
        let now = match fs::read(&self.target) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(InstallError::io("read", &self.target)(error)),
        };
        if now == self.bytes { Ok(()) } else { Err(InstallError::Changed { path: self.target.clone() }) }
    }
}

fn make_directories(directory: &Path) -> Result<Vec<PathBuf>, InstallError> {
    let missing: Vec<&Path> = directory.ancestors().take_while(|it| !it.exists()).collect();
    let mut made = Vec::new();
    for directory in missing.into_iter().rev() {
        fs::create_dir(directory).map_err(InstallError::io("make", directory))?;
        made.push(directory.to_owned());
    }
    Ok(made)
}

/// Takes away directories we made, as far as nobody has put anything into them.
pub(super) fn remove_empty(directories: &[PathBuf]) {
    for directory in directories.iter().rev() {
        // One that is not empty stays, and so do those around it.
        if fs::remove_dir(directory).is_err() {
            return;
        }
    }
}
