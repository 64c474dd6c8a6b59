//! Reads JSON byte by byte, and skips what is damaged, too deep or too much.

use super::LenientJson;
use std::borrow::Cow;

/// Deeper values are skipped: no host puts anything we need there.
const DEEPEST: usize = 64;

/// After this many values the rest is skipped.
pub(super) const MOST_VALUES: usize = 20_000;

/// This many of them are reserved for the outermost fields, so that a long list before them cannot hide them.
const FOR_THE_PAYLOAD: usize = 1000;

/// The state of reading a text.
pub(super) struct LenientReader<'a> {
    text: &'a str,
    at: usize,
    values_left: usize,
    /// Which fields are kept.
    wants: fn(usize, &str) -> bool,
}

impl<'a> LenientReader<'a> {
    pub(super) fn new(text: &'a str, wants: fn(usize, &str) -> bool) -> LenientReader<'a> {
        LenientReader { text, at: 0, values_left: MOST_VALUES, wants }
    }

    /// Reads one value; `None` if it is skipped.
    pub(super) fn value(&mut self, depth: usize) -> Option<LenientJson<'a>> {
        self.pass_over_space();
        if self.is_enough(depth) {
            self.pass_over_value();
            return None;
        }
        self.values_left -= 1;
        match self.peek()? {
            b'"' => Some(LenientJson::Text(self.string())),
            b'{' => Some(self.fields(depth)),
            b'[' => Some(self.list(depth)),
            // No value is here: what follows belongs to the outer one.
            b'}' | b']' | b',' => None,
            _ => Some(word(self.bare())),
        }
    }

    /// Whether values of this depth are no longer kept.
    fn is_enough(&self, depth: usize) -> bool {
        let reserved = if depth > 1 { FOR_THE_PAYLOAD } else { 0 };
        depth > DEEPEST || self.values_left <= reserved
    }

    fn fields(&mut self, depth: usize) -> LenientJson<'a> {
        let mut fields = Vec::new();
        self.at += 1;
        while let Some(byte) = self.peek() {
            if self.is_enough(depth + 1) {
                self.pass_over_rest();
                break;
            }
            if byte == b'"' {
                let name = self.string();
                self.pass_over_space();
                if self.peek() == Some(b':') {
                    self.at += 1;
                    if (self.wants)(depth + 1, &name) {
                        fields.extend(self.value(depth + 1).map(|value| (name, value)));
                    } else {
                        self.pass_over_space();
                        self.pass_over_value();
                    }
                }
                continue;
            }
            self.at += 1;
            if byte == b'}' {
                break;
            }
        }
        LenientJson::Fields(fields)
    }

    fn list(&mut self, depth: usize) -> LenientJson<'a> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.pass_over_space();
            match self.peek() {
                None => break,
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                Some(b',' | b':' | b'}') => self.at += 1,
                Some(_) if self.is_enough(depth + 1) => {
                    self.pass_over_rest();
                    break;
                }
                Some(_) => items.extend(self.value(depth + 1)),
            }
        }
        LenientJson::List(items)
    }

    /// Skips a value, however deep it is.
    fn pass_over_value(&mut self) {
        match self.peek() {
            Some(b'"') => self.pass_over_string(),
            Some(b'{' | b'[') => {
                self.at += 1;
                self.pass_over_rest();
            }
            Some(b'}' | b']' | b',') | None => {}
            Some(_) => {
                self.bare();
            }
        }
    }

    /// Skips to the end of the current list or object, in one plain loop because megabytes may lie before it.
    fn pass_over_rest(&mut self) {
        let mut open = 1_usize;
        while let Some(byte) = self.peek().filter(|_| open > 0) {
            match byte {
                b'"' => {
                    self.pass_over_string();
                    continue;
                }
                b'{' | b'[' => open += 1,
                b'}' | b']' => open -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn pass_over_string(&mut self) {
        self.at += 1;
        self.run();
        while self.peek() == Some(b'\\') {
            self.at += 2;
            self.run();
        }
        self.at += 1;
    }

    /// Returns the bytes up to the next punctuation of JSON, at least one.
    fn bare(&mut self) -> &'a str {
        let start = self.at;
        self.at += 1;
        let is_mark = |byte: u8| byte.is_ascii_whitespace() || b",:\"{}[]".contains(&byte);
        while self.peek().is_some_and(|byte| !is_mark(byte)) {
            self.at += 1;
        }
        self.slice(start, self.at)
    }

    /// Reads a string; one that is cut off ends where the text ends.
    fn string(&mut self) -> Cow<'a, str> {
        self.at += 1;
        let plain = self.run();
        if self.peek() != Some(b'\\') {
            self.at += 1;
            return Cow::Borrowed(plain);
        }
        let mut text = plain.to_owned();
        while self.peek() == Some(b'\\') {
            self.at += 1;
            self.escape(&mut text);
            text.push_str(self.run());
        }
        self.at += 1;
        Cow::Owned(text)
    }

    /// Returns the text before the next escape or the end of the string.
    fn run(&mut self) -> &'a str {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len());
        self.at = start + length;
        self.slice(start, self.at)
    }

    fn escape(&mut self, text: &mut String) {
        let Some(byte) = self.peek() else { return };
        let plain = match byte {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' => char::from(byte),
            b'u' => return self.unicode_escape(text),
            // Not an escape of JSON: the letter stays.
            _ => return,
        };
        self.at += 1;
        text.push(plain);
    }

    /// Reads one or two `\u` escapes. Half a surrogate pair becomes the replacement character.
    fn unicode_escape(&mut self, text: &mut String) {
        let unit = self.hexadecimal();
        let second = if matches!(unit, Some(0xd800..0xdc00)) && self.starts_with("\\u") {
            let before = self.at;
            self.at += 1;
            let second = self.hexadecimal();
            if !matches!(second, Some(0xdc00..0xe000)) {
                self.at = before;
            }
            second
        } else {
            None
        };
        let units = [unit.unwrap_or(0xfffd), second.unwrap_or_default()];
        let units = units.get(..if second.is_some() { 2 } else { 1 }).unwrap_or_default();
        let first = char::decode_utf16(units.iter().copied()).next();
        text.push(first.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER));
    }

    /// Reads `uXXXX`, or as much of it as is there.
    fn hexadecimal(&mut self) -> Option<u16> {
        let start = self.at + 1;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let digits = rest.iter().take(4).take_while(|byte| byte.is_ascii_hexdigit()).count();
        self.at = start + digits;
        u16::from_str_radix(self.slice(start, self.at), 16).ok().filter(|_| digits == 4)
    }

    fn pass_over_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn starts_with(&self, prefix: &str) -> bool {
        self.text.get(self.at..).is_some_and(|rest| rest.starts_with(prefix))
    }

    fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }
}

fn word(text: &str) -> LenientJson<'_> {
    match text {
        "null" => LenientJson::Nothing,
        "true" => LenientJson::Bool(true),
        "false" => LenientJson::Bool(false),
        _ => LenientJson::Number(text),
    }
}
