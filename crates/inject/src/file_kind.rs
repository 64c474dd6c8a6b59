//! Which rules speak of a file that is written: by its name, or by the kind of file it is.

use crate::occasion::Occasion;
use backstory_memory::{is_stop_word, stem, words};
use std::path::Path;

/// What people call the files with an ending.
const KINDS: [(&[&str], &[&str]); 14] = [
    (&["ts", "tsx", "mts", "cts"], &["typescript", "ts", "tsx"]),
    (&["js", "jsx", "mjs", "cjs"], &["javascript", "js", "jsx"]),
    (&["tsx", "jsx", "vue", "svelte", "astro"], &["component", "components", "ui", "frontend"]),
    (&["py", "pyi"], &["python"]),
    (&["rs"], &["rust"]),
    (&["go"], &["golang"]),
    (&["java"], &["java"]),
    (&["kt", "kts"], &["kotlin"]),
    (&["swift"], &["swift"]),
    (&["dart"], &["dart", "flutter"]),
    (&["css", "scss", "less"], &["css", "scss", "stylesheet", "stylesheets"]),
    (&["sql"], &["sql"]),
    (&["md", "mdx", "rst"], &["markdown", "docs", "documentation"]),
    (&["yml", "yaml"], &["yaml", "workflow", "workflows"]),
];
/// What rules about the look of all code speak of.
const STYLE: [&str; 14] = [
    "quotes",
    "semicolons",
    "semicolon",
    "indent",
    "indentation",
    "tabs",
    "spaces",
    "commas",
    "docstring",
    "docstrings",
    "comments",
    "comment",
    "unwrap",
    "camelcase",
];
/// Names so generic that they name no file without their folder.
const GENERIC_NAMES: [&str; 9] = [
    "index.ts",
    "index.js",
    "index.tsx",
    "mod.rs",
    "lib.rs",
    "main.rs",
    "main.py",
    "__init__.py",
    "readme.md",
];

/// Whether a text names a file, by its name or, where that is generic, with its folder.
pub(crate) fn names_file(text: &str, path: &str) -> bool {
    let Some(name) = Path::new(path).file_name().map(|name| name.to_string_lossy()) else { return false };
    let is_generic = GENERIC_NAMES.contains(&name.to_lowercase().as_str()) || !name.contains('.');
    let needle = if is_generic { path } else { name.as_ref() };
    text.match_indices(needle).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + needle.len()..).and_then(|rest| rest.chars().next());
        let goes_on = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
        !goes_on(before) && !goes_on(after)
    })
}

/// Whether a text names the file with the tests of this one: `test_x`, `x_test`, `x.test` or `x.spec`.
pub(crate) fn names_test_of(text: &str, path: &str) -> bool {
    let path = Path::new(path);
    let part = |part: Option<&std::ffi::OsStr>| part.map(|it| it.to_string_lossy().into_owned());
    let (Some(stem), Some(ending)) = (part(path.file_stem()), part(path.extension())) else { return false };
    let tests = [
        format!("test_{stem}.{ending}"),
        format!("{stem}_test.{ending}"),
        format!("{stem}.test.{ending}"),
        format!("{stem}.spec.{ending}"),
    ];
    tests.iter().any(|test| names_file(text, test))
}

/// Whether a rule speaks of files of this kind.
pub(crate) fn speaks_of_kind(rule: &str, path: &str) -> bool {
    let said: Vec<String> = words(rule).collect();
    let says = |word: &str| said.iter().any(|it| it == word);
    let lower = path.to_lowercase();
    let ending =
        Path::new(&lower).extension().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let of_ending = KINDS.iter().filter(|(endings, _)| endings.contains(&ending.as_str()));
    let is_code = KINDS.iter().take(11).any(|(endings, _)| endings.contains(&ending.as_str()));
    let is_test =
        lower.split(['/', '.', '_', '-']).any(|part| ["test", "tests", "spec", "specs"].contains(&part));
    of_ending.flat_map(|(_, names)| *names).any(|name| says(name))
        || is_code && STYLE.iter().any(|word| says(word))
        || is_test && (says("tests") || says("test")) && Occasion::spoken_of(rule).is_empty()
        || folders_of(&lower).any(|folder| speaks_of_folder(&said, folder))
        || lower.contains("migration") && (says("migration") || says("migrations"))
}

/// The folders of a path that say what is in them.
fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').filter(|folder| folder.len() > 3 && !GENERIC_FOLDERS.contains(folder))
}

/// Whether a rule says what is to be in a folder: "no secrets in fixtures".
fn speaks_of_folder(said: &[String], folder: &str) -> bool {
    let is_place = |word: &str| ["in", "into", "under", "inside"].contains(&word);
    said.windows(2)
        .any(|pair| matches!(pair, [before, word] if is_place(before) && stem(word) == stem(folder)))
}

/// Whether a text is about something that new code has in it: an identifier that it names, or one that it refuses ("never a float") and
/// that is called, or is a type, there.
pub(crate) fn speaks_of_code(text: &str, code: &str) -> bool {
    let identifiers = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|it| is_identifier(it));
    let mut identifiers = identifiers.filter(|it| it.len() >= SHORTEST_IDENTIFIER);
    // Names of products are written like types: they must be used as one.
    let is_name = |it: &str| it.starts_with(char::is_uppercase);
    identifiers
        .any(|it| names_in_code(code, it, |before, after| !is_name(it) || is_called_or_type(before, after)))
        || refused_words(text).iter().any(|word| names_in_code(code, word, is_called_or_type))
}

