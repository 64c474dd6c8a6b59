//! The directory of a worker: a lock that says who it is, a file that says how to reach it, a socket.
//!
//! The lock is the only truth: a file or a socket that was left behind proves nothing, and whoever holds the lock replaces them.

use backstory_platform::{
    LONGEST_SOCKET_PATH, close_dir_to_others, create_private_dir, is_open_to_others, is_owned_by_us, private,
    replace_file,
};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Where a worker is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerDir {
    home: PathBuf,
    runtime: Option<PathBuf>,
}

/// How a worker is reached; only the user can read it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Endpoint {
    /// The process.
    pub pid: u32,
    /// Which build it is.
    pub version: String,
    /// The socket.
    pub socket: PathBuf,
    /// The port on loopback.
    pub port: u16,
    /// The token loopback wants.
    pub token: String,
}

impl WorkerDir {
    /// Names where the worker of a home is found, without touching anything. The socket lies in the user's runtime directory, if
    /// there is one.
    #[must_use]
    pub fn for_home(home: &Path, runtime: Option<&Path>) -> WorkerDir {
        WorkerDir { home: home.to_owned(), runtime: runtime.map(Path::to_owned) }
    }

    /// Returns the file whose lock the worker holds as long as it lives.
    pub(crate) fn lock(&self) -> PathBuf {
        self.home.join("worker.lock")
    }

    /// Whether somebody holds the lock. Looking shares it, so that two who look do not take each other for a worker.
    pub(crate) fn is_claimed(&self) -> bool {
        let lock = File::open(self.lock());
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    fn endpoint_file(&self) -> PathBuf {
        self.home.join("worker.json")
    }

    /// Returns the path for the socket, in a directory made for it that nobody else can enter.
    pub(crate) fn prepare_socket(&self) -> io::Result<PathBuf> {
        let below_runtime = |runtime: &PathBuf| {
            let dir = runtime.join("backstory");
            make_own_dir(&dir).ok()?;
            // Several homes may share one runtime directory.
            Some(dir.join(format!("{:016x}.sock", fingerprint(self.home.as_os_str().as_encoded_bytes()))))
        };
        let fits = |path: &PathBuf| path.as_os_str().len() <= LONGEST_SOCKET_PATH;
        let in_home = self.home.join("worker.sock");
        let path = self.runtime.as_ref().and_then(below_runtime).filter(fits).unwrap_or(in_home);
        if !fits(&path) {
            let reason = format!("`{}` is too long for a socket", path.display());
            return Err(io::Error::new(ErrorKind::InvalidFilename, reason));
        }
        Ok(path)
    }

    /// Reads how the worker is reached. It may be gone all the same.
    #[must_use]
    pub fn read_endpoint(&self) -> Option<Endpoint> {
        serde_json::from_slice(&fs::read(self.endpoint_file()).ok()?).ok()
    }

    /// Writes how the worker is reached: all of it or nothing, for the user alone.
    pub(crate) fn write_endpoint(&self, endpoint: &Endpoint) -> io::Result<()> {
        let draft = self.home.join("worker.json.new");
        drop(fs::remove_file(&draft));
        let mut file = private(OpenOptions::new().write(true).create_new(true)).open(&draft)?;
        file.write_all(&serde_json::to_vec(endpoint)?)?;
        replace_file(&draft, &self.endpoint_file())
    }

    /// Removes the traces of a worker, when it ends. Where the home was replaced meanwhile, both belong to another worker.
    pub(crate) fn clear(&self, ours: &Endpoint) {
        if self.read_endpoint().as_ref() == Some(ours) {
            drop(fs::remove_file(self.endpoint_file()));
            drop(fs::remove_file(&ours.socket));
            remove_login_page(&ours.socket);
        }
    }
}

/// Writes a page that leads to a login link, beside the socket, where only the user can read it.
///
/// The arguments of a program are everybody's to read: a browser is given the path of this page, never the link.
pub(crate) fn write_login_page(socket: &Path, link: &str) -> io::Result<PathBuf> {
    let page = login_page(socket);
    remove_login_page(socket);
    let mut file = private(OpenOptions::new().write(true).create_new(true)).open(&page)?;
    let text = format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>Backstory</title>\n\
         <meta http-equiv=\"refresh\" content=\"0; url={link}\">\n<a href=\"{link}\">Open the viewer</a>\n"
    );
    file.write_all(text.as_bytes())?;
    Ok(page)
}

/// Removes the login page. Its key works once, so that nobody misses it.
pub(crate) fn remove_login_page(socket: &Path) {
    // Mostly there is none.
    drop(fs::remove_file(login_page(socket)));
}

fn login_page(socket: &Path) -> PathBuf {
    socket.with_extension("html")
}

/// Makes a directory that is ours alone, or makes sure that it is.
fn make_own_dir(dir: &Path) -> io::Result<()> {
    match create_private_dir(dir) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(dir)?;
    if !found.is_dir() || !is_owned_by_us(&found) {
        return Err(ErrorKind::PermissionDenied.into());
    }
    if is_open_to_others(&found) {
        close_dir_to_others(dir)?;
    }
    Ok(())
}

/// FNV-1a: the same in every build, which std's hash does not promise.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
