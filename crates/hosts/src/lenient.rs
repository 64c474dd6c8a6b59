//! JSON as far as it goes: whatever a host sends, what can be understood of it is.
//!
//! A payload may be cut off in the middle (only its beginning is read into memory), hold half a surrogate pair or nest without
//! end. A strict parser gives all of it up then, and a tree of eight million numbers would take more memory than a hook may:
//! here damage is passed over, and only so many values so deep are kept. Not here: what a host means by it.

use std::borrow::Cow;

/// What deeper values hold nobody needs; they are passed over.
const DEEPEST: usize = 64;

/// Of more values than this the rest is passed over.
const MOST_VALUES: usize = 20_000;

/// So many of them are for the fields of the payload itself, whatever stands before them.
const FOR_THE_PAYLOAD: usize = 1000;

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Json<'a> {
    /// `null`, or not there at all.
    Nothing,
    Bool(bool),
    /// A number as it was written, or a word that is none of JSON's.
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Fields(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl<'a> Json<'a> {
    /// Reads a text.
    pub(crate) fn read(text: &'a str) -> Json<'a> {
        Json::read_only(text, |_, _| true)
    }

    /// Reads a text, of the fields only those that are wanted, by how deep they lie (those of the whole at 1) and by name. The
    /// others are passed over without being held.
    pub(crate) fn read_only(text: &'a str, wants: fn(usize, &str) -> bool) -> Json<'a> {
        Reader { text, at: 0, values_left: MOST_VALUES, wants }.value(0).unwrap_or(Json::Nothing)
    }

    /// Returns the same for longer than the text it was read from. Numbers become the words they were written as.
    pub(crate) fn into_owned(self) -> Json<'static> {
        match self {
            Json::Nothing => Json::Nothing,
            Json::Bool(flag) => Json::Bool(flag),
            Json::Number(number) => Json::Text(Cow::Owned(number.to_owned())),
            Json::Text(text) => Json::Text(Cow::Owned(text.into_owned())),
            Json::List(items) => Json::List(items.into_iter().map(Json::into_owned).collect()),
            Json::Fields(fields) => {
                let owned = |(name, value): (Cow<'_, str>, Json<'_>)| {
                    (Cow::Owned(name.into_owned()), value.into_owned())
                };
                Json::Fields(fields.into_iter().map(owned).collect())
            }
        }
    }

    /// Takes what a field holds out of it.
    pub(crate) fn take(&mut self, name: &str) -> Json<'a> {
        let field = match self {
            Json::Fields(fields) => fields.iter_mut().rev().find(|(key, _)| key == name),
            _ => None,
        };
        field.map_or(Json::Nothing, |(_, value)| std::mem::replace(value, Json::Nothing))
    }

    /// Returns the values of a list.
    pub(crate) fn into_items(self) -> Vec<Json<'a>> {
        match self {
            Json::List(items) => items,
            _ => Vec::new(),
        }
    }

    /// Returns what a field holds; nothing where there is none. Of two fields of one name the last counts.
    pub(crate) fn get(&self, name: &str) -> &Json<'a> {
        match self {
            Json::Fields(fields) => fields.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
        .unwrap_or(&Json::Nothing)
    }

    /// Returns the text a value is.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the text of a field, which is empty where there is none.
    pub(crate) fn str(&self, name: &str) -> &str {
        self.get(name).text().unwrap_or_default()
    }

    /// Returns the text of a field that must say something.
    pub(crate) fn said(&self, name: &str) -> Option<&str> {
        self.get(name).text().filter(|text| !text.is_empty())
    }

    /// Returns the values of a list.
    pub(crate) fn items(&self) -> &[Json<'a>] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn is_true(&self) -> bool {
        *self == Json::Bool(true)
    }

    pub(crate) fn is_nothing(&self) -> bool {
        *self == Json::Nothing
    }

    /// Returns the words in a value of whatever shape: of blocks of content their texts, of other fields each with its name.
    pub(crate) fn words(&self) -> String {
        match self {
            Json::Nothing => String::new(),
            Json::Bool(flag) => flag.to_string(),
            Json::Number(number) => (*number).to_owned(),
            Json::Text(text) => text.clone().into_owned(),
            Json::List(items) => joined(items.iter().map(Json::words), "\n"),
            Json::Fields(_) if self.get("text").text().is_some() => self.str("text").to_owned(),
            Json::Fields(fields) => joined(fields.iter().filter_map(named), ", "),
        }
    }
}

