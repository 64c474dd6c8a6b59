//! Removes what the user marked as private: everything between `<private>` and `</private>`.
//!
//! A tokenizer, not a pattern: tags nest, have attributes and spaces, come in any case and in the escaped
//! forms of JSON, HTML and URLs. In doubt it hides: a tag never closed hides to the end of the text, one
//! never opened hides from its beginning, because its other half was cut off or stands in another field.
//!
//! Each byte is looked at a bounded number of times: where a quote is not closed, no later quote of that
//! kind exists, so looking for its end in vain happens at most once for each kind of quote.
//!
//! Not here: secrets nobody marked (`redact`), and tags that span the fields of one value (`redact::json`).

use std::borrow::Cow;

/// What stands in place of private text. Nothing at all would let the text around it form a new tag.
pub(crate) const MARKER: &str = "[private]";

/// Which halves of a tag pair are missing in a text.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Loose {
    /// A tag is opened and not closed.
    pub(crate) opened: bool,
    /// A tag is closed that was not opened.
    pub(crate) closed: bool,
}

/// Returns `text` with every private part replaced by a marker.
pub(crate) fn strip(text: &str) -> Cow<'_, str> {
    strip_and_report(text).0
}

/// Returns the stripped text and which halves of a pair it lacked.
pub(crate) fn strip_and_report(text: &str) -> (Cow<'_, str>, Loose) {
    let mut kept = String::new();
    let mut loose = Loose::default();
    let mut depth = 0usize;
    let mut at = 0;
    for tag in (PrivateTags { text: text.as_bytes(), at: 0 }) {
        match tag.kind {
            PrivateTagKind::Open if depth > 0 => depth += 1,
            PrivateTagKind::Open | PrivateTagKind::Empty if depth == 0 => {
                kept.push_str(text.get(at..tag.start).unwrap_or_default());
                kept.push_str(MARKER);
                depth = usize::from(tag.kind == PrivateTagKind::Open);
            }
            PrivateTagKind::Close if depth > 0 => depth -= 1,
            PrivateTagKind::Close => {
                loose.closed = true;
                kept.clear();
                kept.push_str(MARKER);
            }
            PrivateTagKind::Open | PrivateTagKind::Empty => {}
        }
        at = tag.end;
    }
    if at == 0 {
        return (Cow::Borrowed(text), loose);
    }
    loose.opened = depth > 0;
    if depth == 0 {
        kept.push_str(text.get(at..).unwrap_or_default());
    }
    (Cow::Owned(kept), loose)
}

#[derive(PartialEq, Eq)]
enum PrivateTagKind {
    Open,
    Close,
    /// `<private/>`
    Empty,
}

struct PrivateTag {
    kind: PrivateTagKind,
    start: usize,
    end: usize,
}

/// Walks over the tags of a text.
struct PrivateTags<'a> {
    text: &'a [u8],
    at: usize,
}

impl Iterator for PrivateTags<'_> {
    type Item = PrivateTag;

    fn next(&mut self) -> Option<PrivateTag> {
        loop {
            let rest = self.text.get(self.at..)?;
            let start = self.at + rest.iter().position(|byte| matches!(byte, b'<' | b'&' | b'\\' | b'%'))?;
            if let Some(tag) = tag_at(self.text, start) {
                self.at = tag.end;
                return Some(tag);
            }
            // Past a whole run of backslashes: each of them would only be skipped again. Those behind a bracket may begin a tag.
            self.at = start + run(self.text, start, |byte| byte == b'\\').max(1);
        }
    }
}

fn tag_at(text: &[u8], start: usize) -> Option<PrivateTag> {
    const NAME: &[u8] = b"private";
    let mut at = start + angle(text.get(start..)?, Angle::OPEN)?;
    at += spaces(text, at);
    let closing = text.get(at) == Some(&b'/');
    at += usize::from(closing);
    at += spaces(text, at);
    let name = text.get(at..at + NAME.len())?;
    if !name.eq_ignore_ascii_case(NAME) {
        return None;
    }
    at += NAME.len();
    let rest = text.get(at..)?;
    let (kind, end) = match rest.first() {
        Some(more) if more.is_ascii_alphanumeric() || b"_-".contains(more) => return None,
        _ if closing => (PrivateTagKind::Close, at + end_of_close(rest)),
        None => (PrivateTagKind::Open, at),
        Some(b'/') => {
            let slash = 1 + spaces(rest, 1);
            (PrivateTagKind::Empty, at + slash + angle(rest.get(slash..)?, Angle::CLOSE)?)
        }
        Some(_) => (PrivateTagKind::Open, at + attributes(rest)?),
    };
    Some(PrivateTag { kind, start, end })
}

/// A closing tag counts even when its own end is missing: the text after it is not private either way.
fn end_of_close(rest: &[u8]) -> usize {
    let at = spaces(rest, 0);
    rest.get(at..).and_then(|rest| angle(rest, Angle::CLOSE)).map_or(0, |length| at + length)
}

/// Returns the length of what follows the name in an opening tag, its end included; `None` if this is no
/// tag after all, as in `a <private && b`.
fn attributes(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut any = false;
    loop {
        let gap = spaces(rest, at);
        let tail = rest.get(at + gap..)?;
        if let Some(length) = angle(tail, Angle::CLOSE) {
            return Some(at + gap + length);
        }
        if tail.is_empty() {
            return Some(at + gap);
        }
        let name = run(tail, 0, |byte| byte.is_ascii_alphanumeric() || b"_-:.@/".contains(&byte));
        if name == 0 || (gap == 0 && !any) {
            // Broken behind at least one attribute: hide what follows rather than show it.
            return any.then_some(at);
        }
        any = true;
        at += gap + name;
        at += value(rest.get(at..)?);
    }
}

