//! `cargo xtask docs`: writes the references generated from the program. Their content comes from `cli/src/reference.rs`.

use crate::TaskResult;
use std::process::Command;

/// Runs the tests that compare the references with the program, and lets them write what differs.
pub(crate) fn write() -> TaskResult {
    let tests = [
        "test",
        "--quiet",
        "--package",
        "backstory-cli",
        "--all-features",
        "--bin",
        "backstory",
        "reference",
    ];
    if Command::new(env!("CARGO")).args(tests).env("UPDATE_DOCS", "1").status()?.success() {
        return Ok(());
    }
    Err("the references cannot be written".into())
}

#[cfg(test)]
mod tests {
    use crate::places::root;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// Returns the pages people read: those of the root, and everything below `docs` and `plugins`.
    fn pages() -> Vec<PathBuf> {
        let root = root();
        let mut folders = vec![root.join("docs"), root.join("plugins")];
        let mut pages: Vec<PathBuf> = below(&root).into_iter().filter(|path| path.is_file()).collect();
        while let Some(folder) = folders.pop() {
            let (inner, files): (Vec<_>, Vec<_>) = below(&folder).into_iter().partition(|path| path.is_dir());
            folders.extend(inner);
            pages.extend(files);
        }
        pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
        pages
    }

    fn below(folder: &Path) -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn every_link_between_pages_leads_somewhere() {
        let mut broken = Vec::new();
        for page in pages() {
            let text = fs::read_to_string(&page).unwrap();
            let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            for link in links.filter(|link| !link.contains("://") && !link.starts_with('#')) {
                let target = link.split('#').next().unwrap_or(link);
                if !page.with_file_name("").join(target).exists() {
                    broken.push(format!("{}: {link}", page.display()));
                }
            }
        }
        assert!(broken.is_empty(), "{}", broken.join("\n"));
    }
}
