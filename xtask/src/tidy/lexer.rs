//! Just enough of a Rust lexer to find the names a file defines: comments and literals are dropped, the rest becomes tokens.
//!
//! Not a parser: macros are read like code, and only shapes that define a name are recognised.

/// A name that a file defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DefinedName {
    pub(crate) kind: NameKind,
    pub(crate) name: String,
    /// Visible outside its crate.
    pub(crate) is_public: bool,
}

/// What a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    Type,
    Function,
    Module,
    /// A constant, a field, an enum variant, a parameter or a variable.
    Value,
    /// Any word of a script, also one of a library.
    Word,
}

/// Returns the names a file defines, in order.
pub(crate) fn defined_names(text: &str) -> Vec<DefinedName> {
    let tokens = tokens(text);
    let mut names = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let next = |ahead: usize| tokens.get(at + ahead).map_or("", String::as_str);
        let kind = match token.as_str() {
            "struct" | "enum" | "trait" | "type" | "union" => NameKind::Type,
            "fn" => NameKind::Function,
            "mod" => NameKind::Module,
            "const" | "static" => NameKind::Value,
            "let" => {
                names.extend(pattern_names(tokens.get(at + 1..).unwrap_or_default()).into_iter().map(value));
                continue;
            }
            _ => continue,
        };
        let name = if next(1) == "mut" { next(2) } else { next(1) };
        // `const fn`, `*const T`, `impl Fn` and the like define nothing here.
        if !is_identifier(name) || ["fn", "unsafe", "extern", "async"].contains(&name) {
            continue;
        }
        let is_public = at > 0 && tokens.get(at - 1).is_some_and(|before| before == "pub");
        names.push(DefinedName { kind, name: name.to_owned(), is_public });
        let rest = tokens.get(at..).unwrap_or_default();
        let inner = match token.as_str() {
            "struct" | "enum" | "union" => block(rest, "{", "}"),
            "fn" => block(rest, "(", ")"),
            _ => &[],
        };
        names.extend(labels(inner).into_iter().map(value));
        if token == "enum" {
            names.extend(variants(inner).into_iter().map(value));
        }
    }
    names
}

fn value(name: String) -> DefinedName {
    DefinedName { kind: NameKind::Value, name, is_public: false }
}

/// Returns the tokens between the first opening bracket and its partner; none where the item ends first.
fn block<'a>(tokens: &'a [String], open: &str, close: &str) -> &'a [String] {
    let Some(start) = tokens.iter().position(|token| token == open || token == ";") else { return &[] };
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        depth += i32::from(token == open) - i32::from(token == close);
        if depth == 0 {
            return tokens.get(start + 1..at).unwrap_or_default();
        }
    }
    &[]
}

/// Returns identifiers before a single colon: fields and parameters.
fn labels(tokens: &[String]) -> Vec<String> {
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    let labels = pairs.filter(|(name, next)| *next == ":" && is_identifier(name));
    labels.map(|(name, _)| name.clone()).collect()
}

/// Returns the variants of an enum, from the tokens of its body.
fn variants(tokens: &[String]) -> Vec<String> {
    let (mut depth, mut found, mut expects_one) = (0, Vec::new(), true);
    for token in tokens {
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            "," if depth == 0 => expects_one = true,
            "#" => {}
            name if depth == 0 && expects_one && is_identifier(name) => {
                found.push(name.to_owned());
                expects_one = false;
            }
            _ => {}
        }
    }
    found
}

/// Returns the variables a pattern binds, from the tokens after `let`.
fn pattern_names(tokens: &[String]) -> Vec<String> {
    let mut depth = 0;
    let mut names = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).map_or("", String::as_str);
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            "=" | ";" => break,
            ":" if depth == 0 => break,
            name => {
                let is_binding = name.starts_with(|first: char| first.is_ascii_lowercase());
                // Inside braces a name before a colon is a field; the variable follows.
                let is_field = next == ":" && depth > 0;
                if is_binding
                    && !is_field
                    && !["::", "(", "!"].contains(&next)
                    && !["ref", "mut"].contains(&name)
                {
                    names.push(name.to_owned());
                }
            }
        }
        if depth < 0 {
            break;
        }
    }
    names
}

