//! What changed between two readings of the same code.
//!
//! Symbols are compared by name, so that moving code within a file is no change. Not here: renames. A symbol that
//! got another name is one deleted and one made, and the caller has the digests to see more in it.

use backstory_memory::{CodeChange, Symbol, SymbolChange};
use std::collections::HashMap;

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
    let mut formers: Vec<Option<&Symbol>> = vec![None; after.len()];
    // Each round pairs what the rounds before left over, so an overload never takes another's partner.
    for alike in [same_content, same_signature, same_name] {
        for (symbol, former) in after.iter().zip(&mut formers).filter(|(_, former)| former.is_none()) {
            let Some(candidates) = left.get_mut(symbol.qualified_name.as_str()) else { continue };
            let Some(at) = candidates.iter().position(|candidate| alike(candidate, symbol)) else { continue };
            *former = Some(candidates.remove(at));
        }
    }
    let now = after.iter().zip(formers).filter_map(|(symbol, former)| match former {
        None => Some(code_change(SymbolChange::New, symbol, None)),
        Some(former) if same_content(former, symbol) => None,
        Some(former) => Some(code_change(SymbolChange::Modified, symbol, Some(former))),
    });
    let gone = before.iter().filter(|symbol| {
        let rest = left.get(symbol.qualified_name.as_str());
        rest.is_some_and(|rest| rest.iter().any(|left| std::ptr::eq(*left, *symbol)))
    });
    now.chain(gone.map(|symbol| code_change(SymbolChange::Deleted, symbol, Some(symbol)))).collect()
}

fn code_change(change: SymbolChange, symbol: &Symbol, former: Option<&Symbol>) -> CodeChange {
    CodeChange { change, symbol: symbol.clone(), body_before: former.map(|former| former.body_hash) }
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
