//! Which rules speak of a file that is written: by its name, or by the kind of file it is.

use backstory_memory::words;
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
        || is_test && (says("tests") || says("test"))
        || lower.contains("migration") && (says("migration") || says("migrations"))
}

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
        ] {
            assert_eq!(speaks_of_kind(rule, path), speaks, "{rule} {path}");
        }
    }
}