/// Returns the length of `= value` at the beginning of `rest`, or zero.
fn value(rest: &[u8]) -> usize {
    let mut at = spaces(rest, 0);
    if rest.get(at) != Some(&b'=') {
        return 0;
    }
    at += 1;
    at += spaces(rest, at);
    at += run(rest, at, |byte| byte == b'\\');
    match rest.get(at) {
        Some(quote @ (b'"' | b'\'')) => {
            let inside = rest.get(at + 1..).unwrap_or_default();
            inside.iter().position(|byte| byte == quote).map_or(at + 1, |length| at + length + 2)
        }
        _ => at + run(rest, at, |byte| !byte.is_ascii_whitespace() && !b"<>&\\%".contains(&byte)),
    }
}

/// An angle bracket and how JSON, HTML and URLs write it.
struct Angle {
    raw: u8,
    entities: [&'static str; 5],
    /// Behind backslashes.
    escapes: [&'static str; 2],
}

impl Angle {
    const OPEN: &'static Angle = &Angle {
        raw: b'<',
        entities: ["&lt;", "&#60;", "&#x3c;", "&amp;lt;", "%3c"],
        escapes: ["u003c", "x3c"],
    };
    const CLOSE: &'static Angle = &Angle {
        raw: b'>',
        entities: ["&gt;", "&#62;", "&#x3e;", "&amp;gt;", "%3e"],
        escapes: ["u003e", "x3e"],
    };
}

/// Returns the length of the angle bracket at the beginning of `text`, if there is one.
fn angle(text: &[u8], angle: &Angle) -> Option<usize> {
    if text.first() == Some(&angle.raw) {
        return Some(1);
    }
    let backslashes = run(text, 0, |byte| byte == b'\\');
    let rest = text.get(backslashes..)?;
    let forms: &[&str] = if backslashes > 0 { &angle.escapes } else { &angle.entities };
    forms
        .iter()
        .find(|form| rest.get(..form.len()).is_some_and(|part| part.eq_ignore_ascii_case(form.as_bytes())))
        .map(|form| backslashes + form.len())
}

fn spaces(text: &[u8], at: usize) -> usize {
    run(text, at, |byte| byte.is_ascii_whitespace())
}

/// How many bytes from `at` on satisfy `accept`.
fn run(text: &[u8], at: usize, accept: impl Fn(u8) -> bool) -> usize {
    text.get(at..).unwrap_or_default().iter().take_while(|byte| accept(**byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let stripped = strip(text);
        assert_eq!(stripped, expected, "{text}");
        assert_eq!(strip(&stripped), expected, "stripping twice: {text}");
    }

    #[test]
    fn text_without_tags_is_left_alone() {
        for text in
            ["", "private", "a < b && c > d", "<privateer>x</privateer>", "#include <private/keys.h>", "50%"]
        {
            assert!(matches!(strip(text), Cow::Borrowed(same) if same == text), "{text}");
        }
        check("if a <private && b", "if a <private && b");
    }

    #[test]
    fn tags_may_nest_have_attributes_spaces_and_any_case() {
        check("a <private>x</private> b", "a [private] b");
        check("<private>a<private>b</private>c</private>d", "[private]d");
        check("<PRIVATE>x</Private>y", "[private]y");
        check("< private reason = \"x>y\" >x</ private >y", "[private]y");
        check("<private a='1' b=2 c>x</private>y", "[private]y");
        check("a <private/> b", "a [private] b");
        check("<private>\nx\n</private>\ny<private>z</private>", "[private]\ny[private]");
    }

    #[test]
    fn escaped_tags_count_in_every_notation_and_mixture() {
        check(r"a \u003cprivate\u003ex\u003c/private\u003e b", "a [private] b");
        check(r"a \\u003Cprivate\\u003Ex\\u003C/private\\u003E b", "a [private] b");
        check(r#"<private reason=\"x>y\">x</private>y"#, "[private]y");
        check("a &lt;private&gt;x&lt;/private&gt; b", "a [private] b");
        check("a &#60;private&#62;x&#x3c;/private&#x3e; b", "a [private] b");
        check("a &amp;lt;private&amp;gt;x%3C/private%3E b", "a [private] b");
    }

    #[test]
    fn nothing_that_only_begins_like_a_tag_hides_one_behind_it() {
        for before in ["<", "&", "%", "<<", "</", "&lt;", "\\", "\\\\ "] {
            for tag in ["<private>", "&lt;private&gt;", "\\u003cprivate\\u003e", "%3cprivate%3e"] {
                let stripped = strip(&format!("{before}{tag}x")).into_owned();
                assert!(stripped.ends_with(MARKER), "{before}{tag}: {stripped}");
            }
        }
    }

    #[test]
    fn half_a_pair_hides_what_its_other_half_may_have_covered() {
        check("a <private>x", "a [private]");
        check("a <private reason=\"x", "a [private]");
        check("a <private", "a [private]");
        check("x</private> b", "[private] b");
        check("a <private>x</private", "a [private]");
        check("a <private>x</private> b </private> c", "[private] c");
    }

    #[test]
    fn what_is_left_around_a_private_part_forms_no_tag() {
        check("<pri<private>x</private>vate>y", "<pri[private]vate>y");
        check("<private<private>x</private>y", "<private[private]y");
    }
}