fn is_identifier(token: &str) -> bool {
    token.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

/// Cuts a file into identifiers, `::` and single characters. Comments, strings, characters and numbers are dropped;
/// `pub(…)` becomes `pub-restricted`.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => quoted(rest, 1, "\""),
            '\'' => character(rest),
            'r' | 'b' if raw_string(rest).is_some() => raw_string(rest).unwrap_or(1),
            _ if first.is_alphanumeric() || first == '_' => {
                let end = rest.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(rest.len());
                if !first.is_ascii_digit() {
                    tokens.push(rest[..end].to_owned());
                }
                end
            }
            ':' if rest.starts_with("::") => {
                tokens.push("::".to_owned());
                2
            }
            '(' if tokens.last().is_some_and(|last| last == "pub") => {
                let end = rest.find(')').map_or(rest.len(), |end| end + 1);
                // `pub (A, B)` is the field of a tuple, `pub(crate)` a visibility.
                if ["(crate)", "(super)", "(self)"].contains(&&rest[..end]) || rest.starts_with("(in ") {
                    tokens.pop();
                    tokens.push("pub-restricted".to_owned());
                    end
                } else {
                    tokens.push("(".to_owned());
                    1
                }
            }
            _ => {
                if !first.is_whitespace() {
                    tokens.push(first.to_string());
                }
                first.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    tokens
}

/// Returns the length of a literal whose text begins at `start` and ends at `quote`.
pub(crate) fn quoted(text: &str, start: usize, quote: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip_while(|(at, _)| *at < start) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if text[at..].starts_with(quote) => return at + quote.len(),
            _ => {}
        }
    }
    text.len()
}

/// The length of a character literal, or of the quote of a lifetime.
fn character(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    match (letters.next(), letters.next()) {
        (Some((_, '\\')), _) => text.get(3..).and_then(|rest| rest.find('\'')).map_or(1, |end| end + 4),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// The length of `r"…"`, `r#"…"#`, `b"…"` and the like, if the text begins with one.
fn raw_string(text: &str) -> Option<usize> {
    let prefix = text.find(|it: char| it != 'r' && it != 'b').filter(|end| *end <= 2)?;
    let is_raw = text[..prefix].contains('r');
    let hashes = text[prefix..].find(|it: char| it != '#')?;
    if !text[prefix + hashes..].starts_with('"') || (hashes > 0 && !is_raw) {
        return None;
    }
    if !is_raw {
        return Some(quoted(text, prefix + 1, "\""));
    }
    let start = prefix + hashes + 1;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(text[start..].find(&end).map_or(text.len(), |at| start + at + end.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        defined_names(text).into_iter().map(|it| it.name).collect()
    }

    #[test]
    fn definitions_are_found() {
        let text = "pub struct A { pub b: u8, c: Vec<D> }\nenum E { F, G(H), I { j: u8 } }\nfn k(l: &str, m: M) -> N {}\nmod o;\nconst P: u8 = 1;\ntype Q<'a> = &'a str;";
        assert_eq!(names(text), ["A", "b", "c", "E", "j", "F", "G", "I", "k", "l", "m", "o", "P", "Q"]);
        assert_eq!(names("static mut A: u8 = 1; impl B { const fn c() {} }"), ["A", "c"]);
    }

    #[test]
    fn variables_are_found_in_patterns() {
        assert_eq!(names("let a = b;"), ["a"]);
        assert_eq!(names("if let Some((a, ref mut b)) = c::d(e) { f }"), ["a", "b"]);
        assert_eq!(names("let X { a, b: c, .. } = d;"), ["a", "c"]);
        assert_eq!(names("let a: Vec<b> = c;"), ["a"]);
    }

    #[test]
    fn comments_and_literals_are_not_names() {
        assert!(
            names("// fn a()\n/* fn b() */ \"fn c() \\\" fn d()\" r#\"fn e() \" fn f()\"# b\"fn g()\"")
                .is_empty()
        );
        assert_eq!(names("let a = '\"'; let b = '\\''; fn c<'d>() {}"), ["a", "b", "c"]);
    }

    #[test]
    fn only_plain_pub_is_public() {
        let is_public = |text: &str| defined_names(text)[0].is_public;
        assert!(is_public("pub struct A;") && !is_public("pub(crate) struct A;") && !is_public("struct A;"));
    }
}
