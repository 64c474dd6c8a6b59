//! Which file a path names, whatever it is called: two names of one file have one identity.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// What distinguishes a file from every other on this machine, as long as it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// Reads the identity of a file.
    #[must_use]
    pub fn from_metadata(metadata: &Metadata) -> FileIdentity {
        FileIdentity { device: metadata.dev(), inode: metadata.ino() }
    }
}
