//! Whether a hook runs inside a call of our own to a model. Nothing is captured then: we would remember ourselves, and ask a model about
//! that too (R23).
//!
//! There are five guards, each enough alone, because hosts differ in what they pass on to hooks: a variable that every process we start
//! inherits (`env_vars`), the folder the call runs in, the name of its session (`store`), the first line of the request (`provider`), and
//! that our runner is among the ancestors of the hook.

use backstory_platform::{
    ProcessIdentity, ancestry, open_own_file, private, read_own_file, try_lock_private,
};
use backstory_store::Home;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file that says a folder is the one our calls run in.
const JAIL_MARK: &str = ".backstory-jail";
/// How many ancestors are looked at: no hook runs further below the agent's program.
const MOST_ANCESTORS: usize = 16;

/// Makes the folder our calls run in and returns it: empty but for the mark by which hooks know whose it is.
pub fn jail(home: &Home) -> io::Result<PathBuf> {
    let jail = home.root().join("jail");
    fs::create_dir_all(&jail)?;
    fs::write(
        jail.join(JAIL_MARK),
        "Backstory asks models from here. What happens here is not remembered.\n",
    )?;
    Ok(jail)
}

/// Whether a folder is the one our calls run in, or lies in it.
pub fn is_jail(place: &Path) -> bool {
    place.ancestors().any(|folder| folder.join(JAIL_MARK).exists())
}

/// The one process that asks models. As long as it lives no second one begins, and hooks can tell that they run below it.
#[derive(Debug)]
pub struct Runner {
    /// The file that tells hooks which process it is. It is not the locked file, which nobody can read on Windows.
    note: PathBuf,
    /// Locked until it is dropped, or the process ends in any way.
    _lock: File,
}

impl Runner {
    /// Becomes the runner, unless another process is.
    pub fn begin(home: &Home) -> io::Result<Option<Runner>> {
        let Some(lock) = try_lock_private(&home.root().join("writer.lock"))? else { return Ok(None) };
        let runner = Runner { note: note_of(home), _lock: lock };
        let mut options = OpenOptions::new();
        let mut note = open_own_file(private(options.write(true).create(true).truncate(true)), &runner.note)?;
        // If the system does not tell the ancestors of a process, the other guards must be enough.
        if let Some(own) = ancestry().next() {
            write!(note, "{} {}", own.id, own.started)?;
        }
        Ok(Some(runner))
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // A note that cannot be removed does no harm: it names a process that is gone.
        drop(fs::remove_file(&self.note));
    }
}

fn note_of(home: &Home) -> PathBuf {
    home.root().join("writer.process")
}

/// Whether the runner is among our ancestors. Costs a hook nothing but a look for one file, unless a model is being asked.
pub fn is_below_runner(home: &Home) -> bool {
    let Ok(note) = read_own_file(&note_of(home), 128) else { return false };
    let note = String::from_utf8_lossy(&note);
    let mut numbers = note.split(' ').map(|number| number.parse::<u64>().ok());
    let (Some(Some(id)), Some(Some(started))) = (numbers.next(), numbers.next()) else { return false };
    // The number alone is not enough: the system may have given it to a shell of the user's since.
    ancestry().take(MOST_ANCESTORS).any(|process| process == ProcessIdentity { id, started })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_runner_at_a_time_and_only_its_children_are_below_it() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path());
        assert!(!is_below_runner(&home));
        let runner = Runner::begin(&home).unwrap().unwrap();
        assert!(is_below_runner(&home), "a process is below itself");
        assert!(Runner::begin(&home).unwrap().is_none());
        drop(runner);
        assert!(!is_below_runner(&home));
        assert!(Runner::begin(&home).unwrap().is_some());
    }

    #[test]
    fn a_note_left_by_a_runner_that_was_killed_means_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path());
        let own = ancestry().next().unwrap();
        fs::write(note_of(&home), format!("{} {}", own.id, own.started + 1)).unwrap();
        assert!(!is_below_runner(&home), "another process had this number");
    }

    #[test]
    fn a_jail_is_known_from_inside() {
        let dir = tempfile::tempdir().unwrap();
        let jail = jail(&Home::new(dir.path())).unwrap();
        assert!(is_jail(&jail) && is_jail(&jail.join("deep/down")) && !is_jail(dir.path()));
    }
}
