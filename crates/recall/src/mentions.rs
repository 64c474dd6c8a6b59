//! Finds the files and symbols that a query names.
//!
//! When in doubt, a word is neither: `and/or` is no path, Node.js no file, GitHub and the error code E0277 no
//! symbols. A name that is missed here is still searched as a word. Not here: whether the file or symbol
//! exists.

mod name_lists;

use name_lists::{ERROR_NAMES, EXTENSIONS, FILE_NAMES, NAMES_OF_PRODUCTS, NON_ERROR_PREFIXES};

/// The files and symbols that a text names, each once, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mentions {
    /// Paths, with `/` between folders and without `./`, `../` and line numbers.
    pub(crate) files: Vec<String>,
    /// Names of symbols as they were written, without arguments.
    pub(crate) symbols: Vec<String>,
}

/// At most so many files, and so many symbols, are kept: a text that names more is a listing, not a query.
const MOST_MENTIONS: usize = 16;
/// Only so much of a text is read: a longer query is a paste, and its beginning says what it is about.
const MOST_BYTES: usize = 16 * 1024;
/// Anything longer is not a name.
const LONGEST_NAME: usize = 256;

/// Finds the files and symbols that a text names.
pub(crate) fn mentions(text: &str) -> Mentions {
    let text = text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or(text);
    let mut found = Mentions::default();
    for token in text.split(|c: char| c.is_whitespace() || ",;=|\"'“”‘’".contains(c)) {
        let name = without_marks(token);
        // rustc writes `error[E0277]`: the code may be only a part of the token.
        let is_error = name.split(['[', ']']).any(is_code);
        if name.is_empty() || name.len() > LONGEST_NAME || is_url_or_address(name) || is_error {
            continue;
        }
        if let Some(file) = file(name) {
            push(&mut found.files, file);
        } else if let Some(symbol) = symbol(name, is_quoted(token)) {
            push(&mut found.symbols, symbol);
        }
    }
    found
}

fn push(names: &mut Vec<String>, name: String) {
    if names.len() < MOST_MENTIONS && !names.contains(&name) {
        names.push(name);
    }
}

/// Removes the punctuation and Markdown around a name, but keeps what belongs to it: `./a`, `.env`, `open()`.
fn without_marks(token: &str) -> &str {
    let name = token.trim_start_matches(['`', '(', '[', '{', '<', '*', '@']);
    let mut name = name.trim_end_matches([':', '.', '!', '?', '`', ']', '}', '>', '*', '…']);
    // A closing bracket belongs to the name only if its opening one does: `open()`, but not `(open.rs)`.
    while name.ends_with(')') && name.matches(')').count() > name.matches('(').count() {
        name = name.trim_end_matches(|c| ").:!?`".contains(c));
    }
    name
}

/// Whether a token is one word between back quotes.
fn is_quoted(token: &str) -> bool {
    token.starts_with('`')
        && token.trim_end_matches(|c| ".:!?)".contains(c)).len() > 1
        && token.matches('`').count() == 2
}

/// Whether a name is a URL or has an `@`, as a mail address has: it is then no file or symbol of the project.
fn is_url_or_address(name: &str) -> bool {
    (name.contains("://") && !name.starts_with("file://")) || name.contains('@')
}

/// Returns the path that a name is, if it is one.
fn file(name: &str) -> Option<String> {
    let path = with_slashes(name.strip_prefix("file://").unwrap_or(name));
    let path = without_line_number(&path);
    // Stored paths are compared by their ends, which do not have `./` or `../`.
    let is_relative = path.starts_with("./") || path.starts_with("../");
    let path = path.trim_start_matches("../").trim_start_matches("./");
    let last = path.rsplit('/').next()?;
    let is_plain = path.chars().all(|c| c.is_alphanumeric() || "/._-+~:#[]@$ ".contains(c));
    let is_file = is_file_name(last) && !NAMES_OF_PRODUCTS.contains(&path.to_lowercase().as_str());
    let is_path = is_file || (is_relative && path.contains('/'));
    (is_plain && is_path && !last.is_empty()).then(|| path.to_owned())
}

/// Replaces the backslashes of a Windows path by slashes.
fn with_slashes(path: &str) -> String {
    path.replace('\\', "/")
}

