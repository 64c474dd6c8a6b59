//! The names of a script or a style sheet: every identifier of JavaScript and Python, every class of CSS.
//!
//! Not a parser: comments and literals are dropped, the rest is split into words. What stands inside a template counts as its text.

use super::lexer::quoted;

/// What encloses a literal of Python, the longest first.
const PYTHON_QUOTES: &[&str] = &["\"\"\"", "\"", "'"];
/// What encloses a literal elsewhere. A slash encloses a regular expression.
const QUOTES: &[&str] = &["\"", "'", "`", "/"];

/// Returns the names in a file with this extension, in order.
pub(crate) fn script_names(text: &str, extension: &str) -> Vec<String> {
    let code = if extension == "py" { code(text, "#", PYTHON_QUOTES) } else { code(text, "//", QUOTES) };
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let names: Vec<&str> = if extension == "css" {
        // The properties are the browser's words.
        let classes = code.split('.').skip(1);
        classes.filter_map(|class| class.split(|it| !is_part(it) && it != '-').next()).collect()
    } else {
        code.split(|it| !is_part(it)).collect()
    };
    names.into_iter().filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Returns a file without its comments, with one quote for each literal.
fn code(text: &str, line_comment: &str, quotes: &[&str]) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let literal = quotes.iter().find(|quote| rest.starts_with(**quote));
        let length = if rest.starts_with(line_comment) {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(quote) = literal.filter(|quote| **quote != "/" || is_operator_last(&code)) {
            code.push('"');
            quoted(rest, quote.len(), quote)
        } else {
            code.push(first);
            first.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    code
}

/// Whether a slash at the end of this code begins a regular expression: after a value it divides.
fn is_operator_last(code: &str) -> bool {
    code.trim_end().ends_with(['(', '[', '{', ',', '=', ':', '!', '&', '|', '?', ';', '>'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_script_are_read_without_comments_and_texts() {
        let javascript = "const a = /['\"`]/.test(b / 2); // told\n/* heard */ c(`given ${d}`, 'asked \\' asked', \"news\")";
        assert_eq!(script_names(javascript, "js"), ["const", "a", "test", "b", "2", "c"]);
        let python = "def f(a, /):  # told\n    \"\"\"Don't be \"heard\".\"\"\"\n    return a / 'given'";
        assert_eq!(script_names(python, "py"), ["def", "f", "a", "return", "a"]);
    }

    #[test]
    fn names_of_a_style_sheet_are_its_classes() {
        let css = "/* told */ .row-title, a.news:hover { border: 0.5rem; content: \".given\"; }";
        assert_eq!(script_names(css, "css"), ["row-title", "news", "5rem"]);
    }
}
