//! JSON with comments, changed by the smallest edit: whatever is not ours keeps every byte.
//!
//! A text is parsed for where its values stand; a change is one insertion or one cut in that text, never a text written anew.
//! Not here: what is put where (`hooks`, `wanted`), lines, commas and comments (`source`), how what is added looks (`layout`).

use super::install_error::EditRefusal;
use super::json_layout::{JsonLayout, JsonStyle};
use super::json_source::JsonSource;
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;
use std::ops::Range;

/// A text that is JSON, with comments and trailing commas where a host allows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EditableJson {
    text: String,
}

/// One step to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonStep<'a> {
    /// The value of a key. Of keys that stand twice the last counts, as it does for the hosts.
    Key(&'a str),
    /// The element at a place.
    At(usize),
}

/// An object or an array, as far as its text is concerned.
struct JsonContainer {
    span: Range<usize>,
    children: Vec<Range<usize>>,
}

impl EditableJson {
    /// Reads a text. One that holds nothing becomes an object.
    pub(super) fn parse(text: &str) -> Result<EditableJson, EditRefusal> {
        let json = EditableJson { text: text.to_owned() };
        let is_object = match json.root()? {
            None => {
                let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
                return Ok(EditableJson { text: format!("{text}{newline}{{}}\n") });
            }
            Some(root) => root.as_object().is_some(),
        };
        if is_object { Ok(json) } else { Err(EditRefusal::shape("the file", "an object")) }
    }