/// Whether a word is written as no everyday word is.
fn is_identifier(word: &str) -> bool {
    let has_hump =
        word.chars().zip(word.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    has_hump || word.trim_matches('_').contains('_')
}

/// Returns the first word of weight behind each refusal.
fn refused_words(text: &str) -> Vec<String> {
    const REFUSING: [&str; 5] = ["never", "not", "no", "avoid", "without"];
    const LIGHT: [&str; 8] = ["use", "using", "call", "write", "put", "add", "make", "return"];
    if !Occasion::spoken_of(text).is_empty() {
        return Vec::new();
    }
    let said: Vec<String> = words(text).collect();
    let behind = |at: usize| {
        let rest = said.iter().skip(at + 1).take(4);
        rest.into_iter().find(|word| !is_stop_word(word) && !LIGHT.contains(&word.as_str()))
    };
    let refusals = said.iter().enumerate().filter(|(_, word)| REFUSING.contains(&word.as_str()));
    let refused = refusals.filter_map(|(at, _)| behind(at)).filter(|word| word.len() > 3);
    refused.cloned().collect()
}

/// Whether code has a word as a whole, in a place that fits.
fn names_in_code(code: &str, word: &str, fits: impl Fn(&str, &str) -> bool) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let (before, rest) = code.split_at_checked(at).unwrap_or_default();
        let after = rest.get(word.len()..).unwrap_or_default();
        !before.ends_with(is_part) && !after.starts_with(is_part) && fits(before, after)
    })
}

/// Whether what stands in this place is called, or is a type.
fn is_called_or_type(before: &str, after: &str) -> bool {
    let before = before.trim_end_matches(' ');
    after.starts_with(['(', '!']) || before.ends_with(':') || before.ends_with("->") || before.ends_with('<')
}

/// A shorter identifier is in much code by chance.
const SHORTEST_IDENTIFIER: usize = 6;
/// Folders that hold anything.
const GENERIC_FOLDERS: [&str; 12] = [
    "tests",
    "test",
    "specs",
    "docs",
    "apps",
    "core",
    "main",
    "packages",
    "crates",
    "internal",
    "components",
    "source",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_name_or_with_its_folder() {
        let text = "A new parameter of listTracks means editing rest_tracks.go and api/index.ts as well";
        assert!(names_file(text, "go/cmd/rest_tracks.go") && names_file(text, "api/index.ts"));
        assert!(!names_file(text, "go/cmd/tracks.go") && !names_file(text, "web/index.ts"));
    }

    #[test]
    fn a_text_may_name_the_tests_of_a_file() {
        let text = "tests/unit/test_routes.py counts every route, so a new one needs an edit there";
        assert!(names_test_of(text, "src/api/routes.py"));
        assert!(!names_test_of(text, "src/api/route.py") && !names_test_of(text, "src/routes.ts"));
        assert!(names_test_of("Cart.test.tsx mocks the clock", "web/Cart.tsx"));
    }

    #[test]
    fn a_rule_speaks_of_a_kind_of_file() {
        for (rule, path, speaks) in [
            ("Double quotes, four spaces, no semicolons", "src/a.test.ts", true),
            ("Double quotes, four spaces, no semicolons", "notes.md", false),
            ("Why are you writing TypeScript?", "src/a.ts", true),
            ("Why are you writing TypeScript?", "src/a.py", false),
            ("Tests use real SQLite", "tests/store.rs", true),
            ("Tests use real SQLite", "src/latest.rs", false),
            ("Migrations are reversible", "db/migrations/0002.sql", true),
            ("Let me commit", "src/a.ts", false),
            ("Always run npm test before a push", "tests/fixtures/users.json", false),
            ("Never put secrets in fixtures", "tests/fixtures/users.json", true),
            ("Never put secrets in fixtures", "tests/users.json", false),
            ("Fixtures come from the harbour office", "tests/fixtures/users.json", false),
        ] {
            assert_eq!(speaks_of_kind(rule, path), speaks, "{rule} {path}");
        }
    }

    #[test]
    fn a_text_speaks_of_new_code() {
        for (text, code, speaks) in [
            ("Money is integer cents, never a float", "total = float(row)", true),
            ("Money is integer cents, never a float", "def total(row) -> float:", true),
            ("Money is integer cents, never a float", "# a float would be wrong", false),
            ("Never use unwrap outside of tests", "let x = read().unwrap();", true),
            ("Never commit to main", "fn main() {}", false),
            ("A new argument of parseLedger breaks the import", "rows = parseLedger(text)", true),
            ("A new argument of parseLedger breaks the import", "rows = parseLedgers(text)", false),
            ("The index is built at night", "index(rows)", false),
            ("The mirror is moved to DockYard", "title = 'DockYard mirror'", false),
        ] {
            assert_eq!(speaks_of_code(text, code), speaks, "{text} / {code}");
        }
    }
}
