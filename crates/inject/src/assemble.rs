//! Stacking layers into one block: greedy by priority, each within its share, all within the room there is.
//!
//! Layers are built one by one, and one that fails is noted and takes nothing else with it. A misfit is passed over, not the
//! rest; only an item that is alone in its layer is cut. Parts never cost less apart than together, so lines are priced
//! once, each for itself, and their sum holds for the whole.

use crate::encode::shorten;
use crate::{Block, Placed, Skipped, Why};
use backstory_memory::{MemoryId, Tokens, estimate};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One part of a block.
pub(crate) struct Layer<'a> {
    /// What it is called in the record.
    pub(crate) name: &'static str,
    /// The line above its items.
    pub(crate) heading: String,
    /// Its share: what is left is divided by the weights of this layer and those after it.
    pub(crate) weight: u32,
    /// How many of its items are told in full before the next is looked at; the others first in short.
    pub(crate) in_full: usize,
    /// Makes its items, best first.
    pub(crate) build: Build<'a>,
}

pub(crate) type Build<'a> = Box<dyn FnOnce() -> Result<Vec<Item>, String> + 'a>;

/// One thing a layer tells.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) about: About,
    /// Its lines: in full first, shorter next.
    pub(crate) forms: Vec<String>,
}

/// What an item tells of.
#[derive(Clone, Debug)]
pub(crate) enum About {
    /// A memory.
    Memory { id: MemoryId, score: f64, reasons: Vec<String>, is_external: bool },
    /// Changed code.
    Code,
    /// How things lie now; not worth saying alone, for the agent can look.
    WorkTree,
}

/// What may still be used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) tokens: u32,
    pub(crate) bytes: usize,
}

/// What came from outside may take a fifth at most, however much of it there is (SEC-2).
const SHARE_OF_EXTERNAL: u32 = 5;
/// Of what is cut shorter than this, nothing is understood.
const FEWEST_CHARS: usize = 24;

/// What was chosen, in order.
#[derive(Default)]
pub(crate) struct Stack {
    pub(crate) text: String,
    pub(crate) items: Vec<Placed>,
    pub(crate) layers: Vec<&'static str>,
    pub(crate) skipped: Vec<Skipped>,
    is_worth_saying: bool,
    told: HashSet<MemoryId>,
    /// What may still be spent on what came from outside.
    external_left: u32,
}

impl Stack {
    /// Makes the block of it: empty where nothing was said that is worth it.
    pub(crate) fn finish(self, wrap: impl FnOnce(&str) -> String) -> Block {
        if !self.is_worth_saying {
            return Block { layers_skipped: self.skipped, ..Block::default() };
        }
        let text = wrap(&self.text);
        Block {
            tokens: estimate(&text),
            bytes: text.len(),
            text,
            items: self.items,
            layers: self.layers,
            layers_skipped: self.skipped,
        }
    }
}

/// Stacks layers, the most important first. What one does not use flows on to those after it.
pub(crate) fn assemble(layers: Vec<Layer<'_>>, room: Room) -> Stack {
    let mut stack = Stack { external_left: room.tokens / SHARE_OF_EXTERNAL, ..Stack::default() };
    let mut left = room;
    let mut weights: u64 = layers.iter().map(|layer| u64::from(layer.weight)).sum();
    for layer in layers {
        let share = u64::from(left.tokens) * u64::from(layer.weight) / weights.max(1);
        weights -= u64::from(layer.weight);
        let share = Room { tokens: u32::try_from(share).unwrap_or(u32::MAX), bytes: left.bytes };
        match build(layer.build) {
            Ok(items) => {
                let heading = Heading { name: layer.name, heading: &layer.heading, in_full: layer.in_full };
                left = left.less(add_layer(&mut stack, &heading, items, share));
            }
            Err(reason) => stack.skipped.push(Skipped { layer: layer.name, why: Why::Failed(reason) }),
        }
    }
    stack
}

/// Builds a layer, and keeps to itself whatever goes wrong in it. What a panic prints is its hook's business.
fn build(build: Build<'_>) -> Result<Vec<Item>, String> {
    catch_unwind(AssertUnwindSafe(build)).unwrap_or_else(|_| Err("it panicked".to_owned()))
}

