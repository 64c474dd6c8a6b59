//! Texts of other programs, read leniently: lists, sentences, titles, projects, files.
//!
//! What makes no sense is nothing, never an error: the caller decides what to do without it. Not here: rows of databases (`rows`), times
//! (`time`), and which column of which program means what.

use crate::imported::ImportedProject;
use backstory_memory::{Confidence, Content, Kind, Provenance, title_from};
use std::path::{Path, PathBuf};

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
        ImportedProject::Named(_) | ImportedProject::Keyed { .. } | ImportedProject::Unnamed => None,
    };
    unique(paths.into_iter().map(|path| inside(&path).filter(|rest| !rest.is_empty()).unwrap_or(path)))
}

/// Returns who is trusted for what came out of a tool: the web and the servers of others are strangers.
pub(crate) fn provenance_of_tool(tool: Option<&str>) -> Provenance {
    let tool = tool.unwrap_or_default().to_lowercase().replace(['_', '-'], "");
    let is_outside = ["webfetch", "websearch", "codesearch", "webreader"].contains(&tool.as_str());
    if is_outside || tool.starts_with("mcp") { Provenance::Web } else { Provenance::Import }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            assert_eq!(provenance_of_tool(Some(tool)), Provenance::Web, "{tool}");
        }
        assert_eq!(provenance_of_tool(Some("Edit")), Provenance::Import);
        assert_eq!(provenance_of_tool(None), Provenance::Import);
    }

    proptest! {
        #[test]
        fn nothing_anybody_wrote_is_fatal(text: String) {
            list(Some(&text));
            title(&[Some(&text)]);
            files(&project(Some(&text), "none"), vec![text.clone()]);
        }
    }
}