    /// Returns the text.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Returns the value at a path.
    pub(super) fn value(&self, path: &[JsonStep<'_>]) -> Result<Option<Value>, EditRefusal> {
        let root = self.root()?;
        Ok(root.as_ref().and_then(|root| find(root, path)).map(|value| value.clone().into()))
    }

    /// Returns the keys of the object at a path; none where there is no object.
    pub(super) fn keys(&self, path: &[JsonStep<'_>]) -> Result<Vec<String>, EditRefusal> {
        let value = self.value(path)?;
        let object = value.as_ref().and_then(Value::as_object);
        Ok(object.map(|object| object.keys().cloned().collect()).unwrap_or_default())
    }

    /// Sets the value of a key, making the objects on the way.
    pub(super) fn set(&mut self, keys: &[&str], value: &Value) -> Result<(), EditRefusal> {
        let path: Vec<JsonStep<'_>> = keys.iter().copied().map(JsonStep::Key).collect();
        if self.value(&path)?.is_some() {
            return self.replace(&path, value);
        }
        let (depth, object) = self.deepest(&path)?;
        let Some((key, rest)) = keys.get(depth..).and_then(<[&str]>::split_first) else { return Ok(()) };
        let value = rest.iter().rev().fold(value.clone(), |value, key| {
            Value::Object(std::iter::once(((*key).to_owned(), value)).collect())
        });
        self.append(&object, Some(key), &value);
        Ok(())
    }

    /// Puts a value at the end of the list at a path of keys, making what is not there.
    pub(super) fn push(&mut self, keys: &[&str], value: &Value) -> Result<(), EditRefusal> {
        let path: Vec<JsonStep<'_>> = keys.iter().copied().map(JsonStep::Key).collect();
        let Some(list) = self.container(&path)? else {
            return self.set(keys, &Value::Array(vec![value.clone()]));
        };
        self.append(&list, None, value);
        Ok(())
    }

    /// Puts another value in the place of one that is there.
    pub(super) fn replace(&mut self, path: &[JsonStep<'_>], value: &Value) -> Result<(), EditRefusal> {
        let Some(span) = self.root()?.as_ref().and_then(|root| find(root, path)).map(span_of) else {
            return Ok(());
        };
        let style = self.style()?;
        let layout = if self.source().slice(&span).contains('\n') || self.starts_its_line(path)? {
            JsonLayout::Lines { indent: self.source().indent_at(span.start) }
        } else {
            JsonLayout::OneLine
        };
        let text = style.render(value, &layout);
        self.text.replace_range(span, &text);
        Ok(())
    }

    /// Cuts out the property or element at a path, with the comma and the line that were its own.
    pub(super) fn remove(&mut self, path: &[JsonStep<'_>]) -> Result<(), EditRefusal> {
        let Some((last, parents)) = path.split_last() else { return Ok(()) };
        let Some(container) = self.container(parents)? else { return Ok(()) };
        let root = self.root()?;
        let Some(at) = root.as_ref().and_then(|root| find(root, parents)).and_then(|it| child(it, *last))
        else {
            return Ok(());
        };
        for cut in self.cuts(&container, at) {
            self.text.replace_range(cut, "");
        }
        self.close_if_empty(parents)
    }

    /// Whether the value at a path is an object or a list with nothing in it.
    pub(super) fn is_empty(&self, path: &[JsonStep<'_>]) -> Result<bool, EditRefusal> {
        Ok(match self.value(path)? {
            Some(Value::Object(object)) => object.is_empty(),
            Some(Value::Array(list)) => list.is_empty(),
            _ => false,
        })
    }

    /// Whether a property holds nothing at all, not even a comment.
    pub(super) fn is_bare(&self, path: &[JsonStep<'_>]) -> Result<bool, EditRefusal> {
        let Some((last, parents)) = path.split_last() else { return Ok(false) };
        let root = self.root()?;
        let at = root.as_ref().and_then(|root| find(root, parents)).and_then(|it| child(it, *last));
        let span = self.container(parents)?.and_then(|it| it.children.get(at?).cloned());
        let text = span.map(|span| self.source().slice(&span)).unwrap_or_default();
        Ok(self.is_empty(path)? && !text.contains("//") && !text.contains("/*"))
    }

    fn source(&self) -> JsonSource<'_> {
        JsonSource(&self.text)
    }

    fn root(&self) -> Result<Option<ast::Value<'_>>, EditRefusal> {
        // Comments and trailing commas are widely understood; of the rest nobody can say what a host makes of it.
        let strict = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(&self.text, &CollectOptions::default(), &strict);
        let parsed = parsed.map_err(|error| EditRefusal::Unreadable {
            line: error.line_display(),
            column: error.column_display(),
            why: error.kind().to_string(),
        })?;
        Ok(parsed.value)
    }

    /// Returns the object or array at a path; `None` where there is nothing.
    fn container(&self, path: &[JsonStep<'_>]) -> Result<Option<JsonContainer>, EditRefusal> {
        let root = self.root()?;
        let Some(value) = root.as_ref().and_then(|root| find(root, path)) else { return Ok(None) };
        let children = match value {
            ast::Value::Object(object) => object.properties.iter().map(span_of).collect(),
            ast::Value::Array(array) => array.elements.iter().map(span_of).collect(),
            _ => return Err(EditRefusal::shape(&named(path), "an object or a list")),
        };
        Ok(Some(JsonContainer { span: span_of(value), children }))
    }

    /// Returns how far a path of keys leads, and the object there.
    fn deepest(&self, path: &[JsonStep<'_>]) -> Result<(usize, JsonContainer), EditRefusal> {
        let root = self.root()?;
        let leads = |depth: &usize| {
            root.as_ref().and_then(|root| find(root, path.get(..*depth).unwrap_or_default())).is_some()
        };
        let depth = (0..path.len()).rev().find(leads).unwrap_or_default();
        let there = path.get(..depth).unwrap_or_default();
        let is_object =
            root.as_ref().and_then(|root| find(root, there)).and_then(ast::Value::as_object).is_some();
        match self.container(there)? {
            Some(container) if is_object => Ok((depth, container)),
            _ => Err(EditRefusal::shape(&named(there), "an object")),
        }
    }

    fn style(&self) -> Result<JsonStyle, EditRefusal> {
        let root = self.root()?;
        Ok(JsonStyle::from_text(&self.text, root.as_ref().map_or(0..0, span_of)))
    }

    fn append(&mut self, container: &JsonContainer, key: Option<&str>, value: &Value) {
        let style =
            JsonStyle::from_text(&self.text, self.root().ok().flatten().as_ref().map_or(0..0, span_of));
        let layout = self.layout_of(container, &style);
        let item = style.render_item(key, value, &layout);
        match container.children.last() {
            Some(last) => self.append_after(container, last, &item, &layout, &style),
            None => self.fill(container, &item, &layout, &style),
        }
    }

    fn append_after(
        &mut self,
        container: &JsonContainer,
        last: &Range<usize>,
        item: &str,
        layout: &JsonLayout,
        style: &JsonStyle,
    ) {
        let comma = self.source().comma_between(last.end, container.span.end);
        let after = comma.map_or(last.end, |comma| comma + 1);
        let (before_item, place) = match layout {
            JsonLayout::OneLine => (style.gap().to_owned(), after),
            // A comment behind the last line belongs to that line.
            JsonLayout::Lines { indent } => {
                (format!("{}{indent}", style.newline), self.source().end_of_comments_on_line(after))
            }
        };
        let trailing = if comma.is_some() { "," } else { "" };
        self.text.insert_str(place, &format!("{before_item}{item}{trailing}"));
        if comma.is_none() {
            self.text.insert(last.end, ',');
        }
    }

    fn fill(&mut self, container: &JsonContainer, item: &str, layout: &JsonLayout, style: &JsonStyle) {
        let inside = container.span.start + 1..container.span.end - 1;
        let kept = self.source().slice(&inside).trim_end().len();
        let outer = self.source().indent_at(container.span.start);
        let text = match layout {
            JsonLayout::OneLine => item.to_owned(),
            JsonLayout::Lines { indent } => {
                format!("{newline}{indent}{item}{newline}{outer}", newline = style.newline)
            }
        };
        self.text.replace_range(inside.start + kept..inside.end, &text);
    }

    fn layout_of(&self, container: &JsonContainer, style: &JsonStyle) -> JsonLayout {
        match (container.children.first(), container.children.last()) {
            (Some(first), Some(last)) => {
                let opening = self.source().slice(&(container.span.start..first.start));
                if !opening.contains('\n') {
                    return JsonLayout::OneLine;
                }
                let model = if self.source().begins_line(last.start) { last } else { first };
                JsonLayout::Lines { indent: self.source().indent_at(model.start) }
            }
            _ if style.is_one_line => JsonLayout::OneLine,
            _ => JsonLayout::Lines {
                indent: format!("{}{}", self.source().indent_at(container.span.start), style.indent),
            },
        }
    }

    /// What has to be cut so that a child is gone, last first. Comments around it are not its own, and stay.
    fn cuts(&self, container: &JsonContainer, at: usize) -> Vec<Range<usize>> {
        let Some(child) = container.children.get(at) else { return Vec::new() };
        let until = container.children.get(at + 1).map_or(container.span.end, |next| next.start);
        let comma = self.source().comma_between(child.end, until);
        let is_close = |comma: &usize| self.source().slice(&(child.end..*comma)).trim().is_empty();
        let (with_comma, apart) = (comma.filter(is_close), comma.filter(|comma| !is_close(comma)));
        let mut cut = child.start..with_comma.map_or(child.end, |comma| comma + 1);
        let (before, behind) = (self.source().blank_before(cut.start), self.source().blank_behind(cut.end));
        if self.source().begins_line(cut.start) && self.source().ends_line(behind) {
            cut = self.source().newline_before(before)..behind;
        } else if comma.is_some() {
            cut.end = behind;
        } else {
            cut.start = before;
        }
        let previous = at.checked_sub(1).and_then(|previous| container.children.get(previous));
        let own_comma = match (comma, previous) {
            (None, Some(previous)) => self.source().comma_between(previous.end, child.start),
            _ => None,
        };
        let only = |comma: usize| comma..comma + 1;
        apart.map(only).into_iter().chain([cut]).chain(own_comma.map(only)).collect()
    }

    fn close_if_empty(&mut self, path: &[JsonStep<'_>]) -> Result<(), EditRefusal> {
        if let Some(container) = self.container(path)?
            && container.children.is_empty()
        {
            let inside = container.span.start + 1..container.span.end - 1;
            if self.source().slice(&inside).trim().is_empty() {
                self.text.replace_range(inside, "");
            }
        }
        Ok(())
    }

    fn starts_its_line(&self, path: &[JsonStep<'_>]) -> Result<bool, EditRefusal> {
        let root = self.root()?;
        let start = root.as_ref().and_then(|root| find(root, path)).map(|value| value.range().start);
        Ok(start.is_some_and(|start| self.source().begins_line(start)))
    }
}

fn find<'v, 'a>(root: &'v ast::Value<'a>, path: &[JsonStep<'_>]) -> Option<&'v ast::Value<'a>> {
    path.iter().try_fold(root, |value, step| match (value, step) {
        (ast::Value::Object(object), step @ JsonStep::Key(_)) => {
            let at = child(value, *step)?;
            object.properties.get(at).map(|property| &property.value)
        }
        (ast::Value::Array(array), JsonStep::At(at)) => array.elements.get(*at),
        _ => None,
    })
}

/// Returns which child of a value a step leads to.
fn child(value: &ast::Value<'_>, step: JsonStep<'_>) -> Option<usize> {
    match (value, step) {
        (ast::Value::Object(object), JsonStep::Key(key)) => {
            object.properties.iter().rposition(|property| property.name.as_str() == key)
        }
        (ast::Value::Array(array), JsonStep::At(at)) => (at < array.elements.len()).then_some(at),
        _ => None,
    }
}

fn span_of(node: &impl Ranged) -> Range<usize> {
    let range = node.range();
    range.start..range.end
}

fn named(path: &[JsonStep<'_>]) -> String {
    let steps: Vec<String> = path
        .iter()
        .map(|step| match step {
            JsonStep::Key(key) => (*key).to_owned(),
            JsonStep::At(at) => at.to_string(),
        })
        .collect();
    if steps.is_empty() { "the file".to_owned() } else { format!("`{}`", steps.join(".")) }
}
