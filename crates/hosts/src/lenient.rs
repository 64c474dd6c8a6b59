//! A lenient JSON parser: of whatever a host sends, everything readable is kept.
//!
//! A payload may be cut off in the middle (only its beginning is read into memory), hold half a surrogate pair or nest without
//! end. A strict parser would reject all of it, and a tree of eight million numbers would take more memory than a hook may
//! use: here damage is skipped (`reader`), and number and depth of values are bounded. Not here: what a host means by it.

mod reader;

use reader::LenientReader;
use std::borrow::Cow;

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LenientJson<'a> {
    /// `null`, or not there at all.
    Nothing,
    Bool(bool),
    /// A number as it was written, or a word that JSON does not know.
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<LenientJson<'a>>),
    Fields(Vec<(Cow<'a, str>, LenientJson<'a>)>),
}

impl<'a> LenientJson<'a> {
    /// Reads a text.
    pub(crate) fn read(text: &'a str) -> LenientJson<'a> {
        LenientJson::read_only(text, |_, _| true)
    }

    /// Reads a text, keeping only the fields that are wanted, by depth (the outermost have 1) and name. The others are skipped
    /// without being held.
    pub(crate) fn read_only(text: &'a str, wants: fn(usize, &str) -> bool) -> LenientJson<'a> {
        LenientReader::new(text, wants).value(0).unwrap_or(LenientJson::Nothing)
    }

    /// Returns an owned copy. Numbers become the text they were written as.
    pub(crate) fn into_owned(self) -> LenientJson<'static> {
        match self {
            LenientJson::Nothing => LenientJson::Nothing,
            LenientJson::Bool(flag) => LenientJson::Bool(flag),
            LenientJson::Number(number) => LenientJson::Text(Cow::Owned(number.to_owned())),
            LenientJson::Text(text) => LenientJson::Text(Cow::Owned(text.into_owned())),
            LenientJson::List(items) => {
                LenientJson::List(items.into_iter().map(LenientJson::into_owned).collect())
            }
            LenientJson::Fields(fields) => {
                let owned = |(name, value): (Cow<'_, str>, LenientJson<'_>)| {
                    (Cow::Owned(name.into_owned()), value.into_owned())
                };
                LenientJson::Fields(fields.into_iter().map(owned).collect())
            }
        }
    }

    /// Removes and returns the value of a field.
    pub(crate) fn take(&mut self, name: &str) -> LenientJson<'a> {
        let field = match self {
            LenientJson::Fields(fields) => fields.iter_mut().rev().find(|(key, _)| key == name),
            _ => None,
        };
        field.map_or(LenientJson::Nothing, |(_, value)| std::mem::replace(value, LenientJson::Nothing))
    }

