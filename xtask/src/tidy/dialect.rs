//! The words of the house: names that say nothing or say it in a private dialect, names with two meanings, and stale headers.
//!
//! The words to use instead are in the glossary of CONTRIBUTING.md.

use super::citations::texts;
use super::lexer::{DefinedName, NameKind, defined_names};
use super::scripts::script_names;
use super::{repository_files, stem};
use crate::places::root;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Not a part of any name. CONTRIBUTING.md has the words to use instead.
const BANNED_PARTS: [&str; 27] = [
    "told",
    "untold",
    "tell",
    "tells",
    "telling",
    "retelling",
    "heard",
    "unheard",
    "hear",
    "hears",
    "hearing",
    "meant",
    "rivals",
    "familiar",
    "passing",
    "settle",
    "doors",
    "gist",
    "border",
    "pulse",
    "parting",
    "leaving",
    "ourselves",
    "news",
    "taking",
    "given",
    "asked",
];

/// Not a whole name, nor the last part of a type's: they say nothing.
const VAGUE: [&str; 13] = [
    "util",
    "utils",
    "common",
    "helper",
    "helpers",
    "misc",
    "manager",
    "processor",
    "legacy",
    "unified",
    "smart",
    "advanced",
    "v2",
];

/// Not in the documentation of an item: what is not there yet is not described.
const STALE: [&str; 4] = ["nothing calls it yet", "not used yet", "for later", concat!("to", "do")];

/// Not in comments, documentation and what `cli` prints: words of the private dialect that plain prose can do without.
const OLD_WORDS: [&str; 5] = ["told", "untold", "retelling", "heard", "unheard"];

/// Documents that say which words are banned, or what was once released.
const UNREAD_DOCUMENTS: [&str; 2] = ["CONTRIBUTING.md", "CHANGELOG.md"];

/// File stems that may occur once per folder.
const REPEATED_STEMS: [&str; 4] = ["lib", "main", "tests", "build"];

/// Returns every violation as `path:name`, with the reason.
fn violations() -> BTreeMap<String, String> {
    let paths = repository_files(&["rs", "sql", "js", "mjs", "css", "py"]);
    let files: Vec<SourceFile> = paths.iter().filter_map(|path| SourceFile::read(path)).collect();
    let mut violations = BTreeMap::new();
    for file in &files {
        for (name, reason) in file.bad_names().into_iter().chain(file.stale_headers()) {
            violations.insert(format!("{}:{name}", file.path), reason);
        }
    }
    for (path, text) in texts() {
        for line in old_words(&path, &text) {
            violations.insert(format!("{path}:\"{line}\""), "says it in a private dialect".to_owned());
        }
    }
    for (file, name, reason) in shared_type_names(&files).into_iter().chain(shared_stems(&files)) {
        violations.insert(format!("{file}:{name}"), reason);
    }
    violations
}

struct SourceFile {
    /// From the root of the repository, with slashes.
    path: String,
    text: String,
    names: Vec<DefinedName>,
}

impl SourceFile {
    fn read(path: &Path) -> Option<SourceFile> {
        let text = fs::read_to_string(path).ok()?;
        let names = match path.extension()?.to_str()? {
            "rs" => defined_names(&text),
            "sql" => private_names(NameKind::Value, sql_names(&text)),
            script => private_names(NameKind::Word, script_names(&text, script)),
        };
        let path = path.strip_prefix(root()).ok()?.to_str()?.to_owned();
        Some(SourceFile { path, text, names })
    }

    /// Returns the folder of the crate, for a file of its `src`.
    fn crate_folder(&self) -> Option<&str> {
        self.path.split_once("/src/").map(|(folder, _)| folder)
    }

    fn bad_names(&self) -> Vec<(String, String)> {
        let own = DefinedName { kind: NameKind::Module, name: stem(Path::new(&self.path)), is_public: false };
        let all = std::iter::once(&own).chain(&self.names);
        all.filter_map(|it| Some((it.name.clone(), banned(it)?))).collect()
    }

    fn documentation(&self) -> impl Iterator<Item = String> {
        let lines = self.text.lines().map(str::trim_start);
        lines.filter(|line| line.starts_with("//!") || line.starts_with("///")).map(str::to_lowercase)
    }

    fn stale_headers(&self) -> Vec<(String, String)> {
        let stale =
            self.documentation().flat_map(|line| STALE.into_iter().filter(move |words| line.contains(words)));
        stale.map(|words| (format!("\"{words}\""), "documents what is not there yet".to_owned())).collect()
    }
}

