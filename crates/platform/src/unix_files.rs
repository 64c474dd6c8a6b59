//! Who may read, write and run a file, where systems tell by modes and owners.

use rustix::fs::{Mode, OFlags};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
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

pub(crate) fn private_dir(builder: &mut DirBuilder) -> &mut DirBuilder {
    builder.mode(PRIVATE_DIR)
}

/// Makes these options fail at a symbolic link.
pub fn no_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
}

/// Makes these options fail at a symbolic link, and not wait for whoever holds the other end of a pipe.
pub(crate) fn no_follow_no_wait(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
}

pub(crate) fn no_wait(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(OFlags::NONBLOCK.bits().cast_signed())
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

/// Whether there is a file that somebody may run.
#[must_use]
pub fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|it| it.is_file() && it.mode() & 0o111 != 0)
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

/// Waits until the names in a directory are on the disk.
pub fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Puts a finished file in the place of another, whole or not at all: who uses the other goes on with it undisturbed.
pub fn replace_file(finished: &Path, place: &Path) -> io::Result<()> {
    fs::rename(finished, place)
}

/// Makes it possible to put a file in the place of one that is mapped or runs. Nothing has to be done: the name leads to the new one.
pub fn make_way(_place: &Path) -> io::Result<()> {
    Ok(())
}

fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}
