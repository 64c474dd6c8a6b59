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

/// Returns what to start for the name of a program: on Windows the file `PATHEXT` leads to, because npm installs programs as `.cmd` files
/// and the system finds only `.exe` by itself.
#[must_use]
pub fn startable_program(name: &str) -> OsString {
    if !cfg!(windows) {
        return name.into();
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "where the programs of this machine are, and how their names end"
    )]
    let [search_path, endings] = ["PATH", "PATHEXT"].map(|name| env::var_os(name).unwrap_or_default());
    let endings = endings.to_string_lossy().into_owned();
    let endings = if endings.is_empty() { ".EXE;.CMD;.BAT" } else { &endings };
    find_by_ending(&search_path, name, endings).map_or_else(|| name.into(), PathBuf::into_os_string)
}

/// Finds a program by its name and one of some endings, in the order of the folders, then of the endings. A name with a folder is taken as
/// it is, and a relative folder holds whatever a repository brought along.
fn find_by_ending(search_path: &OsStr, name: &str, endings: &str) -> Option<PathBuf> {
    if name.contains(['/', '\\']) {
        return None;
    }
    let names = || {
        let bare = endings.split(';').any(|ending| !ending.is_empty() && ends_with(name, ending));
        let with_ending = endings
            .split(';')
            .filter(|it| !it.is_empty())
            .map(move |ending| format!("{name}{}", ending.to_ascii_lowercase()));
        bare.then(|| name.to_owned()).into_iter().chain(with_ending)
    };
    let folders = env::split_paths(search_path).filter(|folder| folder.is_absolute());
    folders.flat_map(|folder| names().map(move |name| folder.join(name))).find(|path| path.is_file())
}

fn ends_with(name: &str, ending: &str) -> bool {
    name.to_ascii_lowercase().ends_with(&ending.to_ascii_lowercase())
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

    #[test]
    fn a_program_of_npm_is_found_by_its_ending() {
        let keep = tempfile::tempdir().unwrap();
        let [own, npm] = ["own", "npm"].map(|name| keep.path().join(name));
        for folder in [&own, &npm] {
            fs::create_dir(folder).unwrap();
        }
        for file in [npm.join("tool"), npm.join("tool.cmd"), npm.join("tool.ps1"), own.join("other.exe")] {
            fs::write(file, "").unwrap();
        }
        let path = env::join_paths([Path::new("relative"), &own, &npm]).unwrap();
        let find = |name: &str| find_by_ending(&path, name, ".COM;.EXE;.CMD;");
        assert_eq!(
            find("tool"),
            Some(npm.join("tool.cmd")),
            "the one without an ending is a script of another shell"
        );
        assert_eq!(find("tool.cmd"), Some(npm.join("tool.cmd")));
        assert_eq!(find("other"), Some(own.join("other.exe")));
        assert_eq!((find("missing"), find("npm/tool")), (None, None));
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
