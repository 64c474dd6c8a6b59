//! One walk over a syntax tree that finds its symbols by the table of its language.
//!
//! Every token goes to the innermost symbol it lies in, once, so the walk is linear however code nests; and it keeps its
//! own stack, since a tree can be deeper than ours. Not here: what the parser does, and what changed (`changes.rs`).

use super::MOST_SYMBOLS;
use super::signature;
use super::table::{FUNCTION_VALUES, LanguageRules, NameSource, NodeRole, NodeRule, RuleCondition};
use super::token_stream::{TokenStream, Weight, text, weigh};
use backstory_memory::Digest;
use backstory_memory::{Symbol, SymbolKind};
use tree_sitter::{Node, Tree};

/// Returns the symbols of a tree in the order they stand in.
pub(super) fn symbols(rules: &LanguageRules, tree: &Tree, source: &str) -> Vec<Symbol> {
    let mut walk = SymbolWalk::new(rules, source);
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        if walk.enter(cursor.node(), depth) && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return walk.found;
            }
            depth -= 1;
            walk.leave(cursor.node(), depth);
        }
    }
}

struct SymbolWalk<'a> {
    rules: &'a LanguageRules,
    source: &'a str,
    found: Vec<Symbol>,
    /// The enclosing nodes, the outermost first.
    frames: Vec<WalkFrame>,
    /// The tokens outside of any symbol.
    loose: TokenStream,
    /// Decorators whose symbol is still to come.
    decorators: Decorators,
    /// The depth of the node in which no symbols are looked for.
    closed: Option<usize>,
    /// The end of the source that was visited.
    seen: usize,
}

struct WalkFrame {
    depth: usize,
    content: TokenStream,
    of: FrameKind,
}

enum FrameKind {
    /// A symbol (its place in `found`, unless there were too many) or a scope.
    Named {
        name: String,
        class_like: bool,
        place: Option<usize>,
    },
    Wrapper {
        prefix: String,
        holds_symbol: bool,
    },
    Decorator,
}

#[derive(Default)]
struct Decorators {
    text: String,
    content: TokenStream,
    any: bool,
}

