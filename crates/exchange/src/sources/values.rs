//! What other programs write into a column or a field, read kindly: moments, lists, titles, projects, files.
//!
//! What makes no sense is nothing, never an error: whoever asks says what to do without it. Not here: which column of which
//! program means what.

use crate::{ImportItem, ImportSource, ImportedMemory, ImportedProject, SourceInstance};
use backstory_memory::{Confidence, Content, Kind, Provenance, Timestamp, title_from};
use backstory_store::{ForeignDatabase, ForeignRow, RowQuery};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Why something is skipped.
pub(crate) mod reason {
    pub(crate) const PROMPT: &str = "a prompt";
    pub(crate) const NEVER_COMPRESSED: &str = "never compressed";
    pub(crate) const DELETED: &str = "deleted";
    pub(crate) const RETRACTED: &str = "retracted";
    pub(crate) const NO_NAME: &str = "no name";
    pub(crate) const NO_WORDS: &str = "no words";
    pub(crate) const NO_DATE: &str = "no date";
    pub(crate) const DAMAGED: &str = "a damaged table";
}

/// Finds a database at a path, or by one of these names in the folder there.
pub(crate) fn database_at(source: ImportSource, path: &Path, names: &[&str]) -> Option<SourceInstance> {
    if !path.is_dir() {
        return locate_database(source, path);
    }
    names.iter().find_map(|name| locate_database(source, &path.join(name)))
}

/// Finds a database, stamped by what is in its log too: a program that runs writes there first.
pub(crate) fn locate_database(source: ImportSource, path: &Path) -> Option<SourceInstance> {
    let mut instance = SourceInstance::at(source, path).filter(|_| path.is_file())?;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if let Some(log) = SourceInstance::at(source, Path::new(&log)) {
        instance.stamp = format!("{} {}", instance.stamp, log.stamp);
    }
    Some(instance)
}

/// Calls `take` with each wanted row. A table that is damaged ends where the damage begins, and counts as one thing skipped.
pub(crate) fn each_row(
    db: &ForeignDatabase,
    wanted: RowQuery<'_>,
    emit: &mut dyn FnMut(ImportItem),
    mut take: impl FnMut(&ForeignRow) -> Result<ImportedMemory, &'static str>,
) {
    let read = db.each(wanted, |row| {
        emit(item_from(take(&row)));
        ControlFlow::Continue(())
    });
    if read.is_err() {
        emit(ImportItem::Skipped(reason::DAMAGED));
    }
}

/// Counts the rows of a table that are skipped for the same reason.
pub(crate) fn skip_rows(
    db: &ForeignDatabase,
    wanted: RowQuery<'_>,
    why: &'static str,
    emit: &mut dyn FnMut(ImportItem),
) {
    each_row(db, wanted, emit, |_| Err(why));
}

/// Calls `take` with the wanted rows of a table that is only looked up in: what is damaged there is not known.
pub(crate) fn look_up(db: &ForeignDatabase, wanted: RowQuery<'_>, mut take: impl FnMut(&ForeignRow)) {
    // The table the rows belong to is read on its own, and tells of the damage.
    drop(db.each(wanted, |row| {
        take(&row);
        ControlFlow::Continue(())
    }));
}

/// Returns the item of a row that was read or skipped.
pub(crate) fn item_from(taken: Result<ImportedMemory, &'static str>) -> ImportItem {
    match taken {
        Ok(memory) => ImportItem::Memory(Box::new(memory)),
        Err(why) => ImportItem::Skipped(why),
    }
}

/// Reads a point in time: ISO 8601 with or without a zone, SQLite's own way, or seconds or milliseconds since 1970.
pub(crate) fn moment(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let ms = match text.parse::<f64>() {
        Ok(number) if number.abs() < LEAST_MS => number * 1000.0,
        Ok(number) => number,
        Err(_) => written_ms(text)? as f64,
    };
    (EARLIEST_MS..=LATEST_MS).contains(&ms).then_some(Timestamp(ms as i64))
}

