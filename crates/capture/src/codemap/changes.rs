//! What changed between two readings of the same code.
//!
//! Symbols are compared by name, so that moving code within a file is no change. Not here: renames. A symbol that
//! got another name is one deleted and one made, and the caller has the digests to see more in it.

use super::Symbol;
use std::collections::HashMap;

/// What became of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// It was not there before.
    New,
    /// Its tokens changed.
    Modified,
    /// It is not there any more.
    Deleted,
}

/// One symbol that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeChange {
    /// What became of it.
    pub change: Change,
    /// The symbol as it is now, or as it was when it is deleted.
    pub symbol: Symbol,
}

/// Returns what changed from `before` to `after`: new and modified symbols as they stand in `after`, then deleted
/// ones as they stood in `before`.
///
/// Symbols of one name (overloads, several implementations) are paired by content, then by signature, then in order.
#[must_use]
pub fn changes(before: &[Symbol], after: &[Symbol]) -> Vec<CodeChange> {
    let mut left: HashMap<&str, Vec<&Symbol>> = HashMap::new();
    for symbol in before {
        left.entry(&symbol.qualified_name).or_default().push(symbol);
    }
    let mut found: Vec<Option<Change>> = vec![Some(Change::New); after.len()];
    // Each round pairs what the rounds before left over, so an overload never takes another's partner.
    for alike in [same_content, same_signature, same_name] {
        for (symbol, change) in
            after.iter().zip(&mut found).filter(|(_, change)| **change == Some(Change::New))
        {
            let Some(candidates) = left.get_mut(symbol.qualified_name.as_str()) else { continue };
            let Some(at) = candidates.iter().position(|former| alike(former, symbol)) else { continue };
            let former = candidates.remove(at);
            *change = (!same_content(former, symbol)).then_some(Change::Modified);
        }
    }
    let told = |change, symbol: &Symbol| CodeChange { change, symbol: symbol.clone() };
    let now = after.iter().zip(found).filter_map(|(symbol, change)| Some(told(change?, symbol)));
    let gone = before.iter().filter(|symbol| {
        let rest = left.get(symbol.qualified_name.as_str());
        rest.is_some_and(|rest| rest.iter().any(|left| std::ptr::eq(*left, *symbol)))
    });
    now.chain(gone.map(|symbol| told(Change::Deleted, symbol))).collect()
}

fn same_content(one: &Symbol, other: &Symbol) -> bool {
    one.body_hash == other.body_hash && one.kind == other.kind
}

fn same_signature(one: &Symbol, other: &Symbol) -> bool {
    one.signature == other.signature
}

fn same_name(_: &Symbol, _: &Symbol) -> bool {
    true
}