fn named((name, value): &(Cow<'_, str>, Json<'_>)) -> Option<String> {
    let words = value.words();
    (!words.is_empty()).then(|| format!("{name} {words}"))
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> String {
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(between)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    values_left: usize,
    /// Which fields are kept.
    wants: fn(usize, &str) -> bool,
}

impl<'a> Reader<'a> {
    /// Reads one value. Nothing is returned of one that is passed over.
    fn value(&mut self, depth: usize) -> Option<Json<'a>> {
        self.pass_over_space();
        if self.is_enough(depth) {
            self.pass_over_value();
            return None;
        }
        self.values_left -= 1;
        match self.peek()? {
            b'"' => Some(Json::Text(self.string())),
            b'{' => Some(self.fields(depth)),
            b'[' => Some(self.list(depth)),
            // There is none: what follows is not of this value.
            b'}' | b']' | b',' => None,
            _ => Some(word(self.bare())),
        }
    }

    /// Whether no more values that deep are kept.
    fn is_enough(&self, depth: usize) -> bool {
        let reserved = if depth > 1 { FOR_THE_PAYLOAD } else { 0 };
        depth > DEEPEST || self.values_left <= reserved
    }

    fn fields(&mut self, depth: usize) -> Json<'a> {
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
        Json::Fields(fields)
    }

    fn list(&mut self, depth: usize) -> Json<'a> {
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
        Json::List(items)
    }

    /// Goes behind a value without keeping it, however deep it is.
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

    /// Goes behind the end of the list or of the fields that are being read. Megabytes may lie before it: one plain loop.
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

    /// Returns what runs up to the next mark of JSON's own, at least one byte.
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

    /// Returns what stands before the next escape or the end of the string.
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
            // Not an escape at all: the letter stays.
            _ => return,
        };
        self.at += 1;
        text.push(plain);
    }

    /// Reads one or two `\u` escapes. Half a pair is no character; that there was something is kept.
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

fn word(text: &str) -> Json<'_> {
    match text {
        "null" => Json::Nothing,
        "true" => Json::Bool(true),
        "false" => Json::Bool(false),
        _ => Json::Number(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// What a strict parser makes of it.
    fn strict(json: &Json<'_>) -> Value {
        match json {
            Json::Nothing => Value::Null,
            Json::Bool(flag) => Value::Bool(*flag),
            Json::Number(number) => serde_json::from_str(number).unwrap_or(Value::Null),
            Json::Text(text) => Value::String(text.clone().into_owned()),
            Json::List(items) => items.iter().map(strict).collect(),
            Json::Fields(fields) => {
                fields.iter().map(|(name, value)| (name.clone().into_owned(), strict(value))).collect()
            }
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC*".prop_map(Value::from),
            "[\\u{0}-\\u{ff}\"\\\\😀]*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("\\PC*", inner, 0..6).prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_sound_is_read_as_everyone_reads_it(value in values()) {
            for text in [value.to_string(), format!("{value:#}")] {
                prop_assert_eq!(strict(&Json::read(&text)), value.clone());
            }
        }

        #[test]
        fn whatever_it_is_reading_ends(text in "\\PC*", marks in "[\\[\\]{}\",:\\\\u0-9a-f ]*") {
            Json::read(&text);
            Json::read(&marks);
        }

        #[test]
        fn what_stands_before_a_cut_is_understood(text in "[a-zé\"\\\\\n]{0,40}", cut in 0_usize..40) {
            let whole = serde_json::json!({"a": "first", "z": text}).to_string();
            let end = whole.floor_char_boundary(whole.len().saturating_sub(cut));
            let read = Json::read(&whole[..end]);
            if end > 14 {
                prop_assert_eq!(read.str("a"), "first");
            }
            let kept = read.str("z").trim_end_matches('\u{fffd}');
            prop_assert!(text.starts_with(kept), "{kept:?} of {text:?}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_one_unknown_character() {
        for (written, read) in [
            (r#""a\ud83d\ude00b""#, "a😀b"),
            (r#""a\ud83db""#, "a\u{fffd}b"),
            (r#""a\ude00b""#, "a\u{fffd}b"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\ud83d\u0041""#, "\u{fffd}A"),
            (r#""\u12""#, "\u{fffd}"),
            (r#""a\qb""#, "aqb"),
        ] {
            assert_eq!(Json::read(written).text(), Some(read), "{written}");
        }
    }

    #[test]
    fn depth_and_number_are_bounded() {
        let deep = format!("{{\"a\":{}1{},\"b\":\"behind\"}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(Json::read(&deep).str("b"), "behind");
        let wide = format!("{{\"a\":[{}],\"b\":\"behind\"}}", "1,".repeat(1_000_000));
        let read = Json::read(&wide);
        assert!(read.get("a").items().len() <= MOST_VALUES);
        assert_eq!(read.str("b"), "behind");
        let many = format!("{{{}}}", "\"a\":1,".repeat(100_000));
        let Json::Fields(fields) = Json::read(&many) else { panic!("no fields") };
        assert!(fields.len() <= MOST_VALUES);
    }

    #[test]
    fn damage_costs_what_is_damaged() {
        let read = Json::read(r#"{"in":{"a":},"list":[1,,}2],b:3,"no","session":"s""#);
        assert_eq!(read.str("session"), "s");
        assert_eq!(read.get("list").words(), "1\n2");
    }

    #[test]
    fn words_are_found_in_any_shape() {
        let words = |text: &str| Json::read(text).words();
        assert_eq!(words(r#"[{"type":"text","text":"one"},{"type":"text","text":"two"}]"#), "one\ntwo");
        assert_eq!(words(r#"{"query":"how","deep":true,"none":null,"n":3}"#), "query how, deep true, n 3");
        assert_eq!(words("null"), "");
    }
}