/// Adds what fits of a layer, and returns what that took.
fn add_layer(stack: &mut Stack, layer: &Heading<'_>, items: Vec<Item>, share: Room) -> Room {
    let items = stack.not_told(items);
    let had_some = !items.is_empty();
    let mut used = Room { tokens: estimate(layer.heading).0, bytes: layer.heading.len() };
    let mut chosen = Vec::new();
    let is_alone = items.len() == 1;
    for (place, item) in items.into_iter().enumerate() {
        let mut left = share.less(used);
        if item.is_external() {
            left.tokens = left.tokens.min(stack.external_left);
        }
        let fullest = if place < layer.in_full { 0 } else { item.forms.len().saturating_sub(1) };
        let Some(form) = choose(&item, fullest, left, is_alone) else { continue };
        used = used.and(form.room());
        stack.external_left -= if item.is_external() { form.tokens.0 } else { 0 };
        chosen.push((item, form));
    }
    if chosen.is_empty() {
        if had_some {
            stack.skipped.push(Skipped { layer: layer.name, why: Why::DidNotFit });
        }
        return Room { tokens: 0, bytes: 0 };
    }
    used = fill_up(&mut chosen, used, share);
    stack.layers.push(layer.name);
    stack.text.push_str(layer.heading);
    for (item, form) in chosen {
        stack.place(layer.name, item, &form);
    }
    used
}

/// Tells in full what was told in short, from the first on, as far as the share goes: first much, then more of each.
fn fill_up(chosen: &mut [(Item, Form)], mut used: Room, share: Room) -> Room {
    for (item, form) in chosen.iter_mut() {
        let others = used.less(form.room());
        let fuller = item.forms.get(..form.index).unwrap_or_default().iter();
        let fits = |(index, text): (usize, &String)| Form::fitting(index, text, share.less(others));
        if let Some(better) = fuller.enumerate().find_map(fits) {
            used = others.and(better.room());
            *form = better;
        }
    }
    used
}

/// What a layer is called, in the record and to its reader, and how many of its items are told in full before the next is looked at.
struct Heading<'a> {
    name: &'static str,
    heading: &'a str,
    in_full: usize,
}

/// One way to tell an item, with its line break and its price.
struct Form {
    index: usize,
    text: String,
    tokens: Tokens,
}

impl Form {
    fn fitting(index: usize, text: &str, left: Room) -> Option<Form> {
        let text = format!("{text}\n");
        let tokens = estimate(&text);
        (tokens.0 <= left.tokens && text.len() <= left.bytes).then_some(Form { index, text, tokens })
    }

    fn room(&self) -> Room {
        Room { tokens: self.tokens.0, bytes: self.text.len() }
    }
}

impl Room {
    fn less(self, used: Room) -> Room {
        Room { tokens: self.tokens.saturating_sub(used.tokens), bytes: self.bytes.saturating_sub(used.bytes) }
    }

    fn and(self, more: Room) -> Room {
        Room { tokens: self.tokens.saturating_add(more.tokens), bytes: self.bytes.saturating_add(more.bytes) }
    }
}

impl Item {
    fn is_external(&self) -> bool {
        matches!(self.about, About::Memory { is_external: true, .. })
    }
}

impl Stack {
    /// Leaves out what was told above, and of what is given twice the second.
    fn not_told(&self, items: Vec<Item>) -> Vec<Item> {
        let mut given = self.told.clone();
        let mut is_new = |item: &Item| match item.about {
            About::Memory { id, .. } => given.insert(id),
            About::Code | About::WorkTree => true,
        };
        items.into_iter().filter(|item| is_new(item)).collect()
    }

    fn place(&mut self, layer: &'static str, item: Item, form: &Form) {
        self.text.push_str(&form.text);
        self.is_worth_saying |= !matches!(item.about, About::WorkTree);
        let About::Memory { id, score, reasons, .. } = item.about else { return };
        self.told.insert(id);
        let rank = u32::try_from(self.items.len() + 1).unwrap_or(u32::MAX);
        self.items.push(Placed { memory: id, layer, rank, tokens: form.tokens, score, reasons });
    }
}

