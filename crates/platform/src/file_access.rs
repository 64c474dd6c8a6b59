//! Opening files of ours and of the user, and making what only its owner may read.
//!
//! How a system tells who may do what is in `unix_files` and `windows_files`.

use crate::system_files::{no_follow_no_wait, no_wait, private, private_dir};
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::Path;

/// Opens a file of ours. Fails at a link and at anything but a regular file, and waits for nobody: another program may have put a
/// pipe, a device or a link in its place.
pub fn open_own_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    regular(no_follow_no_wait(options).open(path)?)
}

/// Opens a file of the user, who may have put a link there. Fails at anything but a regular file, and waits for nobody.
pub fn open_users_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    regular(no_wait(options).open(path)?)
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
    private_dir(&mut DirBuilder::new()).create(path)
}

/// Makes a directory that only its owner may enter, and those above it that are missing.
pub fn create_private_dirs(path: &Path) -> io::Result<()> {
    private_dir(DirBuilder::new().recursive(true)).create(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        close_file_to_others, is_executable, is_open_to_others, is_owned_by_us, is_write_protected,
        make_executable, make_way, replace_file,
    };
    use std::fs;

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

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_refused_without_waiting() {
        let dir = tempfile::tempdir().unwrap();
        let [plain, link, pipe] = ["plain", "link", "pipe"].map(|name| dir.path().join(name));
        fs::write(&plain, "words").unwrap();
        std::os::unix::fs::symlink(&plain, &link).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
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

    #[cfg(unix)]
    #[test]
    fn a_file_open_to_others_is_made_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("program");
        fs::write(&path, "").unwrap();
        make_executable(&path).unwrap();
        let before = path.metadata().unwrap();
        assert!(is_open_to_others(&before) && is_executable(&path) && !is_write_protected(&before));
        close_file_to_others(&path).unwrap();
        let after = path.metadata().unwrap();
        assert!(!is_open_to_others(&after) && !is_executable(&path));
    }

    #[test]
    fn a_file_in_use_is_replaced_and_goes_on_for_who_uses_it() {
        let dir = tempfile::tempdir().unwrap();
        let [place, first, second] = ["place", "first", "second"].map(|name| dir.path().join(name));
        fs::write(&place, "old").unwrap();
        for (finished, text) in [(&first, "one"), (&second, "two")] {
            let mut in_use = File::open(&place).unwrap();
            fs::write(finished, text).unwrap();
            replace_file(finished, &place).unwrap();
            let mut before = String::new();
            in_use.read_to_string(&mut before).unwrap();
            assert_ne!(before, text);
            assert_eq!(fs::read_to_string(&place).unwrap(), text);
        }
        make_way(&dir.path().join("missing")).unwrap();
    }
}