impl<'a> SymbolWalk<'a> {
    fn new(rules: &'a LanguageRules, source: &'a str) -> SymbolWalk<'a> {
        SymbolWalk {
            rules,
            source,
            found: Vec::new(),
            frames: Vec::new(),
            loose: TokenStream::default(),
            decorators: Decorators::default(),
            closed: None,
            seen: 0,
        }
    }

    /// Enters a node. Returns whether its children should be visited.
    fn enter(&mut self, node: Node<'_>, depth: usize) -> bool {
        self.see_up_to(node.start_byte());
        match weigh(node, self.source) {
            Weight::Nothing => self.seen = self.seen.max(node.end_byte()),
            Weight::Token => {
                self.before_named(node);
                let source = self.source;
                self.content().token(text(node, source));
                self.seen = self.seen.max(node.end_byte());
            }
            Weight::Parts => {
                self.open(node, depth);
                self.content().open(node.kind());
                return true;
            }
        }
        false
    }

    fn open(&mut self, node: Node<'_>, depth: usize) {
        if self.closed.is_some() || !node.is_named() {
            return;
        }
        if self.rules.decorators.contains(&node.kind()) {
            self.frames.push(WalkFrame { depth, content: TokenStream::default(), of: FrameKind::Decorator });
            self.closed = Some(depth);
        } else if self.rules.wrappers.contains(&node.kind()) {
            let prefix = signature::prefix(self.rules, node, self.prefix(), self.source);
            let of = FrameKind::Wrapper { prefix, holds_symbol: false };
            self.frames.push(WalkFrame { depth, content: TokenStream::default(), of });
        } else if let Some((rule, name)) = self.matching(node) {
            self.open_named(node, depth, rule, &name);
        } else {
            self.before_named(node);
            if self.rules.opaque.contains(&node.kind()) {
                self.closed = Some(depth);
            }
        }
    }

    fn matching(&self, node: Node<'_>) -> Option<(&'a NodeRule, String)> {
        let mut candidates = self.rules.symbols.iter().filter(|rule| rule.node == node.kind());
        candidates.find_map(|rule| {
            let name = signature::name(rule.name, node, self.source)?;
            self.holds(rule, node, &name).then_some((rule, name))
        })
    }

    fn holds(&self, rule: &NodeRule, node: Node<'_>, name: &str) -> bool {
        let field = |name| node.child_by_field_name(name);
        match rule.when {
            RuleCondition::Always => true,
            RuleCondition::HasBody => field("body").is_some(),
            RuleCondition::DeclaresFunction => {
                signature::declarators(node).any(|declarator| declarator.kind() == "function_declarator")
            }
            RuleCondition::HoldsFunction => {
                let value = field("value").or_else(|| field("right"));
                value.is_some_and(|value| FUNCTION_VALUES.contains(&value.kind()))
            }
            RuleCondition::TypeIs(kind) => field("type").is_some_and(|node| node.kind() == kind),
            RuleCondition::Says(words) => {
                let line = signature::declaration(self.rules, node, self.prefix(), self.source);
                let said = line.split('=').next().unwrap_or_default();
                let said =
                    |word| said.split(|letter: char| !letter.is_alphanumeric()).any(|part| part == word);
                words.iter().all(|word| said(*word))
            }
            RuleCondition::Shouts => {
                field("left").is_some_and(|left| left.kind() == "constant")
                    || name.chars().any(char::is_uppercase)
                        && name.chars().all(|letter| {
                            !letter.is_lowercase() && (letter.is_alphanumeric() || letter == '_')
                        })
            }
        }
    }

    fn open_named(&mut self, node: Node<'_>, depth: usize, rule: &NodeRule, own: &str) {
        let outer = self.enclosing();
        let name =
            signature::qualify(outer.map(|(name, _)| name), rule.joint.unwrap_or(self.rules.joint), own);
        let in_class = outer.is_some_and(|(_, class_like)| class_like || rule.joint.is_some());
        let kind = match rule.role {
            NodeRole::Enclosing => None,
            NodeRole::Leaf(SymbolKind::Function) if in_class || is_qualified(rule, own) => {
                Some(SymbolKind::Method)
            }
            NodeRole::Leaf(kind) | NodeRole::Container(kind) => Some(kind),
        };
        let place = kind.and_then(|kind| self.record(node, &name, kind));
        let mut content = TokenStream::default();
        if kind.is_some() {
            content.token(self.prefix());
            content.append(std::mem::take(&mut self.decorators).content);
            for frame in self.frames.iter_mut().rev() {
                let FrameKind::Wrapper { holds_symbol, .. } = &mut frame.of else { break };
                *holds_symbol = true;
            }
        }
        let class_like = kind != Some(SymbolKind::Module);
        self.frames.push(WalkFrame { depth, content, of: FrameKind::Named { name, class_like, place } });
        if matches!(rule.role, NodeRole::Leaf(_)) {
            self.closed = Some(depth);
        }
    }

    /// Adds a symbol and returns its index, unless there are too many.
    fn record(&mut self, node: Node<'_>, name: &str, kind: SymbolKind) -> Option<usize> {
        let place = self.found.len();
        if place >= MOST_SYMBOLS {
            return None;
        }
        let mut before = self.decorators.text.clone();
        if !before.is_empty() && !self.prefix().is_empty() {
            before.push(' ');
        }
        before.push_str(self.prefix());
        let write = if kind == SymbolKind::Constant { signature::constant } else { signature::declaration };
        self.found.push(Symbol {
            qualified_name: name.to_owned(),
            kind,
            signature: write(self.rules, node, &before, self.source),
            // Filled in when the symbol ends.
            body_hash: Digest([0; 16]),
            first_line: node.start_position().row + 1,
            last_line: last_line(node),
        });
        Some(place)
    }

    fn leave(&mut self, node: Node<'_>, depth: usize) {
        self.see_up_to(node.end_byte());
        if self.closed == Some(depth) {
            self.closed = None;
        }
        let ends_frame = self.frames.last().is_some_and(|frame| frame.depth == depth);
        if !matches!(self.frames.last(), Some(WalkFrame { of: FrameKind::Decorator, .. })) {
            self.flush_decorators(ends_frame);
        }
        self.content().close();
        if !ends_frame {
            return;
        }
        let Some(WalkFrame { content, of, .. }) = self.frames.pop() else { return };
        match of {
            FrameKind::Named { place: Some(place), .. } => {
                if let Some(symbol) = self.found.get_mut(place) {
                    symbol.body_hash = content.digest();
                }
            }
            FrameKind::Wrapper { holds_symbol: false, .. } => self.content().append(content),
            FrameKind::Decorator => {
                if self.rules.decorators_shown {
                    if !self.decorators.text.is_empty() {
                        self.decorators.text.push(' ');
                    }
                    self.decorators.text.push_str(&signature::decorator(self.rules, node, self.source));
                }
                self.decorators.content.append(content);
                self.decorators.any = true;
            }
            FrameKind::Named { .. } | FrameKind::Wrapper { .. } => {}
        }
    }

    /// Gives pending decorators to the enclosing node when a named node follows that is no symbol.
    fn before_named(&mut self, node: Node<'_>) {
        self.flush_decorators(node.is_named());
    }

    fn flush_decorators(&mut self, due: bool) {
        // Nodes inside of a decorator follow no decorator.
        if due && self.decorators.any && self.closed.is_none() {
            let decorators = std::mem::take(&mut self.decorators);
            self.content().append(decorators.content);
        }
    }

    /// Adds the source that the parser skipped to recover from an error.
    fn see_up_to(&mut self, end: usize) {
        if end <= self.seen {
            return;
        }
        let skipped = self.source.get(self.seen..end).unwrap_or_default();
        // A backslash at the end of a line is layout.
        let skipped = skipped.trim_matches(|letter: char| letter.is_whitespace() || letter == '\\');
        if !skipped.is_empty() {
            self.content().token(skipped);
        }
        self.seen = end;
    }

    /// Returns the name of the enclosing symbol, and whether a function in it is a method.
    fn enclosing(&self) -> Option<(&str, bool)> {
        self.frames.iter().rev().find_map(|frame| match &frame.of {
            FrameKind::Named { name, class_like, .. } => Some((name.as_str(), *class_like)),
            _ => None,
        })
    }

    /// Returns the first words of the enclosing wrapper.
    fn prefix(&self) -> &str {
        match self.frames.last() {
            Some(WalkFrame { of: FrameKind::Wrapper { prefix, .. }, .. }) => prefix,
            _ => "",
        }
    }

    fn content(&mut self) -> &mut TokenStream {
        self.frames.last_mut().map_or(&mut self.loose, |frame| &mut frame.content)
    }
}

fn last_line(node: Node<'_>) -> usize {
    let end = node.end_position();
    // A node that takes its line end along ends where the next line begins.
    let whole_lines = usize::from(end.column == 0 && end.row > node.start_position().row);
    end.row + 1 - whole_lines
}

/// Whether a C++ function is defined outside the class its name says it belongs to.
fn is_qualified(rule: &NodeRule, own: &str) -> bool {
    matches!(rule.name, NameSource::Declarator) && own.contains("::")
}
