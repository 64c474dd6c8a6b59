//! Why a sync failed, by what the caller can do about it.

use crate::HubError;
use backstory_store::StoreError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a sync failed.
#[derive(Debug, Error)]
pub enum SyncError {
    /// The hub cannot be used: [`HubError`] says why.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// The store on this machine cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The hub accepted the connection and then gave no answer in time. Nothing is lost; try again later.
    #[error("the team's hub does not answer any more")]
    HubSilent,
    /// The thread that talked to the hub ended without an answer: a bug.
    #[error("talking to the team's hub broke off")]
    BrokenOff,
    /// What answers at the address of a team is another hub. Ask the owner where it is now.
    #[error("another hub answers where that of `{team}` was")]
    AnotherHub {
        /// The team, as it is called here.
        team: String,
    },
    /// A git folder was asked to carry a project that is shared through a hub.
    #[error("this project is shared with the team `{team}` through its hub")]
    SharedThroughHub {
        /// The team, as it is called here.
        team: String,
    },
    /// A file or folder cannot be used.
    #[error("cannot {act} `{}`", path.display())]
    File {
        /// What was to be done with it.
        act: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl SyncError {
    pub(crate) fn of_file(act: &'static str, path: &Path, source: io::Error) -> SyncError {
        SyncError::File { act, path: path.to_owned(), source }
    }
}