fn written_ms(text: &str) -> Option<i64> {
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(at.as_millisecond());
    }
    let at = text.parse::<jiff::civil::DateTime>().ok()?;
    Some(at.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

/// A smaller number counts seconds.
const LEAST_MS: f64 = 1e11;
/// The year 2000. No agent wrote anything before.
const EARLIEST_MS: f64 = 946_684_800_000.0;
/// The year 2100.
const LATEST_MS: f64 = 4_102_444_800_000.0;

/// Returns the first of several columns that holds a point in time.
pub(crate) fn first_moment(row: &ForeignRow, columns: &[&str]) -> Option<Timestamp> {
    columns.iter().find_map(|column| moment(row.text(column)?))
}

/// Reads a list: a JSON array, or words between commas. JSON that is broken is no list.
pub(crate) fn list(text: Option<&str>) -> Vec<String> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Vec::new();
    };
    let items: Vec<String> = match serde_json::from_str(text) {
        Ok(serde_json::Value::Array(items)) => items.iter().filter_map(plain).collect(),
        Ok(value) => plain(&value).into_iter().collect(),
        Err(_) if text.starts_with(['[', '{', '"']) => Vec::new(),
        Err(_) => text.split([',', '\n']).map(str::to_owned).collect(),
    };
    let items = items.iter().map(|item| item.trim()).filter(|item| !item.is_empty());
    unique(items.map(str::to_owned))
}

/// Reads sentences: a JSON array, or one on each line. A comma does not end one.
pub(crate) fn sentences(text: Option<&str>) -> Vec<String> {
    let text = text.unwrap_or_default().trim();
    if text.starts_with(['[', '{', '"']) {
        return list(Some(text));
    }
    let lines = text.lines().map(|line| line.trim_start_matches(['-', '*', '•', ' ', '\t']).trim());
    unique(lines.filter(|line| !line.is_empty()).map(str::to_owned))
}