/// Removes the line and column after a path: `open.rs:42:7`, `open.rs#L42`, `open.ts(12`. The last is what is
/// left of `open.ts(12,5)`, because tokens end at commas.
fn without_line_number(path: &str) -> &str {
    let path = path.split('(').next().unwrap_or(path);
    let path = path.split("#L").next().unwrap_or(path);
    match path.find(':') {
        // This is the colon of a drive, `C:/a`; the one before the line number comes later.
        Some(1) => {
            path.get(2..).and_then(|rest| rest.find(':')).and_then(|at| path.get(..at + 2)).unwrap_or(path)
        }
        Some(at) => path.get(..at).unwrap_or(path),
        None => path,
    }
}

/// Whether the last part of a path is certainly the name of a file.
fn is_file_name(name: &str) -> bool {
    if FILE_NAMES.contains(&name) {
        return true;
    }
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    // Digits before the dot make it a number, not a file. No stem at all is a hidden file.
    let is_number = stem.chars().all(|c| c.is_ascii_digit() || c == '.');
    (!is_number || stem.is_empty()) && EXTENSIONS.contains(&extension)
}

/// Returns the symbol that a name is, if it is one: without arguments, type parameters and `self.`.
///
/// In back quotes any identifier counts; elsewhere it must look like code.
fn symbol(name: &str, is_quoted: bool) -> Option<String> {
    let (name, is_called) = match name.split_once('(') {
        Some((name, ")" | ")?" | ");")) => (name, true),
        Some((name, _)) if has_inner_structure(name) => (name, true),
        // A plain word before a bracket is prose: `file(s)`, `O(n)`.
        Some(_) => return None,
        None => (name, false),
    };
    let name = name.split('<').next().unwrap_or(name).trim_end_matches('!').trim_end_matches(':');
    // Symbols are compared part by part from the end: `self` or a variable in front would prevent a match.
    let name = name.rsplit("->").next().unwrap_or(name);
    let name = ["self.", "this.", "Self::", "crate::"]
        .iter()
        .fold(name, |name, own| name.strip_prefix(own).unwrap_or(name));
    let parts: Vec<&str> = name.split("::").flat_map(|part| part.split(['.', '#'])).collect();
    if !parts.iter().all(|part| is_identifier(part)) {
        return None;
    }
    let is_joined = name.contains("::") || name.contains('#') || is_type_and_member(&parts);
    let is_one = parts.len() == 1;
    let is_symbol = is_called || (is_joined && !is_one) || has_inner_structure(name);
    let is_product = NAMES_OF_PRODUCTS.contains(&name.to_lowercase().as_str());
    let is_long_enough = name.chars().count() >= SHORTEST_SYMBOL;
    ((is_symbol && !is_product || is_quoted) && is_long_enough).then(|| name.to_owned())
}

/// Shorter names would match symbols by chance.
const SHORTEST_SYMBOL: usize = 3;

fn is_identifier(part: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    part.starts_with(|c: char| c.is_alphabetic() || c == '_') && part.chars().all(is_inside)
}

/// Whether a dotted name begins with a capital and its last part does not: `Parser.parse`.
///
/// `done.Next` is no such name, but two sentences without a space between them.
fn is_type_and_member(parts: &[&str]) -> bool {
    let begins =
        |part: Option<&&str>, is_so: fn(char) -> bool| part.is_some_and(|part| part.starts_with(is_so));
    parts.len() > 1
        && begins(parts.first(), char::is_uppercase)
        && begins(parts.last(), |c| c.is_lowercase() || c == '_')
}

/// Whether a name has an underscore or a capital inside, as only code has: `page_count`, `runMigration`,
/// `WordQuery`.
fn has_inner_structure(name: &str) -> bool {
    let last = name.rsplit([':', '.', '#']).next().unwrap_or(name);
    let has_underscore = last.trim_matches('_').contains('_');
    let characters: Vec<char> = last.chars().collect();
    let is_camel_case = characters
        .windows(2)
        .any(|pair| matches!(pair, [left, right] if left.is_lowercase() && right.is_uppercase()));
    has_underscore || is_camel_case
}

