//! What connecting or disconnecting a host would change, and doing it.
//!
//! A plan is made whole before anything is touched: a host is connected altogether or not at all.

use super::config_files::ConfigFile;
use super::desired_content::DesiredContent;
use super::disk::{FileOnDisk, remove_empty};
use super::install_error::{EditRefusal, InstallError};
use super::install_records::{ChangedFile, InstallRecords, digest};
use crate::Host;
use std::path::{Path, PathBuf};

/// What would be done to the files of one host.
#[derive(Clone, Debug)]
pub struct InstallPlan {
    /// The host.
    pub host: Host,
    /// The files that would change.
    pub changes: Vec<FileChange>,
    /// The files that are as they should be.
    pub unchanged: Vec<PathBuf>,
    kept: Vec<ChangedFile>,
}

/// What would be done to one file.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// The file, as its host names it.
    pub path: PathBuf,
    /// What of ours it holds.
    pub what: String,
    /// What it will hold; `None` where it will be removed.
    pub after: Option<Vec<u8>>,
    found: FileOnDisk,
    /// Directories we made when we made the file, to go with it.
    made: Vec<PathBuf>,
}

impl FileChange {
    /// Returns what the file holds now; `None` where there is none.
    #[must_use]
    pub fn before(&self) -> Option<&[u8]> {
        self.found.bytes.as_deref()
    }

    /// Returns where the file really stands, links followed.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.found.target
    }
}

impl InstallPlan {
    /// Plans to connect a host.
    pub(super) fn install(
        host: Host,
        files: &[ConfigFile],
        installs: &InstallRecords,
    ) -> Result<InstallPlan, InstallError> {
        let mut plan =
            InstallPlan { host, changes: Vec::new(), unchanged: Vec::new(), kept: installs.read(host) };
        for ConfigFile { path, what, desired: wanted } in files {
            let found = FileOnDisk::read(path)?;
            let text = found.text().map_err(InstallError::refused(path))?;
            let after = wanted.put(text).map_err(InstallError::refused(path))?;
            if text == Some(after.as_str()) {
                plan.unchanged.push(path.clone());
                continue;
            }
            found.check_writable()?;
            let at = plan.kept.iter().position(|kept| kept.path == *path);
            let kept = at.map(|at| plan.kept.remove(at));
            let before = undone(Some(wanted), &found, kept.as_ref()).map_err(InstallError::refused(path))?;
            let made = kept.map(|kept| kept.made).unwrap_or_default();
            let after = after.into_bytes();
            let what = (*what).to_owned();
            plan.kept.push(ChangedFile {
                path: path.clone(),
                what: what.clone(),
                after: digest(&after),
                before,
                made,
            });
            let made = Vec::new();
            plan.changes.push(FileChange { path: path.clone(), what, after: Some(after), found, made });
        }
        Ok(plan)
    }

    /// Plans to take out of a host's files what is ours: those we know we changed, and those we would change today.
    pub(super) fn uninstall(
        host: Host,
        files: &[ConfigFile],
        installs: &InstallRecords,
    ) -> Result<InstallPlan, InstallError> {
        let mut plan = InstallPlan { host, changes: Vec::new(), unchanged: Vec::new(), kept: Vec::new() };
        let kept = installs.read(host);
        // A file may have been connected at another path than today; its content is of the same kind.
        let recorded = kept.iter().map(|kept| {
            let file = files.iter().find(|file| file.what == kept.what);
            (&kept.path, kept.what.as_str(), file.map(|file| &file.desired), Some(kept))
        });
        let is_recorded = |file: &&ConfigFile| kept.iter().any(|kept| kept.path == file.path);
        let unrecorded = files.iter().filter(|file| !is_recorded(file));
        let unrecorded = unrecorded.map(|file| (&file.path, file.what, Some(&file.desired), None));
        for (path, what, wanted, kept) in recorded.chain(unrecorded) {
            let found = FileOnDisk::read(path)?;
            let after = undone(wanted, &found, kept).map_err(InstallError::refused(path))?;
            if after == found.bytes {
                plan.unchanged.push(path.clone());
                continue;
            }
            found.check_writable()?;
            let made = kept.map(|kept| kept.made.clone()).unwrap_or_default();
            let what = what.to_owned();
            plan.changes.push(FileChange { path: path.clone(), what, after, found, made });
        }
        Ok(plan)
    }

    /// Does what is planned. If one file cannot be changed, those before it are put back.
    ///
    /// # Errors
    ///
    /// When a file cannot be written, or changed since the plan was made.
    pub fn apply(mut self, installs: &InstallRecords) -> Result<(), InstallError> {
        if self.changes.is_empty() && self.kept == installs.read(self.host) {
            return Ok(());
        }
        let _lock = installs.lock()?;
        // Read behind the lock: what another of us remembered since the plan was made must not be lost if ours fails.
        let was = installs.read(self.host);
        // Remembered first: what happens between this and the next line can be undone.
        if !self.kept.is_empty() {
            installs.write(self.host, &self.kept)?;
        }
        let mut done: Vec<&FileChange> = Vec::new();
        for change in &self.changes {
            match change.found.replace(change.after.as_deref()) {
                Ok(made) => {
                    let kept = self.kept.iter_mut().find(|kept| kept.path == change.path);
                    if let Some(kept) = kept
                        && !made.is_empty()
                    {
                        kept.made = made;
                    }
                    done.push(change);
                }
                Err(error) => {
                    for change in done.iter().rev() {
                        put_back(change);
                    }
                    installs.write(self.host, &was)?;
                    return Err(error);
                }
            }
        }
        // Last, when all that we put into them is gone.
        self.changes.iter().rev().for_each(|change| remove_empty(&change.made));
        installs.write(self.host, &self.kept)
    }
}

/// Returns what a file would hold if we had never touched it; `None` where there would be no file.
///
/// As we left it, that is what stood there before, byte for byte. Changed since, only what is ours is taken out, as far as it is
/// known what that is: another version may have written something that this one does not.
fn undone(
    wanted: Option<&DesiredContent>,
    found: &FileOnDisk,
    kept: Option<&ChangedFile>,
) -> Result<Option<Vec<u8>>, EditRefusal> {
    let Some(bytes) = &found.bytes else { return Ok(None) };
    if let Some(kept) = kept
        && digest(bytes) == kept.after
    {
        return Ok(kept.before.clone());
    }
    let (Some(wanted), Some(text)) = (wanted, found.text()?) else { return Ok(found.bytes.clone()) };
    let before =
        kept.and_then(|kept| kept.before.as_deref()).and_then(|bytes| std::str::from_utf8(bytes).ok());
    let rest = wanted.take(text, before)?;
    let is_ours_alone = kept.is_some_and(|kept| kept.before.is_none());
    Ok(rest.filter(|rest| !(is_ours_alone && wanted.is_bare(rest))).map(String::into_bytes))
}

/// Puts a file back as it was found. If that fails too, the copy in our home is still there.
fn put_back(change: &FileChange) {
    if let Ok(now) = FileOnDisk::read(&change.path)
        && now.bytes == change.after
    {
        drop(now.replace(change.before()));
    }
}
