//! Builds payloads from rows, as a hook would have got them.

use crate::lenient::LenientJson;
use std::borrow::Cow;

/// The fields of an event.
pub(crate) type EventFields<'a> = Vec<(Cow<'a, str>, LenientJson<'a>)>;

/// A field under one of the names hosts use.
pub(crate) type EventField<'a> = (&'static str, LenientJson<'a>);

/// A field that holds a text.
pub(crate) fn field<'a>(
    name: &'static str,
    text: impl Into<Cow<'a, str>>,
) -> (Cow<'a, str>, LenientJson<'a>) {
    (name.into(), LenientJson::Text(text.into()))
}

/// A text, as a field may hold it.
pub(crate) fn text(text: &str) -> LenientJson<'_> {
    LenientJson::Text(Cow::Borrowed(text))
}

/// Returns fields as one value.
pub(crate) fn as_one<'a>(fields: Vec<EventField<'a>>) -> LenientJson<'a> {
    LenientJson::Fields(fields.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect())
}

/// Returns the text of a content: itself, or that of its blocks.
pub(crate) fn words(content: &LenientJson<'_>) -> String {
    if let Some(text) = content.text() {
        return text.to_owned();
    }
    let texts: Vec<&str> = content.items().iter().filter_map(|block| block.said("text")).collect();
    texts.join("\n")
}