/// Returns the first form that fits, from `fullest` on; the last one cut to fit where the item is alone.
fn choose(item: &Item, fullest: usize, left: Room, is_alone: bool) -> Option<Form> {
    let forms = item.forms.iter().enumerate();
    let whole = forms.skip(fullest).find_map(|(index, text)| Form::fitting(index, text, left));
    if whole.is_some() || !is_alone {
        return whole;
    }
    let line = item.forms.last()?.lines().next()?;
    let mut most_chars = line.chars().count();
    while most_chars > FEWEST_CHARS {
        most_chars = (most_chars * 4 / 5).max(FEWEST_CHARS);
        // Index 0: what had to be cut has no fuller form that fits.
        if let Some(cut) = Form::fitting(0, &shorten(line, most_chars), left) {
            return Some(cut);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: i64, forms: &[&str]) -> Item {
        let about = About::Memory { id: MemoryId(id), score: 0.0, reasons: Vec::new(), is_external: false };
        Item { about, forms: forms.iter().map(|form| (*form).to_owned()).collect() }
    }

    fn layer<'a>(name: &'static str, weight: u32, items: Vec<Item>) -> Layer<'a> {
        Layer {
            name,
            heading: format!("## {name}\n"),
            weight,
            in_full: 1,
            build: Box::new(move || Ok(items)),
        }
    }

    const ROOM: Room = Room { tokens: 100, bytes: 10_000 };

    #[test]
    fn a_misfit_is_passed_over_and_the_next_one_tried() {
        let long = "long ".repeat(100);
        let stack = assemble(vec![layer("work", 1, vec![item(1, &[&long]), item(2, &["short"])])], ROOM);
        assert_eq!(stack.text, "## work\nshort\n");
        assert_eq!(stack.items.iter().map(|it| it.memory).collect::<Vec<_>>(), [MemoryId(2)]);
    }

    #[test]
    fn only_what_is_alone_is_cut_and_after_a_sentence() {
        let long = "- This is said. ".to_owned() + &"And this is more of it ".repeat(40);
        let alone = assemble(vec![layer("work", 1, vec![item(1, &[&long])])], Room { tokens: 16, ..ROOM });
        assert!(alone.text.starts_with("## work\n- This is said."), "{}", alone.text);
        let two = assemble(
            vec![layer("work", 1, vec![item(1, &[&long]), item(2, &[&long])])],
            Room { tokens: 16, ..ROOM },
        );
        assert_eq!((two.text.as_str(), two.skipped.len()), ("", 1));
    }

    #[test]
    fn the_fullest_form_that_fits_is_taken() {
        let long = "long ".repeat(100);
        let stack = assemble(vec![layer("work", 1, vec![item(1, &[&long, "a form that fits", "x"])])], ROOM);
        assert_eq!(stack.text, "## work\na form that fits\n");
    }

    #[test]
    fn first_much_is_told_and_then_more_of_each() {
        let long = "one two three four ".repeat(8);
        let items = || (1..=3).map(|id| item(id, &[&long, "- short"])).collect();
        let stack = assemble(vec![layer("work", 1, items())], Room { tokens: 90, ..ROOM });
        assert_eq!(stack.text, format!("## work\n{long}\n{long}\n- short\n"));
        let stack = assemble(vec![layer("work", 1, items())], Room { tokens: 60, ..ROOM });
        assert_eq!(stack.text, format!("## work\n{long}\n- short\n- short\n"));
    }

    #[test]
    fn a_layer_keeps_to_its_share_and_what_it_leaves_flows_on() {
        let lines: Vec<Item> = (0..60).map(|id| item(id, &["- one two three four"])).collect();
        let more: Vec<Item> = (100..160).map(|id| item(id, &["- one two three four"])).collect();
        let full = assemble(vec![layer("a", 1, lines), layer("b", 3, more.clone())], ROOM);
        let tokens = |stack: &Stack, name| {
            stack.items.iter().filter(|it| it.layer == name).map(|it| it.tokens.0).sum::<u32>()
        };
        assert!(tokens(&full, "a") <= 25 && tokens(&full, "b") > 50);
        let freed = assemble(vec![layer("a", 1, Vec::new()), layer("b", 3, more)], ROOM);
        assert!(tokens(&freed, "b") > tokens(&full, "b"));
    }

    #[test]
    fn a_layer_that_panics_or_fails_removes_no_other() {
        let failing = |name, build: Build<'static>| Layer {
            name,
            heading: String::new(),
            weight: 1,
            in_full: 1,
            build,
        };
        let layers = vec![
            layer("a", 1, vec![item(1, &["- first"])]),
            failing("b", Box::new(|| Err("no such table".to_owned()))),
            failing("c", Box::new(|| panic!("a bug in its builder"))),
            layer("d", 1, vec![item(2, &["- last"])]),
        ];
        let stack = assemble(layers, ROOM);
        assert_eq!(stack.text, "## a\n- first\n## d\n- last\n");
        let noted: Vec<String> = stack.skipped.iter().map(ToString::to_string).collect();
        assert_eq!(noted, ["b: failed: no such table", "c: failed: it panicked"]);
    }

    #[test]
    fn what_was_told_above_is_not_told_again() {
        let layers =
            vec![layer("a", 1, vec![item(1, &["- once"])]), layer("b", 1, vec![item(1, &["- twice"])])];
        assert_eq!(assemble(layers, ROOM).text, "## a\n- once\n");
    }
}