/// Returns the lines of prose with an old word: of a document every line, of `cli` all it prints, of other code the comments.
fn old_words<'a>(path: &str, text: &'a str) -> Vec<&'a str> {
    let is_document = path.ends_with(".md") && !UNREAD_DOCUMENTS.contains(&path);
    let is_all_prose = is_document || path.starts_with("crates/cli/src/");
    let prose = |line: &'a str| match line.split_once("//") {
        _ if is_all_prose => line,
        // Behind a quotation mark it may be part of a text.
        Some((code, comment)) if path.ends_with(".rs") && !code.contains('"') => comment,
        _ => "",
    };
    let is_old = |word: &str| OLD_WORDS.contains(&word.to_lowercase().as_str());
    let has_old_word = |line: &&'a str| prose(line).split(|c: char| !c.is_alphanumeric()).any(is_old);
    text.lines().filter(has_old_word).collect()
}

fn private_names(kind: NameKind, names: Vec<String>) -> Vec<DefinedName> {
    names.into_iter().map(|name| DefinedName { kind, name, is_public: false }).collect()
}

/// Returns why a name is banned, if it is.
fn banned(name: &DefinedName) -> Option<String> {
    let parts = parts(&name.name);
    if let Some(word) = parts.iter().find(|part| BANNED_PARTS.contains(&part.as_str())) {
        return Some(format!("`{word}` is a word of no meaning to a stranger"));
    }
    let whole = parts.join("_");
    let last = parts.last().map_or("", String::as_str);
    let is_vague = (VAGUE.contains(&whole.as_str()) && name.kind != NameKind::Word)
        || (name.kind == NameKind::Type && VAGUE.contains(&last));
    let is_noun =
        whole == "past" || (name.kind == NameKind::Type && ["past", "found"].contains(&whole.as_str()));
    let is_of = name.kind == NameKind::Function && whole == "of";
    (is_vague || is_noun || is_of).then(|| "says nothing about what it is".to_owned())
}

