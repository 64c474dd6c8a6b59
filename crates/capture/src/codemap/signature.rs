//! How a symbol is called and how its declaration reads on one line.
//!
//! Not here: which nodes are symbols (`table.rs`).

use super::table::{LanguageRules, NameSource};
use super::token_stream::{Weight, text, weigh};
use tree_sitter::{Node, TreeCursor};

const MOST_SIGNATURE_CHARS: usize = 160;
/// A constant's value is shown when the whole fits in this.
const MOST_CONSTANT_CHARS: usize = 80;
/// A decorator longer than this is shown without its arguments.
const MOST_DECORATOR_CHARS: usize = 40;
const MOST_NAME_CHARS: usize = 200;

/// Returns the declaration of `node` up to its body, behind what stands before it.
pub(super) fn declaration(rules: &LanguageRules, node: Node<'_>, before: &str, source: &str) -> String {
    let mut line = SignatureLine::behind(before);
    let end = end_of_declaration(rules, node);
    line.write(rules, node, end, source);
    // A typedef names what it declares behind the body.
    if let Some(name) = node.child_by_field_name("declarator").filter(|name| name.start_byte() > end) {
        line.write(rules, name, name.end_byte(), source);
    }
    line.finish(MOST_SIGNATURE_CHARS)
}

/// Returns the declaration of a constant, with its value when that is short.
pub(super) fn constant(rules: &LanguageRules, node: Node<'_>, before: &str, source: &str) -> String {
    let mut line = SignatureLine::behind(before);
    line.write(rules, node, node.end_byte(), source);
    let whole = line.finish(MOST_SIGNATURE_CHARS);
    if whole.chars().count() <= MOST_CONSTANT_CHARS {
        return whole;
    }
    let Some(sign) = equals_sign(node) else { return whole };
    let mut line = SignatureLine::behind(before);
    line.write(rules, node, sign.start_byte(), source);
    format!("{} = …", line.finish(MOST_SIGNATURE_CHARS - " = …".chars().count()))
}

/// Returns what stands in a wrapper before the first symbol or wrapper in it, without decorators.
pub(super) fn prefix(rules: &LanguageRules, wrapper: Node<'_>, before: &str, source: &str) -> String {
    let is_inner =
        |kind| rules.wrappers.contains(&kind) || rules.symbols.iter().any(|rule| rule.node == kind);
    let mut line = SignatureLine::behind(before);
    let mut cursor = wrapper.walk();
    for child in wrapper.children(&mut cursor) {
        if is_inner(child.kind()) || child.kind() == "(" {
            break;
        }
        if !rules.decorators.contains(&child.kind()) {
            line.write(rules, child, child.end_byte(), source);
        }
    }
    line.text
}

/// Returns a decorator as it is shown, without arguments when they are long.
pub(super) fn decorator(rules: &LanguageRules, node: Node<'_>, source: &str) -> String {
    let mut line = SignatureLine::behind("");
    let bare = LanguageRules { decorators: &[], ..*rules };
    line.write(&bare, node, node.end_byte(), source);
    if line.text.chars().count() <= MOST_DECORATOR_CHARS {
        return line.text;
    }
    let name = line.text.split_once('(').map_or(line.text.as_str(), |(name, _)| name);
    name.chars()
        .take(MOST_DECORATOR_CHARS)
        .chain(if name.starts_with('[') { "]" } else { "" }.chars())
        .collect()
}

/// Returns a node's own name, if it has one.
pub(super) fn name(name: NameSource, node: Node<'_>, source: &str) -> Option<String> {
    let found = match name {
        NameSource::Fixed(name) => name.to_owned(),
        NameSource::Field(field) => {
            let named = node.child_by_field_name(field)?;
            // Taking a value apart names several things at once.
            if named.kind().ends_with("_pattern") || named.kind().ends_with("_list") {
                return None;
            }
            plain(text(named, source))
        }
        NameSource::Declarator => plain(text(declarators(node).last()?, source)),
        NameSource::Receiver => {
            let receiver = text(node.child_by_field_name("receiver")?, source);
            let receiver = receiver.trim_matches(['(', ')']).split('[').next()?.split_whitespace().last()?;
            let own = text(node.child_by_field_name("name")?, source);
            format!("{}.{own}", receiver.trim_start_matches('*'))
        }
    };
    let found: String = found.chars().take(MOST_NAME_CHARS).collect();
    (!found.is_empty()).then_some(found)
}

