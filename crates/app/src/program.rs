//! The path that hosts run this program by: where it lies now, or a copy that outlives the next build.

pub use backstory_store::sqlite_version;

use crate::error::AppError;
use backstory_hosts::HostPaths;
use backstory_platform::{canonical, detached, make_way};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A text that every build of ours contains, and no other program.
const OURS: &[u8] = b"Gives coding agents the story so far";

/// Runs a command of ours in a process of its own. Nobody waits for it.
pub fn start_in_background(command: &str) -> io::Result<()> {
    let mut child = Command::new(std::env::current_exe()?);
    child.arg(command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    detached(&mut child).spawn().map(drop)
}

/// The program that runs, and the path hosts are to run it by.
#[derive(Clone, Debug)]
pub struct ProgramPlace {
    running: PathBuf,
    /// The path hosts are to run it by.
    pub path: PathBuf,
}

impl ProgramPlace {
    /// Chooses the path: where the program is, or `bin_dir`, or `~/.local/bin` if it runs from a build directory.
    pub fn choose(bin_dir: Option<&Path>, places: &HostPaths) -> Result<ProgramPlace, AppError> {
        let running = own_program(places)?;
        if bin_dir.is_none() && !is_in_build_directory(&running) {
            return Ok(ProgramPlace { path: running.clone(), running });
        }
        let directory = bin_dir.map_or_else(|| places.home.join(".local/bin"), Path::to_owned);
        let path = std::path::absolute(&directory)
            .unwrap_or(directory)
            .join(format!("backstory{}", std::env::consts::EXE_SUFFIX));
        Ok(ProgramPlace { running, path })
    }

    /// Whether the program has to be copied first.
    #[must_use]
    pub fn must_copy(&self) -> bool {
        let length = |path: &Path| path.metadata().map(|it| it.len()).ok();
        let (running, path) = (&self.running, &self.path);
        // Lengths first: reading two whole programs takes noticeable time.
        let is_same = length(running) == length(path) && fs::read(running).ok() == fs::read(path).ok();
        running != path && !is_same
    }

    /// Returns the directory of the path, unless the search path has it.
    #[must_use]
    pub fn directory_not_on_path(&self, places: &HostPaths) -> Option<&Path> {
        let directory = self.path.parent()?;
        (!places.programs.iter().any(|path| path == directory)).then_some(directory)
    }

    /// Copies the program, whole or not at all: one that is running there goes on undisturbed.
    pub fn copy(&self) -> Result<(), AppError> {
        self.refuse_foreign()?;
        self.try_copy().map_err(|error| {
            AppError::user(format!("cannot copy this program to `{}`", self.path.display()))
                .because(&error)
                .hint("name another directory with `--bin-dir`")
        })
    }

    fn try_copy(&self) -> io::Result<()> {
        let directory = self.path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(directory)?;
        let draft = tempfile::NamedTempFile::new_in(directory)?;
        fs::copy(&self.running, draft.path())?;
        backstory_platform::make_executable(draft.path())?;
        draft.as_file().sync_all()?;
        // Windows does not replace a program that runs: `make_way` renames it, and it goes on running.
        let again = |refused: tempfile::PersistError| {
            make_way(&self.path)?;
            refused.file.persist(&self.path).map_err(|error| error.error)
        };
        draft.persist(&self.path).or_else(again).map(drop)
    }

    /// Refuses to replace a program that only has our name (law 10).
    fn refuse_foreign(&self) -> Result<(), AppError> {
        let is_foreign =
            fs::read(&self.path).is_ok_and(|there| !there.windows(OURS.len()).any(|bytes| bytes == OURS));
        if !is_foreign {
            return Ok(());
        }
        Err(AppError::user(format!("`{}` is another program and stays as it is", self.path.display()))
            .hint("name another directory with `--bin-dir`"))
    }
}

/// Returns the path hosts are to run this program by. Prefers the name on the search path if it leads to this program: a package
/// manager keeps that name and moves the file behind it.
pub fn own_program(places: &HostPaths) -> Result<PathBuf, AppError> {
    let failed = |error: std::io::Error| AppError::user("cannot tell where this program is").because(&error);
    let real = std::env::current_exe().and_then(|path| canonical(&path)).map_err(failed)?;
    let named = places.program("backstory").filter(|named| named.is_absolute());
    Ok(named.filter(|named| canonical(named).is_ok_and(|path| path == real)).unwrap_or(real))
}

/// Whether a program lies in a directory of cargo or npm, which the next cleaning removes. Cargo's other mark, `CACHEDIR.TAG`, is missing
/// if somebody else made the directory.
pub fn is_in_build_directory(program: &Path) -> bool {
    let is_of_npm = |part: &std::ffi::OsStr| part == "node_modules";
    program.iter().any(is_of_npm)
        || program.ancestors().skip(1).any(|parent| parent.join(".rustc_info.json").exists())
}
