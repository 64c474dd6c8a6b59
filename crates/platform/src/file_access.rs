//! Who may read, write and run a file, and making what only its owner may.

use rustix::fs::{Mode, OFlags};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Read, write and enter for the owner.
const PRIVATE_DIR: u32 = 0o700;
/// Read and write for the owner.
const PRIVATE_FILE: u32 = 0o600;
/// Everything, for everybody but the owner.
const OTHERS: u32 = 0o077;

/// Makes whatever this process creates from now on its owner's alone.
pub fn restrict_umask() {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
}

/// Makes a file that these options create its owner's alone.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(PRIVATE_FILE)
}

/// Makes these options fail at a symbolic link.
pub fn no_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
}

/// Makes these options fail at a symbolic link, and not wait for whoever holds the other end of a pipe.
pub fn no_follow_no_wait(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
}

/// Opens a file of ours. Fails at a link and at anything but a regular file, and waits for nobody: another program may have put a
/// pipe, a device or a link in its place.
pub fn open_own_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    regular(no_follow_no_wait(options).open(path)?)
}

/// Opens a file of the user, who may have put a link there. Fails at anything but a regular file, and waits for nobody.
pub fn open_users_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    regular(options.custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path)?)
}

/// Reads a file of ours whole, up to a size; a larger one is not ours.
pub fn read_own_file(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let file = open_own_file(OpenOptions::new().read(true), path)?;
    let mut bytes = Vec::new();
    file.take(most_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
}

/// Opens a private file, makes it where there is none, and takes its lock. Returns nothing where another process holds it; the
/// lock ends with the file.
pub fn try_lock_private(path: &Path) -> io::Result<Option<File>> {
    let file = open_own_file(private(OpenOptions::new().write(true).create(true).truncate(false)), path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Makes a directory that only its owner may enter.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(PRIVATE_DIR).create(path)
}

/// Makes a directory that only its owner may enter, and those above it that are missing.
pub fn create_private_dirs(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(PRIVATE_DIR).create(path)
}

/// Whether others than the owner may do anything with a file or directory.
#[must_use]
pub fn is_open_to_others(metadata: &Metadata) -> bool {
    metadata.mode() & OTHERS != 0
}

/// Takes a directory from everybody but its owner.
pub fn close_dir_to_others(path: &Path) -> io::Result<()> {
    set_mode(path, PRIVATE_DIR)
}

/// Takes a file from everybody but its owner.
pub fn close_file_to_others(path: &Path) -> io::Result<()> {
    set_mode(path, PRIVATE_FILE)
}

/// Whether a file or directory belongs to the user of this process.
#[must_use]
pub fn is_owned_by_us(metadata: &Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Whether its owner may not write a file.
#[must_use]
pub fn is_write_protected(metadata: &Metadata) -> bool {
    metadata.mode() & 0o200 == 0
}

/// Whether somebody may run a file.
#[must_use]
pub fn is_executable(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.mode() & 0o111 != 0
}

/// Lets everybody run a file, and only its owner write it.
pub fn make_executable(path: &Path) -> io::Result<()> {
    set_mode(path, 0o755)
}

/// Gives a file the owner of another, where that is somebody else: who runs us as root must not take a file from its owner.
pub fn copy_owner(file: &File, of: &Metadata) -> io::Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) == (of.uid(), of.gid()) {
        return Ok(());
    }
    std::os::unix::fs::fchown(file, Some(of.uid()), Some(of.gid()))
}

fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_file_is_closed_to_others_and_locked_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let held = try_lock_private(&path).unwrap().unwrap();
        assert!(!is_open_to_others(&path.metadata().unwrap()) && is_owned_by_us(&path.metadata().unwrap()));
        assert!(try_lock_private(&path).unwrap().is_none());
        drop(held);
        assert!(try_lock_private(&path).unwrap().is_some());
    }

    #[test]
    fn what_is_no_regular_file_is_refused_without_waiting() {
        let dir = tempfile::tempdir().unwrap();
        let [plain, link, pipe] = ["plain", "link", "pipe"].map(|name| dir.path().join(name));
        fs::write(&plain, "words").unwrap();
        std::os::unix::fs::symlink(&plain, &link).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
            .unwrap();
        let ways = [
            OpenOptions::new().read(true).clone(),
            OpenOptions::new().append(true).create(true).clone(),
            OpenOptions::new().read(true).write(true).clone(),
        ];
        for mut options in ways {
            assert!(
                open_own_file(&mut options, &plain).is_ok() && open_users_file(&mut options, &link).is_ok()
            );
            for path in [&link, &pipe, &dir.path().to_owned()] {
                assert!(open_own_file(&mut options, path).is_err(), "{}", path.display());
            }
            assert!(open_users_file(&mut options, &pipe).is_err());
        }
        assert_eq!(read_own_file(&plain, 4).unwrap(), b"word");
    }

    #[test]
    fn a_file_open_to_others_is_made_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("program");
        fs::write(&path, "").unwrap();
        make_executable(&path).unwrap();
        let before = path.metadata().unwrap();
        assert!(is_open_to_others(&before) && is_executable(&before) && !is_write_protected(&before));
        close_file_to_others(&path).unwrap();
        let after = path.metadata().unwrap();
        assert!(!is_open_to_others(&after) && !is_executable(&after));
    }
}