fn plain(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns each item once, in order.
pub(crate) fn unique(items: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    items.into_iter().filter(|item| seen.insert(item.clone())).collect()
}

/// Makes a title of the first text that reads like something a person would say.
pub(crate) fn title(candidates: &[Option<&str>]) -> Option<String> {
    candidates.iter().flatten().map(|text| headline(text)).find(|title| is_human(title))
}

/// Returns the line that says what a text is about: a heading like "Goal" only says what comes.
fn headline(text: &str) -> String {
    match text.trim().split_once('\n') {
        Some((heading, rest)) if heading.starts_with('#') && heading.split_whitespace().count() <= 3 => {
            title_from(rest)
        }
        _ => title_from(text),
    }
}

/// Whether a line is words: no JSON, no markup, no path, nothing git writes by itself.
fn is_human(line: &str) -> bool {
    let is_marked = line.starts_with(['{', '[', '<', '`', '|']);
    let is_path = !line.contains(' ') && line.contains(['/', '\\']);
    let is_merge = line.starts_with("Merge branch ") || line.starts_with("Merge pull request ");
    let letters = line.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 2 && !is_marked && !is_path && !is_merge
}

/// Starts a memory another program made: as sure as anything distilled, and trusted as an import is.
pub(crate) fn draft(kind: Kind, title: &str, body: &str) -> Content {
    Content {
        confidence: Confidence::DISTILLED,
        provenance: Provenance::Import,
        ..Content::new(kind, title, body.trim())
    }
}

/// Starts a memory of a find: of no session, with no past, alone.
pub(crate) fn found(
    name: String,
    project: ImportedProject,
    created_at: Timestamp,
    content: Content,
) -> ImportedMemory {
    ImportedMemory {
        name,
        project,
        session: None,
        created_at,
        content,
        past: None,
        replaces: Vec::new(),
        relates: Vec::new(),
    }
}

/// Writes named texts line by line, as our own summaries are; what says nothing has no line.
pub(crate) fn lines(parts: &[(&str, Option<&str>)]) -> String {
    let said = parts.iter().filter_map(|(name, text)| {
        let text = text.map(str::trim).filter(|text| !text.is_empty())?;
        Some(if name.is_empty() { text.to_owned() } else { format!("{name}: {text}") })
    });
    said.collect::<Vec<_>>().join("\n")
}

/// Returns what a column says on one line, where it may be a list.
pub(crate) fn said(text: Option<&str>) -> Option<String> {
    let items = sentences(text);
    (!items.is_empty()).then(|| items.join("; "))
}

/// Returns the project a text names: a folder where it is a path, else a name.
pub(crate) fn project(text: Option<&str>, otherwise: &str) -> ImportedProject {
    let text = text.map(str::trim).filter(|text| !text.is_empty()).unwrap_or(otherwise);
    let has_drive = text.get(1..3).is_some_and(|colon| colon == ":\\" || colon == ":/");
    if text.starts_with('/') || has_drive {
        ImportedProject::Folder(PathBuf::from(text))
    } else {
        ImportedProject::Named(text.to_owned())
    }
}

/// Calls files by their path in the project, where they lie in it.
pub(crate) fn files(project: &ImportedProject, paths: Vec<String>) -> Vec<String> {
    let inside = |path: &str| match project {
        ImportedProject::Folder(root) => {
            Path::new(path).strip_prefix(root).ok().and_then(Path::to_str).map(str::to_owned)
        }
        ImportedProject::Named(name) if path.starts_with('/') => {
            path.split_once(&format!("/{name}/")).map(|(_, rest)| rest.to_owned())
        }
        ImportedProject::Named(_) => None,
    };
    unique(paths.into_iter().map(|path| inside(&path).filter(|rest| !rest.is_empty()).unwrap_or(path)))
}

/// Returns who is trusted for what came out of a tool: the web and the servers of others are strangers.
pub(crate) fn trust_of_tool(tool: Option<&str>) -> Provenance {
    let tool = tool.unwrap_or_default().to_lowercase().replace(['_', '-'], "");
    let is_outside = ["webfetch", "websearch", "codesearch", "webreader"].contains(&tool.as_str());
    if is_outside || tool.starts_with("mcp") { Provenance::External } else { Provenance::Import }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn moments_are_read_however_they_are_written() {
        let noon = Timestamp(1_770_724_800_000);
        for text in [
            "2026-02-10T12:00:00Z",
            "2026-02-10T04:00:00-08:00",
            "2026-02-10T12:00:00.000000+00:00",
            "2026-02-10 12:00:00",
            "2026-02-10T12:00:00",
            "1770724800",
            "1770724800000",
            "1770724800.0",
        ] {
            assert_eq!(moment(text), Some(noon), "{text}");
        }
        assert_eq!(moment("2026-02-10"), Some(Timestamp(1_770_681_600_000)));
        for text in ["", "yesterday", "0", "-5", "NaN", "1e300", "1969-12-31T00:00:00Z", "2026-13-45"] {
            assert_eq!(moment(text), None, "{text}");
        }
    }

    #[test]
    fn lists_are_read_and_broken_json_is_none() {
        let check = |text, items: &[&str]| assert_eq!(list(Some(text)), items, "{text}");
        check(r#"["a", "b", "a", "", 7, {"x": 1}]"#, &["a", "b", "7"]);
        check("one, two\nthree", &["one", "two", "three"]);
        check(r#"["cut off"#, &[]);
        check("null", &[]);
        assert!(list(None).is_empty());
    }

    #[test]
    fn a_title_is_what_a_person_would_say() {
        let junk = ["{\"a\": 1}", "/home/dev/shop/src/cart.rs", "Merge branch 'main'", "--", "<result>"];
        for text in junk {
            assert_eq!(
                title(&[Some(text), None, Some("Prices are cents")]).as_deref(),
                Some("Prices are cents")
            );
        }
        assert_eq!(title(&[None, Some("")]), None);
        assert_eq!(title(&[Some("## Goal\n\nReceipts print")]).as_deref(), Some("Receipts print"));
        assert_eq!(title(&[Some("設定を直す")]).as_deref(), Some("設定を直す"));
    }

    #[test]
    fn files_are_called_from_the_project() {
        let paths = || vec!["/home/dev/shop/src/a.rs".to_owned(), "src/a.rs".into(), "/etc/hosts".into()];
        let named = ImportedProject::Named("shop".into());
        assert_eq!(files(&named, paths()), ["src/a.rs", "/etc/hosts"]);
        let folder = project(Some("/home/dev/shop"), "none");
        assert_eq!(files(&folder, paths()), ["src/a.rs", "/etc/hosts"]);
        assert_eq!(project(Some(" "), "none"), ImportedProject::Named("none".into()));
    }

    #[test]
    fn what_came_from_outside_stays_outside() {
        for tool in ["WebFetch", "webfetch", "web_search", "mcp__github__issue"] {
            assert_eq!(trust_of_tool(Some(tool)), Provenance::External, "{tool}");
        }
        assert_eq!(trust_of_tool(Some("Edit")), Provenance::Import);
        assert_eq!(trust_of_tool(None), Provenance::Import);
    }

    proptest! {
        #[test]
        fn nothing_anybody_wrote_is_fatal(text: String) {
            moment(&text);
            list(Some(&text));
            title(&[Some(&text)]);
            files(&project(Some(&text), "none"), vec![text.clone()]);
        }
    }
}
