//! Which file a path names, whatever it is called: two names of one file have one identity.

use std::fs::File;
use std::io;
use std::path::Path;

/// What distinguishes a file from every other on this machine, as long as it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    device: u64,
    number: u64,
}

impl FileIdentity {
    /// Reads the identity of the file a path leads to.
    #[cfg(unix)]
    pub fn from_path(path: &Path) -> io::Result<FileIdentity> {
        Ok(FileIdentity::from_metadata(&path.metadata()?))
    }

    /// Reads the identity of an open file.
    #[cfg(unix)]
    pub fn from_file(file: &File) -> io::Result<FileIdentity> {
        Ok(FileIdentity::from_metadata(&file.metadata()?))
    }

    #[cfg(unix)]
    fn from_metadata(metadata: &std::fs::Metadata) -> FileIdentity {
        use std::os::unix::fs::MetadataExt;
        FileIdentity { device: metadata.dev(), number: metadata.ino() }
    }

    /// Reads the identity of the file a path leads to.
    #[cfg(windows)]
    pub fn from_path(path: &Path) -> io::Result<FileIdentity> {
        FileIdentity::from_file(&File::open(path)?)
    }

    /// Reads the identity of an open file.
    #[cfg(windows)]
    pub fn from_file(file: &File) -> io::Result<FileIdentity> {
        let information = winapi_util::file::information(file)?;
        Ok(FileIdentity { device: information.volume_serial_number(), number: information.file_index() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_names_of_one_file_have_one_identity_and_two_files_two() {
        let dir = tempfile::tempdir().unwrap();
        let [one, other, link] = ["one", "other", "link"].map(|name| dir.path().join(name));
        std::fs::write(&one, "").unwrap();
        std::fs::write(&other, "").unwrap();
        std::fs::hard_link(&one, &link).unwrap();
        let identity = |path| FileIdentity::from_path(path).unwrap();
        assert_eq!(identity(&one), identity(&link));
        assert_eq!(identity(&one), FileIdentity::from_file(&File::open(&link).unwrap()).unwrap());
        assert_ne!(identity(&one), identity(&other));
    }
}
