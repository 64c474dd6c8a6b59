//! Finds programs of the machine, and never those of a folder that others wrote.
//!
//! Not here: which programs are started, and why.

use crate::{canonical, is_executable};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A program, and the folders in which it may look for others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineProgram {
    /// Its absolute path.
    pub path: PathBuf,
    /// The value of `PATH` to start it with.
    pub search_path: OsString,
}

/// Finds a program in `PATH`.
///
/// Only absolute entries outside of `not_below` count: a relative one means the folder that a process happens to stand in, and
/// either may hold a program that a repository brought along.
#[must_use]
pub fn find_program(name: &str, not_below: &Path) -> Option<MachineProgram> {
    #[expect(clippy::disallowed_methods, reason = "where the programs of this machine are, and nothing else")]
    let search_path = env::var_os("PATH")?;
    find_in(&search_path, name, not_below)
}

/// Returns the variables of this process whose names begin with `prefix`.
#[must_use]
pub fn variables_with_prefix(prefix: &str) -> Vec<OsString> {
    let begins = |name: &OsString| name.to_string_lossy().to_ascii_uppercase().starts_with(prefix);
    env::vars_os().map(|(name, _)| name).filter(begins).collect()
}

fn find_in(search_path: &OsStr, name: &str, not_below: &Path) -> Option<MachineProgram> {
    // Both in the spelling of the system: a prefix of Windows must not hide that one is below the other.
    let not_below = canonical(not_below).unwrap_or_else(|_| not_below.to_owned());
    let is_outside = |path: &Path| canonical(path).is_ok_and(|path| !path.starts_with(&not_below));
    let folders: Vec<PathBuf> =
        env::split_paths(search_path).filter(|folder| folder.is_absolute() && is_outside(folder)).collect();
    let file_name = format!("{name}{}", env::consts::EXE_SUFFIX);
    let programs = folders.iter().map(|folder| folder.join(&file_name));
    let path = programs.into_iter().find(|path| is_executable(path) && is_outside(path))?;
    // Each folder came out of a list of the same shape.
    Some(MachineProgram { path, search_path: env::join_paths(folders).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::make_executable;
    use std::fs;

    fn put_program(folder: &Path) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        let path = folder.join(format!("tool{}", env::consts::EXE_SUFFIX));
        fs::write(&path, "").unwrap();
        make_executable(&path).unwrap();
        path
    }

    #[test]
    fn a_program_is_taken_from_absolute_folders_outside_of_the_tree_only() {
        let keep = tempfile::tempdir().unwrap();
        let world = keep.path().canonicalize().unwrap();
        let tree = world.join("tree");
        put_program(&tree.join("bin"));
        let machine = put_program(&world.join("machine"));
        let entries = ["", ".", "bin", "../tree/bin"].map(PathBuf::from);
        let inside = [tree.join("bin"), world.join("machine/../tree/bin"), world.join("missing")];
        let hostile: Vec<PathBuf> = entries.into_iter().chain(inside).collect();
        assert_eq!(find_in(&env::join_paths(&hostile).unwrap(), "tool", &tree), None);
        let all = env::join_paths(hostile.iter().chain([&world.join("machine")])).unwrap();
        let expected = MachineProgram { path: machine, search_path: world.join("machine").into_os_string() };
        assert_eq!(find_in(&all, "tool", &tree), Some(expected));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_into_the_tree_is_no_program_of_the_machine() {
        let keep = tempfile::tempdir().unwrap();
        let world = keep.path().canonicalize().unwrap();
        let inside = put_program(&world.join("tree"));
        fs::create_dir(world.join("machine")).unwrap();
        std::os::unix::fs::symlink(inside, world.join("machine/tool")).unwrap();
        assert_eq!(find_in(world.join("machine").as_os_str(), "tool", &world.join("tree")), None);
    }
}