/// Joins a name to the one it lies in.
pub(super) fn qualify(outer: Option<&str>, joint: &str, own: &str) -> String {
    let outer = outer.into_iter().flat_map(|outer| outer.chars().chain(joint.chars()));
    outer.chain(own.chars()).take(MOST_NAME_CHARS).collect()
}

/// Follows a C declaration inwards to what it declares: `*name[3]` is a pointer to an array called `name`.
pub(super) fn declarators(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(node.child_by_field_name("declarator"), |node| inner_declarator(*node))
}

fn inner_declarator(node: Node<'_>) -> Option<Node<'_>> {
    let direct = node.child_by_field_name("declarator");
    // References and parentheses hold their declarator without a field.
    direct.or_else(|| node.kind().ends_with("_declarator").then(|| node.named_child(0)).flatten())
}

/// Drops type arguments and layout from a name, and whatever follows a parenthesis.
fn plain(name: &str) -> String {
    // The angle brackets of `operator<<` are its name.
    let keep_angles = name.contains("operator");
    let mut depth = 0_usize;
    let mut plain = String::new();
    for letter in name.chars() {
        match letter {
            '(' if !keep_angles => break,
            '<' if !keep_angles => depth += 1,
            '[' if !keep_angles && !plain.is_empty() => depth += 1,
            '>' | ']' if !keep_angles && depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            _ if letter.is_whitespace() => {
                if !plain.ends_with(' ') {
                    plain.push(' ');
                }
            }
            _ => plain.push(letter),
        }
    }
    plain.trim().to_owned()
}

fn end_of_declaration(rules: &LanguageRules, node: Node<'_>) -> usize {
    let inner = ["value", "right", "type"].into_iter().filter_map(|field| node.child_by_field_name(field));
    std::iter::once(node)
        .chain(inner)
        .find_map(|node| body(rules, node))
        .map_or(node.end_byte(), |body| body.start_byte())
}

fn body<'t>(rules: &LanguageRules, node: Node<'t>) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let kind = cursor.node().kind();
        // What a tuple struct holds is all there is to say about it.
        let named_body = cursor.field_name() == Some("body") && kind != "ordered_field_declaration_list";
        if named_body || rules.bodies.contains(&kind) {
            return Some(cursor.node());
        }
        more = cursor.goto_next_sibling();
    }
    None
}

fn equals_sign(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == "=")
}

/// One line of tokens, spaced as a person would space them.
struct SignatureLine {
    text: String,
    /// Where the last token ended, to see whether there was room before the next.
    end: Option<usize>,
}

impl SignatureLine {
    fn behind(before: &str) -> SignatureLine {
        SignatureLine { text: before.to_owned(), end: None }
    }

    /// Writes the tokens of `node` that begin before `end`, and not many more than fit.
    fn write(&mut self, rules: &LanguageRules, node: Node<'_>, end: usize, source: &str) {
        let mut cursor = node.walk();
        loop {
            let node = cursor.node();
            if node.start_byte() >= end || self.text.len() > MOST_SIGNATURE_CHARS * 4 {
                return;
            }
            let is_decorator = rules.decorators.contains(&node.kind());
            match weigh(node, source) {
                Weight::Nothing => {}
                _ if is_decorator && !rules.decorators_shown => {}
                _ if is_decorator => self.token(node, &decorator(rules, node, source)),
                Weight::Token => self.token(node, text(node, source)),
                Weight::Parts if cursor.goto_first_child() => continue,
                Weight::Parts => {}
            }
            if !advance(&mut cursor) {
                return;
            }
        }
    }

    fn token(&mut self, node: Node<'_>, token: &str) {
        let room = self.end != Some(node.start_byte());
        self.end = Some(node.end_byte());
        let closes = matches!(token, ")" | "]");
        if closes && room && self.text.ends_with(',') {
            self.text.pop();
        }
        let tight = self.text.is_empty() || self.text.ends_with(['(', '[', ' ']);
        if room && !tight && !closes && !matches!(token, "," | ";") {
            self.text.push(' ');
        }
        for (index, word) in token.split_whitespace().enumerate() {
            if index > 0 {
                self.text.push(' ');
            }
            self.text.push_str(word);
        }
    }

    fn finish(self, most: usize) -> String {
        let mut text = self.text.as_str();
        while let Some(shorter) =
            ["=>", "=", "{", ":", ";", ","].into_iter().find_map(|end| text.strip_suffix(end))
        {
            text = shorter.trim_end();
        }
        if text.chars().count() <= most {
            return text.to_owned();
        }
        text.chars().take(most - 1).chain(['…']).collect()
    }
}

/// Moves to the next node that is not inside the present one.
fn advance(cursor: &mut TreeCursor<'_>) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}