    /// Returns the values of a list.
    pub(crate) fn into_items(self) -> Vec<LenientJson<'a>> {
        match self {
            LenientJson::List(items) => items,
            _ => Vec::new(),
        }
    }

    /// Returns the value of a field, `Nothing` if it is missing. Of two fields of one name, the last counts.
    pub(crate) fn get(&self, name: &str) -> &LenientJson<'a> {
        match self {
            LenientJson::Fields(fields) => {
                fields.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
            }
            _ => None,
        }
        .unwrap_or(&LenientJson::Nothing)
    }

    /// Returns the text a value is.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            LenientJson::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the text of a field, which is empty where there is none.
    pub(crate) fn str(&self, name: &str) -> &str {
        self.get(name).text().unwrap_or_default()
    }

    /// Returns the text of a field, `None` if it is empty.
    pub(crate) fn said(&self, name: &str) -> Option<&str> {
        self.get(name).text().filter(|text| !text.is_empty())
    }

    /// Returns the values of a list.
    pub(crate) fn items(&self) -> &[LenientJson<'a>] {
        match self {
            LenientJson::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn is_true(&self) -> bool {
        *self == LenientJson::Bool(true)
    }

    pub(crate) fn is_nothing(&self) -> bool {
        *self == LenientJson::Nothing
    }

    /// Returns the text in a value of any shape: of content blocks their texts, of other fields each with its name.
    pub(crate) fn words(&self) -> String {
        match self {
            LenientJson::Nothing => String::new(),
            LenientJson::Bool(flag) => flag.to_string(),
            LenientJson::Number(number) => (*number).to_owned(),
            LenientJson::Text(text) => text.clone().into_owned(),
            LenientJson::List(items) => joined(items.iter().map(LenientJson::words), "\n"),
            LenientJson::Fields(_) if self.get("text").text().is_some() => self.str("text").to_owned(),
            LenientJson::Fields(fields) => joined(fields.iter().filter_map(named), ", "),
        }
    }
}

fn named((name, value): &(Cow<'_, str>, LenientJson<'_>)) -> Option<String> {
    let words = value.words();
    (!words.is_empty()).then(|| format!("{name} {words}"))
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> String {
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(between)
}

#[cfg(test)]
mod tests {
    use super::reader::MOST_VALUES;
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// Parses with a strict parser, for comparison.
    fn strict(json: &LenientJson<'_>) -> Value {
        match json {
            LenientJson::Nothing => Value::Null,
            LenientJson::Bool(flag) => Value::Bool(*flag),
            LenientJson::Number(number) => serde_json::from_str(number).unwrap_or(Value::Null),
            LenientJson::Text(text) => Value::String(text.clone().into_owned()),
            LenientJson::List(items) => items.iter().map(strict).collect(),
            LenientJson::Fields(fields) => {
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
        fn valid_json_is_read_as_serde_reads_it(value in values()) {
            for text in [value.to_string(), format!("{value:#}")] {
                prop_assert_eq!(strict(&LenientJson::read(&text)), value.clone());
            }
        }

        #[test]
        fn reading_any_bytes_ends(text in "\\PC*", marks in "[\\[\\]{}\",:\\\\u0-9a-f ]*") {
            LenientJson::read(&text);
            LenientJson::read(&marks);
        }

        #[test]
        fn fields_before_a_cut_are_read(text in "[a-zé\"\\\\\n]{0,40}", cut in 0_usize..40) {
            let whole = serde_json::json!({"a": "first", "z": text}).to_string();
            let end = whole.floor_char_boundary(whole.len().saturating_sub(cut));
            let read = LenientJson::read(&whole[..end]);
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
            assert_eq!(LenientJson::read(written).text(), Some(read), "{written}");
        }
    }

    #[test]
    fn depth_and_number_are_bounded() {
        let deep = format!("{{\"a\":{}1{},\"b\":\"behind\"}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(LenientJson::read(&deep).str("b"), "behind");
        let wide = format!("{{\"a\":[{}],\"b\":\"behind\"}}", "1,".repeat(1_000_000));
        let read = LenientJson::read(&wide);
        assert!(read.get("a").items().len() <= MOST_VALUES);
        assert_eq!(read.str("b"), "behind");
        let many = format!("{{{}}}", "\"a\":1,".repeat(100_000));
        let LenientJson::Fields(fields) = LenientJson::read(&many) else { panic!("no fields") };
        assert!(fields.len() <= MOST_VALUES);
    }

    #[test]
    fn damage_costs_only_the_damaged_entry() {
        let read = LenientJson::read(r#"{"in":{"a":},"list":[1,,}2],b:3,"no","session":"s""#);
        assert_eq!(read.str("session"), "s");
        assert_eq!(read.get("list").words(), "1\n2");
    }

    #[test]
    fn text_is_found_in_any_content_shape() {
        let words = |text: &str| LenientJson::read(text).words();
        assert_eq!(words(r#"[{"type":"text","text":"one"},{"type":"text","text":"two"}]"#), "one\ntwo");
        assert_eq!(words(r#"{"query":"how","deep":true,"none":null,"n":3}"#), "query how, deep true, n 3");
        assert_eq!(words("null"), "");
    }
}
