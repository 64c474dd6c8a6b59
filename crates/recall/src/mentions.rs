//! Files and symbols a query names. An error code looks like a symbol and is not one.
//!
//! Precise rather than greedy: `and/or` is no path, Node.js no file, GitHub no symbol. A name that is missed here is still a word of
//! the query. Not here: whether any of them exists.

mod name_lists;

use name_lists::{ERRNOS, EXTENSIONS, FILE_NAMES, NAMES_OF_PRODUCTS, NO_CODES};

/// What a text names, each once and in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mentions {
    /// Paths, with `/` between folders and without `./`, `../` and line numbers.
    pub(crate) files: Vec<String>,
    /// Names of symbols as they were written, without arguments.
    pub(crate) symbols: Vec<String>,
}

/// More of one sort than this is a listing, not a query.
const MOST_OF_A_SORT: usize = 16;
/// A longer query is a paste; its beginning says what it is about.
const MOST_BYTES: usize = 16 * 1024;
/// A longer name is none.
const LONGEST_NAME: usize = 256;

/// Returns what a text names.
pub(crate) fn mentions(text: &str) -> Mentions {
    let text = text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or(text);
    let mut found = Mentions::default();
    for token in text.split(|c: char| c.is_whitespace() || ",;=|\"'“”‘’".contains(c)) {
        let name = without_marks(token);
        // The compiler writes `error[E0277]`.
        let is_error = name.split(['[', ']']).any(is_code);
        if name.is_empty() || name.len() > LONGEST_NAME || is_elsewhere(name) || is_error {
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
    if names.len() < MOST_OF_A_SORT && !names.contains(&name) {
        names.push(name);
    }
}

/// Takes off what prose and Markdown put around a name, but not what belongs to it: `./a`, `.env`, `open()`.
fn without_marks(token: &str) -> &str {
    let name = token.trim_start_matches(['`', '(', '[', '{', '<', '*', '@']);
    let mut name = name.trim_end_matches([':', '.', '!', '?', '`', ']', '}', '>', '*', '…']);
    while name.ends_with(')') && name.matches(')').count() > name.matches('(').count() {
        name = name.trim_end_matches(|c| ").:!?`".contains(c));
    }
    name
}

/// Whether one word stands alone between back quotes.
fn is_quoted(token: &str) -> bool {
    token.starts_with('`')
        && token.trim_end_matches(|c| ".:!?)".contains(c)).len() > 1
        && token.matches('`').count() == 2
}

/// Whether it names something on another machine.
fn is_elsewhere(name: &str) -> bool {
    (name.contains("://") && !name.starts_with("file://")) || name.contains('@')
}

/// Returns the path that is named.
fn file(name: &str) -> Option<String> {
    let path = with_slashes(name.strip_prefix("file://").unwrap_or(name));
    let path = without_place(&path);
    let is_relative = path.starts_with("./") || path.starts_with("../");
    let path = path.trim_start_matches("../").trim_start_matches("./");
    let last = path.rsplit('/').next()?;
    let is_plain = path.chars().all(|c| c.is_alphanumeric() || "/._-+~:#[]@$ ".contains(c));
    let is_file = is_file_name(last) && !NAMES_OF_PRODUCTS.contains(&path.to_lowercase().as_str());
    let is_path = is_file || (is_relative && path.contains('/'));
    (is_plain && is_path && !last.is_empty()).then(|| path.to_owned())
}

/// Writes a path of Windows as others do.
fn with_slashes(path: &str) -> String {
    path.replace('\\', "/")
}

/// Takes off the line and column behind a path: `open.rs:42:7`, `open.ts(12`, `open.rs#L42`.
fn without_place(path: &str) -> &str {
    let path = path.split('(').next().unwrap_or(path);
    let path = path.split("#L").next().unwrap_or(path);
    match path.find(':') {
        // The colon of a drive: `C:/a`.
        Some(1) => {
            path.get(2..).and_then(|rest| rest.find(':')).and_then(|at| path.get(..at + 2)).unwrap_or(path)
        }
        Some(at) => path.get(..at).unwrap_or(path),
        None => path,
    }
}

/// Whether a name without folders is surely that of a file.
fn is_file_name(name: &str) -> bool {
    if FILE_NAMES.contains(&name) {
        return true;
    }
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_number = stem.chars().all(|c| c.is_ascii_digit() || c == '.');
    (!is_number || stem.is_empty()) && EXTENSIONS.contains(&extension)
}

/// Returns the symbol that is named.
fn symbol(name: &str, is_quoted: bool) -> Option<String> {
    let (name, is_called) = match name.split_once('(') {
        Some((name, ")" | ")?" | ");")) => (name, true),
        Some((name, _)) if has_inner_structure(name) => (name, true),
        Some(_) => return None,
        None => (name, false),
    };
    let name = name.split('<').next().unwrap_or(name).trim_end_matches('!').trim_end_matches(':');
    let name = name.rsplit("->").next().unwrap_or(name);
    let name = ["self.", "this.", "Self::", "crate::"]
        .iter()
        .fold(name, |name, own| name.strip_prefix(own).unwrap_or(name));
    let parts: Vec<&str> = name.split("::").flat_map(|part| part.split(['.', '#'])).collect();
    if !parts.iter().all(|part| is_identifier(part)) {
        return None;
    }
    let is_joined = name.contains("::") || name.contains('#') || begins_like_a_type(&parts);
    let is_one = parts.len() == 1;
    let is_symbol = is_called || (is_joined && !is_one) || has_inner_structure(name);
    let is_product = NAMES_OF_PRODUCTS.contains(&name.to_lowercase().as_str());
    let is_long_enough = name.chars().count() >= SHORTEST_SYMBOL;
    ((is_symbol && !is_product || is_quoted) && is_long_enough).then(|| name.to_owned())
}

/// Shorter names are met by chance.
const SHORTEST_SYMBOL: usize = 3;

fn is_identifier(part: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    part.starts_with(|c: char| c.is_alphabetic() || c == '_') && part.chars().all(is_inside)
}

/// `Parser.parse`: after the end of a sentence a capital would follow.
fn begins_like_a_type(parts: &[&str]) -> bool {
    let begins =
        |part: Option<&&str>, is_so: fn(char) -> bool| part.is_some_and(|part| part.starts_with(is_so));
    parts.len() > 1
        && begins(parts.first(), char::is_uppercase)
        && begins(parts.last(), |c| c.is_lowercase() || c == '_')
}

/// Whether nobody writes so but in code: `page_count`, `runMigration`, `WordQuery`.
fn has_inner_structure(name: &str) -> bool {
    let last = name.rsplit([':', '.', '#']).next().unwrap_or(name);
    let has_joint = last.trim_matches('_').contains('_');
    let characters: Vec<char> = last.chars().collect();
    let has_hump = characters
        .windows(2)
        .any(|pair| matches!(pair, [left, right] if left.is_lowercase() && right.is_uppercase()));
    has_joint || has_hump
}

/// Whether it is the code of an error: `E0277`, `TS2345`, `ENOENT`.
fn is_code(name: &str) -> bool {
    if ERRNOS.contains(&name) || (name.starts_with("ERR_") && is_identifier(name)) {
        return true;
    }
    let digits = name.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = name.strip_suffix(digits).unwrap_or_default();
    let digits = if letters == "ORA" { digits.trim_start_matches('-') } else { digits };
    let is_shaped = (1..=5).contains(&letters.len())
        && (3..=5).contains(&digits.len())
        && digits.chars().all(|c| c.is_ascii_digit());
    is_shaped && !NO_CODES.contains(&letters)
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
