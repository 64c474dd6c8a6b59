//! Paths as bytes: git, SQLite and addresses spell them so, and they are not always text.

use std::path::{Path, PathBuf};

/// Returns the bytes of a path.
#[must_use]
pub fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// Makes a path of bytes.
#[cfg(unix)]
#[must_use]
pub fn path_from_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

/// Makes a path of bytes. What is no text cannot be a path here that anybody wrote down as bytes.
#[cfg(windows)]
#[must_use]
pub fn path_from_bytes(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}
