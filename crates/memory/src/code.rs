//! Named pieces of code and how they change: the code map holds them, a turn changes them, and memories are anchored in them.
//!
//! Not here: reading source (`capture`), storing the map (`store`).

use crate::{Digest, SessionId, Timestamp};
use std::str::FromStr;

/// One named piece of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name with those of its parents: `Store::open`, `Parser.parse`, `Order#total`.
    pub qualified_name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// How it is declared, on one line of at most 160 characters, without its body.
    pub signature: String,
    /// A digest of its tokens, without layout, comments and nested symbols.
    pub body_hash: Digest,
    /// The first line, counted from one.
    pub first_line: usize,
    /// The last line.
    pub last_line: usize,
}

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A function that belongs to no type.
    Function,
    /// A function of a type, constructors included.
    Method,
    /// A property with code of its own.
    Property,
    /// A class.
    Class,
    /// A struct, record or union.
    Struct,
    /// An enumeration.
    Enum,
    /// A trait.
    Trait,
    /// An interface.
    Interface,
    /// A named type that is none of the others: alias, typedef, delegate.
    Type,
    /// A module or namespace.
    Module,
    /// A constant.
    Constant,
    /// A macro.
    Macro,
}

impl SymbolKind {
    const NAMES: [(SymbolKind, &'static str); 12] = [
        (SymbolKind::Function, "function"),
        (SymbolKind::Method, "method"),
        (SymbolKind::Property, "property"),
        (SymbolKind::Class, "class"),
        (SymbolKind::Struct, "struct"),
        (SymbolKind::Enum, "enum"),
        (SymbolKind::Trait, "trait"),
        (SymbolKind::Interface, "interface"),
        (SymbolKind::Type, "type"),
        (SymbolKind::Module, "module"),
        (SymbolKind::Constant, "constant"),
        (SymbolKind::Macro, "macro"),
    ];

    /// Returns the word it is stored and shown by.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::NAMES.iter().find(|(kind, _)| *kind == self).map_or("function", |(_, name)| name)
    }
}

impl FromStr for SymbolKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::NAMES.iter().find(|(_, name)| *name == text).map(|(kind, _)| *kind).ok_or(())
    }
}

/// How a symbol changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolChange {
    /// It is new.
    New,
    /// Its tokens changed.
    Modified,
    /// It no longer exists.
    Deleted,
}

impl SymbolChange {
    /// Returns the word it is stored and shown by.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            SymbolChange::New => "new",
            SymbolChange::Modified => "modified",
            SymbolChange::Deleted => "deleted",
        }
    }
}

impl FromStr for SymbolChange {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [SymbolChange::New, SymbolChange::Modified, SymbolChange::Deleted]
            .into_iter()
            .find(|change| change.as_str() == text)
            .ok_or(())
    }
}

/// One symbol that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeChange {
    /// How it changed.
    pub change: SymbolChange,
    /// The symbol as it is now; or as it was, if it is deleted.
    pub symbol: Symbol,
    /// The digest it had before, if it existed before.
    pub body_before: Option<Digest>,
}

/// What a session did to a symbol, in total.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedSymbol {
    /// The session; none if it is no longer known.
    pub session: Option<SessionId>,
    /// The file it is in, relative to the project's root.
    pub path: String,
    /// Its name with those of its parents.
    pub qualified_name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// How it changed.
    pub change: SymbolChange,
    /// How it is declared now; or how it was, if it is deleted.
    pub signature: String,
    /// When it last changed.
    pub at: Timestamp,
}

/// Whether the code a memory is about is what it was when the memory was anchored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// It is, or it was never checked.
    Fresh,
    /// Some of it changed.
    Changed,
    /// None of it exists any more.
    Gone,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_changes_are_read_back_from_their_names() {
        for (kind, name) in SymbolKind::NAMES {
            assert_eq!((kind.as_str(), name.parse()), (name, Ok(kind)));
        }
        for change in [SymbolChange::New, SymbolChange::Modified, SymbolChange::Deleted] {
            assert_eq!(change.as_str().parse(), Ok(change));
        }
        assert_eq!(("".parse::<SymbolChange>(), "".parse::<SymbolKind>()), (Err(()), Err(())));
    }
}
