//! Sheets of several runs in one, shuffled: a judge cannot tell which program or writer an item comes from. The key that can lies beside the
//! folder, not in it.
//!
//! Not here: what is judged of one run (`judge_sheets`), what the judges say (`tally`).

use super::judge_sheets::{SheetItem, items_of, number, write_items};
use super::project_run::{ProjectRun, load};
use crate::TaskResult;
use backstory_memory::digest;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The runs each item comes from, by its number.
pub(crate) type SheetKey = BTreeMap<String, Vec<String>>;

/// Writes the sheets of saved runs, which are named like their files, into a folder, and the key beside it.
pub(crate) fn write(saved: &[PathBuf], folder: &Path) -> TaskResult {
    let runs = saved.iter().map(|path| Ok((name_of(path), load(path)?)));
    let (items, key) = mixed(&runs.collect::<TaskResult<Vec<_>>>()?);
    write_items(items, folder)?;
    Ok(fs::write(key_file(folder), serde_json::to_string_pretty(&key)?)?)
}

/// Reads the key of a folder; nothing where its sheets are of one run.
pub(crate) fn read_key(folder: &Path) -> TaskResult<Option<SheetKey>> {
    let path = key_file(folder);
    if !path.is_file() {
        return Ok(None);
    }
    Ok(Some(serde_json::from_str(&fs::read_to_string(path)?)?))
}

fn key_file(folder: &Path) -> PathBuf {
    // Without the slash that a shell completes.
    let mut name: OsString = folder.components().collect::<PathBuf>().into_os_string();
    name.push(".key.json");
    PathBuf::from(name)
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the items of all runs in an order that says nothing, and the key. What two runs have in common is judged once.
fn mixed(runs: &[(String, Vec<ProjectRun>)]) -> (Vec<SheetItem>, SheetKey) {
    let mut all: Vec<(SheetItem, Vec<String>)> = Vec::new();
    for (name, runs) in runs {
        for item in items_of(runs) {
            match all.iter_mut().find(|(known, _)| *known == item) {
                Some((_, names)) if names.contains(name) => {}
                Some((_, names)) => names.push(name.clone()),
                None => all.push((item, vec![name.clone()])),
            }
        }
    }
    all.sort_by_cached_key(|(item, _)| {
        let fields = [&item.sheet, &item.project, &item.session, &item.kind, &item.title, &item.body];
        digest(fields.map(String::as_bytes)).to_string()
    });
    let key = all.iter().enumerate().map(|(at, (_, names))| (number(at), names.clone())).collect();
    (all.into_iter().map(|(item, _)| item).collect(), key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::project_run::RunMemory;

    fn run(titles: &[&str]) -> Vec<ProjectRun> {
        let memory = |title: &&str| RunMemory {
            kind: "fact".to_owned(),
            title: (*title).to_owned(),
            standing: "confirmed".to_owned(),
            ..RunMemory::default()
        };
        vec![ProjectRun {
            project: "parcels".to_owned(),
            sessions: Vec::new(),
            writer: Vec::new(),
            memories: titles.iter().map(memory).collect(),
            injections: Vec::new(),
            hooks: 0,
            log: Vec::new(),
        }]
    }

    #[test]
    fn an_item_of_two_runs_is_judged_once_and_no_item_says_where_it_is_from() {
        let runs = [
            ("plain".to_owned(), run(&["Labels are printed once", "Ships leave at noon"])),
            ("written".to_owned(), run(&["Labels are printed once", "Keys live for a day"])),
        ];
        let (items, key) = mixed(&runs);
        let from = |title: &str| {
            let at = items.iter().position(|item| item.title == title).unwrap();
            key.get(&number(at)).cloned().unwrap()
        };
        assert_eq!(items.len(), 3);
        assert_eq!(from("Labels are printed once"), ["plain", "written"]);
        assert_eq!(
            (from("Ships leave at noon"), from("Keys live for a day")),
            (vec!["plain".into()], vec!["written".into()])
        );
        let sheets = serde_json::to_string(&items).unwrap();
        assert!(!sheets.contains("plain") && !sheets.contains("written"), "{sheets}");
        let (reversed, _) = mixed(&[runs[1].clone(), runs[0].clone()]);
        assert_eq!(reversed, items, "the order of the runs shows in the sheets");
    }
}
