//! How a JSON text is laid out, so that what we add looks as its owner would have written it.

use serde_json::Value;
use std::ops::Range;

/// How a text is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonStyle {
    /// What ends a line.
    pub(super) newline: &'static str,
    /// What one level is indented by.
    pub(super) indent: String,
    /// Whether the whole value stands on one line.
    pub(super) is_one_line: bool,
    /// Whether a space follows colons and commas on one line.
    is_spaced: bool,
}

/// How one value is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JsonLayout {
    /// Within a line.
    OneLine,
    /// Over several lines, the first of which is indented like this.
    Lines {
        /// The white space the value's line begins with.
        indent: String,
    },
}

impl JsonLayout {
    /// The layout of a whole file.
    pub(crate) fn outermost() -> JsonLayout {
        JsonLayout::Lines { indent: String::new() }
    }
}

impl JsonStyle {
    /// Returns how a file of our own is written.
    pub(crate) fn usual() -> JsonStyle {
        JsonStyle { newline: "\n", indent: "  ".to_owned(), is_one_line: false, is_spaced: true }
    }

    /// Tells how a text is written whose value stands at `root`.
    pub(super) fn from_text(text: &str, root: Range<usize>) -> JsonStyle {
        let value = text.get(root).unwrap_or_default();
        let indent =
            |line: &str| -> String { line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect() };
        let indented = value.lines().skip(1).filter(|line| !line.trim().is_empty()).map(indent);
        let indent = indented.clone().find(|indent| !indent.is_empty());
        JsonStyle {
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            indent: indent.unwrap_or_else(|| "  ".to_owned()),
            is_one_line: !value.contains('\n') && value.contains(':'),
            is_spaced: !value.contains(':') || value.contains("\": ") || value.contains(", \""),
        }
    }

    /// What stands between a comma and the next thing on a line.
    pub(super) fn gap(&self) -> &'static str {
        if self.is_spaced { " " } else { "" }
    }

    /// Writes a value.
    pub(crate) fn render(&self, value: &Value, layout: &JsonLayout) -> String {
        self.render_item(None, value, layout)
    }

    /// Writes a value, behind its key if it has one.
    pub(super) fn render_item(&self, key: Option<&str>, value: &Value, layout: &JsonLayout) -> String {
        let colon = match layout {
            JsonLayout::OneLine => format!(":{}", self.gap()),
            JsonLayout::Lines { .. } => ": ".to_owned(),
        };
        let key = key.map(|key| format!("{}{colon}", Value::from(key))).unwrap_or_default();
        let inner = match layout {
            JsonLayout::OneLine => JsonLayout::OneLine,
            JsonLayout::Lines { indent } => JsonLayout::Lines { indent: format!("{indent}{}", self.indent) },
        };
        let body = match value {
            Value::Object(object) if !object.is_empty() => {
                let items = object.iter().map(|(key, value)| self.render_item(Some(key), value, &inner));
                self.wrap(("{", "}"), &items.collect::<Vec<_>>(), layout)
            }
            // Our lists are short: of words, or of one hook. A line each is easier to take in than a page.
            Value::Array(list) => {
                let items = list.iter().map(|value| self.render_item(None, value, &JsonLayout::OneLine));
                self.wrap(("[", "]"), &items.collect::<Vec<_>>(), &JsonLayout::OneLine)
            }
            value => value.to_string(),
        };
        format!("{key}{body}")
    }

    fn wrap(&self, (open, close): (&str, &str), items: &[String], layout: &JsonLayout) -> String {
        match layout {
            JsonLayout::OneLine => format!("{open}{}{close}", items.join(&format!(",{}", self.gap()))),
            JsonLayout::Lines { indent } => {
                let line = format!("{}{indent}{}", self.newline, self.indent);
                let items = items.join(&format!(",{line}"));
                format!("{open}{line}{items}{}{indent}{close}", self.newline)
            }
        }
    }
}