/// Whether a name is an error code: `E0277`, `TS2345`, `ENOENT`.
fn is_code(name: &str) -> bool {
    if ERROR_NAMES.contains(&name) || (name.starts_with("ERR_") && is_identifier(name)) {
        return true;
    }
    let digits = name.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = name.strip_suffix(digits).unwrap_or_default();
    // Only Oracle writes a hyphen: `ORA-00942`. After other letters it makes the key of an issue: `ABC-123`.
    let digits = if letters == "ORA" { digits.trim_start_matches('-') } else { digits };
    let is_shaped = (1..=5).contains(&letters.len())
        && (3..=5).contains(&digits.len())
        && digits.chars().all(|c| c.is_ascii_digit());
    is_shaped && !NON_ERROR_PREFIXES.contains(&letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, files: &[&str], symbols: &[&str]) {
        let found = mentions(text);
        assert_eq!(found.files, files, "files of {text}");
        assert_eq!(found.symbols, symbols, "symbols of {text}");
    }

    #[test]
    fn files_are_named_by_their_paths() {
        let check = |text, files: &[&str]| check(text, files, &[]);
        check("why does src/db/open.rs lock?", &["src/db/open.rs"]);
        check("open.rs, close.rs and (shut.rs).", &["open.rs", "close.rs", "shut.rs"]);
        check("look at `./a/b` and ../up/x.ts", &["a/b", "up/x.ts"]);
        check("C:\\shop\\app\\main.cs broke", &["C:/shop/app/main.cs"]);
        check("src\\db\\open.rs:42:7: cannot", &["src/db/open.rs"]);
        check("at C:/a/b.ts:12", &["C:/a/b.ts"]);
        check("app.ts(12,5): error", &["app.ts"]);
        check("see lib/x.py#L10-L20", &["lib/x.py"]);
        check("@src/lib.rs please", &["src/lib.rs"]);
        check("the Makefile and .github/workflows/ci.yml", &["Makefile", ".github/workflows/ci.yml"]);
        check("--config=deploy/app.toml", &["deploy/app.toml"]);
        check("**README.md**: outdated", &["README.md"]);
        check(".env is missing", &[".env"]);
        check("file:///home/u/x.rs", &["/home/u/x.rs"]);
    }

    #[test]
    fn symbols_are_written_as_nobody_writes_words() {
        let check = |text, symbols: &[&str]| check(text, &[], symbols);
        check("what does Store::open do", &["Store::open"]);
        check("runMigration() hangs", &["runMigration"]);
        check("page_count is off, MAX_RETRIES too", &["page_count", "MAX_RETRIES"]);
        check("WordQuery and XMLHttpRequest", &["WordQuery", "XMLHttpRequest"]);
        check("call store->open() or self.close()", &["open", "close"]);
        check("Parser.parse and Order#total", &["Parser.parse", "Order#total"]);
        check("`open` is slow; so is `Vec<String>`", &["open", "Vec"]);
        check("read_all(path) fails", &["read_all"]);
        check("assert_eq! panics", &["assert_eq"]);
        check("std::fs::read_dir(x)?", &["std::fs::read_dir"]);
    }

    #[test]
    fn codes_of_errors_are_neither_files_nor_symbols() {
        for text in [
            "error[E0277]: the trait",
            "what is E0308?",
            "TS2345 and ORA-00942 and P2002",
            "it fails with ENOENT / ERR_MODULE_NOT_FOUND and `SQLITE_BUSY`",
            "SHA256 of UTF16 in RFC2119, ABC-123",
        ] {
            assert_eq!(mentions(text), Mentions::default(), "{text}");
        }
        for code in ["E0277", "TS2345", "ORA-00942", "ENOENT", "ERR_MODULE_NOT_FOUND"] {
            assert!(is_code(code), "{code}");
        }
        for name in ["SHA256", "UTF16", "RFC2119", "ABC-123"] {
            assert!(!is_code(name), "{name}");
        }
    }

    #[test]
    fn what_only_looks_like_a_name_is_none() {
        for text in [
            "read and/or write over TCP/IP",
            "version 1.2.3 of Node.js on GitHub with TypeScript",
            "see https://example.com/a/b.html or mail me@example.com",
            "the /api/users route",
            "e.g. this, i.e. that",
            "the file(s) and function(s) in O(n)",
            "It is done.Next we test",
            "a well-known half-open state",
            "APIs and PRs, PostgreSQL vs. SQLite",
            "what about :: and () and `` and ` and ' ?",
            "at 10:30 on 3/4/2026",
            "src/db is a folder",
            "...",
            "",
        ] {
            assert_eq!(mentions(text), Mentions::default(), "{text}");
        }
    }

    #[test]
    fn a_listing_is_cut() {
        let listing: String = (0..100).map(|n| format!("src/part{n}.rs fn_{n}_x\n")).collect();
        let found = mentions(&listing);
        assert_eq!((found.files.len(), found.symbols.len()), (16, 16));
        assert_eq!(mentions("a.rs a.rs ./a.rs").files, ["a.rs"]);
        assert_eq!(mentions(&"x_".repeat(10_000)), Mentions::default());
    }
}
