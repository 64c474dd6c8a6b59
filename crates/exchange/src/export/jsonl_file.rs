//! Exports memories as JSON lines. A file is either whole or as it was before, and readable by its owner only.

use super::ExportSelection;
use super::records::RecordBuilder;
use crate::error::ExchangeError;
use crate::jsonl::write_record;
use backstory_store::Store;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Writes the selected memories to standard output or the like, which `target` names, and returns how many there were.
pub fn export_jsonl(
    store: &Store,
    selection: &ExportSelection,
    (target, out): (&str, &mut dyn Write),
    progress: &mut dyn FnMut(u64),
) -> Result<u64, ExchangeError> {
    let mut out = BufWriter::new(out);
    let mut records = RecordBuilder::new(store);
    let failed = |source: io::Error| ExchangeError::Output { target: target.to_owned(), source };
    let count = selection.for_each(store, progress, |memory| {
        let record = records.record(memory)?;
        write_record(&mut out, &record).map_err(failed)
    })?;
    out.flush().map_err(failed)?;
    Ok(count)
}

/// Writes the selected memories to a file and returns how many there were; where there are none, the file stays as it is.
pub fn export_jsonl_file(
    store: &Store,
    selection: &ExportSelection,
    path: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, ExchangeError> {
    let name = format!("`{}`", path.display());
    let failed = |source: io::Error| ExchangeError::Output { target: name.clone(), source };
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => {
            let hint = "name a file in it, or say `--format markdown`";
            return Err(ExchangeError::unusable(format!("{name} is a folder"), hint));
        }
        // A pipe or a device is written to, not replaced.
        Ok(there) if !there.is_file() => {
            let mut file = OpenOptions::new().write(true).open(path).map_err(failed)?;
            return export_jsonl(store, selection, (&name, &mut file), progress);
        }
        _ => {}
    }
    // A link stays a link.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !dir.is_dir() {
        let hint = "make it first, or name a file in another";
        return Err(ExchangeError::unusable(format!("there is no folder `{}`", dir.display()), hint));
    }
    let mut draft = NamedTempFile::new_in(dir).map_err(failed)?;
    let count = export_jsonl(store, selection, (&name, draft.as_file_mut()), progress)?;
    if count > 0 {
        draft.persist(&path).map_err(|error| failed(error.error))?;
    }
    Ok(count)
}
