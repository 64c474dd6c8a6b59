//! Stacking layers into one block: greedy by priority, each within its cap, all within the budget. A misfit is passed over, not the rest.

use backstory_memory::{MemoryId, Tokens, estimate};

/// One part of a block with a cap of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// What it is called in the record.
    pub name: &'static str,
    /// The heading above its items.
    pub heading: &'static str,
    /// The most it may cost.
    pub cap: Tokens,
    /// Its items, best first.
    pub items: Vec<Item>,
}

/// One line of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The memory it tells of.
    pub memory: MemoryId,
    /// The line.
    pub line: String,
}

/// A block as it would be given, and what is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The text; empty when there is nothing to say.
    pub text: String,
    /// What it costs.
    pub tokens: Tokens,
    /// The memories in it, in order.
    pub memories: Vec<MemoryId>,
    /// The layers in it.
    pub layers: Vec<&'static str>,
    /// The layers that had something to say and did not fit.
    pub layers_skipped: Vec<&'static str>,
}

/// Stacks layers, the most important first, within a budget.
#[must_use]
pub fn assemble(layers: &[Layer], budget: Tokens) -> Block {
    let mut block = Block::default();
    for layer in layers.iter().filter(|layer| !layer.items.is_empty()) {
        let before = block.memories.len();
        let allowed = Tokens(budget.0.min(block.tokens.0.saturating_add(layer.cap.0)));
        let gap = if block.text.is_empty() { "" } else { "\n" };
        let mut addition = format!("{gap}## {}\n", layer.heading);
        for item in &layer.items {
            let with_item = format!("{}{addition}- {}\n", block.text, item.line);
            // The whole is measured each time: what is emitted is what is counted.
            let cost = estimate(&with_item);
            if cost <= allowed {
                block.text = with_item;
                block.tokens = cost;
                block.memories.push(item.memory);
                addition.clear();
            }
        }
        if block.memories.len() > before {
            block.layers.push(layer.name);
        } else {
            block.layers_skipped.push(layer.name);
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_layers() -> impl Strategy<Value = Vec<Layer>> {
        let items = prop::collection::vec(("\\PC{0,120}", 0i64..99), 0..8).prop_map(|items| {
            items.into_iter().map(|(line, id)| Item { memory: MemoryId(id), line }).collect()
        });
        let layer = (items, 0u32..400).prop_map(|(items, cap)| Layer {
            name: "layer",
            heading: "Heading",
            cap: Tokens(cap),
            items,
        });
        prop::collection::vec(layer, 0..5)
    }

    proptest! {
        /// Law 4.
        #[test]
        fn an_injection_is_never_over_its_budget(layers in any_layers(), budget in 0u32..2_000) {
            let block = assemble(&layers, Tokens(budget));
            prop_assert!(estimate(&block.text) <= Tokens(budget));
            prop_assert_eq!(block.tokens, estimate(&block.text));
        }
    }

    #[test]
    fn a_misfit_is_passed_over_and_the_next_one_tried() {
        let item = |id, line: &str| Item { memory: MemoryId(id), line: line.to_owned() };
        let items = vec![item(1, &"long ".repeat(100)), item(2, "short")];
        let layer = Layer { name: "work", heading: "Recent work", cap: Tokens(50), items };
        let block = assemble(&[layer], Tokens(100));
        assert_eq!((block.memories, block.text.as_str()), (vec![MemoryId(2)], "## Recent work\n- short\n"));
    }

    /// S4.42, law 5.
    #[test]
    fn nothing_to_say_is_said_with_nothing() {
        assert_eq!(assemble(&[], Tokens(2_000)), Block::default());
    }
}
