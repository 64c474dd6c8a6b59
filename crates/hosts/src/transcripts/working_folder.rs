//! The folder a session worked in, derived from the first file it worked on where no row names it.

use super::bounded_files::beginning;
use backstory_platform::begins_with_drive;
use std::path::Path;

/// How much of a transcript is searched.
const SEARCHED_BYTES: u64 = 4 << 20;

/// Returns the folder of the first file that a transcript of JSON names in one of these fields.
pub(crate) fn folder_named_in(transcript: &Path, fields: &[&str]) -> Option<String> {
    let text = beginning(transcript, SEARCHED_BYTES)?;
    let first = |field: &&str| first_path(&text, &format!("\"{field}\""));
    let (_, path) = fields.iter().filter_map(first).min()?;
    let path = Path::new(&path);
    let folder = if path.is_dir() { Some(path) } else { path.parent() };
    folder.and_then(Path::to_str).filter(|folder| *folder != "/").map(str::to_owned)
}

/// Returns the first path from the root that stands behind a name, and where.
fn first_path(text: &str, name: &str) -> Option<(usize, String)> {
    let behind =
        text.match_indices(name).map(|(at, _)| (at, text.get(at + name.len()..).unwrap_or_default()));
    let mut paths = behind.filter_map(|(at, rest)| {
        let value = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        let (path, _) = value.split_once('"')?;
        // Where folders are parted by what JSON escapes.
        let path = if begins_with_drive(path) { path.replace(r"\\", "/") } else { path.to_owned() };
        (Path::new(&path).has_root() && !path.contains('\\')).then_some((at, path))
    });
    paths.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_working_folder_is_derived_from_the_first_file() {
        let folder = tempfile::tempdir().unwrap();
        let transcript = folder.path().join("record.json");
        let folder_in = |text: &str| {
            std::fs::write(&transcript, text).unwrap();
            folder_named_in(&transcript, &["file_path", "path"])
        };
        let text = r#"{"path": "src/a.rs", "file_path" : "/gone/src/b.rs", "path":"/other/c.rs"}"#;
        assert_eq!(folder_in(text).as_deref(), Some("/gone/src"));
        let itself = folder.path().to_str().unwrap();
        let escaped = itself.replace('\\', r"\\");
        let plain = itself.replace('\\', "/");
        assert_eq!(folder_in(&format!(r#"{{"path":"{escaped}"}}"#)), Some(plain));
        for nothing in ["", "\"path\"", r#"{"path":"/"#, r#"{"path":"/top"}"#, r#"{"path":"/a\\b/c"}"#] {
            assert_eq!(folder_in(nothing), None, "{nothing}");
        }
        assert_eq!(folder_named_in(Path::new("/nowhere"), &["path"]), None);
    }
}
