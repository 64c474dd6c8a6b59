//! Who may read, write and run a file on Windows.
//!
//! A new file takes the access list of its directory. Below the user's profile that list lets the user, administrators and the system
//! in, and nobody else, so nothing has to be set; a home that is moved elsewhere is as private as the place the user chose
//! (docs/security.md). An open or mapped file keeps its place until it is closed, but it can be renamed.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// `FILE_FLAG_OPEN_REPARSE_POINT`: opens a link itself instead of what it leads to. Whoever opens looks at what was opened.
const OPEN_REPARSE_POINT: u32 = 0x0020_0000;

/// What a file is called that had to make way, before its number.
const ASIDE: &str = ".replaced-";

/// Does nothing: directories decide who may read what is made in them.
pub fn restrict_umask() {}

/// Does nothing: the directory decides.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

pub(crate) fn private_dir(builder: &mut DirBuilder) -> &mut DirBuilder {
    builder
}

/// Makes these options open a symbolic link itself, which holds nothing.
pub fn no_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(OPEN_REPARSE_POINT)
}

pub(crate) fn no_follow_no_wait(options: &mut OpenOptions) -> &mut OpenOptions {
    no_follow(options)
}

pub(crate) fn no_wait(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Returns that it is not: the access list is inherited from the directory.
#[must_use]
pub fn is_open_to_others(_metadata: &Metadata) -> bool {
    false
}

/// Does nothing: the directory above decides.
pub fn close_dir_to_others(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Does nothing: the directory decides.
pub fn close_file_to_others(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns that it does: what others own below a profile, they had to be let in for.
#[must_use]
pub fn is_owned_by_us(_metadata: &Metadata) -> bool {
    true
}

/// Whether a file is marked as not to be written.
#[must_use]
pub fn is_write_protected(metadata: &Metadata) -> bool {
    metadata.permissions().readonly()
}

/// Whether there is a file whose name says that it can be run.
#[must_use]
pub fn is_executable(path: &Path) -> bool {
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    ["exe", "com", "cmd", "bat"].iter().any(|it| extension.eq_ignore_ascii_case(it)) && path.is_file()
}

/// Does nothing: the name says whether a file can be run.
pub fn make_executable(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Does nothing: a file belongs to whoever the directory says.
pub fn copy_owner(_file: &File, _of: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Does nothing: the file system keeps a log of names, and a directory cannot be written out.
pub fn sync_dir(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Puts a finished file in the place of another. Where the other is mapped or runs, it first makes way.
pub fn replace_file(finished: &Path, place: &Path) -> io::Result<()> {
    remove_aside(place);
    match fs::rename(finished, place) {
        Err(_) if place.exists() => {
            make_way(place)?;
            fs::rename(finished, place)
        }
        done => done,
    }
}

/// Renames a file that is mapped or runs, so that another can take its place. It is removed when its place is taken the next time.
pub fn make_way(place: &Path) -> io::Result<()> {
    remove_aside(place);
    let Some(name) = place.file_name() else { return Ok(()) };
    for number in 0..1000 {
        let mut aside = name.to_owned();
        aside.push(format!("{ASIDE}{number}"));
        let aside = place.with_file_name(aside);
        if !aside.exists() {
            return match fs::rename(place, aside) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                done => done,
            };
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes what made way before and is in use no more.
fn remove_aside(place: &Path) {
    let (Some(directory), Some(name)) = (place.parent(), place.file_name()) else { return };
    let begin = format!("{}{ASIDE}", name.to_string_lossy());
    let Ok(entries) = fs::read_dir(directory) else { return };
    let is_aside = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(&begin);
    let aside: Vec<PathBuf> =
        entries.filter_map(Result::ok).filter(is_aside).map(|entry| entry.path()).collect();
    for path in aside {
        // One that is still in use stays until the next time.
        drop(fs::remove_file(path));
    }
}