/// Splits `snake_case`, `CamelCase`, `SCREAMING_CASE` and `kebab-case` into lower-case words.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        let is_joint = letter == '_' || letter == '-';
        if is_joint || (letter.is_uppercase() && was_lower) {
            parts.push(String::new());
        }
        was_lower = letter.is_lowercase() || letter.is_ascii_digit();
        if let Some(part) = parts.last_mut().filter(|_| !is_joint) {
            part.extend(letter.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Every identifier of an SQL file: tables, columns, parameters.
fn sql_names(text: &str) -> Vec<String> {
    let code: String =
        text.lines().map(|line| line.split("--").next().unwrap_or_default().to_owned() + "\n").collect();
    // Every second part is inside quotes.
    let code: Vec<&str> = code.split('\'').step_by(2).collect();
    let words =
        code.iter().flat_map(|part| part.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Public type names that two crates define: one name, one meaning.
fn shared_type_names(files: &[SourceFile]) -> Vec<(String, String, String)> {
    let mut owners: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for file in files {
        let Some(folder) = file.crate_folder() else { continue };
        for name in file.names.iter().filter(|name| name.is_public && name.kind == NameKind::Type) {
            owners.entry(&name.name).or_default().insert(folder, &file.path);
        }
    }
    owners.retain(|_, crates| crates.len() > 1);
    let entries = owners.into_iter().flat_map(|(name, crates)| {
        let reason = format!("defined in {}", crates.keys().copied().collect::<Vec<_>>().join(", "));
        crates
            .into_values()
            .map(move |path| (path.to_owned(), name.to_owned(), reason.clone()))
            .collect::<Vec<_>>()
    });
    entries.collect()
}

/// Files of one stem in one crate: `use` paths should tell them apart at a glance.
fn shared_stems(files: &[SourceFile]) -> Vec<(String, String, String)> {
    let mut paths: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        let Some(folder) = file.crate_folder() else { continue };
        let stem = stem(Path::new(&file.path));
        if !REPEATED_STEMS.contains(&stem.as_str()) {
            paths.entry((folder, stem)).or_default().push(&file.path);
        }
    }
    paths.retain(|_, paths| paths.len() > 1);
    let entries = paths.into_iter().flat_map(|((_, stem), paths)| {
        let reason = format!("one name for {}", paths.join(", "));
        paths.into_iter().map(move |path| (path.to_owned(), stem.clone(), reason.clone())).collect::<Vec<_>>()
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_glossary() {
        let violations: Vec<String> =
            violations().into_iter().map(|(place, reason)| format!("{place}: {reason}")).collect();
        assert!(violations.is_empty(), "see the glossary in CONTRIBUTING.md\n{}", violations.join("\n"));
    }

    #[test]
    fn a_stale_header_is_found_in_any_case() {
        let file = |text: &str| SourceFile { path: String::new(), text: text.to_owned(), names: Vec::new() };
        assert_eq!(file("//! Nothing calls it yet.\nfn f() {}").stale_headers().len(), 1);
        assert!(file("// nothing calls it yet: only documentation counts").stale_headers().is_empty());
    }

    #[test]
    fn old_words_are_found_in_comments_documents_and_what_is_printed() {
        let is_found = |path: &str, text: &str| !old_words(path, text).is_empty();
        assert!(is_found("crates/store/src/a.rs", "let a = 1; // What it was told."));
        assert!(
            is_found("docs/faq.md", "Nobody Heard of it.") && is_found("crates/cli/src/ui.rs", "\"untold\"")
        );
        assert!(!is_found("crates/store/src/a.rs", "let told = \"heard\";"));
        assert!(!is_found("CHANGELOG.md", "told") && !is_found("docs/faq.md", "toldst"));
    }

    /// Words that mean in the name of a table what they mean anywhere.
    const PLAIN: [&str; 22] = [
        "applied",
        "calls",
        "changes",
        "code",
        "files",
        "held",
        "jobs",
        "keys",
        "mapped",
        "marks",
        "metadata",
        "model",
        "own",
        "pending",
        "queue",
        "roots",
        "shared",
        "stale",
        "texts",
        "unmapped",
        "unreadable",
        "words",
    ];

    /// The words of the first column of the glossary, in lower case.
    fn glossary() -> Vec<String> {
        let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
        let (_, table) = text.split_once("| word | means |").unwrap();
        let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
        let terms = rows.filter_map(|row| row.split('|').nth(1).map(str::to_lowercase)).collect::<Vec<_>>();
        terms
            .iter()
            .flat_map(|term| term.split([',', ' ']))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// A plural and a participle are forms of a word; the longest beginning that all of them share has five letters.
    fn is_form_of(word: &str, term: &str) -> bool {
        let beginning = term.get(..term.len().min(5)).unwrap_or(term);
        word.starts_with(beginning) && beginning.len() >= 4
    }

    #[test]
    fn the_glossary_has_the_words_of_every_table() {
        let glossary = glossary();
        let folder = root().join("crates/store/src/db/migrations");
        let migrations = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let sql: String = migrations
            .filter(|path| path.extension().is_some_and(|end| end == "sql"))
            .map(|path| fs::read_to_string(path).unwrap())
            .collect();
        let tables = sql.lines().filter_map(|line| {
            line.strip_prefix("CREATE TABLE ")
                .or_else(|| line.strip_prefix("CREATE VIRTUAL TABLE "))?
                .split(' ')
                .next()
        });
        let is_known =
            |word: &str| PLAIN.contains(&word) || glossary.iter().any(|term| is_form_of(word, term));
        let unknown: Vec<&str> = tables.filter(|table| !table.split('_').all(is_known)).collect();
        assert!(unknown.is_empty(), "CONTRIBUTING.md does not say what is in {unknown:?}");
    }

    #[test]
    fn a_name_is_judged_by_its_words() {
        let is_banned = |kind, name: &str| {
            banned(&DefinedName { kind, name: name.to_owned(), is_public: false }).is_some()
        };
        assert!(is_banned(NameKind::Function, "what_was_told") && is_banned(NameKind::Type, "HeardLinks"));
        assert!(!is_banned(NameKind::Function, "borderline") && !is_banned(NameKind::Value, "common_dir"));
        assert!(is_banned(NameKind::Type, "Found") && !is_banned(NameKind::Value, "found"));
        assert!(is_banned(NameKind::Type, "StoreManager") && is_banned(NameKind::Module, "utils"));
        assert!(is_banned(NameKind::Word, "row-news") && !is_banned(NameKind::Word, "util"));
        assert!(is_banned(NameKind::Function, "of") && !is_banned(NameKind::Function, "of_kind"));
    }

    #[test]
    fn sql_names_are_read_without_comments_and_texts() {
        let names = sql_names("CREATE TABLE a (b TEXT DEFAULT 'told'); -- heard");
        assert_eq!(names, ["CREATE", "TABLE", "a", "b", "TEXT", "DEFAULT"]);
    }
}
